"""What usage would cost at list price under one dated, sourced schedule.

Pure but for `bundle`, which reads price files. Prices counters, never totals;
never turns unknown into 0 and never matches a model by likeness.
"""
