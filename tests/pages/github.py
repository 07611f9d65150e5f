"""A comment's body as the HTML that GitHub makes of it, and as a page in GitHub's style.

cmark-gfm is GitHub's own renderer. As in comments, a line break is kept. Alerts
are GitHub's addition and are made here; its sanitizer is left out on purpose,
so that what it would have to remove is seen.
"""

import re
from enum import Enum
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

FOLDER = Path(__file__).resolve().parent
_STYLES = FOLDER / "node_modules" / "github-markdown-css"
INSTALL = "npm ci --prefix tests/pages"
_OPTIONS = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_HARDBREAKS
_ALERT = re.compile(
    r"<blockquote>\n<p>\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\](?:<br />)?\n(.*?)</blockquote>", re.DOTALL
)
_MARGIN = 24
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src {inline}; script-src {inline}">
<title>{title}</title>
<style>
{style}
html {{ background: {background}; }}
body {{ margin: {margin}px; }}
article {{ width: {width}px; }}
</style>
</head>
<body>
<article class="markdown-body">
{fragment}</article>
</body>
</html>
"""


class Look(Enum):
    """Where a comment is read: style sheet, background, width of the content in pixels."""

    LIGHT = ("github-markdown-light.css", "#ffffff", 780)
    DARK = ("github-markdown-dark.css", "#0d1117", 780)
    NARROW = ("github-markdown-light.css", "#ffffff", 400)
    MAIL = (None, "#ffffff", 780)

    @property
    def width(self) -> int:
        """Of the page: the content and its margins."""
        return self.value[2] + 2 * _MARGIN

    @property
    def style(self) -> str:
        """GitHub's style sheet with its licence, or nothing: a mail program shows plain HTML."""
        if self.value[0] is None:
            return ""
        licence = (_STYLES / "license").read_text("utf-8")
        return f"/*! github-markdown-css\n{licence}*/\n{(_STYLES / self.value[0]).read_text('utf-8')}"


def has_styles() -> bool:
    """Whether the style sheet is installed (INSTALL)."""
    return _STYLES.is_dir()


def fragment(body: str) -> str:
    """The HTML of a comment's body on GitHub."""
    return _ALERT.sub(_alert, _html(body))


def _html(body: str) -> str:
    html: str = cmarkgfm.github_flavored_markdown_to_html(body, options=_OPTIONS)
    return html


def page(body: str, look: Look, *, opened: bool = False) -> str:
    """A whole HTML document; `opened` shows what is folded away.

    A mail program folds nothing and knows no alerts: they are quotes.
    """
    inner = _html(body) if look is Look.MAIL else fragment(body)
    return _PAGE.format(
        title=look.name.lower(),
        inline="'unsafe-inline'",
        style=look.style,
        background=look.value[1],
        margin=_MARGIN,
        width=look.value[2],
        fragment=inner.replace("<details>", "<details open>") if opened or look is Look.MAIL else inner,
    )


def _alert(match: re.Match[str]) -> str:
    kind = match.group(1)
    title = f'<p class="markdown-alert-title">{kind.capitalize()}</p>'
    return f'<div class="markdown-alert markdown-alert-{kind.lower()}">\n{title}\n<p>{match.group(2)}</div>'
