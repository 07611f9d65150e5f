"""Claude Code transcripts as the harness writes them, with everything that makes counting hard.

One line per content block of a streamed response, partial output counts on
all but the last; tool output twice in one line; subagent files; a Task result
that repeats its subagent's usage; resumed sessions that begin with copies;
`<synthetic>` error messages; lines without usage.
"""

import random
from collections.abc import Callable
from pathlib import Path

from benchmarks import material
from benchmarks.material import Text, iso, js, uuid
from benchmarks.options import END_SECONDS, PROJECTS, Options
from benchmarks.truth import Side

_MODELS = (
    ("claude-opus-5-5", 46),
    ("claude-fable-5-1", 14),
    ("claude-sonnet-4-6", 22),
    ("claude-haiku-4-5-20251001", 18),
)
# Of so many sessions, none larger, copies are made for resumed ones.
_REMEMBERED_SESSIONS = 200
_REMEMBERED_CHARACTERS = 2_000_000

_SNAPSHOT = (
    '{{"type":"file-history-snapshot","messageId":"{}","snapshot":{{"messageId":"{}","trackedFileBackups":{{}},'
    '"timestamp":"{}"}},"isSnapshotUpdate":false}}'
)
_API_ERROR = (
    '"message":{{"id":"{}","container":null,"model":"<synthetic>","role":"assistant","stop_reason":"stop_sequence",'
    '"stop_sequence":"","type":"message","usage":{{"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,'
    '"cache_read_input_tokens":0,"server_tool_use":{{"web_search_requests":0,"web_fetch_requests":0}},"service_tier":null,'
    '"cache_creation":{{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0}}}},'
    '"content":[{{"type":"text","text":"API Error: 529 overloaded"}}]}},"isApiErrorMessage":true,"type":"assistant",'
    '"uuid":"{}","timestamp":"{}"}}'
)
_RESPONSE = (
    '"message":{"model":"%s","id":"%s","type":"message","role":"assistant","content":[%s],"stop_reason":%s,'
    '"stop_sequence":null,"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,'
    '"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d},"output_tokens":%d,'
    '"service_tier":"standard"}},"requestId":"%s","type":"assistant","uuid":"%s","timestamp":"%s"}'
)
_TASK_RESULT = (
    '{{"status":"completed","prompt":"{}","agentId":"{}","content":[{{"type":"text","text":"{}"}}],"totalDurationMs":{},'
    '"totalTokens":{},"totalToolUseCount":5,"usage":{{"input_tokens":{input_tokens},'
    '"cache_creation_input_tokens":{cache_creation_input_tokens},"cache_read_input_tokens":{cache_read_input_tokens},'
    '"output_tokens":{output_tokens},"service_tier":"standard"}}}}'
)

Write = Callable[[Path, list[str]], None]


class Claude:
    """Writes sessions one after the other; each `session` call is one main transcript with its subagents."""

    def __init__(self, rng: random.Random, text: Text, options: Options, side: Side, write: Write) -> None:
        self.rng, self.text, self.options, self.side, self.write = rng, text, options, side, write
        self.done: list[tuple[str, str, list[str], int]] = []  # id, project, lines and end, to resume from

    def session(self) -> None:
        """One main session: new, or resumed from an earlier one whose history it copies."""
        rng = self.rng
        project = PROJECTS[rng.randrange(len(PROJECTS))]
        session = uuid(rng)
        start = (END_SECONDS - rng.randrange(self.options.days * material.DAY_SECONDS)) * 1000 + rng.randrange(1000)
        if self.done and rng.random() < self.options.resume_share:
            earlier, project, copied, start = self.done[rng.randrange(len(self.done))]
            lines = [line.replace(earlier, session) for line in copied]  # message and request ids stay
            start += 3_600_000
            self.side.sizes["usage_lines"] += sum('"usage":{"input_tokens"' in line for line in lines)
        else:
            lines = [_SNAPSHOT.format(uuid(rng), uuid(rng), iso(start))]
        responses = max(2, int(self.options.messages * (0.3 + 1.4 * rng.random())))
        end = Thread(self, project, session, lines, start).work(responses)
        title = self.text.line(rng, 40).replace("\\n", " ")
        lines.append(f'{{"type":"summary","summary":"{title}","leafUuid":"{uuid(rng)}"}}')
        self.write(self.folder(project) / f"{session}.jsonl", lines)
        if len(self.done) < _REMEMBERED_SESSIONS and sum(map(len, lines)) < _REMEMBERED_CHARACTERS:
            self.done.append((session, project, lines, end))

    def folder(self, project: str) -> Path:
        """Where a project's transcripts lie."""
        return self.options.out / ".claude" / "projects" / material.slug(project)


