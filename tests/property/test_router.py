"""Laws of router ledgers: order, repetition and damage change no figure that is true."""

import sqlite3
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from observer.facts import attempts, ownership
from observer.ledger import open as opening
from tests.builders.imports import Machine, machine
from tests.builders.native import Codex
from tests.builders.router import Ledger, codex, minute

_PLACES = (".local/share/durable-runner", ".local/state/model-router")
_TABLES = ("router_job", "router_invocation", "router_event", "router_reading", "router_binding")
_VIEWS = ("task", "session_assignment", "outcome", "attempt")
_THREADS = ("t-1", "t-2", "t-3")


@st.composite
def ledgers(draw: st.DrawFn) -> Ledger:
    """A state of a small router ledger: some of its jobs, their runs in various threads, a few readings."""
    found = Ledger()
    for request in draw(st.lists(st.sampled_from(["job-1", "job-2", "job-3"]), unique=True)):
        updated = minute(draw(st.integers(1, 9)))
        status = draw(st.sampled_from(["running", "succeeded", "failed", "odd word", None]))
        found.job(request, task=draw(st.sampled_from([None, "T-1", "T-2"])), status=status, updated_at=updated)
        for place in range(draw(st.integers(0, 3))):
            found.run(
                f"{request}.{place}",
                request,
                session=draw(st.sampled_from([None, *_THREADS])),
                kind=draw(st.sampled_from(["codex_dispatch", "codex_resume", "proof", "smoke_signals"])),
                started_at=minute(draw(st.integers(1, 9))),
                terminal_class=draw(st.sampled_from(["completed", "crashed", "quota", "made-up", None])),
                usage_json=draw(st.sampled_from([None, codex(1100, output=100), codex(9), "{broken"])),
            )
    for used in draw(st.lists(st.floats(0, 100), max_size=3)):
        found.reading(used, observed_at=minute(draw(st.integers(0, 2))))
    return found


def lay_threads(home: Path) -> None:
    for thread in _THREADS:
        text = Codex(thread).turn("A").prompt("work").record(f"resp_{thread}").complete()
        text.write(home / ".codex" / "sessions" / f"rollout-2026-09-23T10-00-00-{thread}.jsonl")


def state(found: Machine) -> dict[str, Any]:
    """Everything a router has said, and what follows from it, without row numbers."""
    with opening.reader(found.ledger) as reader:
        paths = dict(reader.execute("SELECT id, path FROM source"))
        held = {}
        for table in (*_TABLES, *_VIEWS):
            rows = reader.execute(f"SELECT * FROM {table}")
            numbered = rows.description[0][0] == "source_id"
            held[table] = sorted(
                ((paths[row[0]], *row[1:]) if numbered else tuple(row) for row in rows.fetchall()), key=repr
            )
        held["fault"] = sorted(
            (paths[row[0]], *row[1:])
            for row in reader.execute("SELECT source_id, ordinal, category, derived FROM fault")
        )
        held["response"] = reader.execute("SELECT id, total, overlap FROM response ORDER BY id").fetchall()
    return held


@given(first=ledgers(), second=ledgers(), data=st.data())
def test_any_order_of_ledgers_and_sessions_gives_the_same(first: Ledger, second: Ledger, data: st.DataObject) -> None:
    """E022: several ledgers, read at once or one by one, before or after the sessions they name; read twice as well."""
    with machine() as one, machine() as other:
        for place, ledger in zip(_PLACES, (first, second), strict=True):
            ledger.write(one.home / place)
        lay_threads(one.home)
        one.sync()
        once = state(one)
        for step in data.draw(st.permutations([*_PLACES, "threads"])):
            if step == "threads":
                lay_threads(other.home)
            else:
                dict(zip(_PLACES, (first, second), strict=True))[step].write(other.home / step)
            if data.draw(st.booleans()):
                other.sync()
        other.sync()
        other.sync(full=True)
        assert str(once).replace(str(one.home), "") == str(state(other)).replace(str(other.home), "")


@given(states=st.lists(ledgers(), min_size=2, max_size=4))
def test_a_ledger_is_what_it_says_now(states: list[Ledger]) -> None:
    """Whatever it said before: no row, binding or fault of an earlier state is left."""
    with machine() as grown, machine() as fresh:
        for found in (grown, fresh):
            lay_threads(found.home)
        for each in states:
            each.write(grown.home / _PLACES[0])
            grown.sync()
        states[-1].write(fresh.home / _PLACES[0])
        fresh.sync()
        assert str(state(grown)).replace(str(grown.home), "") == str(state(fresh)).replace(str(fresh.home), "")


@given(ledger=ledgers())
def test_a_routers_word_makes_no_usage_and_owns_each_session_by_rule(ledger: Ledger) -> None:
    """E123: three responses, whatever is copied; no run or session is lost or doubled on the way to a task."""
    with machine() as found:
        lay_threads(found.home)
        ledger.write(found.home / _PLACES[0])
        found.sync()
        held = state(found)
        assert held["response"] == [(f"codex:resp_{thread}", 1100, 0) for thread in _THREADS]
        made = {
            (f"codex:{row['session_id']}", row["request_id"])
            for row in ledger.rows["invocations"]
            if row["session_id"] and row["kind"] in ("codex_dispatch", "codex_resume")
        }
        with opening.reader(found.ledger) as reader:
            names = [each.id for each in ownership.tasks(reader)]
            runs = [each.turn for name in names for each in attempts.of_task(reader, name)]
            owned = {row[0] for row in reader.execute("SELECT session FROM session_assignment")}
        assert sorted(runs) == sorted(f"router:{row['invocation_id']}" for row in ledger.rows["invocations"])
        assert owned == {session for session, _ in made}


@given(ledger=ledgers(), data=st.data())
def test_damage_is_words_never_a_crash_or_another_figure(ledger: Ledger, data: st.DataObject) -> None:
    """Bytes flipped, cut or put in anywhere in the file: it is read, or it is refused; native figures stay."""
    with machine() as found:
        lay_threads(found.home)
        path = ledger.job().run(session="t-1").write(found.home / _PLACES[0])
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 5))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(content[: data.draw(st.integers(1, len(content)))])
        found.sync()
        with sqlite3.connect(found.ledger) as connection:
            totals = connection.execute("SELECT id, total FROM response ORDER BY id").fetchall()
        connection.close()
        assert totals == [(f"codex:resp_{thread}", 1100) for thread in _THREADS]
