"""`python -m tests.pages BODY… --to FOLDER`: pictures of comments, to be looked at.

Each body gives four PNGs: GitHub light, dark and narrow, and a mail program's
view without a style sheet. `--open` shows what is folded away.
"""

import argparse
from pathlib import Path

from tests.pages import browser, github
from tests.pages.github import Look


def main() -> None:
    """Writes NAME-light.png, NAME-dark.png, NAME-narrow.png and NAME-mail.png into the folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.pages", description=__doc__)
    parser.add_argument("body", nargs="+", type=Path, help="files with a comment's Markdown")
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--open", action="store_true", help="with everything unfolded")
    args = parser.parse_args()
    args.to.mkdir(parents=True, exist_ok=True)
    for source in args.body:
        body = source.read_text(encoding="utf-8")
        for look in Look:
            page = github.page(body, look, opened=args.open)
            target = args.to / f"{source.stem}-{look.name.lower()}.png"
            target.write_bytes(browser.picture(page, look.width))
            print(target)


if __name__ == "__main__":
    main()
