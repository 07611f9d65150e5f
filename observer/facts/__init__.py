"""Every question asked of a ledger: one module per question, typed answers.

All SELECT statements of reports stand here. Never writes, formats or values.
"""
