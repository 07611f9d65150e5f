"""`capture amend` and `capture withdraw`: which one thing the options name, and the call that changes it.

Never changes more than one thing, so that it is plain what the reason
belongs to.
"""

import argparse
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from observer.base.errors import UsageError
from observer.capture import bind, runs, tasks
from observer.cli import capture_words as words
from observer.ledger.open import Writer
from observer.records.ownership import OUTCOME_STATES, ROLES


def configure(actions: Any) -> None:
    """The two actions and their options."""
    amend = actions.add_parser(
        "amend",
        help="correct what was said earlier; the history stays",
        description="One thing at a time: the task, its outcome, a prompt's binding (--submission), a run (--turn),"
        " or a dispatch (--submission and --worker).",
    )
    amend.add_argument("--task", metavar="ID", help="not for a dispatch")
    words.task_options(amend)
    amend.add_argument("--submission", metavar="ID", help="correct this prompt's binding to the task")
    words.binding_options(amend)
    amend.add_argument("--worker", metavar="KEY", help="correct the dispatch from --submission to this session")
    words.dispatch_options(amend)
    amend.add_argument("--turn", metavar="ID", help="correct what was said of this run")
    amend.add_argument("--session", metavar="KEY", help="which one, where a turn is in several")
    amend.add_argument("--role", choices=ROLES)
    amend.add_argument("--model", help="the model that was asked for in a run")
    amend.add_argument("--effort", help="the effort that was asked for in a run")
    words.attempt_options(amend)
    amend.add_argument("--phase", help="of a prompt's binding or of a run")
    amend.add_argument("--state", choices=OUTCOME_STATES, help="of the outcome, or of a run")
    words.outcome_options(amend)
    amend.add_argument("--reason", required=True, help="why")
    withdraw = actions.add_parser("withdraw", help="take back a binding, a dispatch or a run; the history stays")
    withdraw.add_argument("--task", metavar="ID", help="not for a dispatch")
    withdraw.add_argument("--submission", metavar="ID")
    withdraw.add_argument("--worker", metavar="KEY", help="the dispatch from --submission to this session")
    withdraw.add_argument("--session", metavar="KEY")
    withdraw.add_argument("--turn", metavar="ID", help="what was said of this run")
    withdraw.add_argument("--reason", required=True, help="why")


def amend(connection: Writer, args: argparse.Namespace) -> dict[str, Any]:
    """Corrects one kind of assertion at a time, so that it is plain what the reason belongs to."""
    named = [name for name, given in (("worker", args.worker), ("turn", args.turn)) if given]
    if args.submission and not args.worker:
        named.append("submission")
    if args.session and not args.turn:
        raise UsageError("--session says which session a run is in", "add --turn ID")
    given = _given(args)
    chosen = {*named, *(name for name, fields in given.items() if fields != type(fields)())}
    if not named and len(chosen) == 1 and (name := next(iter(chosen))) in _THINGS:
        thing, option = _THINGS[name]
        raise UsageError(f"these options belong to {thing}", f"add {option}")
    if len(chosen) != 1:
        raise UsageError("amend corrects one thing: the task, its outcome, a prompt's binding, a run or a dispatch",
                         "agent-observer capture amend --help")  # fmt: skip
    return _AMENDING[chosen.pop()](connection, args, given)


def _given(args: argparse.Namespace) -> dict[str, Any]:
    """What is said of each thing. A phase and a state are a run's where one is named."""
    run = words.attempt_fields(args)
    if not args.turn:
        run = replace(run, stage=None, state=None)
    return {
        "task": words.task_fields(args),
        "outcome": words.outcome_fields(args, state=None if args.turn else args.state),
        "submission": replace(words.binding(args), phase=None) if args.turn else words.binding(args),
        "worker": words.dispatch_fields(args),
        "turn": run,
    }


def _amend_task(connection: Writer, args: argparse.Namespace, given: dict[str, Any]) -> dict[str, Any]:
    tasks.amend(connection, _task(args), given["task"], reason=args.reason)
    return {"amended": "task"}


def _amend_outcome(connection: Writer, args: argparse.Namespace, given: dict[str, Any]) -> dict[str, Any]:
    tasks.record_outcome(connection, _task(args), given["outcome"], reason=args.reason)
    return {"amended": "outcome"}


def _amend_binding(connection: Writer, args: argparse.Namespace, given: dict[str, Any]) -> dict[str, Any]:
    key = bind.amend(connection, args.submission, _task(args), given["submission"], reason=args.reason)
    return {"submission": key}


def _amend_dispatch(connection: Writer, args: argparse.Namespace, given: dict[str, Any]) -> dict[str, Any]:
    handed = runs.amend_dispatch(connection, _prompt(args), args.worker, given["worker"], reason=args.reason)
    return {"submission": handed.submission, "worker": handed.worker}


def _amend_attempt(connection: Writer, args: argparse.Namespace, given: dict[str, Any]) -> dict[str, Any]:
    session = runs.attempt(connection, _task(args), args.turn, given["turn"], session=args.session, reason=args.reason)
    return {"turn": args.turn, "session": session or None}


def withdraw(connection: Writer, args: argparse.Namespace) -> dict[str, Any]:
    """Takes back one thing; says which."""
    reason = args.reason
    if args.worker:
        if args.session or args.turn:
            raise UsageError("withdraw takes back one thing", "agent-observer capture withdraw --help")
        handed = runs.withdraw_dispatch(connection, _prompt(args), args.worker, reason=reason)
        return {"submission": handed.submission, "worker": handed.worker}
    if args.turn and not args.submission:
        session = runs.withdraw_attempt(connection, _task(args), args.turn, session=args.session, reason=reason)
        return {"turn": args.turn, "session": session or None}
    if args.turn or bool(args.submission) == bool(args.session):
        raise UsageError("withdraw takes --submission, --session, --turn, or --submission and --worker")
    if args.submission:
        return {"submission": bind.withdraw_prompt(connection, args.submission, _task(args), reason=reason)}
    return {"session": bind.withdraw_session(connection, args.session, _task(args), reason=reason)}


_Amending = Callable[[Writer, argparse.Namespace, dict[str, Any]], dict[str, Any]]
_AMENDING: dict[str, _Amending] = {
    "task": _amend_task,
    "outcome": _amend_outcome,
    "submission": _amend_binding,
    "worker": _amend_dispatch,
    "turn": _amend_attempt,
}
# What only these things have, and the option that names one.
_THINGS = {
    "submission": ("a prompt's binding", "--submission ID"),
    "worker": ("a dispatch", "--submission ID --worker KEY"),
    "turn": ("a run", "--turn ID"),
}


def _task(args: argparse.Namespace) -> str:
    if not args.task:
        raise UsageError(f"{args.action} needs --task ID here", f"agent-observer capture {args.action} --help")
    return str(args.task)


def _prompt(args: argparse.Namespace) -> str:
    if not args.submission:
        raise UsageError("a dispatch is named by --submission and --worker", "add --submission ID")
    return str(args.submission)
