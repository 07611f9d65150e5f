"""What may stand in the project's files: nothing of the machine it was made on, and nothing undocumented."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from observer.base import errors
from tests.places import FIXTURES, ROOT

_SKIPPED_FOLDERS = {".git", "node_modules", "__pycache__", ".cache", "build", "dist"}
_SKIPPED_FILES = {"package-lock.json"}
_HIDDEN_OURS = {".ci", ".github", ".gitignore", ".claude-plugin", ".codex-plugin", ".grok-plugin"}
# Pieces are joined here so that this file does not contain what it forbids.
_MACHINE = re.compile(
    "|".join(
        (
            r"(?<![\w./-])/work/" + r"(?:main|shared|\.library)\b",
            r"/tmp/" + r"(?:venv|brief|bash_jobs)\b",
            r"(?<![\w./-])/root/" + r"\w",
            r"/opt/" + r"(?:wheels|pypi)",
            r"(?:pypi|npmjs|crates)\." + r"(?:org|com|io)",
            r"python" + r"hosted\.org",
            r"proxy\.golang" + r"\.org",
        )
    )
)
_HEADING = re.compile(r"^### `([a-z-]+)`", re.MULTILINE)
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


def texts() -> Iterator[tuple[str, str]]:
    """Name and text of every file that belongs to the project; native records and caches do not count."""
    for path in sorted(ROOT.rglob("*")):
        inside = path.relative_to(ROOT)
        if _is_skipped(inside) or not path.is_file() or FIXTURES in path.parents:
            continue
        try:
            yield inside.as_posix(), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def test_no_file_names_the_machine_it_was_made_on_or_a_package_index() -> None:
    found = [
        f"{name}:{text[: match.start()].count(chr(10)) + 1}: {match.group()}"
        for name, text in texts()
        for match in _MACHINE.finditer(text)
    ]
    assert found == []


def test_every_text_file_ends_with_a_newline_and_has_no_tabs_or_trailing_blanks() -> None:
    untidy = [
        name
        for name, text in texts()
        if name.endswith((".py", ".md", ".toml", ".j2", ".sql", ".yml", ".sh"))
        and not name.startswith("tests/golden/")
        and text
        and (not text.endswith("\n") or "\t" in text or re.search(r"[ ]+$", text, re.MULTILINE))
    ]
    assert untidy == []


def test_every_refusal_is_explained_and_nothing_else_is() -> None:
    explained = _HEADING.findall((ROOT / "docs" / "messages.md").read_text(encoding="utf-8"))
    assert sorted(explained) == sorted(_slugs(errors.ObserverError))


def test_every_explanation_names_the_exit_code_of_its_refusal() -> None:
    text = (ROOT / "docs" / "messages.md").read_text(encoding="utf-8")
    sections = dict(zip(_HEADING.findall(text), _HEADING.split(text)[2::2], strict=True))
    for slug, code in _slugs(errors.ObserverError).items():
        assert f"(exit {code})" in sections[slug].splitlines()[0], slug


def test_price_schedules_have_the_digests_they_were_published_with() -> None:
    recorded = {}
    for line in (ROOT / "prices" / "DIGESTS").read_text(encoding="utf-8").splitlines():
        digest = _DIGEST.search(line)
        if digest:
            recorded[(line[: digest.start()] + line[digest.end() :]).strip(" *:=\t\"'")] = digest.group()
    present = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (ROOT / "prices").glob("*.toml")}
    assert present == recorded


def _is_skipped(inside: Path) -> bool:
    hidden_environment = inside.parts[0].startswith(".") and inside.parts[0] not in _HIDDEN_OURS
    return hidden_environment or bool(_SKIPPED_FOLDERS.intersection(inside.parts)) or inside.name in _SKIPPED_FILES


def _slugs(kind: type[errors.ObserverError]) -> dict[str, int]:
    """Slug → exit code of every subclass; the base class is no refusal of its own."""
    found = {}
    for child in kind.__subclasses__():
        found |= {child.slug: child.exit_code} | _slugs(child)
    return found
