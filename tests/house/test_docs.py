"""Documents that show code are checked against it."""

import re

from tests import edge_cases
from tests.golden_files import Golden
from tests.pages import readme
from tests.places import ROOT

_LINK = re.compile(r"(?:\]\(|srcset=\"|src=\")([^)\s\"]+)")


def test_the_ledger_page_shows_the_migrations() -> None:
    """docs/ledger.md is what makes a ledger, letter by letter."""
    page = (ROOT / "docs" / "ledger.md").read_text("utf-8")
    scripts = sorted((ROOT / "observer" / "ledger" / "migrations").glob("*.sql"))
    assert scripts
    for script in scripts:
        assert f"## `{script.name}`\n\n```sql\n{script.read_text('utf-8').rstrip()}\n```" in page


def test_the_readme_shows_the_comment_that_the_demo_makes() -> None:
    """The text beside the picture is what the demo says now, and the pictures were made from it."""
    body = readme.BODY.read_text("utf-8")
    remedy = "make the picture anew: python -m tests.pages.readme"
    assert body == readme.shown(), remedy
    page = (ROOT / "README.md").read_text("utf-8")
    for path in readme.PICTURES.values():
        picture = path.read_bytes()
        assert readme.source(picture) == readme.digest(body), remedy
        assert len(picture) < readme.LARGEST
        assert f'"{path.relative_to(ROOT).as_posix()}"' in page


def test_links_between_documents_lead_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("skills/**/*.md"))
        for link in _LINK.findall(page.read_text("utf-8"))
        if not link.startswith(("https://", "#")) and not (page.parent / link.partition("#")[0]).exists()
    ]
    assert broken == []


def test_the_page_of_edge_cases_names_the_tests_that_hold_them(golden: Golden) -> None:
    """docs/edge-cases.md is what the docstrings of the tests say."""
    golden("../../docs/edge-cases.md", edge_cases.page())
