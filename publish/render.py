"""Summary → text, through templates that can print nothing but cells and plain integers.

Jinja2 in its immutable sandbox, strict about undefined names. `finalize` sees
every printed expression and refuses strings, so a template cannot say what no
cell allows: not by a literal, a filter, a macro or a joined text.
"""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from publish.cells import Cell
from publish.summary import Summary

if TYPE_CHECKING:
    import jinja2

_PACKAGE = Path(__file__).resolve().parent
_BLANK_LINES = re.compile(r"\n{3,}")


def text(summary: Summary) -> str:
    """What a person reads: the comment without its marker and state block."""
    rendered: str = _environment().get_template("comment.md.j2").render(s=summary)
    # Blocks that print nothing leave empty lines behind; Markdown needs one, never more.
    return _BLANK_LINES.sub("\n\n", rendered).strip("\n")


def units(body: str) -> int:
    """Length as the server counts it: UTF-16 code units."""
    return len(body.encode("utf-16-le")) // 2


@cache
def _environment() -> "jinja2.Environment":
    import jinja2

    return environment(jinja2.FileSystemLoader(_folder()))


def environment(loader: "jinja2.BaseLoader") -> "jinja2.Environment":
    """An environment in which only cells can be printed."""
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(
        loader=loader,
        undefined=jinja2.StrictUndefined,
        finalize=_only_cells,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        extensions=(),
    )


def _only_cells(printed: Any) -> str:
    if isinstance(printed, Cell) or type(printed) is int:
        return str(printed)
    raise TypeError(f"a template may print cells and integers, not {type(printed).__name__}")


def _folder() -> Path:
    """The templates lie at the root of a checkout and inside the package in a wheel."""
    installed = _PACKAGE / "_templates"
    return installed if installed.is_dir() else _PACKAGE.parent / "templates"
