"""Laws of screening what is stored: of sources that are gone too, nothing stays that today's rules forbid."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from typing import Any, NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st

from observer.importing.replay import _Today
from observer.ledger import instructions, router
from observer.ledger.open import writer
from tests.builders.direction import block
from tests.builders.imports import Machine, machine
from tests.builders.native import Claude
from tests.builders.router import Ledger
from tests.unit.privacy import planted

TABLES = ("router_job", "router_invocation", "router_event", "router_reading", "instruction")
# A token in the form that was let through before, and some that never were.
SECRETS = ("xoxb." + planted.LETTERS, *(planted.FORMED[name] for name in ("github personal", "aws", "private key")))


class Planted(NamedTuple):
    """A text in a column of every row of a table."""

    table: str
    column: str
    text: str


@cache
def columns() -> tuple[tuple[str, str], ...]:
    """Every column that holds a text, by table."""
    with filled() as found, closing(sqlite3.connect(found.ledger)) as connection:
        return tuple(
            (table, name)
            for table in TABLES
            for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})")
            if kind == "TEXT"
        )


@contextmanager
def filled() -> Iterator[Machine]:
    """A machine with a router's ledger of every kind of row and a session that proves its instructions; imported."""
    with machine() as found:
        told = Ledger().job(task="T-42", issue="o/r#7").job("job-2", status="failed", error_class="AGENT_QUOTA")
        told.run(session="t-1", requested_route="luna/max").run("run-2", "job-2", kind="proof", reason="failed")
        told.event("route_switched", {"from": "luna/max", "to": "muse", "reason": "escalation", "scope": "worker"})
        told.event("question_posted", {"qid": "q-1"}).reading(12.5)
        told.write(found.home / ".local" / "share" / "durable-runner")
        text = Claude("s1").prompt("one", uuid="p1").attachment("hook_success", content=block())
        text.response("msg_1").lay(found.home)
        found.sync()
        yield found


def change(found: Machine, *statements: tuple[str, tuple[Any, ...]]) -> None:
    """What an older program would have left, read under older rules."""
    with closing(sqlite3.connect(found.ledger)) as connection, connection:
        for statement, given_values in statements:
            connection.execute(statement, given_values)
        connection.execute("UPDATE source SET privacy_version = -1")
        connection.execute("DELETE FROM meta WHERE name = 'screened_under'")


def vanish(found: Machine) -> None:
    """No source is there any more."""
    for path in sorted(found.home.rglob("*")):
        if path.is_file():
            path.unlink()


def held(found: Machine) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of all these tables but what settling marks."""
    with closing(sqlite3.connect(found.ledger)) as connection:
        return {table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall() for table in TABLES}


def content(found: Machine) -> bytes:
    """Every byte of the ledger and of the files beside it."""
    return b"".join(path.read_bytes() for path in sorted(found.ledger.parent.iterdir()) if path.is_file())


texts = st.sampled_from(SECRETS) | st.sampled_from(SECRETS).map("because of {} I think".format)
plants = st.deferred(lambda: st.builds(lambda place, text: Planted(*place, text), st.sampled_from(columns()), texts))


@given(st.lists(plants, min_size=1, max_size=4))
@example([Planted("router_event", "fields", '{"reason":"' + SECRETS[0] + '"}')])
@example([Planted("router_event", "fields", '{"deep":{"er":"' + SECRETS[1] + '"}}')])
@example([Planted("router_job", "request_id", SECRETS[0])])
@example([Planted("instruction", "repository_root", "/srv/" + SECRETS[0])])
def test_no_secret_stays_in_what_a_gone_source_told(places: list[Planted]) -> None:
    """E028, E029, E030: in no byte of the file; a second time changes nothing."""
    with filled() as found:
        vanish(found)
        found.sync()
        change(found, *((f"UPDATE OR REPLACE {each.table} SET {each.column} = ?", (each.text,)) for each in places))
        found.sync()
        assert [secret for secret in SECRETS if secret.encode() in content(found)] == []
        once = held(found)
        change(found)
        found.sync()
        assert held(found) == once


def test_what_satisfies_todays_rules_stays_to_the_letter() -> None:
    """§2.3: rows of gone sources, under their ids, and everything that follows from them."""
    with filled() as found:
        before = held(found)
        vanish(found)
        change(found)
        found.sync()
        assert held(found) == before
        with writer(found.ledger) as connection:
            assert connection.execute("SELECT DISTINCT privacy_version FROM source").fetchall() != [(-1,)]
            assert connection.execute("SELECT COUNT(*) FROM source WHERE context IS NOT NULL").fetchone() == (0,)


def test_a_word_of_no_list_and_a_place_that_is_none_are_cleared() -> None:
    """E122: what an older program may have kept; the rest of the row stays."""
    with filled() as found:
        vanish(found)
        change(
            found,
            ("UPDATE router_job SET status = 'smoke signals', block_reason = 'because: I said so'", ()),
            ("UPDATE router_invocation SET stage = 'somewhere', direction_hash = 'short'", ()),
            ("UPDATE router_event SET fields = 'no JSON' WHERE kind = 'question_posted'", ()),
            ("UPDATE instruction SET repository_root = 'not/absolute', direction_status = 'two words'", ()),
        )
        found.sync()
        with closing(sqlite3.connect(found.ledger)) as connection:
            ask = connection.execute
            assert set(ask("SELECT status, block_reason, task <> '' FROM router_job")) == {(None, None, 1)}
            assert set(ask("SELECT stage, direction_hash, state FROM router_invocation")) == {(None, None, "complete")}
            assert ask("SELECT fields FROM router_event WHERE kind = 'question_posted'").fetchall() == [("{}",)]
            proof = ask("SELECT repository_root, direction_status, git_head IS NOT NULL FROM instruction").fetchall()
            assert proof == [(None, "unparsed", 1)]


def test_a_proof_of_which_nothing_is_left_goes_and_its_session_is_settled_anew() -> None:
    with filled() as found:
        vanish(found)
        fields = [name for table, name in columns() if table == "instruction"]
        change(found, (f"UPDATE instruction SET {', '.join(f'{name} = NULL' for name in fields)}", ()),
               ("UPDATE instruction SET git_head = 'no commit'", ()),
               ("UPDATE session SET agentsmd_version = '9.9.9'", ()))  # fmt: skip
        found.sync()
        assert held(found)["instruction"] == []
        with closing(sqlite3.connect(found.ledger)) as connection:
            assert set(connection.execute("SELECT agentsmd_version FROM session WHERE harness = 'claude'")) == {(None,)}


def test_every_rule_of_rows_is_idempotent_on_what_was_imported() -> None:
    """Else an honest row would change with every version."""
    today = _Today()
    with filled() as found, writer(found.ledger) as connection:
        for source in router.sources(connection):
            told = router.told(connection, source)
            assert today.routed(told) == told
        known = instructions.known(connection)
        assert known
        assert all(today.instructions(each) == each for _, each in known)