class Thread:
    """One conversation: a main session's, or a subagent's within it."""

    def __init__(
        self, claude: Claude, project: str, session: str, lines: list[str], at_ms: int, agent: str | None = None
    ) -> None:
        self.claude, self.project, self.session, self.lines, self.at_ms, self.agent = (
            claude, project, session, lines, at_ms, agent,
        )  # fmt: skip
        self.rng, self.text, self.side = claude.rng, claude.text, claude.side
        self.model = material.pick(self.rng, _MODELS)
        version = f"2.1.{40 + self.rng.randrange(60)}"
        self.one_hour_cache = self.rng.random() < 0.5
        self.context = 14_000 + self.rng.randrange(9000)
        self.parent: str | None = None
        agent_part = f'"agentId":"{agent}",' if agent else ""
        self.head = (
            f'"isSidechain":{"true" if agent else "false"},{agent_part}"userType":"external","cwd":{js(project)},'
            f'"sessionId":"{session}","version":"{version}","gitBranch":"main",'
        )

    def work(self, responses: int) -> int:
        """Writes prompts and answers until there are that many responses; returns the instant after them."""
        done = 0
        while done < responses:
            self._prompt()
            for step in range(1 + self.rng.randrange(14)):
                if done >= responses:
                    break
                self.at_ms = material.before_midnight(self.at_ms + 1500 + self.rng.randrange(20_000))
                if self.rng.random() < 0.004:
                    self._api_error()
                last = step > 0 and self.rng.random() < 0.12
                tools = self._respond(last=last)
                done += 1
                for tool, name in tools:
                    self._answer(tool, name)
                if last:
                    self._end_turn()
                    break
            self.at_ms += 5000 + self.rng.randrange(240_000)
        return self.at_ms

    def _put(self, line: str, identity: str) -> None:
        parent = f'"{self.parent}"' if self.parent else "null"
        self.lines.append(f'{{"parentUuid":{parent},{self.head}{line}')
        self.parent = identity

    def _prompt(self) -> None:
        identity = uuid(self.rng)
        text = self.text.line(self.rng, 60 + self.rng.randrange(500))
        self._put(
            f'"type":"user","message":{{"role":"user","content":"{text}"}},"uuid":"{identity}","timestamp":"{iso(self.at_ms)}"}}',
            identity,
        )

    def _api_error(self) -> None:
        identity = uuid(self.rng)
        self._put(_API_ERROR.format(uuid(self.rng), identity, iso(self.at_ms)), identity)

    def _usage(self) -> dict[str, int]:
        fresh = 200 + self.rng.randrange(4000)
        usage = {
            "input_tokens": 1 + self.rng.randrange(12),
            "cache_creation_input_tokens": fresh,
            "cache_5m": 0 if self.one_hour_cache else fresh,
            "cache_1h": fresh if self.one_hour_cache else 0,
            "cache_read_input_tokens": self.context,
            "output_tokens": 20 + material.skewed(self.rng, 500),
        }
        self.context = self.context + fresh if self.context < 180_000 else 20_000
        return usage

    def _respond(self, *, last: bool) -> list[tuple[str, str]]:
        """One response, a line per content block; returns its tool calls."""
        usage = self._usage()
        message, request = material.token(self.rng, "msg_01"), material.token(self.rng, "req_011C")
        blocks, tools = self._blocks(last=last)
        for number, block in enumerate(blocks, start=1):
            final = number == len(blocks)
            output = usage["output_tokens"] if final else 1 + self.rng.randrange(8)
            stop = ('"end_turn"' if last else '"tool_use"') if final else "null"
            identity = uuid(self.rng)
            counts = (
                usage["input_tokens"], usage["cache_creation_input_tokens"], usage["cache_read_input_tokens"],
                usage["cache_5m"], usage["cache_1h"], output,
            )  # fmt: skip
            line = _RESPONSE % (self.model, message, block, stop, *counts, request, identity, iso(self.at_ms))
            self._put(line, identity)
            self.at_ms += 300 + self.rng.randrange(900)
            self.side.sizes["usage_lines"] += 1
        self.side.add(usage, model=self.model, day=iso(self.at_ms)[:10], project=self.project, session=self.session)
        return tools

    def _blocks(self, *, last: bool) -> tuple[list[str], list[tuple[str, str]]]:
        rng, text = self.rng, self.text
        blocks, tools = [], []
        if rng.random() < 0.5:
            thought = text.run(rng, 100 + rng.randrange(900))
            signature = material.opaque(rng, 300 + rng.randrange(1500))
            blocks.append(f'{{"type":"thinking","thinking":"{thought}","signature":"{signature}"}}')
        if last or rng.random() < 0.55:
            blocks.append(f'{{"type":"text","text":"{text.run(rng, 80 + rng.randrange(800))}"}}')
        if not last:
            for _ in range(1 + (rng.random() < 0.2)):
                tool = material.token(rng, "toolu_01")
                name, given = self._tool()
                tools.append((tool, name))
                blocks.append(f'{{"type":"tool_use","id":"{tool}","name":"{name}","input":{given}}}')
        return blocks, tools

    def _tool(self) -> tuple[str, str]:
        rng, text = self.rng, self.text
        kind = rng.randrange(10)
        if kind == 0 and self.agent is None and rng.random() < self.claude.options.subagent_share:
            return (
                "Task",
                f'{{"description":"sweep","prompt":"{text.line(rng, 400)}","subagent_type":"general-purpose"}}',
            )
        if kind < 5:
            word, count = material.WORDS[rng.randrange(40)], rng.randrange(200)
            return "Bash", f'{{"command":"grep -rn {word} src | head -{count}","description":"search"}}'
        path = js(f"{self.project}/src/m{rng.randrange(60)}.py")
        if kind < 8:
            return "Read", f'{{"file_path":{path}}}'
        old, new = text.line(rng, 150), text.line(rng, 200)
        return "Edit", f'{{"file_path":{path},"old_string":"{old}","new_string":"{new}"}}'

    def _answer(self, tool: str, name: str) -> None:
        """The tool's result, which the harness stores twice in one line."""
        self.at_ms += 200 + self.rng.randrange(3000)
        identity = uuid(self.rng)
        content, result = self._subagent() if name == "Task" else self._output(name)
        self._put(
            f'"type":"user","message":{{"role":"user","content":[{{"tool_use_id":"{tool}","type":"tool_result",'
            f'"content":{content},"is_error":false}}]}},"uuid":"{identity}","timestamp":"{iso(self.at_ms)}",'
            f'"toolUseResult":{result}}}',
            identity,
        )

    def _output(self, name: str) -> tuple[str, str]:
        body = self.text.line(self.rng, material.skewed(self.rng, self.claude.options.tool_bytes))
        self.side.sizes["tool_output_bytes"] += 2 * len(body.encode())
        path = js(f"{self.project}/src/m.py")
        if name == "Read":
            lines = body.count("\\n")
            file = f'"filePath":{path},"content":"{body}","numLines":{lines},"startLine":1,"totalLines":{lines}'
            result = f'{{"type":"text","file":{{{file}}}}}'
        elif name == "Edit":
            result = (
                f'{{"filePath":{path},"oldString":"a","newString":"b","originalFile":"{body}","structuredPatch":[],'
                '"userModified":false,"replaceAll":false}'
            )
        else:
            result = f'{{"stdout":"{body}","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}}'
        return f'"{body}"', result

    def _subagent(self) -> tuple[str, str]:
        """A subagent's own file; its usage is repeated in the result and must not count again."""
        agent = material.hexadecimal(self.rng, 17)
        before = dict(self.side.totals)
        lines: list[str] = []
        responses = 3 + self.rng.randrange(12)
        end = Thread(self.claude, self.project, self.session, lines, self.at_ms, agent).work(responses)
        folder = self.claude.folder(self.project) / self.session / "subagents"
        self.claude.write(folder / f"agent-{agent}.jsonl", lines)
        self.side.sizes["subagent_files"] += 1
        spent = {name: count - before.get(name, 0) for name, count in self.side.totals.items()}
        body = self.text.line(self.rng, 900)
        prompt = self.text.line(self.rng, 300)
        result = _TASK_RESULT.format(prompt, agent, body, end - self.at_ms, sum(spent.values()), **spent)
        self.at_ms = end
        return f'[{{"type":"text","text":"{body}"}}]', result

    def _end_turn(self) -> None:
        identity = uuid(self.rng)
        duration = self.rng.randrange(300_000)
        parent = self.parent
        self._put(
            f'"type":"system","subtype":"turn_duration","durationMs":{duration},"timestamp":"{iso(self.at_ms)}",'
            f'"uuid":"{identity}","isMeta":false}}',
            identity,
        )
        self.parent = parent  # the next prompt hangs on the answer
