"""Exporter and publisher agree: what is exported from real records is believed, down to the last cent."""

from pathlib import Path

import pytest

from publish import api, evidence, target
from tests.command_line import Cli
from tests.places import RECORDS
from tests.unit.publish import reading

_HOMES = {"claude-code": ".claude", "codex": ".codex"}
SETS = sorted(path for harness in _HOMES for path in (RECORDS / harness).iterdir() if path.is_dir())


@pytest.mark.parametrize("records", SETS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_exported_evidence_of_real_records_is_believed(records: Path, cli: Cli) -> None:
    root = records / _HOMES[records.parent.name]
    assert cli("sync", "--root", root).code in (0, 1)
    found = [row["session"] for row in cli("sessions", "list", "--json").json["sessions"]]
    assert found
    exported = cli("export", *(word for key in found for word in ("--session", key)))
    given = evidence.read(exported.out.encode())
    assert given.attributed.responses == given.partitions.scope
    reading.check(api.prepare([given], target.parse("o/r", pr=7)).body)
