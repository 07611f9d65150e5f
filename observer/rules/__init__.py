"""Pure arithmetic over records: ownership and coverage.

Never does I/O, never reads the clock, never guesses.
"""
