"""Composing answers: facts + rules + pricing → report objects.

Holds no SQL and knows no GitHub. A report is a function of ledger and price
schedule: the same inputs give the same report.
"""
