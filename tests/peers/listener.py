"""A small HTTP server on loopback that hands each request to a function. Knows nothing of GitHub."""

import ssl
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from tests.peers.exchange import Answer, Request

_BODILESS = {204, 304}


class Listener:
    """Listens until it is closed; with `tls` it speaks HTTPS."""

    def __init__(self, respond: Callable[[Request], Answer], *, tls: ssl.SSLContext | None = None) -> None:
        self._server = _Server(("127.0.0.1", 0), _handler(respond))
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens, on 127.0.0.1."""
        port: int = self._server.server_address[1]
        return port

    def close(self) -> None:
        """Stops listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up, or does not like our certificate, is no failure of the server."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def _handler(respond: Callable[[Request], Answer]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Hands every request on."""

        protocol_version = "HTTP/1.1"
        # Headers and body in one piece: as two they wait for each other, 40 ms for every answer.
        wbufsize = 65_536

        def log_message(self, *_: object) -> None:
            """Silent: who listens keeps a log of its own."""

        def handle_any(self) -> None:
            """Every method alike."""
            headers = {name.lower(): text for name, text in self.headers.items()}
            token = headers.get("authorization", "").partition(" ")[2]
            reply = respond(Request(self.command, self.path, token, self.read_body(), headers))
            self.send_response(reply.status)
            for name, text in reply.headers.items():
                self.send_header(name, text)
            if reply.status not in _BODILESS:
                self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def read_body(self) -> bytes | None:
            """The body by its length or in chunks, as the client chose; None when there is none."""
            if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                length = int(self.headers.get("Content-Length") or 0)
                return self.rfile.read(length) if length else None
            body = b""
            while size := int(self.rfile.readline().partition(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any  # noqa: N815

    return Handler
