"""The screen between the adapters and the ledger: what of a record may be kept.

Pure: no I/O, no clock, no knowledge of harnesses or tables. It is the only
maker of a Batch, and it fails closed: what no rule allows is left out.
"""
