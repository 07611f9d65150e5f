"""The export: a report reduced to what may leave the machine, and sealed.

Never adds a field without a version, and never a path, prompt, title or any
other free text.
"""
