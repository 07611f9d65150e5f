"""Adapters: one harness's native records → records, pure, one folder each; beside the folders, what several of them do.

Never hold SQL of the ledger, import a sibling, or decide what text is kept.
"""
