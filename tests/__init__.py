"""The tests. A package, so that `tests.builders` and `tests.peers` are ours and nobody else's."""
