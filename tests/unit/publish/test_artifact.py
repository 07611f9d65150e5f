"""Archives that anybody may have written: read within limits, or refused by name, and never unpacked to disk."""

import io
import os
import stat
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publish import artifact
from publish.artifact import GREATEST_RATIO, MOST_DOCUMENTS, Artifact, Origin
from publish.event import Repository, Run
from publish.evidence import LARGEST
from publish.result import Stop

SHA = "a" * 40
RUN = Run(9, SHA, "patch-1", Repository(55))


def packed(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive with these members, also with equal names."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return made.getvalue()


def why(archive: bytes) -> str:
    """What the refusal of an archive says."""
    with pytest.raises(Stop) as caught:
        artifact.documents(archive)
    assert (caught.value.outcome, caught.value.reason) == ("failed", "bad_artifact")
    return caught.value.message


def test_members_come_in_the_order_of_their_names() -> None:
    found = artifact.documents(packed(("b.json", b"2"), ("a.json", b"1")))
    assert [(each.name, each.data) for each in found] == [("a.json", b"1"), ("b.json", b"2")]


@pytest.mark.parametrize(
    "name",
    [
        "../../.bashrc", "../evidence.json", "/etc/evidence.json", "a/b.json", "a\\b.json", "C:a.json", ".json",
        ".hidden.json", "evidence.json/", "evidence.json ", "evidence.JSON", "evidence.txt", "é.json", "a\nb.json",
        "$(touch PWNED).json", "::error::.json", "x" * 120 + ".json", "-x.json",
    ],
)  # fmt: skip
def test_a_name_that_is_more_than_a_name_is_refused(name: str) -> None:
    """P21: flat, plain, `*.json`."""
    assert "not a plain NAME.json" in why(packed(("a.json", b"{}"), (name, b"{}")))


def test_a_name_with_a_nul_that_the_library_cuts_is_refused() -> None:
    archive = packed(("evil.json!.exe", b"{}")).replace(b"evil.json!.exe", b"evil.json\0.exe")
    assert "not a plain NAME.json" in why(archive)


def test_two_members_of_one_name_are_refused_whatever_their_case() -> None:
    """P21."""
    assert "same name" in why(packed(("valuation.json", b"{}"), ("VALUATION.json", b"{}")))
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = packed(("a.json", b"{}"), ("a.json", b"[]"))
    assert "same name" in why(twice)


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    """P21: 50 MB from 48 kB, by what the archive says of it."""
    assert "at most are read" in why(packed(("valuation.json", bytes(50_000_000))))
    assert f"more than {GREATEST_RATIO} times" in why(packed(("valuation.json", bytes(LARGEST))))
    many = [(f"{number}.json", os.urandom(20_000) * 45) for number in range(40)]
    assert "at most are read" in why(packed(*many))


def test_a_member_that_lies_about_its_size_is_refused() -> None:
    """P21: what the archive says and what it is, both."""
    archive = bytearray(packed(("a.json", b"x" * 5000), method=zipfile.ZIP_STORED))
    where = archive.index(b"PK\x01\x02")
    for place in (where + 24, 22):
        struct.pack_into("<I", archive, place, 10)
    assert why(bytes(archive))


def test_too_many_members_and_none_are_refused() -> None:
    assert str(MOST_DOCUMENTS) in why(packed(*((f"{number}.json", b"{}") for number in range(MOST_DOCUMENTS + 1))))
    assert "empty" in why(packed())


def test_an_encrypted_member_is_refused() -> None:
    archive = bytearray(packed(("a.json", b"{}")))
    for start in (archive.index(b"PK\x03\x04") + 6, archive.index(b"PK\x01\x02") + 8):
        archive[start] |= 1
    assert "encrypted" in why(bytes(archive))


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO, stat.S_IFCHR])
def test_only_regular_files_are_read(kind: int) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        member = zipfile.ZipInfo("a.json")
        member.external_attr = (kind | 0o777) << 16
        archive.writestr(member, "/etc/passwd")
    assert "no regular file" in why(made.getvalue())


def test_other_methods_of_packing_are_refused() -> None:
    assert "method" in why(packed(("a.json", b"{}"), method=zipfile.ZIP_LZMA))


@pytest.mark.parametrize("data", [b"", b"PK", b"<html>", bytes(100), b"PK\x05\x06" + bytes(10)])
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    assert "no sound zip" in why(data)


@given(st.integers(0, 400), st.integers(0, 255), st.integers(0, 400))
def test_law_damage_is_refused_or_harmless(place: int, byte: int, end: int) -> None:
    """Any byte changed, cut anywhere: documents that are really in it, or a refusal, never another error."""
    archive = bytearray(packed(("a.json", b'{"a": 1}' * 20), ("b.json", b"{}")))
    archive[place % len(archive)] = byte
    try:
        found = artifact.documents(bytes(archive[: len(archive) - end % 40]))
    except Stop as refused:
        stopped = refused.reason
    else:
        stopped = "bad_artifact"
        assert all(len(each.data) <= 160 and each.name.endswith(".json") for each in found)
    assert stopped == "bad_artifact"


def test_nothing_is_written_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P21: nothing extracted to disk."""
    monkeypatch.chdir(tmp_path)
    artifact.documents(packed(("a.json", b"{}")))
    why(packed(("../../.bashrc", b"")))
    assert list(tmp_path.iterdir()) == []


class Shelf:
    """A store with these artifacts and one archive."""

    def __init__(self, *listed: Artifact, data: bytes = b"") -> None:
        self._listed = list(listed)
        self._data = data
        self.handed_out: list[int] = []

    def artifacts(self, run: int, name: str) -> list[Artifact]:
        return self._listed

    def archive(self, artifact: int, limit: int) -> bytes:
        self.handed_out.append(artifact)
        return self._data


def fetched(shelf: Shelf, *, run: Run | None = RUN) -> str:
    """The names of the documents, or the result word with its reason."""
    try:
        return " ".join(each.name for each in artifact.fetch(shelf, name="evidence", run_id=9, run=run))
    except Stop as stop:
        return f"{stop.outcome}({stop.reason})"


def test_the_newest_artifact_of_exactly_this_name_is_read() -> None:
    listed = [
        Artifact(number, name)
        for number, name in ((1, "evidence"), (3, "evidence"), (9, "evidence-2"), (2, "evidence"))
    ]
    shelf = Shelf(*listed, data=packed(("a.json", b"{}")))
    assert fetched(shelf) == "a.json"
    assert shelf.handed_out == [3]


def test_a_run_without_the_artifact_is_a_skip_only_when_an_event_is_about_it() -> None:
    assert fetched(Shelf(Artifact(1, "other"))) == "skipped(no_artifact)"
    assert fetched(Shelf(), run=None) == "failed(no_artifact)"


@pytest.mark.parametrize("origin", [Origin(8), Origin(9, "b" * 40), Origin(9, SHA, 56)])
def test_an_artifact_of_another_run_is_not_even_fetched(origin: Origin) -> None:
    shelf = Shelf(Artifact(1, "evidence", workflow_run=origin), data=packed(("a.json", b"{}")))
    assert fetched(shelf) == "failed(bad_artifact)"
    assert shelf.handed_out == []


def test_an_expired_artifact_and_one_with_another_digest_are_not_read() -> None:
    assert fetched(Shelf(Artifact(1, "evidence", expired=True))) == "failed(artifact_expired)"
    data = packed(("a.json", b"{}"))
    assert fetched(Shelf(Artifact(1, "evidence", digest="sha256:" + "0" * 64), data=data)) == "failed(bad_artifact)"
