"""`completion`: what bash, zsh and fish really offer with the script, asked of the shells themselves.

A shell that is not installed is left out with a line; bash is everywhere.
"""

import argparse
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from observer.cli import completion, parsers
from observer.cli.registry import COMMANDS
from observer.config import HARNESSES
from observer.records.ownership import OUTCOME_STATES
from observer.reports.usage import DIMENSIONS
from tests import command_line

Offers = Callable[[str], set[str]]

_BASH = r"""
source "$1"
read -ra COMP_WORDS <<< "$2"
[[ $2 == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_shtab_agent_observer
printf '%s\n' "${COMPREPLY[@]}"
"""
# A second zsh on a pseudo terminal, because zsh completes only where somebody types; what it adds is printed in <<…>>.
_ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell 'compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a found; builtin compadd -A found "$@"
  print -rn -- "${(j::)${(@)found/(#b)(*)/<<$match[1]>>}}"; builtin compadd "$@"
}'
zpty -w shell 'setopt extended_glob; offer() { zle complete-word; print -r "<<end"; }
  zle -N offer; bindkey "^T" offer; print -r -- "<<"ready'
zpty -r shell out '*<<ready*'
zpty -w -n shell "$2"$'\C-t'
zpty -r shell out '*<<end*'
print -r -- $out
zpty -d shell
"""
_FISH = 'source "$argv[1]"; complete -C "$argv[2]"'


@pytest.fixture(params=completion.SHELLS)
def offers(request: pytest.FixtureRequest, cli: command_line.Cli, tmp_path: Path) -> Offers:
    """What the shell offers at the end of a line typed in an otherwise empty folder with one file and one folder."""
    shell: str = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    folder = tmp_path / "functions"
    folder.mkdir()
    script = folder / "_agent-observer"
    script.write_text(cli("completion", shell).out, encoding="utf-8")
    (cli.home / "evidence one.json").touch()
    (cli.home / "prices").mkdir()

    def ask(line: str) -> set[str]:
        words = {
            "bash": ["bash", "--norc", "-c", _BASH, "bash", str(script), line],
            "zsh": ["zsh", "-f", "-c", _ZSH, "zsh", str(folder), line],
            "fish": ["fish", "--no-config", "-c", _FISH, str(script), line],
        }[shell]
        done = subprocess.run(
            words, env=cli.environment() | {"TERM": "xterm"}, cwd=cli.home, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        if shell == "zsh":
            return {piece.partition(">>")[0] for piece in done.stdout.split("<<")[1:] if ">>" in piece}
        return {row.partition("\t")[0] for row in done.stdout.splitlines() if row}

    return ask


def test_commands_and_what_is_below_them(offers: Offers) -> None:
    assert offers("agent-observer ") >= set(COMMANDS)
    assert offers("agent-observer cap") == {"capture"}
    assert offers("agent-observer capture out") == {"outcome"}
    assert offers("agent-observer completion ") >= set(completion.SHELLS)


def test_options_and_their_closed_values(offers: Offers) -> None:
    assert offers("agent-observer usage --har") == {"--harness"}
    assert offers("agent-observer usage --harness ") == set(HARNESSES)
    assert offers("agent-observer usage --by ") == set(DIMENSIONS)
    assert offers("agent-observer capture outcome --state ") == set(OUTCOME_STATES)
    assert offers("agent-observer --json usage --by mo") == {"month", "model"}


def test_time_zones(offers: Offers) -> None:
    assert offers("agent-observer usage --timezone Europe/Berl") == {"Europe/Berlin"}
    assert "local" in offers("agent-observer usage --timezone loc")


@pytest.mark.parametrize("line", ["publish --evidence ", "prices check ", "export -o ", "--db "])
def test_files_and_folders(offers: Offers, line: str) -> None:
    found = {name.rstrip("/").replace("\\ ", " ") for name in offers(f"agent-observer {line}")}
    assert found >= {"evidence one.json", "prices"}


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_every_option_of_every_command_is_in_the_script(cli: command_line.Cli, shell: str) -> None:
    answer = cli("completion", shell)
    assert (answer.code, answer.err) == (0, "")
    missing = [word for word in _options(parsers.every()) if word.lstrip("-") not in answer.out]
    assert missing == []
    assert cli("completion", shell, "--json").json == {"script": answer.out.rstrip("\n"), "shell": shell}


def test_an_unknown_shell_is_refused(cli: command_line.Cli) -> None:
    answer = cli("completion", "cmd")
    assert (answer.code, answer.out) == (2, "")
    assert "invalid choice" in answer.err


def _options(parser: argparse.ArgumentParser) -> set[str]:
    own = {word for action in parser._actions for word in action.option_strings}
    return own.union(*map(_options, parsers.subparsers(parser)))
