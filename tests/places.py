"""Where the tests' data lies. Real records are read from here and never written to."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "tests" / "fixtures"
RECORDS = FIXTURES / "records"
CASES = FIXTURES / "cases"
