"""`python -m observer` is the command line."""

import sys

from observer.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
