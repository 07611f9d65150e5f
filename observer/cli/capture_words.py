"""The words of `capture`: options that several of its actions share, and what they say as fields.

Decides nothing about what may be asserted: that is the capture room's.
"""

import argparse

from observer.capture.bind import Binding
from observer.capture.runs import AttemptFields, DispatchFields
from observer.capture.tasks import OutcomeFields, TaskFields


def task_options(parser: argparse.ArgumentParser) -> None:
    """What may be said of a task."""
    parser.add_argument("--project")
    parser.add_argument("--family")
    parser.add_argument("--title", help="stays on this machine")
    parser.add_argument("--issue", metavar="URL")


def task_fields(args: argparse.Namespace) -> TaskFields:
    """The same, as it was given."""
    return TaskFields(args.project, args.family, args.title, args.issue)


def binding_options(parser: argparse.ArgumentParser) -> None:
    """What may be said of a prompt's binding, but its phase."""
    parser.add_argument("--attempt")
    parser.add_argument("--evidence", help="how you know")
    parser.add_argument(
        "--shared", action=argparse.BooleanOptionalAction, default=None, help="joint work of several tasks"
    )


def binding(args: argparse.Namespace) -> Binding:
    """The same, with the phase."""
    return Binding(args.attempt, args.phase, args.evidence, args.shared)


def dispatch_options(parser: argparse.ArgumentParser) -> None:
    """What may be said of a dispatch, but why it was made."""
    parser.add_argument("--parent-turn", metavar="ID", help="the turn that handed it on")
    parser.add_argument("--worker-turn", metavar="ID", help="the turn that did the work")
    parser.add_argument("--requested-model", metavar="MODEL")
    parser.add_argument("--requested-effort", metavar="EFFORT")
    parser.add_argument("--policy", metavar="VERSION", help="the version of the policy that chose the worker")
    parser.add_argument("--task-name", metavar="NAME", help="what the worker calls it; stays on this machine")


def dispatch_fields(args: argparse.Namespace, *, purpose: str | None = None) -> DispatchFields:
    """The same, as it was given."""
    return DispatchFields(
        args.parent_turn,
        args.worker_turn,
        args.requested_model,
        args.requested_effort,
        args.policy,
        purpose,
        args.task_name,
    )


def attempt_options(parser: argparse.ArgumentParser) -> None:
    """Whether the output of a run could be used."""
    parser.add_argument("--usable", action="store_const", const=True, help="its output could be used")
    parser.add_argument("--not-usable", dest="usable", action="store_const", const=False, help="it could not")


def attempt_fields(args: argparse.Namespace) -> AttemptFields:
    """What is said of a run."""
    return AttemptFields(args.role, args.phase, args.model, args.effort, args.state, args.usable)


def outcome_options(parser: argparse.ArgumentParser) -> None:
    """What may be said of an outcome, but its state."""
    parser.add_argument("--candidate", help="what was delivered: a commit, a pull request's URL or number")
    parser.add_argument("--proof", help="where it was verified, in the same forms")
    parser.add_argument("--repairs", type=int)
    parser.add_argument("--corrections", type=int)


def outcome_fields(args: argparse.Namespace, *, state: str | None) -> OutcomeFields:
    """The same, with the state."""
    return OutcomeFields(state, args.candidate, args.proof, args.repairs, args.corrections)
