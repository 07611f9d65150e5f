"""The facade in front of the emulator: all requests of the publisher pass here.

Keeps who may do what and what went wrong on purpose; the rules of GitHub are in
tests.peers.rules, faults in tests.peers.faults. Every exchange is held against
GitHub's own description (tests.peers.contract); what is not like it is kept in
`violations`.
"""

import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Literal

from tests.peers import contract, rules
from tests.peers.artifacts import Artifacts
from tests.peers.exchange import Answer, Request
from tests.peers.listener import Listener

_HOP_BY_HOP = {"connection", "content-length", "date", "keep-alive", "server", "transfer-encoding"}
_PASSED_ON = ("accept", "content-type")


@dataclass(frozen=True)
class Account:
    """Who a token speaks for. `rights`: read, comment (and edit one's own), or write (and edit anybody's)."""

    login: str
    kind: Literal["User", "Bot"] = "User"
    rights: Literal["read", "comment", "write"] = "write"


class Facade:
    """The running facade. `log` holds `METHOD path` of what the publisher asked; setup traffic is not in it."""

    def __init__(self) -> None:
        self.upstream = ""
        self.accounts: dict[str, Account] = {}
        self.artifacts = Artifacts()
        self.log: list[str] = []
        self.violations: list[str] = []
        # Paths of comments that take no new one; ids of folded comments.
        self.locked: set[str] = set()
        self.minimized: set[int] = set()
        # Old to new `owner/name`; another address, for a server that has moved away as a whole.
        self.renamed: dict[str, str] = {}
        self.moved_to: str | None = None
        # Called before a POST is passed on and again before it is answered, so that publishers can be made to meet.
        self.around_post: Callable[[], object] | None = None
        # What the rules learn on the way: names by number, authors by node, which issues are pull requests.
        self.repositories: dict[str, str] = {}
        self.authors: dict[str, tuple[str, str]] = {}
        self.pulls: dict[str, bool] = {}
        self._faults: list[tuple[Fault, list[int]]] = []
        self._lock = Lock()
        self._listener = Listener(self.respond)

    @property
    def url(self) -> str:
        """The address that plays the API's."""
        return f"http://127.0.0.1:{self._listener.port}"

    def close(self) -> None:
        """Stops listening."""
        self._listener.close()
        self.artifacts.close()

    def fail(self, fault: "Fault", *, times: int = 1) -> None:
        """Arms a fault for the next requests that it applies to."""
        self._faults.append((fault, [times]))

    def calm(self) -> None:
        """Forgets all faults, locks, names, violations and the log."""
        for each in (self._faults, self.log, self.violations, self.locked, self.minimized, self.renamed):
            each.clear()
        self.artifacts.calm()
        self.moved_to = None
        self.around_post = None

    def respond(self, request: Request) -> Answer:
        """What GitHub would answer."""
        with self._lock:
            self.log.append(f"{request.method} {request.path}")
        asked = rules.canonical(self, request)
        reply = self._fault(asked) or rules.answer(self, asked) or self._passed_on(asked)
        if asked.place != "/graphql":
            found = contract.violations(asked, reply)
            with self._lock:
                self.violations += found
        return reply

    def forward(self, request: Request) -> Answer:
        """The emulator's answer, mended where GitHub's differs."""
        return rules.mended(self, request, self.raw(request))

    def raw(self, request: Request) -> Answer:
        """The emulator's own answer."""
        asked = urllib.request.Request(self.upstream + request.path, data=request.body, method=request.method)
        asked.add_header("Authorization", f"Bearer {request.token}")
        # The emulator makes the links to further pages out of it.
        asked.add_header("Host", self.url.removeprefix("http://"))
        for name in _PASSED_ON:
            if name in request.headers:
                asked.add_header(name, request.headers[name])
        try:
            with urllib.request.urlopen(asked) as reply:
                return Answer(reply.status, reply.read(), _kept(dict(reply.headers)))
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.read(), _kept(dict(error.headers)))

    def _fault(self, request: Request) -> Answer | None:
        with self._lock:
            for fault, left in self._faults:
                found = fault(self, request) if left[0] > 0 else None
                if found is not None:
                    left[0] -= 1
                    return found
        return None

    def _passed_on(self, request: Request) -> Answer:
        if request.method != "POST" or self.around_post is None:
            return self.forward(request)
        self.around_post()
        reply = self.forward(request)
        self.around_post()
        return reply


Fault = Callable[[Facade, Request], Answer | None]


def _kept(headers: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in headers.items() if name.lower() not in _HOP_BY_HOP}
