"""`doctor` on the command line: exit 4 with findings, 0 without, as text and as JSON."""

import os
import re
import time

from tests.builders.native import Claude
from tests.builders.small import fill
from tests.command_line import Cli
from tests.golden_files import Golden

_VERSIONS = re.compile(r"^agent-observer .*$", re.MULTILINE)
_INSTANT = re.compile(r"last import \S+")


def shown(cli: Cli, text: str) -> str:
    """The text without what differs from machine to machine."""
    text = re.sub(" {2,}", "  ", text)  # columns are as wide as the paths in them
    text = text.replace(str(cli.ledger), "/home/dev/ledger/observer.db").replace(str(cli.home), "/home/dev")
    return _INSTANT.sub("last import 2026-09-23T10:00:00.000Z", _VERSIONS.sub("agent-observer VERSION", text))


def test_a_sound_machine_is_exit_0(cli: Cli, golden: Golden) -> None:
    fill(cli)
    answer = cli("doctor")
    assert (answer.code, answer.err) == (0, "")
    golden("doctor/sound.txt", shown(cli, answer.out))
    document = cli("doctor", "--json").json
    assert document["findings"] == []
    assert all(document["checks"].values())
    assert document["installation"]["version"]


def test_every_finding_is_named_with_its_place_and_what_to_do(cli: Cli, golden: Golden) -> None:
    fill(cli)
    old = time.time() - 26 * 86_400
    path = Claude("s9").prompt("x").response("msg_9").lay(cli.home)
    os.utime(path, (old, old))
    cli("config", "init", "--root", "codex=/no/such/place")
    cli.ledger.chmod(0o644)
    answer = cli("doctor")
    assert answer.code == 4
    text = re.sub(r"from \d{4}-\d\d-\d\d on", "from 2026-10-01 on", shown(cli, answer.out))
    golden("doctor/findings.txt", text)
    checks = {each["check"] for each in cli("doctor", "--json").json["findings"]}
    assert checks == {"permissions", "sources", "retention"}
    cli("sync")  # which also makes the ledger private again
    assert [each["check"] for each in cli("doctor", "--json").json["findings"]] == ["sources"]


def test_without_a_ledger_it_says_so_and_makes_none(cli: Cli) -> None:
    answer = cli("doctor")
    assert answer.code == 4
    assert "agent-observer sync" in answer.out
    assert not cli.ledger.parent.exists()


def test_settings_that_are_wrong_are_a_finding_and_the_rest_is_looked_at(cli: Cli) -> None:
    fill(cli)
    path = cli.home / ".config" / "agent-observer" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("colour = 1\n", "utf-8")
    answer = cli("doctor", "--json")
    assert answer.code == 4
    assert [(each["check"], each["where"]) for each in answer.json["findings"]] == [("settings", str(path))]
