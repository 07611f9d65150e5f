"""Codex rollouts as the harness writes them, old and new.

Newer ones have a usage record per response, all have cumulative counts beside
it; some counts repeat unchanged and the first has no figures; the model
changes between turns; long threads are compacted.
"""

import random
from collections.abc import Callable
from pathlib import Path

from benchmarks import material
from benchmarks.material import Text, iso, js, uuid
from benchmarks.options import END_SECONDS, PROJECTS, Options
from benchmarks.truth import CODEX_COUNTERS, Side

_MODELS = (("gpt-6-astra", 45), ("gpt-5.6-luna", 20), ("gpt-5.3-codex", 35))
_META = (
    '{{"id":"{}","timestamp":"{}","cwd":{},"originator":"codex_cli_rs","cli_version":"0.{}.0","source":"cli",'
    '"model_provider":"openai","base_instructions":{{"text":"{}"}},"git":{{"commit_hash":"{}","branch":"main",'
    '"repository_url":"git@example.invalid:o/r.git"}}}}'
)
_LIMITS = (
    '{{"limit_id":"codex","primary":{{"used_percent":12.0,"window_minutes":300,"resets_at":{}}},'
    '"secondary":{{"used_percent":40.0,"window_minutes":10080,"resets_at":{}}},"credits":null,"plan_type":"plus"}}'
)
_CONTEXT = (
    '{{"turn_id":"{}","cwd":{},"approval_policy":"on-request","sandbox_policy":{{"type":"workspace-write",'
    '"network_access":false}},"model":"{}","effort":"{}","summary":"auto"}}'
)

Write = Callable[[Path, list[str]], None]


class Codex:
    """Writes rollouts one after the other."""

    def __init__(self, rng: random.Random, text: Text, options: Options, side: Side, write: Write) -> None:
        self.rng, self.text, self.options, self.side, self.write = rng, text, options, side, write

    def session(self) -> None:
        """One thread with its own file."""
        Rollout(self).work()


