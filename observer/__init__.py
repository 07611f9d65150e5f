"""Agent Observer: exact usage and ownership from coding agents' own records.

Importing the package costs nothing: it holds the version and no imports.
"""

__version__ = "0.1.0"
