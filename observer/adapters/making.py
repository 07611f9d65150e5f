"""A batch in the making: what every adapter files, at the place where the record at hand stands.

Owns the order of what is filed and the faults of what cannot be. Knows no
format, and decides nothing about what of a text is kept.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeGuard, TypeVar

from msgspec import structs

from observer.native.decode import Lines, faults
from observer.privacy.direction import BEGIN
from observer.records.event import Family, RawDetail, RawEvent
from observer.records.identity import RawInstructions, TextKind
from observer.records.response import Response
from observer.records.session import Turn
from observer.records.source import Category, Quarantine, RawBatch
from observer.records.spot import Spot
from observer.records.submission import Kind, RawSubmission
from observer.records.usage import filled

Payload = TypeVar("Payload")
SKILL_FILE = "SKILL.md"
_NOWHERE = Spot("", 0, None, None)


class Making:
    """A batch in the making; `spot` is where the record at hand stands: its session, ordinal, time and turn."""

    def __init__(self) -> None:
        self.batch = RawBatch()
        self.spot = _NOWHERE
        # What faults name, where that is not the ordinal.
        self.number: int | None = None
        # The keys that a fault names, where they are the same for all records.
        self.keys: tuple[str, ...] = ()
        # Where in the batch a record lies that others may tell of again.
        self._responses: dict[str, int] = {}
        self._prompts: dict[str, int] = {}

    @contextmanager
    def at(self, spot: Spot) -> Iterator[None]:
        """Files at another place meanwhile."""
        here, self.spot = self.spot, spot
        try:
            yield
        finally:
            self.spot = here

    def event(
        self,
        family: Family,
        native_id: object,
        *,
        name: str | None = None,
        target: str | None = None,
        status: str | None = None,
        duration_ms: int | None = None,
        size_bytes: int | None = None,
        truncated: bool = False,
        detail: RawDetail | None = None,
    ) -> bool:
        """Files an event; without a usable native id (a number is none) a fault instead, and False."""
        if not isinstance(native_id, str) or not native_id:
            self.fault("missing_id")
            return False
        spot = self.spot
        self.batch.events.append(
            RawEvent(
                spot.session, family, native_id, spot.ordinal, spot.at_ms, spot.turn, name, target, status, duration_ms,
                size_bytes, truncated, detail,
            )
        )  # fmt: skip
        return True

    def records(self, found: Lines, *, usage: tuple[str, ...] = ()) -> Iterator[tuple[int, Any]]:
        """The records of some more lines, each with its ordinal; what the decoder says of them is filed."""
        self.batch.faults += faults(found, usage=usage)
        for ordinal, record in enumerate(found.records, found.first):
            if record is not None:
                yield ordinal, record

    def identified(self, native_id: object) -> TypeGuard[str]:
        """Whether a native id can be one; if not, that is a fault of the record."""
        if isinstance(native_id, str) and native_id:
            return True
        self.fault("missing_id")
        return False

    def result(
        self,
        native_id: object,
        *,
        name: str | None = None,
        target: str | None = None,
        status: str | None = None,
        duration_ms: int | None = None,
        size_bytes: int | None = None,
        truncated: bool = False,
        exit_code: int | None = None,
    ) -> bool:
        """Files the result of a tool call."""
        detail = None if exit_code is None else RawDetail(exit_code=exit_code)
        return self.event(
            "tool_result", native_id, name=name, target=target, status=status, duration_ms=duration_ms,
            size_bytes=size_bytes, truncated=truncated, detail=detail,
        )  # fmt: skip

    def answer(self, native_id: object, text: str, *, name: str | None = None) -> bool:
        """Files a text of the assistant."""
        return self.event("assistant_message", native_id, name=name, detail=RawDetail(text=text))

    def invocation(self, native_id: object, skill: str | None, path: str | None = None) -> bool:
        """Files that a Skill was called for, by its name and, where that is told, its file."""
        detail = RawDetail(skill=skill, path=path)
        return self.event("skill_invoke", native_id, name=skill, target=path, detail=detail)

    def change(self, native_id: object, paths: tuple[str, ...], **known: Any) -> bool:
        """Files that a tool changed these files, never how."""
        target = paths[0] if len(paths) == 1 else None
        return self.event("file_change", native_id, target=target, detail=RawDetail(paths=paths), **known)

    def read(
        self, native_id: object, path: str | None, detail: RawDetail, *, is_skill: bool, status: str | None = None
    ) -> bool:
        """Files that a file was read; a Skill's own file is a `skill_read`."""
        family: Family = "skill_read" if is_skill else "read"
        return self.event(family, native_id, name=detail.skill, target=path, status=status, detail=detail)

    def read_file(
        self,
        native_id: str,
        path: str,
        *,
        status: str | None,
        command: str | None = None,
        start_line: int | None = None,
        line_count: int | None = None,
    ) -> bool:
        """Files that a file was read; a Skill is known by the name of its file, and named by its folder."""
        folder, _, name = path.rpartition("/")
        is_skill = name == SKILL_FILE
        skill = folder.rpartition("/")[2] or None if is_skill else None
        detail = RawDetail((), path if skill else None, skill, command, None, start_line, line_count)
        return self.read(native_id, path, detail, is_skill=is_skill, status=status)

    def turn(self, native_id: str | None, **known: Any) -> None:
        """Files what is known of a turn of the session; nothing when it is unknown which."""
        if native_id is not None:
            self.batch.turns.append(Turn(self.spot.session, native_id, **known))

    def submission(
        self, name: str, kind: Kind, text: str, *, main: bool, turn: str | None, alias: str | None = None
    ) -> None:
        """Files something that entered the conversation in the user's place."""
        spot = self.spot
        self.batch.submissions.append(
            RawSubmission(name, spot.session, kind, text, spot.ordinal, spot.at_ms, turn, main, alias)
        )

    def told_prompt(
        self, name: str, kind: Kind, text: str, *, main: bool, turn: str | None, alias: str | None = None
    ) -> None:
        """Files a prompt that several records may tell of: a later one adds the alias and turn that are unknown yet."""
        submissions = self.batch.submissions
        at = self._prompts.setdefault(name, len(submissions))
        if at == len(submissions):
            self.submission(name, kind, text, main=main, turn=turn, alias=alias)
        else:
            known = submissions[at]
            submissions[at] = structs.replace(known, alias=known.alias or alias, turn=known.turn or turn)

    def told_response(self, response: Response) -> None:
        """Files one of several tellings of a response: the final one counts, before it the largest.

        Final ones that disagree stay side by side, for the ledger to judge.
        """
        responses = self.batch.responses
        at = self._responses.setdefault(response.id, len(responses))
        known = responses[at] if at < len(responses) else None
        if known is None or (known.final and response.final and known.usage != response.usage):
            responses.append(response)
        elif not known.final and (response.final or (response.usage.output or 0) > (known.usage.output or 0)):
            responses[at] = response

    def filled_response(self, response: Response) -> None:
        """Files a response, or fills in what is unknown yet of one told before.

        Another value of a known counter is a contradiction, and nothing of the
        later telling is taken.
        """
        at = self._responses.setdefault(response.id, len(self.batch.responses))
        if at == len(self.batch.responses):
            self.batch.responses.append(response)
            return
        known = self.batch.responses[at]
        counters = filled(known.usage, response.usage)
        if counters is None:
            self.fault("usage_conflict")
            return
        cost = response.native_cost_usd if known.native_cost_usd is None else known.native_cost_usd
        final = known.final or response.final
        self.batch.responses[at] = structs.replace(known, usage=counters, final=final, native_cost_usd=cost)

    def fault(self, category: Category, keys: tuple[str, ...] | None = None) -> None:
        """Files that the record could not be used."""
        place = self.spot.ordinal if self.number is None else self.number
        self.batch.faults.append(Quarantine(place, category, self.keys if keys is None else keys))

    def contexts(self, *texts: object) -> bool:
        """Files the texts among these that hold the marker of a Project Direction block; whether there is one."""
        held = [text for text in texts if isinstance(text, str) and is_context(text)]
        for text in held:
            self._instructions("context", text)
        return bool(held)

    def instructions(self, kind: TextKind, text: object) -> None:
        """Files a text that is, or begins with, the content of an instruction file (`kind` says which)."""
        if isinstance(text, str) and text:
            self._instructions(kind, text)

    def _instructions(self, kind: TextKind, text: str) -> None:
        self.batch.instructions.append(RawInstructions(self.spot.session, kind, self.spot.ordinal, text))


