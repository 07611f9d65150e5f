"""The inputs of the Action, checked one by one before anything is done.

Knows every input of action.yml by name; decides nothing about targets.
"""

import math
import re
from decimal import Decimal
from pathlib import Path

from msgspec import Struct

from observer.base.errors import PublishRefused
from publish.addresses import API_URL, checked_url
from publish.patience import DEFAULT_WAIT_S
from publish.result import Stop
from publish.runner import Runner

_LONGEST_WAIT_S = 3600.0
_WORDS = {"true": True, "false": False, "": None}
_AMOUNT = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,12})?")
_RUN = re.compile(r"[1-9][0-9]{0,18}")


class Wishes(Struct, frozen=True):
    """What the workflow asked for; `pr` and `commit` as they were given, empty when not.

    `budget` is in US dollars. `evidence` are paths and patterns, one of it
    and `artifact_name` is there.
    """

    evidence: tuple[str, ...]
    artifact_name: str
    run_id: int | None
    pr: str
    commit: str
    dry_run: bool
    only: bool
    max_wait: float
    settle: float
    budget: Decimal | None
    fails_over_budget: bool
    api_url: str
    ca_file: str | None
    app_slug: str | None


def read(runner: Runner) -> Wishes:
    """The inputs of this step. Stop: refused (invalid_input, insecure_api_url)."""
    evidence = tuple(filter(None, map(str.strip, runner.input("evidence").splitlines())))
    artifact_name = runner.input("artifact-name")
    if bool(evidence) == bool(artifact_name):
        raise _invalid("give one of `evidence` and `artifact-name`")
    _yes(runner, "job-summary", usually=True)
    return Wishes(
        evidence=evidence,
        artifact_name=artifact_name,
        run_id=_run(runner.input("run-id")),
        pr=runner.input("pr"),
        commit=runner.input("commit"),
        dry_run=_yes(runner, "dry-run", usually=False),
        only=_yes(runner, "only", usually=False),
        max_wait=_seconds(runner, "max-wait", usually=DEFAULT_WAIT_S),
        settle=_seconds(runner, "settle", usually=1.0),
        budget=_amount(runner.input("budget-usd")),
        fails_over_budget=_choice(runner.input("on-over-budget"), ("warn", "fail")) == "fail",
        api_url=_url(runner.input("api-url") or runner.variable("GITHUB_API_URL") or API_URL),
        ca_file=_file(runner.input("ca-file")),
        app_slug=runner.input("app-slug") or None,
    )


def wants_summary(runner: Runner) -> bool:
    """Whether the job summary is written; so it is when the input makes no sense."""
    return runner.input("job-summary").lower() != "false"


def _yes(runner: Runner, name: str, *, usually: bool) -> bool:
    word = runner.input(name).lower()
    if word not in _WORDS:
        raise _invalid(f"`{name}` is true or false, not {word!r}")
    found = _WORDS[word]
    return usually if found is None else found


def _choice(word: str, words: tuple[str, ...]) -> str:
    if word and word not in words:
        raise _invalid(f"`on-over-budget` is one of {', '.join(words)}, not {word!r}")
    return word or words[0]


def _run(text: str) -> int | None:
    if text and not _RUN.fullmatch(text):
        raise _invalid(f"`run-id` is the number of a workflow run, not {text!r}")
    return int(text) if text else None


def _seconds(runner: Runner, name: str, *, usually: float) -> float:
    text = runner.input(name)
    try:
        found = float(text) if text else usually
    except ValueError:
        found = math.nan
    if not 0 <= found <= _LONGEST_WAIT_S:
        raise _invalid(f"`{name}` is a number of seconds up to {_LONGEST_WAIT_S:.0f}, not {text!r}")
    return found


def _amount(text: str) -> Decimal | None:
    if text and not _AMOUNT.fullmatch(text):
        raise _invalid(f"`budget-usd` is an amount such as 12.50, not {text!r}")
    return Decimal(text) if text else None


def _file(text: str) -> str | None:
    if text and not Path(text).is_file():
        raise _invalid(f"`ca-file` names no file: {text!r}")
    return text or None


def _url(text: str) -> str:
    try:
        return checked_url(text)
    except PublishRefused as refused:
        raise Stop("refused", "insecure_api_url", refused.message) from refused


def _invalid(message: str) -> Stop:
    return Stop("refused", "invalid_input", message)
