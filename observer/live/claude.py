"""Claude Code sessions that leave no transcript: registered ones, and those that register nowhere.

The registry alone is not enough: an interactive session started inside another
one registers nothing, so processes and their environment are looked at too.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from observer.live.agents import Agent
from observer.live.alive.claude import Entry, registered, transcript, written_in
from observer.live.elsewhere import other_home
from observer.live.machine import SLACK_MS, Machine
from observer.live.verdict import Finding, Reason, State, Verdict
from observer.native.processes import Details, Process

_FORCE = "CLAUDE_CODE_FORCE_SESSION_PERSISTENCE"
_CHILD = "CLAUDE_CODE_CHILD_SESSION"
_SKIP = "CLAUDE_CODE_SKIP_PROMPT_HISTORY"
_NOT_KEPT = "--no-session-persistence"
_NO_SESSION_KINDS = ("daemon", "daemon-worker")
_OFF = ("", "0", "false")
_RESTART = f"end it and start it again with {_FORCE}=1 in its environment"
_WORDS: dict[Reason, tuple[str, str]] = {
    "no-transcript": ("is registered, but there is no transcript of the session", _RESTART),
    "unregistered": ("is not registered, and no transcript of its directory was written since it started", _RESTART),
    "child-session": (
        f"was started inside another session ({_CHILD} is set): it writes no transcript and registers nowhere",
        _RESTART,
    ),
    "history-off": (
        f"was told to write no transcript ({_SKIP} is set)",
        f"end it and start it again without {_SKIP}",
    ),
    "not-persisted": (f"was told to write no transcript ({_NOT_KEPT})", f"start it without {_NOT_KEPT}"),
}


def verdicts(machine: Machine, *, young_ms: int) -> Iterator[Verdict]:
    """One verdict per live session, registered ones first."""
    live = _live(machine)
    agents = {each.process.pid: each for each in machine.agents if each.host == "claude"}
    for pid, (home, entry, process) in live.items():
        said = _registered(machine, home, entry, process, agent=agents.get(pid), young_ms=young_ms)
        yield Verdict("claude", pid, said)
    claimed = {entry.session_id for _, entry, _ in live.values()}
    for pid, agent in agents.items():
        if pid not in live:
            yield Verdict("claude", pid, _unregistered(machine, agent, claimed, young_ms=young_ms))


def _live(machine: Machine) -> dict[int, tuple[Path, Entry, Process]]:
    """The registry entries whose process runs and is the one that made them."""
    found = {}
    for home in machine.homes("claude"):
        for entry in registered(home):
            process = machine.running.get(entry.pid)
            if process is not None and entry.kind not in _NO_SESSION_KINDS and _is_same(entry, process):
                found[entry.pid] = (home, entry, process)
    return found


def _is_same(entry: Entry, process: Process) -> bool:
    """Whether the process made the entry: the number alone may have been given to another one since."""
    if entry.proc_start is not None and process.birth is not None:
        return entry.proc_start == process.birth
    if entry.started_at is None or process.started_ms is None:
        return False
    return process.started_ms <= entry.started_at + SLACK_MS


def _registered(
    machine: Machine, home: Path, entry: Entry, process: Process, *, agent: Agent | None, young_ms: int
) -> State | Finding:
    details = machine.details(entry.pid)
    written_ms = transcript(home, entry.session_id)
    if agent is not None and agent.asked(_NOT_KEPT):
        return _finding("not-persisted", process, details, entry)
    if _is_set(details.variables, _SKIP):
        since = process.started_ms
        is_writing = written_ms is not None and since is not None and written_ms >= since - SLACK_MS
        return "visible" if is_writing else _finding("history-off", process, details, entry)
    if written_ms is not None:
        return "visible"
    if machine.age_ms(process.started_ms if entry.started_at is None else entry.started_at) < young_ms:
        return "young"
    return _finding("no-transcript", process, details, entry)


def _unregistered(machine: Machine, agent: Agent, claimed: set[str], *, young_ms: int) -> State | Finding:
    process, details = agent.process, machine.details(agent.process.pid)
    homes = machine.homes_of("claude", details)
    if unseen := machine.unseen("claude", homes):
        return other_home(agent, details, unseen[0])
    if agent.asked(_NOT_KEPT):
        return _finding("not-persisted", process, details)
    is_kept = _is_set(details.variables, _FORCE)
    if _is_set(details.variables, _CHILD) and not is_kept and not agent.asked("-p", "--print"):
        return _finding("child-session", process, details)
    if _is_set(details.variables, _SKIP) and not is_kept:
        return _finding("history-off", process, details)
    if details.directory is None:
        return "unknown"
    since_ms = (process.started_ms or 0) - SLACK_MS
    if any(written_in(home, details.directory, since_ms) - claimed for home in homes):
        return "visible"
    return "young" if machine.age_ms(process.started_ms) < young_ms else _finding("unregistered", process, details)


def _is_set(variables: Mapping[str, str] | None, name: str) -> bool:
    return variables is not None and variables.get(name, "").lower() not in _OFF


def _finding(reason: Reason, process: Process, details: Details, entry: Entry | None = None) -> Finding:
    problem, fix = _WORDS[reason]
    return Finding(
        host="claude",
        pid=process.pid,
        cwd=details.directory or (entry.cwd if entry else None),
        session=entry.session_id if entry else None,
        kind=entry.kind if entry else None,
        reason=reason,
        problem=problem,
        fix=fix,
    )
