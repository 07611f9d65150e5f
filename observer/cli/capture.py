"""Say which prompts and sessions belong to which task, and how the task ended.

For the coordinator of the work: assertions are append-only, amended by newer
ones, and never touch an agent's files. Agents that merely work on a task
should not run these.
"""

import argparse
from typing import Any

from observer.base.errors import UsageError
from observer.capture import bind, tasks
from observer.capture.bind import Binding
from observer.capture.tasks import OutcomeFields, TaskFields
from observer.cli import options
from observer.cli.output import Output
from observer.ledger.open import Writer, writer
from observer.records.ownership import OUTCOME_STATES


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    actions = parser.add_subparsers(dest="action", required=True)
    create = actions.add_parser("create-task", help="make a task known; a repeat changes nothing")
    _task_options(create)
    assign = actions.add_parser("assign", help="bind a person's prompt to a task")
    assign.add_argument("--submission", required=True, metavar="ID", help="see: sessions show")
    assign.add_argument("--task", required=True)
    _binding_options(assign)
    whole = actions.add_parser("assign-session", help="give a whole session to a task")
    whole.add_argument("--session", required=True, metavar="KEY")
    whole.add_argument("--task", required=True)
    whole.add_argument("--exclusive", action="store_true", help="required: the session did nothing else")
    whole.add_argument("--evidence", default="", help="required: how you know")
    whole.add_argument("--with-subagents", action="store_true", help="also the sessions that it started")
    outcome = actions.add_parser("outcome", help="record how a task ended; what is left out stays as it was")
    outcome.add_argument("--task", required=True)
    outcome.add_argument("--state", required=True, choices=OUTCOME_STATES)
    _outcome_options(outcome)
    amend = actions.add_parser("amend", help="correct what was said earlier; the history stays")
    _task_options(amend)
    amend.add_argument("--submission", metavar="ID", help="correct this prompt's binding to the task")
    _binding_options(amend)
    amend.add_argument("--state", choices=OUTCOME_STATES, help="correct the outcome")
    _outcome_options(amend)
    amend.add_argument("--reason", required=True, help="why")
    withdraw = actions.add_parser("withdraw", help="take a binding back; the history stays")
    withdraw.add_argument("--task", required=True)
    withdraw.add_argument("--submission", metavar="ID")
    withdraw.add_argument("--session", metavar="KEY")
    withdraw.add_argument("--reason", required=True, help="why")


def run(args: argparse.Namespace, out: Output) -> int:
    """Writes the assertion and says so; refusals exit with 2 and write nothing."""
    with writer(options.ledger(args)) as connection:
        said = _ACTIONS[args.action](connection, args)
    if out.wants_json:
        out.json({"ok": True, "task": args.task, **said})
    else:
        out.text(f"{args.action} {args.task}: {_words(said)}")
    return 0


def _words(said: dict[str, Any]) -> str:
    """What was written, as a person reads it; a repeat says that nothing changed."""
    if "created" in said:
        return "done" if said["created"] else "existed already, nothing changed"
    names = [name for value in said.values() for name in (value if isinstance(value, list) else [value])]
    return ", ".join(map(str, names))


def _create(connection: Writer, args: argparse.Namespace) -> dict[str, Any]:
    return {"created": tasks.create(connection, args.task, _task_fields(args))}


def _assign(connection: Writer, args: argparse.Namespace) -> dict[str, Any]:
    return {"submission": bind.assign(connection, args.submission, args.task, _binding(args))}


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
    tasks.record_outcome(connection, args.task, _outcome_fields(args))
    return {"state": args.state}


def _amend(connection: Writer, args: argparse.Namespace) -> dict[str, Any]:
    """One kind of assertion at a time, so that it is plain what the reason belongs to."""
    fields, found, binding = _task_fields(args), _outcome_fields(args), _binding(args)
    chosen = [name for name, given in (("task", fields), ("outcome", found)) if given != type(given)()]
    if args.submission:
        chosen.append("submission")
    elif binding != Binding():
        raise UsageError("--attempt, --phase, --evidence and --shared belong to a prompt", "add --submission ID")
    if len(chosen) != 1:
        raise UsageError("amend corrects one thing: the task, its outcome, or one prompt's binding",
                         "agent-observer capture amend --help")  # fmt: skip
    if chosen == ["submission"]:
        return {"submission": bind.amend(connection, args.submission, args.task, binding, reason=args.reason)}
    if chosen == ["task"]:
        tasks.amend(connection, args.task, fields, reason=args.reason)
    else:
        tasks.record_outcome(connection, args.task, found, reason=args.reason)
    return {"amended": chosen[0]}


def _withdraw(connection: Writer, args: argparse.Namespace) -> dict[str, Any]:
    if bool(args.submission) == bool(args.session):
        raise UsageError("withdraw takes either --submission or --session")
    if args.submission:
        return {"submission": bind.withdraw_prompt(connection, args.submission, args.task, reason=args.reason)}
    return {"session": bind.withdraw_session(connection, args.session, args.task, reason=args.reason)}


_ACTIONS = {
    "create-task": _create,
    "assign": _assign,
    "assign-session": _assign_session,
    "outcome": _outcome,
    "amend": _amend,
    "withdraw": _withdraw,
}


def _task_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--task", required=True, metavar="ID")
    parser.add_argument("--project")
    parser.add_argument("--family")
    parser.add_argument("--title", help="stays on this machine")
    parser.add_argument("--issue", metavar="URL")


def _task_fields(args: argparse.Namespace) -> TaskFields:
    return TaskFields(args.project, args.family, args.title, args.issue)


def _binding_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--attempt")
    parser.add_argument("--phase")
    parser.add_argument("--evidence", help="how you know")
    parser.add_argument(
        "--shared", action=argparse.BooleanOptionalAction, default=None, help="joint work of several tasks"
    )


def _binding(args: argparse.Namespace) -> Binding:
    return Binding(args.attempt, args.phase, args.evidence, args.shared)


def _outcome_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--candidate", help="what was delivered: a commit, a pull request's URL or number")
    parser.add_argument("--proof", help="where it was verified, in the same forms")
    parser.add_argument("--repairs", type=int)
    parser.add_argument("--corrections", type=int)


def _outcome_fields(args: argparse.Namespace) -> OutcomeFields:
    return OutcomeFields(args.state, args.candidate, args.proof, args.repairs, args.corrections)
