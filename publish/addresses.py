"""The addresses of one server: its API, its GraphQL, its name for the `gh` tool.

Decides which addresses a token may be sent to; sends nothing itself.
"""

from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from observer.base.errors import PublishRefused
from observer.base.paths import environment

API_URL = "https://api.github.com"

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


def checked_url(api_url: str) -> str:
    """The address of the API without a slash at its end; PublishRefused unless it is https or this machine."""
    parts = _split(api_url)
    secure = parts is not None and (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK))
    if parts is None or not secure or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise PublishRefused(f"not a safe API address: {api_url!r}", "--api-url https://HOST/api/v3")
    return api_url.strip().rstrip("/")


def graphql_url(api_url: str, variables: Mapping[str, str] | None = None) -> str:
    """Where GraphQL is: GITHUB_GRAPHQL_URL if that is the API's own host, else by GitHub's rule.

    The rule: `/graphql` beside the API, or in place of the `/v3` of an enterprise server.
    """
    base = checked_url(api_url)
    given = (environment() if variables is None else variables).get("GITHUB_GRAPHQL_URL", "").strip()
    if given and same_host(given, base):
        return given.rstrip("/")
    return base.removesuffix("/v3") + "/graphql"


def host_of_tool(api_url: str, variables: Mapping[str, str] | None = None) -> str:
    """The name under which the `gh` tool knows the server: that of its web pages."""
    host = _host(checked_url(api_url))
    web = _host((environment() if variables is None else variables).get("GITHUB_SERVER_URL", "").strip())
    if web and host in (web, f"api.{web}"):
        return web
    return host.removeprefix("api.") if host == "api.github.com" or host.endswith(".ghe.com") else host


def same_host(one: str, other: str) -> bool:
    """Whether two addresses are one server: scheme, host and port."""
    first, second = _split(one), _split(other)
    return first is not None and second is not None and _origin(first) == _origin(second)


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port or {"https": 443, "http": 80}.get(parts.scheme)


def _host(url: str) -> str:
    parts = _split(url)
    return (parts.hostname or "") if parts is not None else ""


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url.strip())
        return parts if parts.port != 0 else None
    except ValueError:
        return None
