"""Which processes are agents at work, told by their command lines alone.

Knows names and words of the four agents' command lines; looks at no record.
Servers, one-off commands and the wrappers that start the real program are no
sessions of their own.
"""

import os
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from msgspec import Struct

from observer.native.processes import Process

Host = Literal["claude", "codex", "opencode", "grok"]

# "Python" is what macOS calls it.
_INTERPRETERS = re.compile(r"(?:node|nodejs|bun|deno|[Pp]ython[0-9.]*|sh|bash|zsh|dash|env)")
# After these an interpreter runs no script file.
_NO_SCRIPT = ("-c", "-m", "-e", "-p", "--eval", "--print")
_PROGRAMS: dict[Host, re.Pattern[str]] = {
    "claude": re.compile(r"claude(?:\.exe)?|.*/claude/versions/[^/]+|.*/@anthropic-ai/claude-code/cli\.m?js"),
    "codex": re.compile(r"codex(?:\.js|-(?:x86_64|aarch64)-[a-z0-9_-]+)?"),
    "opencode": re.compile(r"opencode(?:-(?:linux|darwin)-[a-z0-9-]+)?"),
    "grok": re.compile(r"grok(?:\.js)?"),
}
# First words after which a program is a server, a helper or a command about itself.
_NO_SESSION: dict[Host, frozenset[str]] = {
    "claude": frozenset(
        "agents auth auto-mode config daemon doctor install login logout mcp migrate-installer plugin plugins project"
        " remote-control setup-token update upgrade".split()
    ),
    "codex": frozenset(
        "app app-server apply archive cloud completion debug delete doctor e exec exec-server execpolicy features"
        " feedback help login logout mcp mcp-server plugin proto responses-api-proxy review sandbox update".split()
    ),
    "opencode": frozenset(
        "acp agent attach auth completion console db debug export github import mcp models plugin pr providers"
        " serve session stats uninstall upgrade web".split()
    ),
    "grok": frozenset(
        "agent auth completion completions doctor help login logout mcp models serve sessions update".split()
    ),
}
_ABOUT_ITSELF = frozenset(("--help", "-h", "--version", "-v", "-V"))
# Options that turn a program into a helper of another one.
_SERVES = re.compile(r"--[a-z-]+-(?:mcp|native-host)")


class Agent(Struct, frozen=True):
    """A process that is an agent at work; `words` is what it was asked, without the program."""

    host: Host
    process: Process
    words: tuple[str, ...]
    interpreted: bool = False

    def asked(self, *options: str) -> bool:
        """Whether one of these options was given."""
        return any(word in options for word in self.words)

    def directories(self, directory: str) -> frozenset[str]:
        """Where its sessions may be: its own directory, and those its command line names."""
        found = {directory, os.path.realpath(directory)}
        for before, word in zip(("", *self.words), self.words, strict=False):
            name = word.rpartition("=")[2]
            path = os.path.join(directory, name)
            if name and before != "--add-dir" and not name.startswith("-") and os.path.isdir(path):
                found |= {os.path.normpath(path), os.path.realpath(path)}
        return frozenset(found)


def working(running: Iterable[Process]) -> list[Agent]:
    """The agents at work among these processes, by number."""
    found = {each.process.pid: each for each in map(agent, running) if each is not None}
    wrappers = {
        each.process.parent
        for each in found.values()
        if (parent := found.get(each.process.parent or 0)) is not None and _starts(parent, each)
    }
    return [found[pid] for pid in sorted(found) if pid not in wrappers and not _is_helper(found[pid])]


def agent(process: Process) -> Agent | None:
    """The agent that a process is, whatever it does; None for everything else."""
    program, words, interpreted = _program(process.words)
    for host, pattern in _PROGRAMS.items():
        if pattern.fullmatch(program) or pattern.fullmatch(os.path.basename(program)):
            return Agent(host, process, tuple(words), interpreted)
    return None


def _program(words: Sequence[str]) -> tuple[str, Sequence[str], bool]:
    """The program that a command line runs, what it was asked, and whether an interpreter runs it."""
    if not words or not _INTERPRETERS.fullmatch(os.path.basename(words[0]).lstrip("-")):
        return (words[0] if words else ""), words[1:], False
    for place, word in enumerate(words[1:], 1):
        if word in _NO_SCRIPT:
            break
        if not word.startswith("-"):
            return word, words[place + 1 :], True
    return words[0], words[1:], False


def _is_helper(agent: Agent) -> bool:
    """Whether the first word that is no option, nor the value of one, names something that is no session."""
    if agent.asked(*_ABOUT_ITSELF) or any(map(_SERVES.fullmatch, agent.words)):
        return True
    return _first_word(agent.words) in _NO_SESSION[agent.host]


def _first_word(words: Collection[str]) -> str | None:
    before = ""
    for word in words:
        if word == "--":
            return None
        if not word.startswith("-") and (not before.startswith("-") or "=" in before):
            return word
        before = word
    return None


def _starts(parent: Agent, child: Agent) -> bool:
    """Whether a parent is only the script that started the real program with the same words."""
    return parent.host == child.host and parent.interpreted and not child.interpreted and parent.words == child.words
