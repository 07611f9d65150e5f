"""The words of the field: immutable types and their own laws.

Never does I/O; never knows a harness or a table. Optional counters are
`int | None`, where None is unknown and never zero. Instants are integer
milliseconds UTC (`…_ms`). Ids carry their harness prefix.
"""
