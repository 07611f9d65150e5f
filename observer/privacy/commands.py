"""One level of a shell command: its words, its pipeline, and what they write.

Knows which commands say something (`echo`), which put their input into a file
(`tee`), and which redirections are writes. Sees words and operators only;
where they begin and end is found by `shell`.
"""

from typing import Literal, TypeAlias

Range: TypeAlias = tuple[int, int]
# A group hands the payloads it did not write on to what is around it, as one.
Payload: TypeAlias = "Range | list[Payload]"
# What a word meant, as far as the reader of the text must know.
Meaning: TypeAlias = Literal["word", "write", "shell", "group", "group_end"]

_SPEAKERS = frozenset(("echo", "printf", "print"))
_WRITERS = frozenset(("tee", "sponge", "dd", "patch", "ed", "ex"))
# Words of commands that read a secret from their input: what is piped to them is one.
_TAKING_SECRETS = frozenset(("--password-stdin", "--with-token", "chpasswd", "secret", "secrets"))
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "fish", "ssh", "su", "eval"))
# Commands that run the command among their arguments.
_WRAPPERS = _SHELLS.union(
    ("sudo", "doas", "command", "builtin", "env", "exec", "nohup", "nice", "ionice", "stdbuf", "setsid", "timeout"),
    ("xargs", "find", "parallel", "watch", "docker", "podman", "kubectl", "busybox", "script", "unbuffer"),
)
_KEYWORDS = frozenset(("then", "do", "else", "elif", "!", "time", "coproc", "function"))
_GROUPS = {"{": "}", "if": "fi", "for": "done", "while": "done", "until": "done", "select": "done", "case": "esac"}
_DEVICES = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2"))
ESCAPED_NEWLINE = "\\n"
_UNQUOTED = str.maketrans("", "", "'\"\\")


def unquoted(word: str) -> str:
    """A word without its quotes."""
    return word.translate(_UNQUOTED)


