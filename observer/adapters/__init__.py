"""Adapters: one harness's native records → records, pure, one folder each.

Never hold SQL of the ledger, import a sibling, or decide what text is kept.
"""
