"""Say which prompts and sessions belong to which task, what ran for it, and how it ended.

For the coordinator of the work: assertions are append-only, amended by newer
ones, and never touch an agent's files. Agents that merely work on a task
should not run these.
"""

import argparse
from typing import Any

from observer.base.errors import UsageError
from observer.capture import bind, runs, tasks
from observer.cli import capture_words as words
from observer.cli import correction, movement, options
from observer.cli.output import Output
from observer.ledger.open import Writer, writer
from observer.records.ownership import OUTCOME_STATES, PHASES, ROLES

_SUBMISSION_HELP = "see: sessions show"


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    actions = parser.add_subparsers(dest="action", required=True)
    create = actions.add_parser("create-task", help="make a task known; a repeat changes nothing")
    create.add_argument("--task", required=True, metavar="ID")
    words.task_options(create)
    assign = actions.add_parser("assign", help="bind a person's prompt to a task")
    assign.add_argument("--submission", required=True, metavar="ID", help=_SUBMISSION_HELP)
    assign.add_argument("--task", required=True, metavar="ID")
    words.binding_options(assign)
    assign.add_argument("--phase")
    whole = actions.add_parser("assign-session", help="give a whole session to a task")
    whole.add_argument("--session", required=True, metavar="KEY")
    whole.add_argument("--task", required=True, metavar="ID")
    whole.add_argument("--exclusive", action="store_true", help="required: the session did nothing else")
    whole.add_argument("--evidence", default="", help="required: how you know")
    whole.add_argument("--with-subagents", action="store_true", help="also the sessions that it started")
    _work_actions(actions)
    outcome = actions.add_parser("outcome", help="record how a task ended; what is left out stays as it was")
    outcome.add_argument("--task", required=True, metavar="ID")
    outcome.add_argument("--state", required=True, choices=OUTCOME_STATES)
    words.outcome_options(outcome)
    correction.configure(actions)
    movement.configure(actions)


def _work_actions(actions: Any) -> None:
    handing = actions.add_parser(
        "dispatch",
        help="say that a prompt handed work to a session; a repeat changes nothing",
        description="Binds nothing: whose usage the worker's is, assign and assign-session say.",
    )
    handing.add_argument("--submission", required=True, metavar="ID", help=_SUBMISSION_HELP)
    handing.add_argument("--worker", required=True, metavar="KEY", help="the session that took it, also one to come")
    words.dispatch_options(handing)
    handing.add_argument("--reason", dest="purpose", help="why it was handed on; stays on this machine")
    run = actions.add_parser(
        "attempt",
        help="say that a turn was a run of a task; said again, it replaces what is given",
        description="A run is active until its end is said; one that a router tells is as the router tells it.",
    )
    run.add_argument("--task", required=True, metavar="ID")
    run.add_argument("--turn", required=True, metavar="ID", help="see: trace, or attempts of task show --json")
    run.add_argument("--role", required=True, choices=ROLES)
    run.add_argument("--session", metavar="KEY", help="which one, where a turn is in several")
    words.attempt_options(run)
    run.add_argument("--model", help="the model that was asked for")
    run.add_argument("--effort", help="the effort that was asked for")
    run.add_argument("--phase", choices=PHASES)
    run.add_argument("--state", choices=OUTCOME_STATES)


def run(args: argparse.Namespace, out: Output) -> int:
    """Writes the assertion and says so; refusals exit with 2 and write nothing."""
    if args.action in movement.ACTIONS:
        return movement.run(args, out)
    with writer(options.ledger(args)) as connection:
        said = _ACTIONS[args.action](connection, args)
    task = getattr(args, "task", None)
    if out.wants_json:
        out.json({"ok": True, **({"task": task} if task else {}), **said})
    else:
        out.text(f"{args.action}{f' {task}' if task else ''}: {_words(said)}")
    return 0


def _words(said: dict[str, Any]) -> str:
    """What was written, as a person reads it; a repeat says that nothing changed."""
    if "created" in said:
        return "done" if said["created"] else "existed already, nothing changed"
    names = [name for value in said.values() for name in (value if isinstance(value, list) else [value])]
    return ", ".join(map(str, names))


def _create(connection: Writer, args: argparse.Namespace) -> dict[str, Any]:
    return {"created": tasks.create(connection, args.task, words.task_fields(args))}


def _assign(connection: Writer, args: argparse.Namespace) -> dict[str, Any]:
    return {"submission": bind.assign(connection, args.submission, args.task, words.binding(args))}


def _assign_session(connection: Writer, args: argparse.Namespace) -> dict[str, Any]:
    if not args.exclusive:
        raise UsageError(
            "assign-session gives everything in the session to the task",
            "add --exclusive if it did nothing else, or use capture assign for single prompts",
        )
    keys = bind.assign_sessions(
        connection, args.session, args.task, evidence=args.evidence, with_subagents=args.with_subagents
    )
    return {"session": keys[0], "subagents": keys[1:]}


def _outcome(connection: Writer, args: argparse.Namespace) -> dict[str, Any]:
    tasks.record_outcome(connection, args.task, words.outcome_fields(args, state=args.state))
    return {"state": args.state}


def _dispatch(connection: Writer, args: argparse.Namespace) -> dict[str, Any]:
    handed = runs.dispatch(connection, args.submission, args.worker, words.dispatch_fields(args, purpose=args.purpose))
    return {"submission": handed.submission, "worker": handed.worker}


def _attempt(connection: Writer, args: argparse.Namespace) -> dict[str, Any]:
    session = runs.attempt(connection, args.task, args.turn, words.attempt_fields(args), session=args.session)
    return {"turn": args.turn, "session": session or None}


_ACTIONS = {
    "create-task": _create,
    "assign": _assign,
    "assign-session": _assign_session,
    "dispatch": _dispatch,
    "attempt": _attempt,
    "outcome": _outcome,
    "amend": correction.amend,
    "withdraw": correction.withdraw,
}
