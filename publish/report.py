"""What an Action run tells: outputs, annotations, the job summary and the exit code.

One Report holds all of it. Text of others is shown as code, never as markup.
"""

from decimal import Decimal

from msgspec import Struct

from observer.base.errors import FAILED, REFUSED
from publish.budget import Estimate, Verdict
from publish.result import Outcome
from publish.runner import Level, Runner, one_line
from publish.target import Target

# What ends without a comment on purpose and needs nobody's attention.
_EXPECTED = {"no_pull_request", "no_artifact", "dry_run", "older"}
_GOOD = {"created", "updated", "unchanged"}


class Report(Struct, frozen=True):
    """The result and everything known by then; `body` is the comment as it stands or would stand."""

    result: Outcome
    reason: str | None = None
    message: str = ""
    target: Target | None = None
    comment_id: int | None = None
    comment_url: str | None = None
    evidence_ids: tuple[str, ...] = ()
    estimate: Estimate | None = None
    budget: Decimal | None = None
    over_budget: Verdict | None = None
    fails_over_budget: bool = False
    body: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """The result with its reason: `refused(target_mismatch)`."""
        return f"{self.result}({self.reason})" if self.reason else self.result

    @property
    def exit_code(self) -> int:
        """As `publish`: 1 failed, 2 refused, else 0; also 1 when a budget that must hold does not."""
        if self.result == "refused":
            return REFUSED
        breaks = self.fails_over_budget and self.over_budget == "true"
        return FAILED if self.result == "failed" or breaks else 0


def tell(report: Report, runner: Runner, *, summary: bool) -> None:
    """Tells it all: first what later steps read, then what people read."""
    path = None if report.body is None else runner.keep("comment.md", report.body)
    runner.outputs(_outputs(report, "" if path is None else str(path)))
    for level, message in _annotations(report):
        runner.annotate(level, message)
    for note in report.notes:
        runner.say(note)
    runner.say(" ".join(part for part in (report.word, str(report.target or ""), report.comment_url or "") if part))
    if summary:
        runner.summarize(_summary(report, body=True), shorter=_summary(report, body=False))


def _outputs(report: Report, body_path: str) -> dict[str, str]:
    estimate = report.estimate
    return {
        "result": report.result,
        "reason": report.reason or "",
        "comment-id": "" if report.comment_id is None else str(report.comment_id),
        "comment-url": report.comment_url or "",
        "evidence-ids": "\n".join(report.evidence_ids),
        "estimated-usd": "" if estimate is None else estimate.known_usd,
        "total-usd": "" if estimate is None else estimate.total_usd or "",
        "over-budget": report.over_budget or "",
        "body-path": body_path,
    }


def _annotations(report: Report) -> list[tuple[Level, str]]:
    found: list[tuple[Level, str]] = []
    if report.result not in _GOOD:
        found.append((_level(report), f"{report.word}: {report.message}" if report.message else report.word))
    if report.over_budget in ("true", "unknown"):
        fails = report.over_budget == "true" and report.fails_over_budget
        found.append(("error" if fails else "warning", _about_budget(report)))
    return found


def _level(report: Report) -> Level:
    if report.result in ("failed", "refused"):
        return "error"
    return "notice" if report.reason in _EXPECTED else "warning"


def _about_budget(report: Report) -> str:
    if report.estimate is None:
        return "budget unknown: only tasks have a cost, and the evidence is of none"
    known, budget = f"USD {report.estimate.known_usd}", f"USD {report.budget}"
    if report.over_budget == "true":
        return f"over budget: {known} at list prices, {budget} allowed"
    if report.over_budget == "false":
        return f"within budget: {known} at list prices, {budget} allowed"
    return f"budget unknown: the known part, {known}, is within {budget}, but not everything is priced"


def _summary(report: Report, *, body: bool) -> str:
    """Markdown for people; what others may have written is set as code, by indentation, which nothing can end."""
    parts = [f"### Agent Observer: {report.word}"]
    if report.target is not None:
        link = f" · [the comment](<{report.comment_url}>)" if _is_plain(report.comment_url) else ""
        parts.append(f"`{report.target}`{link}")
    parts += [f"    {one_line(each).strip()}" for each in (report.message, *report.notes) if each.strip()]
    if report.over_budget is not None:
        parts.append(_about_budget(report) + ".")
    if report.body is not None:
        parts.append(_about_body(report) if body else "The comment is left out here: the summary would be too long.")
        if body:
            parts.append(report.body)
    return "\n\n".join(parts).rstrip("\n") + "\n"


def _about_body(report: Report) -> str:
    if report.result in _GOOD:
        return "This is the comment:"
    return "This would be the comment:" if report.reason == "dry_run" else "This is what was not posted:"


def _is_plain(url: str | None) -> bool:
    return url is not None and url.isascii() and url.isprintable() and not set(" <>\\") & set(url)
