"""What a server's refusal means, in our words: every status and message, once.

Knows the answers of GitHub's API and no library; makes Stop of them. Never
decides whether to try again (publish.patience).
"""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from msgspec import Struct

from observer.base import clock
from publish.result import Stop

# What GitHub advises when a secondary limit comes without a header.
UNTOLD_WAIT_S = 60.0

_SECONDS = re.compile(r"[0-9]{1,6}")
_EPOCH = re.compile(r"[0-9]{1,11}")
_LIMITED = ("api rate limit exceeded", "secondary rate limit", "abuse detection")
# `issues=write; pull_requests=write`: what a token that may not write would have needed.
_PERMISSIONS = re.compile(r"[a-z_]+=(?:read|write)(?:[;,] ?[a-z_]+=(?:read|write)){0,20}")
_TWO_STAGES = (
    "the token may not write here: a run from a fork needs the two-stage workflow, "
    "others `pull-requests: write`, or `contents: write` for a commit"
)


class Refused(Exception):
    """The server answered and said no; `headers` have lower-case names."""

    def __init__(
        self, status: int, message: str, *, details: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(f"{status} {message}")
        self.status = status
        self.message = message
        self.details = details
        self.headers: Mapping[str, str] = headers or {}


class Unreachable(Exception):
    """No answer came, so nobody knows whether the request arrived."""


class Wait(Struct, frozen=True):
    """A limit that passes: after how many seconds, and when that is (UTC clock time)."""

    seconds: float
    until: str


def limit(refused: Refused) -> Wait | None:
    """How long a rate limit asks to wait; None when the refusal is no rate limit.

    A plain 403 is none: only a header or the message is evidence.
    """
    if refused.status not in (403, 429):
        return None
    now_ms = clock.now_ms()
    after, reset = refused.headers.get("retry-after", ""), refused.headers.get("x-ratelimit-reset", "")
    if _SECONDS.fullmatch(after):
        return _wait(int(after), now_ms)
    if refused.headers.get("x-ratelimit-remaining") == "0" and _EPOCH.fullmatch(reset):
        return _wait(max(0, math.ceil(int(reset) - now_ms / clock.MS)), now_ms)
    if refused.status == 429 or any(words in refused.message.lower() for words in _LIMITED):
        return _wait(UNTOLD_WAIT_S, now_ms)
    return None


def is_uncertain(error: Refused | Unreachable) -> bool:
    """Whether the server may have done what was asked in spite of its answer."""
    return isinstance(error, Unreachable) or error.status >= 500


def may_pass(error: Refused | Unreachable) -> bool:
    """Whether asking again later may help: an outage or a limit."""
    return is_uncertain(error) or (isinstance(error, Refused) and limit(error) is not None)


def stop(refused: Refused) -> Stop:
    """The end of a publication that this answer means."""
    message = refused.message.lower()
    wait = limit(refused)
    if wait is not None:
        return Stop("failed", "rate_limited", f"GitHub's rate limit holds until {wait.until}")
    if refused.status == 401:
        return Stop("refused", "bad_credentials", "GitHub does not know this token")
    if refused.status == 403 and "locked" in message:
        return Stop("skipped", "locked", "the conversation is locked")
    if refused.status == 403 and "archived" in message:
        return Stop("failed", "archived", "the repository is archived: nobody can write to it")
    if refused.status == 403:
        return Stop("failed", "forbidden", _forbidden(refused))
    if refused.status == 404:
        return Stop("failed", "not_found", "GitHub no longer finds the target, or the token cannot see it")
    if refused.status == 410:
        return Stop("failed", "gone", "comments are switched off here")
    if refused.status == 422 and "too long" in f"{message} {refused.details}".lower():
        return Stop("failed", "too_long", "GitHub finds the comment too long")
    word = "server_error" if is_uncertain(refused) else "rejected"
    return Stop("failed", word, f"GitHub answered {refused.status}: {_printable(refused.message)}")


def redirected(location: str = "") -> Stop:
    """The server sends us to another host, or in circles. The token is not taken there."""
    whereto = f" ({_printable(location)})" if location else ""
    return Stop(
        "failed", "redirected", f"GitHub points to another address{whereto}; name the server and repository found there"
    )


def unexpected(what: str) -> Stop:
    """An answer that we do not understand."""
    return Stop(
        "failed", "unexpected_answer", f"GitHub sent {what}; is that its API's address? --api-url https://HOST/api/v3"
    )


def untrusted() -> Stop:
    """No secure connection: most often a certificate of an authority that this machine does not know."""
    return Stop("failed", "untrusted", "the server's certificate is not trusted here; --ca-file FILE.pem names its own")


def unreachable(error: Unreachable) -> Stop:
    """No answer, also not on asking again."""
    return Stop("failed", "network", f"GitHub did not answer: {_printable(str(error))}")


def _forbidden(refused: Refused) -> str:
    """What may be wrong, what GitHub says, and which permission it asked for if it names one."""
    needed = refused.headers.get("x-accepted-github-permissions", "")
    words = [f'GitHub says "{_printable(refused.message)}"'] if refused.message else []
    words += [f"needed here: {needed}"] if _PERMISSIONS.fullmatch(needed) else []
    return f"{_TWO_STAGES} ({'; '.join(words)})" if words else _TWO_STAGES


def _wait(seconds: float, now_ms: int) -> Wait:
    moment = datetime.fromtimestamp(now_ms / clock.MS + seconds, UTC)
    return Wait(seconds, moment.strftime("%Y-%m-%d %H:%M:%S UTC"))


def _printable(text: str) -> str:
    return "".join(each if each.isprintable() else " " for each in text)[:200]
