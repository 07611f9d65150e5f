"""What a shell command writes into files: the payloads to leave out.

Reads a command the way a shell does, as far as that is needed to tell which
words and bodies end up in a file, and puts `[omitted]` in their place
(behaviour §9.8). Not a shell: what a program writes by itself is out of its
sight. Where a command cannot be read to its end (an open quote or heredoc),
the rest is omitted. One pass over the text, whatever its nesting.
"""

import re
from collections.abc import Iterator

from observer.privacy.commands import ESCAPED_NEWLINE, Frame, Meaning, Range, unquoted

OMITTED = "[omitted]"

# How deep commands inside quoted text are read; deeper ones are omitted.
_DEEPEST = 3
_TOKEN = re.compile(
    r"""(?P<plain>[^\s\\'"`$<>|&;()]+)
    |(?P<blank>[ \t\r\f\v]+|\\\n)
    |(?P<newline>\n)
    |(?P<escape>\\.|\\\Z)
    |(?P<single>(?:'[^']*+|\$'(?:[^'\\]|\\.)*+)(?P<closed>'?))
    |(?P<opening>\$?"|\$\(|\$\{|`|[<>]\()
    |(?P<herestring><<<)
    |(?P<heredoc><<-?)
    |(?P<out>&>>?|>>|>\||>&|>)
    |(?P<into><>|<&|<)
    |(?P<end>\|\||&&|;[;&]*|&)
    |(?P<pipe>\|&?)
    |(?P<open>\()
    |(?P<close>\))
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
# The name of an echo, also after an escaped newline.
_SPEAKING = re.compile(r"(?:(?<![\w-])|(?<=\\[nrt]))(?:echo|printf?)(?![\w-])")
# The path of a file: whatever words and quotes are in its name, it writes nothing.
_PATH = re.compile(r"(?:~?/|\.{1,2}/|[A-Za-z]:\\)[^<>|;&$`\n]*")
# Inside double quotes and inside ${…}.
_TEXT_TOKEN = re.compile(r"[^\\\"'`$}]+|\\.|\$\(|\$\{|.", re.DOTALL)
_TEXTS = ('"', "${")
_CLOSERS = {"": "", "$(": ")", "<(": ")", ">(": ")", "(": ")", "`": "`", '"': '"', "${": "}"}
# An array or a substitution among the words of an echo is one of its words.
_OPENINGS = {'$"': '"', "(": "$("}
# No command, file of interest or delimiter has a longer name.
_LONGEST_NAME = 256
_LONGEST_DESCRIPTOR = 3
_FARTHEST_SHIFT = 200
# Frames that must be closed for the text to be understood.
_MUST_CLOSE = frozenset(('"', "${", "$(", "`", "<(", ">("))


def may_write(text: str) -> bool:
    """Whether the text has anything that `without_payloads` could omit."""
    if "<<" in text:
        return True
    return ("echo" in text or "print" in text) and _SPEAKING.search(text) is not None and not _PATH.fullmatch(text)


def without_payloads(text: str) -> str:
    """The command without the text that it writes into files."""
    if not may_write(text):
        return text
    kept: list[str] = []
    at = 0
    for start, end in sorted(_omissions(text, 0)):
        if start >= at:
            kept += (text[at:start], OMITTED)
        at = max(at, end)
    return "".join((*kept, text[at:])) if kept else text


def _omissions(text: str, depth: int) -> Iterator[Range]:
    scan = _Scan(text)
    scan.run()
    yield from scan.omitted
    for start, end in scan.scripts:
        inner = text[start:end]
        if not _may_be_script(inner):
            continue
        if depth == _DEEPEST:
            yield start, end
            continue
        for first, last in _omissions(inner, depth + 1):
            yield start + first, start + last


def _may_be_script(quoted: str) -> bool:
    """Whether a quoted text should be read as a command for another shell."""
    return "<<" in quoted or ((">" in quoted or "tee" in quoted) and may_write(quoted))


class _Scan:
    """One reading of a text: what it `omitted`, and quoted `scripts` still to be read, as ranges."""

    def __init__(self, text: str) -> None:
        self.omitted: list[Range] = []
        self.scripts: list[Range] = []
        self._text = text
        self._at = 0
        self._frames = [Frame("", 0, "")]
        self._open_quotes = 0
        self._broken_from: int | None = None
        # Heredocs whose bodies begin after this line: end of the operator, delimiter, tabs stripped.
        self._heredocs: list[tuple[int, str, bool]] = []
        self._line_writes = False
        self._line_runs_shell = False

    def run(self) -> None:
        """Reads to the end of the text, or to where it cannot be understood."""
        while self._at < len(self._text):
            frame = self._frames[-1]
            if frame.kind in _TEXTS:
                self._read_text(frame)
            else:
                self._read_command(frame)
        self._finish()

    def _finish(self) -> None:
        """Closes what is open; where it should not be, the rest is omitted, and all that might be written."""
        end = len(self._text)
        broken = [frame.start for frame in self._frames if frame.kind in _MUST_CLOSE]
        broken += [start for start, _, _ in self._heredocs[:1]]
        if self._broken_from is not None:
            broken.append(self._broken_from)
        if broken:
            self.omitted.append((min(broken), end))
            for frame in self._frames:
                frame.write()
        while self._frames:
            self._pop(end)

    def _read_command(self, frame: Frame) -> None:
        found = _TOKEN.match(self._text, self._at)
        assert found is not None  # the last alternative takes any character
        start, self._at = found.span()
        kind, token = str(found.lastgroup), found[0]
        if kind == "plain" and token[0] == "#" and frame.word is None:
            end = self._text.find("\n", start)
            self._at = len(self._text) if end < 0 else end
        elif kind in ("plain", "escape", "other") or (kind == "heredoc" and self._is_shift(frame)):
            frame.begin_word(start)
        elif kind == "single":
            frame.begin_word(start)
            self._read_single(start, opening=2 if token[0] == "$" else 1, closed=bool(found["closed"]))
        elif token == "`" and frame.closer == "`":
            self._end_word(start)
            self._close(start)
        elif kind == "opening" or (kind == "open" and frame.speaks):
            frame.begin_word(start)
            self._push(_OPENINGS.get(token, token), self._at - 1 if token.endswith('"') else start)
        else:
            self._read_operator(frame, kind, token, start)

    def _read_operator(self, frame: Frame, kind: str, token: str, start: int) -> None:
        redirects = kind in ("herestring", "heredoc", "out", "into")
        if redirects and frame.word is not None and start - frame.word <= _LONGEST_DESCRIPTOR:
            descriptor = self._text[frame.word : start]
            if descriptor.isdecimal():
                frame.descriptor, frame.word = descriptor, None
        self._end_word(start)
        frame = self._frames[-1]  # that word may have opened or closed one
        if redirects:
            frame.begin_operand(token, self._at)
        elif kind == "pipe":
            frame.end_command()
        elif kind == "end" or (kind == "close" and (frame.closer != ")" or frame.kind == "case")):
            self.omitted += frame.end_pipeline()
        elif kind == "open":
            self._push("(", start)
        elif kind == "close":
            self._close(start)
        elif kind == "newline":
            self._read_newline(frame)

    def _is_shift(self, frame: Frame) -> bool:
        """Whether `<<` stands in an arithmetic expression, `((…))`, that ends on this line."""
        if frame.kind != "(" or self._text[frame.start - 1 : frame.start] != "(":
            return False
        rest = self._text[self._at : self._at + _FARTHEST_SHIFT]
        return "))" in rest.partition("\n")[0]

    def _read_single(self, start: int, *, opening: int, closed: bool) -> None:
        if not closed:
            self._broken_from = start
        elif not self._open_quotes:
            self.scripts.append((start + opening, self._at - 1))

    def _read_text(self, frame: Frame) -> None:
        found = _TEXT_TOKEN.match(self._text, self._at)
        assert found is not None  # the last alternative takes any character
        start, self._at = found.span()
        token = found[0]
        if token == _CLOSERS[frame.kind]:
            self._pop(start)
            if token == '"' and not self._open_quotes:
                self.scripts.append((frame.start + 1, start))
        elif token in ("$(", "${", "`") or (token == '"' and frame.kind == "${"):
            self._push(token, start)
        elif token == "'" and frame.kind == "${" and not self._open_quotes:
            end = self._text.find("'", self._at)
            self._at = len(self._text) if end < 0 else end + 1

    def _end_word(self, end: int) -> None:
        """Ends the word of the innermost frame, if there is one, and takes it for what it is."""
        frame = self._frames[-1]
        if frame.word is None:
            return
        start, frame.word = frame.word, None
        operator, frame.operator = frame.operator, ""
        # No name is longer, and a word may hold others: never the whole of each.
        word = self._text[start : min(end, start + _LONGEST_NAME)]
        if operator.startswith("<<"):
            if operator == "<<<":
                frame.add_payload((start, end))
            else:
                self._heredocs.append((frame.operator_end, unquoted(word), operator == "<<-"))
        elif ">" in operator:
            self._heed(frame.redirect(operator, frame.descriptor, word), word, (start, end))
            frame.descriptor = ""
        if not operator or (ESCAPED_NEWLINE in word and ">" in operator):
            self._heed(frame.argument(word, (start, end)), word, (start, end))

    def _heed(self, meaning: Meaning, word: str, place: Range) -> None:
        self._line_writes |= meaning == "write"
        self._line_runs_shell |= meaning == "shell"
        if meaning == "group":
            self._push(unquoted(word), place[0])
        elif meaning == "group_end":
            self._pop(place[1])

    def _push(self, kind: str, start: int) -> None:
        closer = _CLOSERS.get(kind)
        self._frames.append(Frame(kind, start, self._frames[-1].closer if closer is None else closer))
        self._open_quotes += kind == '"'

    def _pop(self, end: int) -> None:
        frame = self._frames[-1]
        if frame.kind in _TEXTS:
            self._open_quotes -= frame.kind == '"'
            self._frames.pop()
            return
        self._end_word(end)
        if self._frames[-1] is not frame:
            return  # that word was the keyword which closes it, or opens another
        self.omitted += frame.end_pipeline()
        self._frames.pop()
        if frame.is_group and self._frames:
            self._frames[-1].take_group(frame)

    def _close(self, start: int) -> None:
        """Closes the nearest frame that is no keyword's, with those inside it."""
        closed = False
        while not closed:
            closed = not self._frames[-1].is_keyword
            self._pop(start)

    def _read_newline(self, frame: Frame) -> None:
        continues = frame.continues
        if not continues:
            self.omitted += frame.end_pipeline()
        for index, (_, delimiter, strips_tabs) in enumerate(self._heredocs):
            body = self._read_body(delimiter, strips_tabs=strips_tabs)
            if body is None:
                self._heredocs = self._heredocs[index:]
                return
            self._take_body(frame, body, continues=continues)
        self._heredocs = []
        self._line_writes = self._line_runs_shell = False

    def _read_body(self, delimiter: str, *, strips_tabs: bool) -> Range | None:
        """Where the body that begins here lies, without its last newline; None when nothing ends it."""
        first = at = self._at
        self._at = len(self._text)
        while at <= len(self._text):
            end = self._text.find("\n", at)
            end = len(self._text) if end < 0 else end
            line = self._text[at:end]
            if (line.lstrip("\t") if strips_tabs else line) == delimiter:
                self._at = min(end + 1, len(self._text))
                return first, max(first, at - 1)
            at = end + 1
        return None

    def _take_body(self, frame: Frame, body: Range, *, continues: bool) -> None:
        if body[0] == body[1]:
            return
        if self._line_writes:
            self.omitted.append(body)
            return
        if continues:
            frame.add_payload(body)
        else:
            frame.kept.append(body)
        if self._line_runs_shell:
            self.scripts.append(body)
