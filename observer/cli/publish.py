"""Keep one comment on a pull request or commit up to date.

From the ledger (--task, --session), from exported evidence (--evidence), or
from a dry run that somebody looked at (--reviewed). The comment's other
subjects stay. Aggregates only. --dry-run shows the comment and touches no
network; posting takes the token from GITHUB_TOKEN, GH_TOKEN or `gh auth token`.
"""

import argparse
import sys
from pathlib import Path

from observer.base.errors import EvidenceRefused, TargetRefused, UsageError
from observer.base.paths import environment
from observer.cli import export, options
from observer.cli.output import Output
from observer.evidence import build
from observer.evidence.build import Destination
from observer.records.evidence import Evidence
from publish import api, reviewed, target, token
from publish.addresses import API_URL
from publish.api import Prepared
from publish.evidence import LARGEST, read
from publish.patience import DEFAULT_WAIT_S
from publish.result import Result
from publish.target import Target

_LONGEST_WAIT_S = 3600.0


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    subject = parser.add_argument_group("what (at least one)")
    subject.add_argument(
        "--task", action="extend", nargs="+", default=[], metavar="ID", help="these tasks, from the ledger"
    )
    subject.add_argument(
        "--session", action="extend", nargs="+", default=[], metavar="KEY",
        help="the selection of these sessions, from the ledger",
    )  # fmt: skip
    subject.add_argument(
        "--evidence", action="extend", nargs="+", default=[], type=Path, metavar="FILE",
        help="exported evidence, of this or other machines; - reads standard input",
    )  # fmt: skip
    subject.add_argument(
        "--reviewed", type=Path, metavar="FILE",
        help="the file of `--dry-run --json`: post exactly that text, or refuse and show the difference",
    )  # fmt: skip
    place = parser.add_argument_group("where")
    place.add_argument("--repo", metavar="OWNER/NAME", help="the repository (--reviewed knows it)")
    place.add_argument("--pr", metavar="N", help="the pull request")
    place.add_argument("--commit", metavar="SHA", help="or the commit")
    parser.add_argument("--dry-run", action="store_true", help="show what would be posted, and post nothing")
    parser.add_argument("--only", action="store_true", help="drop what the comment says of other subjects")
    parser.add_argument("--force", action="store_true", help="replace a newer snapshot, too")
    waiting = parser.add_argument_group("waiting")
    waiting.add_argument("--max-wait", type=_seconds, default=DEFAULT_WAIT_S, metavar="SECONDS",
                         help="wait so long for rate limits in all (default: %(default)s)")  # fmt: skip
    waiting.add_argument("--settle", type=_seconds, default=0.0, metavar="SECONDS",
                         help="after an update wait so long, and look whether somebody who publishes at the same time "
                         "has overwritten it (default: %(default)s)")  # fmt: skip
    server = parser.add_argument_group("GitHub Enterprise")
    server.add_argument("--api-url", metavar="URL", help="default: GITHUB_API_URL, else github.com's")
    server.add_argument("--ca-file", metavar="FILE", help="certificates of the server's own authority")
    server.add_argument("--app-slug", metavar="NAME", help="the app whose installation token this is")
    parser.add_argument("--producer", metavar="LABEL", help="who says so, such as ci:owner/repo")
    options.add_prices(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Shows or posts the comment; 0 as it should be, 1 failed, 2 refused."""
    prepared = _prepared(args)
    for note in prepared.notes:
        out.note(note)
    if args.dry_run:
        out.json(prepared.document()) if out.wants_json else out.text(prepared.body)
        return 0
    result = _post(args, prepared, out)
    if out.wants_json:
        out.json(result.document())
    else:
        _show(result, out)
    return result.exit_code


def _prepared(args: argparse.Namespace) -> Prepared:
    given = bool(args.task or args.session or args.evidence)
    if args.reviewed is not None:
        if given:
            raise UsageError("--reviewed already says what is published", "publish --reviewed FILE")
        return _agreeing(args, reviewed.read(_bytes(args.reviewed, reviewed.LARGEST)))
    if not given:
        raise UsageError("nothing to publish", "--task ID, --session KEY, --evidence FILE or --reviewed FILE")
    chosen = target.parse(args.repo, pr=args.pr, commit=args.commit)
    return api.prepare([*_own(args, chosen), *(read(_bytes(each, LARGEST)) for each in args.evidence)], chosen)


def _agreeing(args: argparse.Namespace, prepared: Prepared) -> Prepared:
    """The reviewed comment, when the command names the same target or none."""
    there = prepared.target
    if args.repo is None and args.pr is None and args.commit is None:
        return prepared
    pr, commit = args.pr, args.commit
    if pr is None and commit is None:
        pr, commit = there.pr, there.commit
    if target.parse(args.repo or there.repo, pr=pr, commit=commit) != there:
        raise TargetRefused(f"the reviewed comment is for {there}", "publish --reviewed FILE, without --repo and --pr")
    return prepared


def _own(args: argparse.Namespace, chosen: Target) -> list[Evidence]:
    """The ledger's evidence. Whatever its origin, what is published has passed the decoder of untrusted input."""
    if not (args.task or args.session):
        return []
    exported = export.evidence(
        options.ledger(args),
        tasks=args.task,
        sessions=args.session,
        prices=args.prices,
        destination=Destination(chosen.repo, chosen.pr, chosen.commit, args.producer),
    )
    return [read(build.encode(each)) for each in exported]


def _bytes(path: Path, largest: int) -> bytes:
    """What a file holds, or standard input for `-`; one byte more than `largest` at most."""
    if str(path) == "-":
        return sys.stdin.buffer.read(largest + 1)
    try:
        with path.open("rb") as file:
            return file.read(largest + 1)
    except OSError as error:
        raise EvidenceRefused(f"{path}: {error.strerror}", "agent-observer export --task ID -o FILE") from error


def _seconds(text: str) -> float:
    """A span that is one: finite and not negative."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= _LONGEST_WAIT_S:
        raise argparse.ArgumentTypeError(f"not a number of seconds from 0 to {_LONGEST_WAIT_S:g}: {text!r}")
    return number


def _post(args: argparse.Namespace, prepared: Prepared, out: Output) -> Result:
    api_url = args.api_url or environment().get("GITHUB_API_URL") or API_URL
    return api.publish(
        prepared,
        token=token.find(api_url=api_url),
        api_url=api_url,
        ca_file=args.ca_file,
        app_slug=args.app_slug,
        max_wait=args.max_wait,
        settle=args.settle,
        only=args.only,
        force=args.force,
        announce=out.note,
    )


def _show(result: Result, out: Output) -> None:
    word = f"{result.result}({result.reason})" if result.reason else result.result
    out.text(" ".join(part for part in (word, str(result.target), result.comment_url or "") if part))
    if result.message:
        out.note(result.message)
    for note in result.notes:
        out.note(note)
