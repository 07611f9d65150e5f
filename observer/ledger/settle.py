"""Settling: what depends on several sources at once, as a function of the ledger.

Sessions that were written to are marked; settling looks at those and their
forks, in one transaction. It can be repeated at any time and after any crash,
and gives the same result whatever order the sources came in.
"""

import json

from observer.ledger import instructions, responses, router
from observer.ledger.open import Writer, transaction

# The marked sessions, and those whose history continues one of them.
_AFFECTED = """
    SELECT id FROM session WHERE unsettled = 1
    UNION SELECT child.id FROM session AS child JOIN session AS parent ON child.forked_from = parent.key
    WHERE parent.unsettled = 1"""
_IN = "(SELECT value FROM json_each(:ids))"

# A person's prompts are only in main sessions (a later record may prove a child).
_CHILDREN = f"""
    UPDATE submission SET kind = 'synthetic', excerpt = ''
    WHERE kind = 'genuine' AND session_id IN (SELECT id FROM session WHERE role = 'subagent' AND id IN {_IN})"""

# Responses that another session owns show how far this one is a copy.
_MAY_BE_COPY = f"""session.id IN {_IN} AND (
      marked_copied_until_ms IS NOT NULL OR EXISTS (SELECT 1 FROM response_copy WHERE session_id = session.id))"""
_COPIED_UNTIL = f"""
    UPDATE session SET copied_until_ms = NULLIF(MAX(
      COALESCE(marked_copied_until_ms, -1),
      COALESCE((SELECT MAX(copy.at_ms) FROM response_copy AS copy JOIN response USING (id)
                WHERE copy.session_id = session.id AND response.session_id <> session.id), -1)), -1)
    WHERE {_MAY_BE_COPY}"""
_COPIED_SUBMISSIONS = f"""
    UPDATE submission SET copied = COALESCE(at_ms <= session.copied_until_ms, 0)
    FROM session WHERE session.id = submission.session_id AND {_MAY_BE_COPY}"""
_COPIED_EVENTS = f"""
    UPDATE event SET copied = COALESCE(at_ms <= session.copied_until_ms, 0)
    FROM session WHERE session.id = event.session_id AND {_MAY_BE_COPY}"""

# Cumulative rows that per-response records cover are kept, but never summed.
_OVERLAP = f"""
    UPDATE response SET overlap = EXISTS (
      SELECT 1 FROM response AS record
      WHERE record.session_id = response.session_id AND record.semantics NOT LIKE '%;source=token_count'
        AND record.cumulative - record.total < response.cumulative AND response.cumulative <= record.cumulative)
    WHERE semantics LIKE '%;source=token_count' AND session_id IN (
      SELECT session_id FROM response WHERE session_id IN {_IN} AND semantics NOT LIKE '%;source=token_count')"""

# A fork that starts before any context of its own works with its parent's last model.
_FORK_MODEL = f"""
    UPDATE response SET model_inherited = 1, (model, effort) = (
      SELECT turn.model, turn.effort FROM session AS child
      JOIN session AS parent ON parent.key = child.forked_from
      JOIN turn ON turn.session_id = parent.id
      WHERE child.id = response.session_id AND turn.model IS NOT NULL
        AND (turn.started_ms IS NULL OR child.started_ms IS NULL OR turn.started_ms <= child.started_ms)
      ORDER BY turn.started_ms DESC, turn.id DESC LIMIT 1)
    WHERE (model IS NULL OR model_inherited = 1)
      AND session_id IN (SELECT id FROM session WHERE forked_from IS NOT NULL AND id IN {_IN})"""

# What was told of a turn when it began stays known when the file that told it is gone.
_TOLD_OF_TURN = f"""
    UPDATE response SET (model, effort) = (
      SELECT COALESCE(turn.model, response.model), COALESCE(turn.effort, response.effort) FROM turn
      WHERE turn.session_id = response.session_id AND turn.id = response.turn)
    WHERE session_id IN (SELECT id FROM session WHERE harness = 'grok' AND id IN {_IN})
      AND EXISTS (SELECT 1 FROM turn WHERE turn.session_id = response.session_id AND turn.id = response.turn)
      AND NOT EXISTS (SELECT 1 FROM response AS other WHERE other.session_id = response.session_id
                      AND other.turn = response.turn AND other.id <> response.id)"""

# A subagent that ended inside its parent's turn is part of that turn's usage: a response `grok:<prompt>:<model>`
# repeats what the parent's response of the same model holds. Its own stays, but is never summed.
_PART_OF_PARENT = f"""
    UPDATE response SET overlap = EXISTS (
      SELECT 1 FROM session AS child
      JOIN session AS parent ON parent.key = child.parent
      JOIN event AS finish ON finish.session_id = parent.id AND finish.family = 'lifecycle'
        AND finish.name = 'subagent_finished' AND finish.target = child.key
      JOIN response AS whole
        ON whole.id = 'grok:' || finish.turn || SUBSTR(response.id, LENGTH('grok:' || response.turn) + 1)
      LEFT JOIN turn ON turn.session_id = parent.id AND turn.id = finish.turn
      WHERE child.id = response.session_id
        AND (response.at_ms / 1000 BETWEEN COALESCE(turn.started_ms, 0) / 1000 AND finish.at_ms / 1000) IS NOT FALSE
        AND whole.input >= COALESCE(response.input, 0) AND whole.output >= COALESCE(response.output, 0))
    WHERE session_id IN (SELECT id FROM session WHERE harness = 'grok' AND role = 'subagent' AND id IN {_IN})"""

_STATEMENTS = (
    *(_CHILDREN, _COPIED_UNTIL, _COPIED_SUBMISSIONS, _COPIED_EVENTS, _OVERLAP, _FORK_MODEL, _TOLD_OF_TURN),
    _PART_OF_PARENT,
)


def settle(connection: Writer) -> None:
    """Brings everything that depends on several sources up to date."""
    marked = connection.execute("SELECT 1 FROM session WHERE unsettled = 1").fetchone()
    if marked is None and not router.is_unsettled(connection):
        return
    with transaction(connection):
        ids = {row[0] for row in connection.execute(_AFFECTED)}
        ids |= responses.settle(connection, ids)
        given = {"ids": json.dumps(sorted(ids))}
        for statement in _STATEMENTS:
            connection.execute(statement, given)
        router.settle(connection, given["ids"])
        instructions.resolve(connection, sorted(ids))
        connection.execute("UPDATE session SET unsettled = 0 WHERE unsettled = 1")
