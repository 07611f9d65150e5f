"""Read-only access to other people's bytes.

Never writes, never locks, never follows a path that a record names.
"""
