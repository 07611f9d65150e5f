"""`python -m publish`: what the Action starts. Nothing else is said here."""

import sys

from publish import action

sys.exit(action.main())
