"""Finding prompts, sessions and their owners by key or by bare native id."""

from msgspec import Struct

from observer.ledger.open import Reader

_SUBMISSIONS = """
    WITH names (name) AS (SELECT :name UNION SELECT harness || ':' || :name FROM session)
    SELECT DISTINCT submission.id, submission.kind, session.key
    FROM submission JOIN session ON session.id = submission.session_id
    WHERE (submission.id IN (SELECT name FROM names) OR submission.alias IN (SELECT name FROM names))
      AND submission.copied = 0
    ORDER BY 1, 3"""
_SESSIONS = "SELECT key FROM session WHERE key = :name OR native_id = :name ORDER BY key"
_CHILDREN = """
    WITH RECURSIVE below (key) AS (
      SELECT key FROM session WHERE parent = :name
      UNION SELECT session.key FROM session JOIN below ON session.parent = below.key)
    SELECT key FROM below ORDER BY key"""
_SESSION_OWNERS = "SELECT task FROM asserted_session WHERE session = ? ORDER BY task"
_EVIDENCE = "SELECT evidence FROM session_assignment WHERE session = ? AND task = ?"
_PROMPT_OWNERS = """
    SELECT DISTINCT assignment.task FROM assignment
    JOIN submission ON submission.id = assignment.submission AND submission.copied = 0
    JOIN session ON session.id = submission.session_id
    WHERE session.key = ? ORDER BY 1"""


# Where something of that turn is no copy of another session's history.
_TURNS = """
    SELECT DISTINCT session.key, session.parent FROM (
      SELECT session_id FROM response WHERE turn = :turn
      UNION SELECT session_id FROM submission WHERE turn = :turn AND copied = 0
      UNION SELECT session_id FROM event WHERE turn = :turn AND copied = 0
      UNION SELECT session_id FROM turn JOIN session ON session.id = turn.session_id
        WHERE turn.id = :turn AND (COALESCE(turn.started_ms, turn.ended_ms) <= session.copied_until_ms) IS NOT TRUE)
    JOIN session ON session.id = session_id ORDER BY 1"""
_ROUTER_RUN = "SELECT 1 FROM router_attempt WHERE turn = ?"
_ATTEMPTS = "SELECT session FROM asserted_attempt WHERE task = ? AND turn = ? ORDER BY session"


class Found(Struct, frozen=True):
    """A submission with its kind and session."""

    id: str
    kind: str
    session: str


def submissions(reader: Reader, name: str) -> list[Found]:
    """Every submission of that key, alias, or bare native id."""
    exact = [Found(*row) for row in reader.execute(_SUBMISSIONS, {"name": name})]
    return [each for each in exact if each.id == name] or exact


def sessions(reader: Reader, name: str) -> list[str]:
    """Every session of that key or bare native id."""
    found = [row[0] for row in reader.execute(_SESSIONS, {"name": name})]
    return [name] if name in found else found


def children(reader: Reader, session: str) -> list[str]:
    """Sessions that this one started, however deep."""
    return [row[0] for row in reader.execute(_CHILDREN, {"name": session})]


def session_owners(reader: Reader, session: str) -> list[str]:
    """Tasks that own the whole session because a coordinator said so."""
    return [row[0] for row in reader.execute(_SESSION_OWNERS, (session,))]


def evidence(reader: Reader, session: str, task: str) -> str | None:
    """Why the whole session is the task's, whoever says so; None when it is not."""
    row = reader.execute(_EVIDENCE, (session, task)).fetchone()
    return str(row[0]) if row else None


def prompt_owners(reader: Reader, session: str) -> list[str]:
    """Tasks that own a prompt in the session."""
    return [row[0] for row in reader.execute(_PROMPT_OWNERS, (session,))]


def turns(reader: Reader, turn: str) -> dict[str, str | None]:
    """The sessions that a turn of that native id is in, each with the session that started it."""
    return dict(reader.execute(_TURNS, {"turn": turn}))


def is_router_run(reader: Reader, turn: str) -> bool:
    """Whether that is the id of a run which a router tells."""
    return reader.execute(_ROUTER_RUN, (turn,)).fetchone() is not None


def attempts(reader: Reader, task: str, turn: str) -> list[str]:
    """The sessions of a turn of which a coordinator said that it is a run of the task; "": a router's run."""
    return [row[0] for row in reader.execute(_ATTEMPTS, (task, turn))]
