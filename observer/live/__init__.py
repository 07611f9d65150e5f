"""What happens now: live processes of the agents against the newest records.

Reads processes and records; writes nothing and asks no ledger.
"""
