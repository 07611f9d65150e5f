"""Doctor: is this installation, this ledger and this set of sources sound, and what to do about it.

Reads everything, changes nothing, and says its findings as values.
"""
