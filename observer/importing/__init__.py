"""Moving evidence in: find sources, read what is new, screen it, write it.

Never computes a report.
"""
