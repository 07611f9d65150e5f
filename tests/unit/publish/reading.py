"""A comment as GitHub shows it: rendered, and looked at for what must not be in it.

GitHub's own renderer makes the HTML, bare addresses become links as they do
there; what GitHub would notify or turn into a link, an emoji or a formula
afterwards is searched for in the text.
"""

import html
import re
from html.parser import HTMLParser

from publish.cells import PRICE_HOSTS
from tests.pages import github

_ALLOWED = {"details", "summary", "sub", "code", "p", "h3", "strong", "em", "table", "thead", "tbody", "tr", "th", "td",
            "ul", "li", "div", "br", "a"}  # fmt: skip
# What turns into a link, a notification, an emoji, a formula or struck text where it stands outside code.
_ACTIVE = re.compile(
    r"@\w|#\d|\bGH-\d|https?:|\bwww\.|mailto:|:[a-z0-9_+-]+:|\$|~|\b[0-9a-f]{7,40}\b|\w+/\w+#\d", re.IGNORECASE
)
_VOID = {"img", "br", "hr", "input"}


class _Reader(HTMLParser):
    """Collects tags, links and the text outside code."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.text: list[str] = []
        self.comments = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Every tag that opens."""
        self.tags.add(tag)
        if tag == "a":
            self.links.append(dict(attrs).get("href") or "")
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Every tag that closes the one that was opened last."""
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        """Text; that of links is their host and counts as part of the link."""
        if not {"code", "a"} & set(self.open):
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        """The marker and the state block."""
        self.comments += 1


def check(body: str) -> None:
    """Fails when anything in the comment is active, unbalanced, or not of our making."""
    reader = _Reader()
    reader.feed(github.fragment(body))
    reader.close()
    assert reader.open == []
    assert reader.tags <= _ALLOWED, reader.tags - _ALLOWED
    assert reader.comments == 2
    for link in reader.links:
        assert re.fullmatch(r"https://([a-z.]+)(/[A-Za-z0-9._/-]*)?", link), link
        assert link.split("/")[2] in PRICE_HOSTS
    found = _ACTIVE.search(" ".join(reader.text))
    assert found is None, found
    _check_tables(body)


def _check_tables(body: str) -> None:
    """Every row of a table has as many cells as its header."""
    for table in re.findall(r"(?:^\|.*\n)+", body, re.MULTILINE):
        rows = table.splitlines()
        assert len({row.count("|") for row in rows}) == 1, rows
        assert all(row.endswith("|") for row in rows)
        assert re.fullmatch(r"[|:-]+", rows[1])


def words(body: str) -> str:
    """The visible text."""
    return html.unescape(re.sub(r"<[^>]*>", " ", github.fragment(body)))
