"""How often and how long to try: one policy for all requests of a publication.

Waits for a limit only as long as it says it lasts, a moment after an outage,
never longer in all than it was allowed, and says so. A request that may have
been carried out is repeated only when repeating it changes nothing.
"""

import math
import time
from collections.abc import Callable
from typing import TypeVar

from observer.base.errors import UsageError
from publish import answers
from publish.answers import Refused, Unreachable
from publish.result import Stop

DEFAULT_WAIT_S = 50.0
_MOST_TRIES = 3
_PAUSE_S = 0.5

T = TypeVar("T")


class Uncertain(Exception):
    """A request may or may not have been carried out; `cause` says what went wrong."""

    def __init__(self, cause: Stop) -> None:
        super().__init__(cause.message)
        self.cause = cause


class Patience:
    """Runs requests. `max_wait` seconds of waiting are shared by all of them; `announce` hears of each wait.

    UsageError for a number of seconds that is none.
    """

    def __init__(
        self,
        *,
        max_wait: float = DEFAULT_WAIT_S,
        announce: Callable[[str], None] = lambda _line: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not 0 <= max_wait < math.inf:
            raise UsageError(f"not a time to wait: {max_wait:g} seconds", "--max-wait 50")
        self._left = max_wait
        self._announce = announce
        self._sleep = sleep

    @property
    def left(self) -> float:
        """The seconds of waiting that are still allowed."""
        return self._left

    def repeatable(self, request: Callable[[], T]) -> T:
        """The answer to a request that may be sent again.

        Refused when the server says no, Stop when it keeps failing.
        """
        for attempt in range(1, _MOST_TRIES + 1):
            try:
                return self._through_limits(request)
            except (Refused, Unreachable) as error:
                if not answers.is_uncertain(error):
                    raise
                pause = _PAUSE_S * attempt
                if attempt == _MOST_TRIES or pause > self._left:
                    raise _stop(error) from error
                self._wait(pause, f"{_stop(error).message}; trying again in {pause:.1f} s")
        raise AssertionError("unreachable")

    def once(self, request: Callable[[], T]) -> T:
        """The answer to a request that must not be sent blindly again.

        Uncertain when it may have been carried out, Refused when it was not.
        """
        try:
            return self._through_limits(request)
        except (Refused, Unreachable) as error:
            if answers.is_uncertain(error):
                raise Uncertain(_stop(error)) from error
            raise

    def pause(self, seconds: float) -> None:
        """Waits for other publishers, not for the server; not part of `max_wait`."""
        self._sleep(seconds)

    def _through_limits(self, request: Callable[[], T]) -> T:
        """Sends again after a rate limit has passed: what was limited was not carried out."""
        for attempt in range(1, _MOST_TRIES + 1):
            try:
                return request()
            except Refused as refused:
                wait = answers.limit(refused)
                if wait is None:
                    raise
                if wait.seconds > self._left or attempt == _MOST_TRIES:
                    raise answers.stop(refused) from refused
                self._wait(wait.seconds, f"GitHub asks to wait {math.ceil(wait.seconds)} s (until {wait.until})")
        raise AssertionError("unreachable")

    def _wait(self, seconds: float, why: str) -> None:
        self._announce(why)
        self._left -= seconds
        self._sleep(seconds)


def _stop(error: Refused | Unreachable) -> Stop:
    return answers.stop(error) if isinstance(error, Refused) else answers.unreachable(error)
