"""Comments laid out by a browser in GitHub's style: everything fits into the width of a pull request's column.

What the HTML holds is checked without a browser (tests/unit/publish/reading);
here are its sizes. `python -m tests.pages` makes pictures of the same pages.
"""

import os

import pytest

from observer.records.evidence import Evidence, Outcome
from publish import api, evidence, target
from tests.builders.evidence import CODEX, document, sealed, used
from tests.builders.evidence import evidence as made
from tests.golden_files import FOLDER
from tests.pages import browser, github
from tests.pages.github import Look
from tests.unit.publish import reading

GOLDEN = sorted(path.name for path in (FOLDER / "comment").glob("*.md"))
# Long names and counts as they occur, and the widest that evidence may carry.
LARGE = 999_999_999_999
REAL = {
    "names": made(
        used("openrouter/anthropic/claude-sonnet-4-5-20250929", input=1),
        used("accounts/fireworks/models/deepseek-v3p1-terminus", label=CODEX, effort="medium", input=1),
        task="release-2026-11/checkout-performance",
    ),
    "counts": made(used(responses=99_999, input=LARGE, cached_input=LARGE, output=LARGE, reasoning_output=LARGE)),
}
LONGEST = "w" * 128
HUGE = 2**53 - 1
WIDEST = {
    "model": made(used(LONGEST, input=1), used("/".join([LONGEST[:42]] * 3)[:128], label=CODEX, input=1)),
    "task": made(used(), task=LONGEST),
    "effort": made(used(effort=LONGEST[:64])),
    "proof": made(used(), outcome=Outcome("complete", candidate="octocat/" + LONGEST[:90], proof="f" * 64)),
    "counts": made(used(input=HUGE, cached_input=HUGE, output=HUGE, reasoning_output=HUGE)),
}


@pytest.fixture(autouse=True)
def _browser() -> None:
    missing = "no Chromium here" if browser.find() is None else "" if github.has_styles() else github.INSTALL
    if missing and os.environ.get("CI") == "true":
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)


@pytest.mark.parametrize("name", GOLDEN)
def test_a_golden_comment_fits(name: str) -> None:
    """Also what is folded away."""
    assert _wide((FOLDER / "comment" / name).read_text("utf-8")) == ()


@pytest.mark.parametrize("name", REAL)
def test_long_names_and_large_counts_fit(name: str) -> None:
    assert _wide(_body(REAL[name])) == ()


@pytest.mark.parametrize("name", WIDEST)
def test_a_value_that_cannot_fit_widens_its_table_and_nothing_else(name: str) -> None:
    """A table scrolls within itself; the page stays as it is."""
    body = _body(WIDEST[name])
    reading.check(body)
    assert all(each.startswith("table ") for each in _wide(body)), _wide(body)


def test_what_does_not_fit_is_noticed() -> None:
    cells = "|".join(["unbreakable" * 3] * 9)
    body = f"|{cells}|\n|{'|'.join(['--'] * 9)}|\n"
    assert any(each.startswith("table ") for each in _wide(f"<details><summary>more</summary>\n\n{body}\n</details>"))


def test_a_picture_is_as_wide_and_high_as_the_page() -> None:
    page = github.page(_body(made(used())), Look.NARROW)
    png = browser.picture(page, Look.NARROW.width, scale=2)
    size = tuple(int.from_bytes(png[start : start + 4]) for start in (16, 20))
    assert size == (2 * Look.NARROW.width, 2 * browser.measure(page, Look.NARROW.width).height)


def _body(given: Evidence) -> str:
    """Through the decoder of untrusted input, as it would arrive."""
    checked = evidence.read(sealed(document(given)))
    return api.prepare([checked], target.parse("octocat/hello-world", pr="7", commit=None)).body


def _wide(body: str) -> tuple[str, ...]:
    return browser.measure(github.page(body, Look.LIGHT, opened=True), Look.LIGHT.width).wide
