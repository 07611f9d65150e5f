"""Documents that show code are checked against it."""

import re

from tests import edge_cases
from tests.command_line import Cli
from tests.golden_files import Golden
from tests.places import ROOT

EVIDENCE = r"Evidence `[0-9a-f]{12}`"


def test_the_ledger_page_shows_the_migrations() -> None:
    """docs/ledger.md is what makes a ledger, letter by letter."""
    page = (ROOT / "docs" / "ledger.md").read_text("utf-8")
    scripts = sorted((ROOT / "observer" / "ledger" / "migrations").glob("*.sql"))
    assert scripts
    for script in scripts:
        assert f"## `{script.name}`\n\n```sql\n{script.read_text('utf-8').rstrip()}\n```" in page


def test_the_readme_shows_the_comment_that_the_demo_makes(cli: Cli) -> None:
    """Line by line, but for the marker, the memory block, and the digest that depends on the ledger's random id."""
    shown = cli("demo").out
    body = shown[shown.index("### Agent Observer") : shown.rindex("\n(and ")].strip()
    page = (ROOT / "README.md").read_text("utf-8")
    quoted = page.partition("<!-- begin: comment -->\n")[2].partition("<!-- end: comment -->")[0]
    expected = "".join(line.removeprefix(">").removeprefix(" ") for line in quoted.splitlines(keepends=True)).strip()
    assert re.sub(EVIDENCE, "", body) == re.sub(EVIDENCE, "", expected)


def test_the_page_of_edge_cases_names_the_tests_that_hold_them(golden: Golden) -> None:
    """docs/edge-cases.md is what the docstrings of the tests say."""
    golden("../../docs/edge-cases.md", edge_cases.page())
