"""From evidence bytes to one owned comment: the only part that reaches a network.

Takes evidence and a target, never the ledger. Everything that can be said in
a comment is a cell (publish.cells); free text has no cell.
"""
