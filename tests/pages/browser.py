"""Chromium without a window: what a page measures, and a picture of it.

Every call has a profile of its own and no way to the network.
"""

import html
import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

# The last is where macOS keeps it, which no PATH leads to.
_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--force-color-profile=srgb",
    "--font-render-hinting=none", "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip
# The title carries the answer out: the DOM is dumped as it is when the script has run.
_MEASURE = """
<script>
const wide = [...document.querySelectorAll("html, article, article *")]
  .filter(each => each.scrollWidth > each.clientWidth && getComputedStyle(each).display !== "inline")
  .map(each => `${each.tagName.toLowerCase()} ${each.scrollWidth} > ${each.clientWidth}`);
document.title = JSON.stringify({height: Math.ceil(document.body.getBoundingClientRect().bottom) + 24, wide});
</script>
"""
_TALL = 4000


class NoBrowser(Exception):
    """Chromium is not here, or did not do what it was asked."""


@dataclass(frozen=True)
class Measured:
    """Height of the page in pixels, and the elements whose content is wider than they are."""

    height: int
    wide: tuple[str, ...]


def find() -> str | None:
    """The path of the browser, or None."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


def measure(page: str, width: int) -> Measured:
    """Lays a page out in a window of that width."""
    with tempfile.TemporaryDirectory() as folder:
        dom = _run(
            Path(folder), page.replace("</body>", _MEASURE + "</body>"), f"--window-size={width},{_TALL}", "--dump-dom"
        )
    title = re.search(r"<title>(.*?)</title>", dom, re.DOTALL)
    if title is None:
        raise NoBrowser(f"no answer from the page: {dom[:400]!r}")
    answer = json.loads(html.unescape(title.group(1)))
    return Measured(answer["height"], tuple(answer["wide"]))


def picture(page: str, width: int, scale: int = 1) -> bytes:
    """A PNG of the whole page, `scale` device pixels to the pixel."""
    height = measure(page, width).height
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "picture.png"
        _run(
            Path(folder), page, f"--window-size={width},{height}", f"--force-device-scale-factor={scale}",
            f"--screenshot={target}",
        )  # fmt: skip
        if not target.is_file():
            raise NoBrowser("no picture was written")
        return target.read_bytes()


def _run(folder: Path, page: str, *flags: str) -> str:
    program = find()
    if program is None:
        raise NoBrowser("no Chromium; on Debian: apt-get install chromium")
    source = folder / "page.html"
    source.write_text(page, encoding="utf-8")
    words = [program, *_FLAGS, f"--user-data-dir={folder / 'profile'}", *flags, source.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise NoBrowser(done.stderr[-800:])
    return done.stdout
