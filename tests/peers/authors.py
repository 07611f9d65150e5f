"""The one question that is asked through GraphQL: which of these comments did the token's account write?

Answers it from the authors that the facade has seen; anything else is an error
in the form of GraphQL, which comes with status 200.
"""

import base64
from collections.abc import Mapping
from typing import Any

from tests.peers.exchange import Answer, Request, answer

_QUESTION = "query($ids:[ID!]!){nodes(ids:$ids){id ... on Comment{viewerDidAuthor}}}"
_MOST_IDS = 100


def respond(request: Request, known: Mapping[str, tuple[str, str]], viewer: tuple[str, str]) -> Answer:
    """`known` maps node ids of comments to login and type."""
    query, variables = request.fields.get("query"), request.fields.get("variables")
    ids = variables.get("ids") if isinstance(variables, dict) else None
    if request.method != "POST" or query != _QUESTION:
        return answer(200, {"errors": [{"message": "Parse error on the query"}]})
    if not isinstance(ids, list) or len(ids) > _MOST_IDS:
        return answer(200, {"errors": [{"message": f"You may not provide more than {_MOST_IDS} node ids"}]})
    nodes = [_node(each, known, viewer) for each in ids]
    lost = [each for each, node in zip(ids, nodes, strict=True) if node is None]
    errors = [{"type": "NOT_FOUND", "message": f"Could not resolve to a node with the global id of '{each}'"}
              for each in lost]  # fmt: skip
    return answer(200, {"data": {"nodes": nodes}} | ({"errors": errors} if errors else {}))


def _node(name: str, known: Mapping[str, tuple[str, str]], viewer: tuple[str, str]) -> dict[str, Any] | None:
    if name in known:
        return {"id": name, "viewerDidAuthor": known[name] == viewer}
    kind = base64.b64decode(name + "==").decode().removeprefix("0:").rstrip("0123456789")
    if kind.endswith("Comment"):
        return None
    # Whoever opened a pull request is its author; a commit is no comment at all.
    return {"id": name, "viewerDidAuthor": False} if kind == "PullRequest" else {"id": name}
