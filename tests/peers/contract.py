"""GitHub's own description of its API, held against a request and its answer.

`github-rest.openapi.json` is a part of the published description: the paths
that we use, without prose. It does not list every refusal at every path;
those that any path may give are held against its form of an error.
"""

import json
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from openapi_core import OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_core.exceptions import OpenAPIError
from openapi_core.templating.responses.exceptions import ResponseNotFound
from werkzeug.datastructures import Headers, ImmutableMultiDict

from tests.peers.exchange import Answer, Request

_FILE = Path(__file__).with_name("github-rest.openapi.json")
_HOST = "https://api.github.com"
# Any path may refuse a token, hide itself, be limited, move or be out of order.
_ANYWHERE = {301, 302, 307, 308, 401, 403, 404, 429, 500, 502, 503}
_ERROR_KEYS = {"message": str, "documentation_url": str, "url": str, "status": str, "errors": list}


def violations(request: Request, answer: Answer) -> list[str]:
    """What in this exchange is not as GitHub describes it; empty when all is."""
    where = f"{request.method} {request.path} → {answer.status}"
    type_ = request.headers.get("content-type", "")
    fault = _fault_of_request(request.method, request.path, request.body, type_)
    found = [f"{where}: request: {fault}"] if fault is not None else []
    try:
        _description().validate_response(_Asked(request), _Answered(answer))
    except ResponseNotFound as error:
        if answer.status not in _ANYWHERE or not _is_error(answer):
            found.append(f"{where}: answer: {_words(error)}")
    except OpenAPIError as error:
        found.append(f"{where}: answer: {_words(error)}")
    return found


@lru_cache(maxsize=1000)
def _fault_of_request(method: str, path: str, body: bytes | None, type_: str) -> str | None:
    """Kept, because two thirds of the time go here and publishers that look again send the same request often."""
    try:
        _description().validate_request(_Asked(Request(method, path, body=body, headers={"content-type": type_})))
    except OpenAPIError as error:
        return _words(error)
    return None


class _Asked:
    """A request in the form that the validator wants."""

    def __init__(self, request: Request) -> None:
        self.host_url = _HOST
        self.path = request.place
        self.full_url_pattern = _HOST + request.place
        self.method = request.method.lower()
        self.body = request.body
        self.content_type = request.headers.get("content-type", "").partition(";")[0]
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(request.query),
            header=Headers(dict(request.headers)),
            cookie=ImmutableMultiDict({}),
        )


class _Answered:
    """An answer in the form that the validator wants."""

    def __init__(self, answer: Answer) -> None:
        named = {name.lower(): text for name, text in answer.headers.items()}
        self.status_code = answer.status
        self.data = answer.body
        self.headers = Headers(dict(answer.headers))
        self.content_type = named.get("content-type", "").partition(";")[0]


@cache
def _description() -> OpenAPI:
    return OpenAPI.from_dict(_null_where_nullable(json.loads(_FILE.read_text(encoding="utf-8"))))


def _null_where_nullable(part: Any) -> Any:
    """The description says `nullable` beside lists of values that lack null; GitHub does answer null there."""
    if isinstance(part, list):
        return [_null_where_nullable(each) for each in part]
    if not isinstance(part, dict):
        return part
    made = {name: _null_where_nullable(each) for name, each in part.items()}
    if made.get("nullable") is True and isinstance(made.get("enum"), list):
        made["enum"] = [*made["enum"], None]
    return made


def _is_error(answer: Answer) -> bool:
    value = answer.value
    return (
        isinstance(value, dict)
        and isinstance(value.get("message"), str)
        and all(isinstance(each, _ERROR_KEYS.get(name, ())) for name, each in value.items())
    )


def _words(error: OpenAPIError) -> str:
    cause = error.__cause__
    details = [f"{each.json_path}: {each.message[:150]}" for each in getattr(cause, "schema_errors", ())]
    return f"{type(error).__name__}: " + ("; ".join(details) or str(error)[:200])