class Frame:
    """The commands between one opening and its closing.

    `kind` is the opening: empty, `(`, `$(`, a backtick, `<(`, `>(`, `{`, a
    keyword, or for text `"` and `${`. `closer` closes the nearest frame, this
    one included, that is no keyword's. `word` is where the present word began;
    `operator` the redirection whose operand it is. `kept` are payloads that no
    command in here wrote.
    """

    def __init__(self, kind: str, start: int, closer: str) -> None:
        self.kind = kind
        self.start = start
        self.closer = closer
        self.word: int | None = None
        self.operator = ""
        self.descriptor = ""
        self.operator_end = 0
        self.kept: list[Payload] = []
        self._payloads: list[tuple[int, Payload]] = []
        self._stage = 0
        self._last_write = -1
        self._begin_command()

    @property
    def is_group(self) -> bool:
        """Whether redirections after this frame apply to what was said in it."""
        return self.kind == "(" or self.kind in _GROUPS

    @property
    def is_keyword(self) -> bool:
        """Whether a word opened it and a word closes it."""
        return self.kind in _GROUPS

    @property
    def speaks(self) -> bool:
        """Whether the present command is an echo."""
        return self._speaking

    @property
    def continues(self) -> bool:
        """Whether the pipeline goes on after the end of the line."""
        return self._stage > 0 and self._empty

    def begin_word(self, at: int) -> None:
        """Notes that a word begins, unless one has begun already."""
        if self.word is None:
            self.word = at
            self._empty = False

    def begin_operand(self, operator: str, end: int) -> None:
        """Notes that the next word is what `operator`, ending there, redirects to or from."""
        self.operator = operator
        self.operator_end = end
        self._empty = self._spoken = False

    def argument(self, word: str, place: Range) -> Meaning:
        """Takes one word of the command."""
        if self._speaking:
            self._say(place)
            return "word"
        if ESCAPED_NEWLINE in word:
            return self._after_newline(unquoted(word.rpartition(ESCAPED_NEWLINE)[2]))
        name = unquoted(word)
        if name == "{" or (name in _GROUPS and not (self._settled or self._wrapped)):
            return "group"
        if name in _TAKING_SECRETS:
            return self.write()
        if self._settled:
            return self.write() if self._is_git and name in ("apply", "am") else "word"
        if self.kind in _GROUPS and name == _GROUPS[self.kind] and not self._wrapped:
            return "group_end"
        return self._command_name(name.rpartition("/")[2])

    def redirect(self, operator: str, descriptor: str, target: str) -> Meaning:
        """Takes one redirection of output; `descriptor` is empty where none is written."""
        name = unquoted(target)
        if operator == ">&" and (name.isdecimal() or name == "-"):
            return self._duplicate(descriptor, name)
        if name in _DEVICES:
            return "word"
        if descriptor not in ("", "1"):
            self._error_written |= descriptor == "2"
            return self.write() if self._error_joined and self._error_written else "word"
        return self.write()

    def write(self) -> Meaning:
        """Notes that this stage of the pipeline writes what reaches it."""
        self._last_write = self._stage
        return "write"

    def add_payload(self, payload: Payload) -> None:
        """Adds text that this stage of the pipeline passes on."""
        self._payloads.append((self._stage, payload))

    def end_command(self) -> None:
        """Goes on to the next stage of the pipeline."""
        self._stage += 1
        self._begin_command()

    def end_pipeline(self) -> list[Range]:
        """Goes on to the next pipeline; the payloads that the ended one wrote."""
        written: list[Payload] = []
        for stage, payload in self._payloads:
            (written if stage <= self._last_write else self.kept).append(payload)
        self._payloads = []
        self._stage = 0
        self._last_write = -1
        self._begin_command()
        return list(_flat(written))

    def take_group(self, group: "Frame") -> None:
        """Goes on after a group; after `name()` a command follows, after others only redirections."""
        if group.kept:
            self.add_payload(group.kept)
        self._settled = group.is_keyword

    def _begin_command(self) -> None:
        self._empty = True
        self._settled = self._speaking = self._wrapped = self._is_git = False
        self._spoken = self._error_joined = self._error_written = False
        self.operator = self.descriptor = ""

    def _say(self, place: Range) -> None:
        if self._spoken:
            stage, last = self._payloads[-1]
            assert isinstance(last, tuple)  # only a range can be the words of an echo
            self._payloads[-1] = (stage, (last[0], place[1]))
        else:
            self.add_payload(place)
            self._spoken = True

    def _after_newline(self, name: str) -> Meaning:
        """Begins a command at an escaped newline, as in a script that is a string of another language."""
        if name in _SPEAKERS:
            self._speaking = True
            return "word"
        self._settled = True
        return self.write() if name in _WRITERS else "word"

    def _command_name(self, name: str) -> Meaning:
        if name in _KEYWORDS or "=" in name:
            return "word"
        if name in _SPEAKERS:
            self._speaking = True
        elif name in _WRITERS:
            self._settled = True
            return self.write()
        elif name in _WRAPPERS:
            self._wrapped = True
            return "shell" if name in _SHELLS else "word"
        elif not self._wrapped:
            self._settled = True
            self._is_git = name == "git"
        return "word"

    def _duplicate(self, descriptor: str, onto: str) -> Meaning:
        """`2>&1` and `>&2` write nothing by themselves; other descriptors may be files."""
        if descriptor not in ("", "1"):
            return "word"
        self._error_joined |= onto == "2"
        if onto not in ("1", "2", "-") or (self._error_joined and self._error_written):
            return self.write()
        return "word"


def _flat(payloads: list[Payload]) -> list[Range]:
    found = []
    rest = payloads
    while rest:
        payload = rest.pop()
        if isinstance(payload, list):
            rest.extend(payload)
        else:
            found.append(payload)
    return found
