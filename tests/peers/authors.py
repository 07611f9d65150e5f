"""What is asked through GraphQL: which of these comments did the token's account write, and is that pull request open?

Answers from the authors that the facade has seen and from the emulator's pull
request; anything else is an error in the form of GraphQL, which comes with
status 200.
"""

import base64
from collections.abc import Callable, Mapping
from typing import Any

from tests.peers.exchange import Answer, Request, answer

_QUESTION = "query($ids:[ID!]!){nodes(ids:$ids){id ... on Comment{viewerDidAuthor}}}"
_WITH_STATE = (
    "query($ids:[ID!]!,$owner:String!,$name:String!,$number:Int!){nodes(ids:$ids){id ... on Comment{viewerDidAuthor}}"
    "repository(owner:$owner,name:$name){pullRequest(number:$number){state}}}"
)
_MOST_IDS = 100


def respond(
    request: Request,
    known: Mapping[str, tuple[str, str]],
    viewer: tuple[str, str],
    pull: Callable[[str, int], dict[str, Any] | None],
) -> Answer:
    """`known` maps node ids of comments to login and type; `pull` gives a pull request of a repository."""
    query, variables = request.fields.get("query"), request.fields.get("variables")
    ids = variables.get("ids") if isinstance(variables, dict) else None
    if request.method != "POST" or query not in (_QUESTION, _WITH_STATE):
        return answer(200, {"errors": [{"message": "Parse error on the query"}]})
    if not isinstance(ids, list) or len(ids) > _MOST_IDS:
        return answer(200, {"errors": [{"message": f"You may not provide more than {_MOST_IDS} node ids"}]})
    nodes = [_node(each, known, viewer) for each in ids]
    lost = [each for each, node in zip(ids, nodes, strict=True) if node is None]
    errors = [{"type": "NOT_FOUND", "message": f"Could not resolve to a node with the global id of '{each}'"}
              for each in lost]  # fmt: skip
    data: dict[str, Any] = {"nodes": nodes}
    if query == _WITH_STATE and isinstance(variables, dict):
        found = pull(f"{variables['owner']}/{variables['name']}", variables["number"])
        data["repository"] = {"pullRequest": None if found is None else {"state": _state(found)}}
    return answer(200, {"data": data} | ({"errors": errors} if errors else {}))


def _state(pull: dict[str, Any]) -> str:
    return "MERGED" if pull["merged"] else str(pull["state"]).upper()


def _node(name: str, known: Mapping[str, tuple[str, str]], viewer: tuple[str, str]) -> dict[str, Any] | None:
    if name in known:
        return {"id": name, "viewerDidAuthor": known[name] == viewer}
    kind = base64.b64decode(name + "==").decode().removeprefix("0:").rstrip("0123456789")
    if kind.endswith("Comment"):
        return None
    # Whoever opened a pull request is its author; a commit is no comment at all.
    return {"id": name, "viewerDidAuthor": False} if kind == "PullRequest" else {"id": name}
