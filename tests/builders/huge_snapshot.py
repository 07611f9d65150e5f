"""A transcript with lines far larger than any buffer, for case 15.

Between two small responses lie a 64 MB snapshot line without usage and a
20 MB tool result that is stored twice, as the harness does.
"""

import json
from pathlib import Path
from typing import Any

_SESSION = "5b1f0a10-1111-4aaa-8bbb-000000000001"
_OTHER = "6c2f0a20-2222-4aaa-8bbb-000000000002"
_CHUNK = "0123456789abcdef " * 64 + "\n"
_SNAPSHOT_CHUNKS = 59_000
_RESULT_CHUNKS = 18_500
_SMALL_LINES = 600_000


def write(home: Path, *, with_many_small_lines: bool = False) -> None:
    """Lays the case below `home`; the second file of 300 MB holds nothing but small system lines."""
    folder = home / ".claude" / "projects" / "-srv-kit"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{_SESSION}.jsonl").open("w", encoding="utf-8") as out:
        _write_snapshot(out)
        for line in _lines():
            out.write(json.dumps(line, separators=(",", ":")) + "\n")
    if with_many_small_lines:
        with (folder / f"{_OTHER}.jsonl").open("w", encoding="utf-8") as out:
            for number in range(_SMALL_LINES):
                out.write(f'{{"type":"system","subtype":"note","content":"{"x" * 430}","n":{number}}}\n')


def _write_snapshot(out: Any) -> None:
    out.write('{"type":"file-history-snapshot","messageId":"m","snapshot":{"trackedFileBackups":{"a":"')
    piece = json.dumps(_CHUNK)[1:-1]
    for _ in range(_SNAPSHOT_CHUNKS):
        out.write(piece)
    out.write('"}},"isSnapshotUpdate":true}\n')


def _lines() -> list[dict[str, Any]]:
    result = _CHUNK * _RESULT_CHUNKS
    call = {"type": "tool_use", "id": "toolu_01HU", "name": "Bash", "input": {"command": "ls"}}
    answer = {"tool_use_id": "toolu_01HU", "type": "tool_result", "content": result, "is_error": False}
    return [
        _line(1, "00", type="user", message={"role": "user", "content": "x"}),
        _line(2, "09", **_response("msg_01CaseHU1", call, stop="tool_use", given=1, made=10)),
        _line(
            3,
            "10",
            type="user",
            message={"role": "user", "content": [answer]},
            toolUseResult={"stdout": result, "stderr": "", "interrupted": False, "isImage": False},
        ),
        _line(4, "19", **_response("msg_01CaseHU2", {"type": "text", "text": "ok"}, stop="end_turn", given=2, made=20)),
    ]


def _line(number: int, second: str, **fields: Any) -> dict[str, Any]:
    return {
        "parentUuid": _uuid(number - 1) if number > 1 else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/srv/kit",
        "sessionId": _SESSION,
        "version": "2.1.236",
        "gitBranch": "main",
        **fields,
        "uuid": _uuid(number),
        "timestamp": f"2026-09-23T10:00:{second}.000Z",
    }


def _uuid(number: int) -> str:
    return f"5b1f0a10-{number:04d}-4000-8000-{number:012d}"


def _response(message: str, block: dict[str, Any], *, stop: str, given: int, made: int) -> dict[str, Any]:
    usage = {
        "input_tokens": given,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": made,
        "service_tier": "standard",
    }
    body = {
        "model": "claude-opus-5-5",
        "id": message,
        "type": "message",
        "role": "assistant",
        "content": [block],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }
    return {"message": body, "requestId": message.replace("msg_01Case", "req_011Cs"), "type": "assistant"}
