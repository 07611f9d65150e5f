"""The ledger: one private SQLite file and everything that writes to it.

Never answers questions (facts) and never knows a harness's format.
"""
