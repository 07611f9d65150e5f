"""Programs that play GitHub on this machine, so that the publisher is tested over real HTTP."""
