"""Keep one comment on a pull request or commit up to date.

From the ledger (--task, --session) or from exported evidence (--evidence).
Aggregates only. --dry-run shows the comment and touches no network; posting
takes the token from GITHUB_TOKEN, GH_TOKEN or `gh auth token`.
"""

import argparse
import sys
from pathlib import Path

from observer.base.errors import EvidenceRefused
from observer.base.paths import environment
from observer.cli import export, options
from observer.cli.output import Output
from observer.evidence import build
from observer.evidence.build import Destination
from observer.records.evidence import Evidence
from publish import api, target, token
from publish.api import Prepared
from publish.evidence import LARGEST, read
from publish.github import API_URL
from publish.patience import DEFAULT_WAIT_S
from publish.result import Result
from publish.target import Target


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    subject = parser.add_argument_group("what (one of)").add_mutually_exclusive_group(required=True)
    subject.add_argument("--task", metavar="ID", help="this task, from the ledger")
    subject.add_argument(
        "--session", action="append", metavar="KEY", help="these sessions, from the ledger (repeatable)"
    )
    subject.add_argument("--evidence", type=Path, metavar="FILE", help="exported evidence; - reads standard input")
    place = parser.add_argument_group("where")
    place.add_argument("--repo", required=True, metavar="OWNER/NAME")
    place.add_argument("--pr", metavar="N", help="the pull request")
    place.add_argument("--commit", metavar="SHA", help="or the commit")
    parser.add_argument("--dry-run", action="store_true", help="show what would be posted, and post nothing")
    parser.add_argument("--only", action="store_true", help="drop what the comment says of other subjects")
    parser.add_argument("--force", action="store_true", help="replace a newer snapshot, too")
    parser.add_argument("--max-wait", type=float, default=DEFAULT_WAIT_S, metavar="SECONDS",
                        help="wait so long for rate limits in all (default: %(default)s)")  # fmt: skip
    server = parser.add_argument_group("GitHub Enterprise")
    server.add_argument("--api-url", metavar="URL", help="default: GITHUB_API_URL, else github.com's")
    server.add_argument("--ca-file", metavar="FILE", help="certificates of the server's own authority")
    server.add_argument("--app-slug", metavar="NAME", help="the app whose installation token this is")
    parser.add_argument("--producer", metavar="LABEL", help="who says so, such as ci:owner/repo")
    options.add_prices(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Shows or posts the comment; 0 as it should be, 1 failed, 2 refused."""
    chosen = target.parse(args.repo, pr=args.pr, commit=args.commit)
    prepared = api.prepare([_evidence(args, chosen)], chosen)
    if args.dry_run:
        out.json(prepared.document()) if out.wants_json else out.text(prepared.body)
        return 0
    result = _post(args, prepared, out)
    if out.wants_json:
        out.json(result.document())
    else:
        _show(result, out)
    return result.exit_code


def _evidence(args: argparse.Namespace, chosen: Target) -> Evidence:
    """Whatever its origin, what is published has passed the decoder of untrusted input."""
    if args.evidence is None:
        destination = Destination(chosen.repo, chosen.pr, chosen.commit, args.producer)
        return read(build.encode(export.evidence(args, destination)))
    if str(args.evidence) == "-":
        return read(sys.stdin.buffer.read(LARGEST + 1))
    try:
        with args.evidence.open("rb") as file:
            return read(file.read(LARGEST + 1))
    except OSError as error:
        raise EvidenceRefused(
            f"{args.evidence}: {error.strerror}", "agent-observer export --task ID -o FILE"
        ) from error


def _post(args: argparse.Namespace, prepared: Prepared, out: Output) -> Result:
    api_url = args.api_url or environment().get("GITHUB_API_URL") or API_URL
    return api.publish(
        prepared,
        token=token.find(api_url=api_url),
        api_url=api_url,
        ca_file=args.ca_file,
        app_slug=args.app_slug,
        max_wait=args.max_wait,
        only=args.only,
        force=args.force,
        announce=out.note,
    )


def _show(result: Result, out: Output) -> None:
    word = f"{result.result}({result.reason})" if result.reason else result.result
    out.text(" ".join(part for part in (word, str(result.target), result.comment_url or "") if part))
    if result.message:
        out.note(result.message)
    if result.state_discarded:
        out.note("the comment's memory of earlier subjects was unreadable and is lost")
    if result.duplicates:
        out.note(f"further comments of this identity, left alone: {', '.join(map(str, result.duplicates))}")
    if result.foreign_markers:
        out.note(f"comments by others that carry our marker, left alone: {', '.join(map(str, result.foreign_markers))}")
