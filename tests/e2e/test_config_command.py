"""The settings on the command line: written once, shown, in force everywhere, refused by place."""

import re
import stat
from pathlib import Path

import pytest

from tests.builders.native import Claude
from tests.builders.small import fill, named, refused
from tests.command_line import Cli
from tests.golden_files import Golden

_FILTERED = (("usage", "--by", "model"), ("sessions", "list"), ("responses", "list"))


def path_of(cli: Cli) -> Path:
    return cli.home / ".config" / "agent-observer" / "config.toml"


def write(cli: Cli, text: str) -> Path:
    path_of(cli).parent.mkdir(parents=True, exist_ok=True)
    path_of(cli).write_text(text, "utf-8")
    return path_of(cli)


def test_init_writes_what_was_said_and_show_reads_it(cli: Cli) -> None:
    words = ("--timezone", "Europe/Berlin", "--alias", "kit=/srv/kit", "--alias", "kit=/srv/kit/.worktrees/*")
    answer = cli("config", "init", *words, "--root", f"claude={cli.home}/backup", "--root", "codex=~/other")
    assert (answer.code, answer.out) == (0, f"wrote {path_of(cli)}\n")
    assert stat.S_IMODE(path_of(cli).stat().st_mode) == 0o600
    document = cli("config", "show", "--json").json
    assert (document["path"], document["exists"]) == (str(path_of(cli)), True)
    assert document["timezone"] == "Europe/Berlin"
    assert document["projects"] == {"kit": ["/srv/kit", "/srv/kit/.worktrees/*"]}
    assert document["roots"] == {"claude": [f"{cli.home}/backup"], "codex": [f"{cli.home}/other"]}
    places = {each["path"]: each["from"] for each in document["places"]}
    assert places[f"{cli.home}/.claude"] == "default"
    assert places[f"{cli.home}/backup"] == "settings"


def test_show_says_what_is_in_force_and_where_is_looked(cli: Cli, golden: Golden) -> None:
    before = cli("config", "show").out
    write(cli, 'timezone = "UTC"\nroots.grok = ["/mnt/x"]\nprojects.kit = ["/srv/kit", "/srv/kit/.worktrees/*"]\n')
    text = re.sub(" {2,}", "  ", before + "\n" + cli("config", "show").out)  # columns are as wide as the paths in them
    golden("config/show.txt", text.replace(str(cli.home), "/home/dev"))


def test_init_never_overwrites(cli: Cli) -> None:
    write(cli, "# mine\n")
    refused(cli("config", "init"), "exists already")
    assert path_of(cli).read_text("utf-8") == "# mine\n"
    assert [each.name for each in path_of(cli).parent.iterdir()] == ["config.toml"]


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("--timezone", "Mars/Olympus"), "timezone"),
        (("--root", "vim=/x"), "roots.vim"),
        (("--alias", "/a=/x"), "projects"),
        (("--alias", "kit"), "NAME=PATH"),
        (("--alias", "a=/x", "--alias", "b=/x"), "projects.b"),
    ],
    ids=str,
)
def test_init_refuses_what_would_be_refused_later(cli: Cli, words: tuple[str, ...], place: str) -> None:
    refused(cli("config", "init", *words), place)
    assert not path_of(cli).parent.exists()


def test_the_file_may_lie_elsewhere(cli: Cli, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    assert cli("config", "init", env={"AGENT_OBSERVER_CONFIG": str(mine)}).code == 0
    assert mine.is_file()
    assert cli("config", "show", "--json", env={"AGENT_OBSERVER_CONFIG": str(mine)}).json["exists"] is True
    assert cli("config", "show", "--json").json["exists"] is False
    xdg = {"XDG_CONFIG_HOME": str(tmp_path / "conf")}
    assert cli("config", "init", env=xdg).code == 0
    assert (tmp_path / "conf" / "agent-observer" / "config.toml").is_file()


def test_a_file_that_was_named_must_be_there(cli: Cli, tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        refused(cli("config", "show", env={"AGENT_OBSERVER_CONFIG": str(path)}), str(path))


@pytest.mark.parametrize("words", [*_FILTERED, ("sync",), ("config", "show"), ("health",)], ids=named)
def test_wrong_settings_are_refused_by_place(cli: Cli, words: tuple[str, ...]) -> None:
    fill(cli)
    path = write(cli, 'roots.claude = ["relative"]\n')
    refused(cli(*words), str(path), "roots.claude[0]")


def test_commands_that_need_no_settings_do_not_mind(cli: Cli) -> None:
    fill(cli)
    write(cli, "colour = 1\n")
    for words in (
        ("task", "list"),
        ("faults", "list"),
        ("trace", "--session", "s1"),
        ("prices", "list"),
        ("--version",),
    ):
        assert cli(*words).code == 0, words


def test_an_alias_is_a_project_everywhere(cli: Cli) -> None:
    fill(cli)
    Claude("s9", cwd="/srv/other").prompt("x").response("msg_9").lay(cli.home)
    cli("sync")
    write(cli, '[projects]\nmine = ["/srv/kit"]\nempty = ["/srv/none"]\n')
    groups = {each["key"]: each for each in cli("usage", "--by", "project", "--json").json["groups"]}
    assert {key: each["responses"] for key, each in groups.items()} == {"mine": 3, "/srv/other": 1}
    assert groups["mine"]["directories"] == ["/srv/kit"]
    for name, count in (("mine", 3), ("/srv/other", 1), ("/srv/kit", 3), ("empty", 0)):
        assert len(cli("responses", "list", "--project", name, "--json").json["responses"]) == count, name
    assert {each["project"] for each in cli("sessions", "list", "--project", "mine", "--json").json["sessions"]} == {
        "/srv/kit"
    }
    for words in _FILTERED:
        refused(cli(*words, "--project", "mime"), "no project 'mime'", "mine")


def test_extra_places_are_imported_with_the_usual_ones(cli: Cli) -> None:
    fill(cli)
    other = cli.home / "backup"
    Claude("s9").prompt("x").response("msg_9").write(other / ".claude" / "projects" / "-srv-kit" / "s9.jsonl")
    write(cli, f'[roots]\nclaude = ["{other}/.claude", "{cli.home}/.claude", "{cli.home}/absent"]\n')
    answer = cli("sync", "--json")
    assert answer.code == 0
    (claude,) = [each for each in answer.json["harnesses"] if each["harness"] == "claude"]
    assert (claude["sources"], claude["unchanged"], claude["responses_inserted"], claude["gone"]) == (3, 2, 1, 0)
    only = cli("sync", "--root", cli.home / ".claude", "--harness", "claude", "--json").json["harnesses"]
    assert [each["sources"] for each in only] == [2]  # --root replaces both


def test_the_time_zone_decides_days_unless_the_call_says_otherwise(cli: Cli) -> None:
    Claude("s1", start="2026-09-23T23:30:00.000Z").response("msg_1").lay(cli.home)
    cli("sync")
    write(cli, 'timezone = "Europe/Berlin"\n')

    def days(*words: str) -> list[str]:
        return [each["key"] for each in cli("usage", "--by", "day", "--json", *words).json["groups"]]

    assert days() == ["2026-09-24"]
    assert days("--timezone", "utc") == ["2026-09-23"]
    assert days("--since", "2026-09-24") == ["2026-09-24"]
    refused(cli("usage", "--timezone", ""), "time zone")
