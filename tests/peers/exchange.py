"""Requests and answers of the programs that play GitHub, as plain values. Knows no server and no rule."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl

JSON = "application/json; charset=utf-8"


@dataclass(frozen=True)
class Request:
    """One request: `path` with its query, `headers` by lower-case name, `token` without its scheme."""

    method: str
    path: str
    token: str = ""
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """The path without the query."""
        return self.path.partition("?")[0]

    @property
    def query(self) -> dict[str, str]:
        """The parameters; of a repeated one, the last."""
        return dict(parse_qsl(self.path.partition("?")[2]))

    @property
    def fields(self) -> dict[str, Any]:
        """The JSON body, empty when there is none."""
        found = json.loads(self.body) if self.body else {}
        return found if isinstance(found, dict) else {}

    @property
    def writes(self) -> bool:
        """Whether it changes something on the server."""
        return self.method != "GET" and self.place != "/graphql"

    def at(self, path: str) -> "Request":
        """The same request for another path."""
        return replace(self, path=path)


@dataclass(frozen=True)
class Answer:
    """One answer: status, bytes, headers as they are sent."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def value(self) -> Any:
        """The JSON body; None when there is none."""
        return json.loads(self.body) if self.body else None

    def saying(self, value: object) -> "Answer":
        """The same answer with another JSON body."""
        return replace(self, body=json.dumps(value).encode())


def answer(status: int, value: object, **headers: str) -> Answer:
    """A JSON answer; `Retry_After` becomes the header `Retry-After`."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Answer(status, json.dumps(value).encode(), {"Content-Type": JSON} | named)


def said(status: int, message: str, *, errors: list[dict[str, str]] | None = None, **headers: str) -> Answer:
    """An answer in the form of GitHub's errors."""
    fields: dict[str, Any] = {"message": message, "documentation_url": "https://docs.github.com/rest"}
    if errors is not None:
        fields["errors"] = errors
    return answer(status, fields, **headers)
