"""The command line: parse, call, print. Never computes."""
