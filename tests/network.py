"""The wall around the tests: within this process only loopback answers."""

import contextlib
import socket
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

import pytest


class NetworkTouched(AssertionError):
    """A test reached for a host other than this machine."""


@contextlib.contextmanager
def walled() -> Iterator[None]:
    """Inside it, connecting to or looking up another host raises NetworkTouched."""
    connect, connect_ex, look_up = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any) -> None:
        _refuse_foreign(address)
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any) -> int:
        _refuse_foreign(address)
        return connect_ex(self, address)

    def guarded_look_up(host: Any, *rest: Any, **named: Any) -> Any:
        _refuse_foreign((host, 0))
        return look_up(host, *rest, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded_connect)
        patch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
        patch.setattr(socket, "getaddrinfo", guarded_look_up)
        yield


def _refuse_foreign(address: Any) -> None:
    if not isinstance(address, tuple):
        return  # a Unix socket: this machine
    host = address[0].decode() if isinstance(address[0], bytes) else address[0]
    if host not in (None, "", "localhost") and not _is_loopback(host):
        raise NetworkTouched(f"a test reached for {host}")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
