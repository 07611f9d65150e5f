"""The small rollout that many cases speak of: two prompts, three responses, 5500 tokens.

Turn A holds responses of 1100 and 2250 tokens, turn B one of 2150.
"""

from pathlib import Path

from observer.capture import bind, tasks
from observer.capture.bind import Binding
from observer.capture.tasks import TaskFields
from observer.pricing.schedule import parse
from observer.records.semantics import CLAUDE, CODEX, CODEX_FALLBACK
from observer.records.valuation import PriceSchedule
from observer.reports import task as reporting
from observer.reports.model import TaskReport
from tests.builders.batches import Book, response, session, submission

S, P1, P2 = "codex:s", "codex:p1", "codex:p2"


def book(folder: Path, *, task: str | None = "T-A") -> Book:
    """A ledger with the mini rollout and, unless None, one task that owns nothing yet."""
    found = Book(folder)
    found.told("/mini", *records())
    if task:
        create(found, task)
    return found


def records(key: str = S, *, prefix: str = "") -> list[object]:
    """The rollout's records; `prefix` tells several of them apart."""
    harness = key.partition(":")[0]
    return [
        session(key),
        submission(f"{harness}:{prefix}p1", key, turn="A"),
        submission(f"{harness}:{prefix}p2", key, turn="B", minute=5),
        response(f"{harness}:{prefix}r1", key, turn="A", total=1100, minute=1),
        response(f"{harness}:{prefix}r2", key, turn="A", total=2250, minute=2),
        response(f"{harness}:{prefix}r3", key, turn="B", total=2150, minute=6),
    ]


def create(book: Book, *names: str) -> None:
    """Makes tasks known."""
    with book.writer() as connection:
        for name in names:
            tasks.create(connection, name, TaskFields())


def assign(book: Book, submission: str, task: str = "T-A", **fields: object) -> None:
    """Binds a prompt to a task."""
    with book.writer() as connection:
        bind.assign(connection, submission, task, Binding(**fields))  # type: ignore[arg-type]


def whole(book: Book, session: str, task: str = "T-A") -> None:
    """Gives a whole session to a task."""
    with book.writer() as connection:
        bind.assign_sessions(connection, session, task, evidence="its only work", with_subagents=False)


def report(book: Book, task: str = "T-A", prices: PriceSchedule | None = None) -> TaskReport:
    """The task's report."""
    with book.reader() as connection:
        return reporting.of_task(connection, task, prices or schedule())


def schedule(**changed: object) -> PriceSchedule:
    """Prices of one model: 10 per million tokens in, 50 out; `changed` replaces rates."""
    rates = {
        "input_tokens": 10,
        "cached_input_tokens": 1,
        "cache_write_input_tokens": 12.5,
        "output_tokens": 50,
        "reasoning_output_tokens": 50,
    }
    entry = {"semantics": [CODEX.label, CODEX_FALLBACK.label, CLAUDE.label], "rates": rates | changed}
    return parse(
        {
            "source_url": "https://example.com/prices",
            "as_of": "2026-09-24",
            "currency": "USD",
            "unit": "USD per million tokens",
            "models": {"gpt-6-astra": entry},
        }
    )