class Step:
    """Something that begins and ends, as one event where it began; one that never ended shows as that."""

    def __init__(self, family: Family, name: str) -> None:
        self._family, self._name = family, name
        self._begun: Spot | None = None

    def begin(self, making: Making) -> None:
        """It begins; the one before, if any, never ended."""
        self.end(making, "started", begun=self._begun)
        self._begun = making.spot

    def end(self, making: Making, status: str, *, begun: Spot | None, duration_ms: int | None = None) -> None:
        """Files it, at the place where it began or, when nothing told that, at `begun`; nothing without a place."""
        place, self._begun = self._begun or begun, None
        if place is not None:
            with making.at(place):
                native_id = f"{self._family}:{place.ordinal}"
                making.event(self._family, native_id, name=self._name, status=status, duration_ms=duration_ms)


class Reading(Making):
    """The decoded lines of one batch on their way to it; values in `usage` that do not fit are faults of usage."""

    def __init__(self, lines: Lines, *, usage: tuple[str, ...], keys: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.lines, self.keys = lines, keys
        self._undecoded = faults(lines, usage=usage)
        self.batch.faults = self._undecoded[:]

    def ahead(self, kind: type[Payload]) -> Payload | None:
        """The payload of the first line that has one of this type."""
        payloads = (line.payload for line in self.lines.records if line is not None)
        return next((payload for payload in payloads if isinstance(payload, kind)), None)

    def one_fault_each(self) -> None:
        """Leaves out what the decoder said of lines that turned out to have another fault too."""
        own = self.batch.faults[len(self._undecoded) :]
        named = {fault.ordinal for fault in own}
        self.batch.faults = [*(fault for fault in self._undecoded if fault.ordinal not in named), *own]

    def is_cut(self, *places: str, besides: str | None = None) -> bool:
        """Whether a value at or below one of these places, but none `besides`, was cut out of the line at hand."""
        lines = self.lines
        return bool(lines.odd) and lines.has_fault(self.spot.ordinal - lines.first, *places, besides=besides)


def is_context(text: str) -> bool:
    """Whether a text holds the marker of a Project Direction block. What a tool returned is never asked: no proof."""
    return BEGIN in text