class Rollout:
    """One thread: its lines so far, its running totals, the instant it has reached."""

    def __init__(self, codex: Codex) -> None:
        self.codex, self.rng, self.text, self.side = codex, codex.rng, codex.text, codex.side
        rng = self.rng
        self.project = PROJECTS[rng.randrange(len(PROJECTS))]
        started = END_SECONDS - rng.randrange(codex.options.days * material.DAY_SECONDS)
        self.at_ms = started * 1000 + rng.randrange(1000)
        self.thread = "019" + uuid(rng, 7)[3:]
        self.started = iso(self.at_ms)
        self.has_records = rng.random() < codex.options.record_share
        self.limits = _LIMITS.format(self.at_ms // 1000 + 9000, self.at_ms // 1000 + 400_000)
        self.lines: list[str] = []
        self.total = dict.fromkeys(CODEX_COUNTERS, 0)
        self.turn_total = dict.fromkeys(CODEX_COUNTERS, 0)
        self.turn, self.model, self.context = "", "", 0

    def work(self) -> None:
        """Writes turns until the thread has its responses, then the file."""
        rng = self.rng
        self._meta()
        self.context = 12_000 + rng.randrange(6000)
        responses, done, first = max(2, int(self.codex.options.messages * (0.3 + 1.4 * rng.random()))), 0, True
        while done < responses:
            self._begin_turn(first=first)
            first = False
            for step in range(1 + rng.randrange(14)):
                if done >= responses:
                    break
                self.at_ms = material.before_midnight(self.at_ms + 1500 + rng.randrange(20_000))
                last = step > 0 and rng.random() < 0.12
                self._respond(last=last)
                done += 1
                if last:
                    break
            self._end_turn()
        day = self.codex.options.out.joinpath(
            ".codex", "sessions", self.started[:4], self.started[5:7], self.started[8:10]
        )
        self.codex.write(day / f"rollout-{self.started[:19].replace(':', '-')}-{self.thread}.jsonl", self.lines)

    def _put(self, kind: str, payload: str) -> None:
        self.lines.append(f'{{"timestamp":"{iso(self.at_ms)}","type":"{kind}","payload":{payload}}}')

    def _meta(self) -> None:
        instructions = self.text.line(self.rng, 12_000)
        version = 139 if self.has_records else 98
        commit = material.hexadecimal(self.rng, 40)
        payload = _META.format(self.thread, self.started, js(self.project), version, instructions, commit)
        self._put("session_meta", payload)

    def _begin_turn(self, *, first: bool) -> None:
        rng = self.rng
        if first or rng.random() < 0.05:
            self.model = material.pick(rng, _MODELS)
        self.turn = "019" + uuid(rng, 7)[3:]
        self.turn_total = dict.fromkeys(CODEX_COUNTERS, 0)
        seconds = self.at_ms // 1000
        self._put(
            "event_msg",
            f'{{"type":"task_started","turn_id":"{self.turn}","started_at":{seconds},"model_context_window":272000}}',
        )
        effort = ("medium", "high")[rng.randrange(2)]
        self._put("turn_context", _CONTEXT.format(self.turn, js(self.project), self.model, effort))
        prompt = self.text.line(rng, 60 + rng.randrange(500))
        content = f'[{{"type":"input_text","text":"{prompt}"}}]'
        self._put("response_item", f'{{"type":"message","role":"user","content":{content}}}')
        self._put("event_msg", f'{{"type":"user_message","message":"{prompt}","images":[]}}')
        if first:
            self._put("event_msg", f'{{"type":"token_count","info":null,"rate_limits":{self.limits}}}')

    def _usage(self) -> dict[str, int]:
        rng = self.rng
        fresh = 200 + rng.randrange(4000)
        reasoning = material.skewed(rng, 250)
        given = self.context + fresh
        made = reasoning + 20 + material.skewed(rng, 300)
        usage = {
            "input_tokens": given,
            "cached_input_tokens": self.context // 128 * 128,
            "cache_write_input_tokens": fresh if self.has_records else 0,
            "output_tokens": made,
            "reasoning_output_tokens": reasoning,
            "total_tokens": given + made,
        }
        self.context = given if self.context < 230_000 else 16_000
        return usage

    def _respond(self, *, last: bool) -> None:
        rng, text = self.rng, self.text
        usage = self._usage()
        summary = text.line(rng, 120)
        hidden = material.opaque(rng, 600 + rng.randrange(2500))
        self._put(
            "response_item",
            f'{{"type":"reasoning","summary":[{{"type":"summary_text","text":"{summary}"}}],"content":null,'
            f'"encrypted_content":"gAAAA{hidden}"}}',
        )
        call = None if last else material.token(rng, "call_", 24)
        self._put("response_item", self._message() if call is None else self._function_call(call))
        self.at_ms += 400 + rng.randrange(2000)
        self._count(usage)
        if call is not None:
            self._output(call)
        if rng.random() < 0.2:  # the limits changed, the counters did not: the same event again
            self.at_ms += 50
            self._count_event(usage)

    def _message(self) -> str:
        text = self.text.line(self.rng, 100 + self.rng.randrange(1500))
        return f'{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{text}"}}]}}'

    def _function_call(self, call: str) -> str:
        word = material.WORDS[self.rng.randrange(40)]
        arguments = f'{{\\"cmd\\":\\"grep -rn {word} src\\",\\"workdir\\":\\"/home/dev/work\\"}}'
        return f'{{"type":"function_call","name":"exec_command","arguments":"{arguments}","call_id":"{call}"}}'

    def _count(self, usage: dict[str, int]) -> None:
        for name in CODEX_COUNTERS:
            self.total[name] += usage[name]
            self.turn_total[name] += usage[name]
        if self.has_records:
            response = material.token(self.rng, "resp_0", 40)
            self.side.sizes["usage_lines"] += 1
            self._put(
                "token_usage_record",
                f'{{"session_id":"{self.thread}","thread_id":"{self.thread}","turn_id":"{self.turn}",'
                f'"root_turn_id":"{self.turn}","response_id":"{response}","usage":{self._counters(usage)},'
                f'"turn_token_usage":{self._counters(self.turn_total)},"thread_token_usage":{self._counters(self.total)}}}',
            )
        self._count_event(usage)
        self.side.add(usage, model=self.model, day=iso(self.at_ms)[:10], project=self.project, session=self.thread)

    def _count_event(self, last: dict[str, int]) -> None:
        self.side.sizes["usage_lines"] += 1
        info = (
            f'{{"total_token_usage":{self._counters(self.total)},"last_token_usage":{self._counters(last)},'
            '"model_context_window":272000}'
        )
        self._put("event_msg", f'{{"type":"token_count","info":{info},"rate_limits":{self.limits}}}')

    def _counters(self, usage: dict[str, int]) -> str:
        """Rollouts without records are of an age that did not count cache writes."""
        names = CODEX_COUNTERS if self.has_records else (name for name in CODEX_COUNTERS if "write" not in name)
        return "{" + ",".join(f'"{name}":{usage[name]}' for name in names) + "}"

    def _output(self, call: str) -> None:
        self.at_ms += 200 + self.rng.randrange(3000)
        body = self.text.line(self.rng, material.skewed(self.rng, self.codex.options.tool_bytes * 2))
        self.side.sizes["tool_output_bytes"] += len(body.encode())
        output = f"Exit code: 0\\nWall time: 0.2 seconds\\nOutput:\\n{body}"
        self._put("response_item", f'{{"type":"function_call_output","call_id":"{call}","output":"{output}"}}')

    def _end_turn(self) -> None:
        message = self.text.line(self.rng, 200)
        self._put("event_msg", f'{{"type":"task_complete","turn_id":"{self.turn}","last_agent_message":"{message}"}}')
        if self.rng.random() < 0.03:
            self._put("compacted", f'{{"message":"{self.text.line(self.rng, 3000)}","replacement_history":[]}}')
            self.context = 14_000
        self.at_ms += 5000 + self.rng.randrange(240_000)
