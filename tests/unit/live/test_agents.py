"""Which processes are agents at work, by their command lines."""

import pytest

from observer.live.agents import agent, working
from observer.native.processes import Process


def hosts(*lines: str) -> list[str]:
    """The agents at work among processes with these command lines, none the parent of another."""
    table = [Process(number, 1, tuple(line.split())) for number, line in enumerate(lines, 10)]
    return [each.host for each in working(table)]


@pytest.mark.parametrize(
    ("line", "host"),
    [
        ("claude", "claude"),
        ("/home/dev/.local/share/claude/versions/2.1.328 --resume", "claude"),
        ("node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js -p hello", "claude"),
        ("node --max-old-space-size=4096 /usr/bin/claude", "claude"),
        ("claude -p update", "claude"),
        ("codex", "codex"),
        ("codex resume --last", "codex"),
        ("/opt/codex-x86_64-unknown-linux-musl -m gpt-5.5", "codex"),
        ("node /usr/bin/codex", "codex"),
        ("opencode /srv/kit", "opencode"),
        ("opencode run fix", "opencode"),
        ("grok -p hello", "grok"),
        ("python3 /home/dev/bin/claude", "claude"),
        ("-bash", None),
        ("bash", None),
        ("", None),
        ("vim claude", None),
        ("tail -f codex", None),
        ("bash -c claude", None),
        ("python3 -m claude", None),
        ("node -e claude", None),
        ("claude-squad", None),
        ("grep opencode", None),
        ("/home/dev/claude/build.sh", None),
    ],
)
def test_a_program_is_known_by_its_name_or_its_interpreters_script(line: str, host: str | None) -> None:
    found = agent(Process(10, 1, tuple(line.split())))
    assert (found.host if found else None) == host


@pytest.mark.parametrize(
    "line",
    [
        "codex app-server",
        "codex exec --json fix",
        "codex -m gpt-5.5 exec fix",
        "codex --config=a=b mcp-server",
        "codex --version",
        "opencode serve --port 4096",
        "opencode acp",
        "opencode attach http://127.0.0.1:4096",
        "claude mcp serve",
        "claude --claude-in-chrome-mcp",
        "claude update",
        "grok agent stdio",
    ],
)
def test_servers_and_helpers_are_no_sessions(line: str) -> None:
    """E230, E231."""
    assert hosts(line) == []


def test_a_word_that_is_an_options_value_makes_no_helper() -> None:
    assert hosts("codex -p exec", "claude -p mcp", "claude -- update") == ["codex", "claude", "claude"]


def test_a_wrapper_and_the_program_it_starts_are_one_session() -> None:
    wrapper = Process(10, 1, ("node", "/usr/bin/codex", "resume"))
    program = Process(11, 10, ("/usr/lib/codex", "resume"))
    other = Process(12, 11, ("/usr/lib/codex", "resume"))
    assert [each.process.pid for each in working([wrapper, program])] == [11]
    assert [each.process.pid for each in working([program, other])] == [11, 12]


def test_a_session_inside_another_one_is_its_own() -> None:
    table = [Process(10, 1, ("node", "/usr/bin/claude")), Process(11, 10, ("claude", "-p", "x"))]
    assert [each.process.pid for each in working(table)] == [10, 11]
