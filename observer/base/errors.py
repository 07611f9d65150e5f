"""Every way in which a command can refuse or fail, with its exit code.

A message says what and where; the hint is the next command, ready to paste.
The slugs are documented in docs/messages.md (a test keeps them equal).
Exit codes: docs/contracts.md. Problems in the user's *records* are values
(faults, gaps), never these exceptions.
"""

FAILED = 1
REFUSED = 2
GAPS = 3
FINDINGS = 4
BUG = 70
INTERRUPTED = 130


class ObserverError(Exception):
    """A refusal or failure that a person can act on.

    `hint` is one command or sentence that leads on; it may be empty.
    """

    slug = "error"
    exit_code = REFUSED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(ObserverError):
    """The words of the call are wrong: an option, a date, a combination."""

    slug = "usage"


class LedgerMissing(ObserverError):
    """A report was asked of a ledger that does not exist."""

    slug = "ledger-missing"


class LedgerVersion(ObserverError):
    """The ledger has another schema than this program."""

    slug = "ledger-version"


class LedgerDamaged(ObserverError):
    """The file is no SQLite database, is truncated, or is not a ledger."""

    slug = "ledger-damaged"


class LedgerBusy(ObserverError):
    """Another process kept the write lock for longer than we wait."""

    slug = "ledger-busy"
    exit_code = FAILED


class SourceMissing(ObserverError):
    """A source or root named on the command line does not exist."""

    slug = "source-missing"


class ConfigInvalid(ObserverError):
    """The person's settings file is wrong; the message names every faulty place."""

    slug = "config-invalid"


class ScheduleError(ObserverError):
    """A price schedule is invalid; the message names every faulty place."""

    slug = "schedule-invalid"


class UnknownTask(ObserverError):
    """A task id that nobody created."""

    slug = "unknown-task"


class UnknownSession(ObserverError):
    """A session key that the ledger does not hold."""

    slug = "unknown-session"


class UnknownTurn(ObserverError):
    """A turn that the ledger does not hold."""

    slug = "unknown-turn"


class CaptureRefused(ObserverError):
    """An assertion that contradicts the ledger or an earlier assertion."""

    slug = "capture-refused"


class EvidenceRefused(ObserverError):
    """Evidence that is malformed, oversized, or does not add up."""

    slug = "evidence-refused"


class ReviewRefused(ObserverError):
    """A reviewed comment that its evidence no longer gives."""

    slug = "review-refused"


class TargetRefused(ObserverError):
    """A repository, pull request or commit that cannot be a target."""

    slug = "target-refused"


class PublishRefused(ObserverError):
    """The post was not attempted: no token, no identity, not our comment."""

    slug = "publish-refused"


class PublishFailed(ObserverError):
    """GitHub or the network did not do what was asked."""

    slug = "publish-failed"
    exit_code = FAILED
