"""Evidence beside evidence: the newest of each subject, and every response once.

Looks at response ids, which evidence carries and a comment never does. Two
subjects can hold the same response when records were copied to another
machine or a prompt was given to another task; it is counted under one of them
(fleet A7).
"""

from collections.abc import Sequence

from msgspec import Struct

from observer.records.evidence import Evidence


class Selection(Struct, frozen=True):
    """What of the given evidence counts.

    `evidence`: the newest of each subject, in the order of their ids.
    `elsewhere`: per evidence, row number → responses that another one counts.
    `superseded`: how many given documents an equal or newer one replaces.
    """

    evidence: tuple[Evidence, ...]
    elsewhere: tuple[dict[int, int], ...]
    superseded: int

    @property
    def overlap(self) -> int:
        """How many responses stand in more than one evidence, each counted as often as it is surplus."""
        return sum(sum(rows.values()) for rows in self.elsewhere)


def select(given: Sequence[Evidence]) -> Selection:
    """The newest evidence of each subject, and whose each response is.

    Of two snapshots the later cutoff is newer, then the greater evidence id.
    A response is the task's before a selection's, then the smallest
    subject id's, so that the order of the call changes nothing.
    """
    newest: dict[str, Evidence] = {}
    for each in sorted(given, key=lambda evidence: (evidence.cutoff or "", evidence.evidence_id)):
        newest[each.subject.subject_id] = each
    chosen = sorted(
        newest.values(), key=lambda evidence: (evidence.subject.kind != "task", evidence.subject.subject_id)
    )
    seen: set[str] = set()
    elsewhere = []
    for each in chosen:
        rows: dict[int, int] = {}
        for name, row in each.measured.attributed:
            if name in seen:
                rows[row] = rows.get(row, 0) + 1
        seen.update(name for name, _ in each.measured.attributed)
        elsewhere.append(rows)
    return Selection(tuple(chosen), tuple(elsewhere), len(given) - len(chosen))
