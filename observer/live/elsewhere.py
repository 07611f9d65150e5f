"""Sessions that keep their records where nobody looks, and sessions of agents without a registry."""

from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

from observer.live.agents import Agent, Host
from observer.live.alive import codex, grok, opencode
from observer.live.machine import SLACK_MS, Machine
from observer.live.verdict import Finding, State, Verdict
from observer.native.processes import Details

# Modules that tell whether a file is a record, and whether a session of some directories was written since.
_ALIVE: dict[Host, Any] = {"codex": codex, "grok": grok, "opencode": opencode}


def verdicts(machine: Machine, host: Host, *, young_ms: int) -> Iterator[Verdict]:
    """One verdict per process of an agent that keeps no registry."""
    for agent in machine.agents:
        if agent.host == host:
            yield Verdict(host, agent.process.pid, _judged(machine, agent, young_ms=young_ms))


def _judged(machine: Machine, agent: Agent, *, young_ms: int) -> State | Finding:
    alive = _ALIVE[agent.host]
    details = machine.details(agent.process.pid)
    homes = machine.homes_of(agent.host, details)
    if unseen := machine.unseen(agent.host, homes):
        return other_home(agent, details, unseen[0])
    if any(map(alive.is_record, details.files or ())):
        return "visible"
    if details.directory is None:
        return "unknown"
    directories = agent.directories(details.directory)
    since_ms = (agent.process.started_ms or 0) - SLACK_MS
    if any(alive.wrote(home, directories, since_ms) for home in homes):
        return "visible"
    if machine.age_ms(agent.process.started_ms) < young_ms:
        return "young"
    return _finding(
        agent,
        details,
        reason="nothing-recorded",
        problem="no session of its directory was written since it started",
        fix="ask it something; if that leaves no record either,"
        f" see that it can write to {homes[0]} and start it again",
    )


def other_home(agent: Agent, details: Details, home: Path) -> Finding:
    """A session whose records lie in a home that is not looked in."""
    where = str(home)
    return _finding(
        agent,
        details,
        reason="other-home",
        problem=f"keeps its records in {where}, which is not looked in",
        fix=f"agent-observer sync --harness {agent.host} --root {quote(where)}"
        f" (to always look there: roots.{agent.host} in the settings)",
    )


def _finding(agent: Agent, details: Details, **said: Any) -> Finding:
    return Finding(host=agent.host, pid=agent.process.pid, cwd=details.directory, session=None, kind=None, **said)
