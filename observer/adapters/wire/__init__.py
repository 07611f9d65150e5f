"""Formats that belong to no harness: those of the models' interfaces and of open protocols.

A harness that writes what went over the wire writes it in one of these; where
it writes it, and what it adds, stands in the harness's own folder.
"""
