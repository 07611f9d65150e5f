"""The picture in the README: the demo's comment, light and dark, and the text it was made from.

`python -m tests.pages.readme` writes all three. A picture carries the digest
of its text, so that a test can tell without a browser when it is out of date.
"""

import hashlib
import re
import struct
import tempfile
import zlib
from pathlib import Path

from tests.command_line import machine
from tests.pages import browser, github
from tests.pages.github import Look
from tests.places import ROOT

FOLDER = ROOT / "docs" / "images"
BODY = FOLDER / "comment.md"
PICTURES = {Look.LIGHT: FOLDER / "comment-light.png", Look.DARK: FOLDER / "comment-dark.png"}
LARGEST = 150_000
# Depends on the ledger's random id, and so differs from run to run.
_RANDOM = re.compile(r"(?<=Evidence `)[0-9a-f]{12}(?=`)")
_KEYWORD = b"Source"
_SIGNATURE = 8


def shown() -> str:
    """The comment that the demo shows now, with a fixed digit string for the digest that is random."""
    with tempfile.TemporaryDirectory() as folder:
        answer = machine(Path(folder))("demo")
    assert answer.code == 0, answer.err
    body = answer.out[answer.out.index("### Agent Observer") : answer.out.rindex("\n(and ")]
    return _RANDOM.sub("0123456789ab", body).strip() + "\n"


def source(png: bytes) -> str | None:
    """The digest of the text that a picture was made from."""
    place = _SIGNATURE
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        data = png[place + 8 : place + 8 + length]
        if png[place + 4 : place + 8] == b"tEXt" and data.startswith(_KEYWORD + b"\0"):
            return data.partition(b"\0")[2].decode("ascii")
        place += length + 12
    return None


def digest(body: str) -> str:
    """What identifies a text in a picture."""
    return hashlib.sha256(body.encode("utf-8")).hexdigest()


def main() -> None:
    """Writes the text and both pictures."""
    body = shown()
    FOLDER.mkdir(parents=True, exist_ok=True)
    BODY.write_text(body, encoding="utf-8")
    for look, path in PICTURES.items():
        path.write_bytes(_signed(browser.picture(github.page(body, look), look.width), digest(body)))
        print(path)


def _signed(png: bytes, text: str) -> bytes:
    """The picture with its source, in the chunk that PNG has for such words, before the end."""
    data = b"tEXt" + _KEYWORD + b"\0" + text.encode("ascii")
    chunk = struct.pack(">I", len(data) - 4) + data + struct.pack(">I", zlib.crc32(data))
    end = png.rindex(b"IEND") - 4
    return png[:end] + chunk + png[end:]


if __name__ == "__main__":
    main()
