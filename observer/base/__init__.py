"""What every room may lean on: errors, time, paths, bundled data and text.

Never knows a record or a table.
"""
