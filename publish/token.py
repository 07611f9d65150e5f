"""The token: from the environment, else from the GitHub command line tool.

Reads it, hands it on, and never shows or keeps it.
"""

import shutil
import subprocess
from collections.abc import Mapping

from observer.base.errors import PublishRefused
from observer.base.paths import environment
from publish.addresses import API_URL, host_of_tool

VARIABLES = ("GITHUB_TOKEN", "GH_TOKEN")
_PATIENCE_S = 20


def find(*, api_url: str = API_URL, variables: Mapping[str, str] | None = None) -> str:
    """The token for that server. PublishRefused when there is none anywhere."""
    given = environment() if variables is None else variables
    for name in VARIABLES:
        if token := given.get(name, "").strip():
            return _usable(token, name)
    if token := _of_tool(api_url, given):
        return _usable(token, "gh auth token")
    raise PublishRefused("no token to publish with", "set GITHUB_TOKEN, or log in with: gh auth login")


def _of_tool(api_url: str, given: Mapping[str, str]) -> str:
    """What `gh auth token` says; empty when there is no such tool or no login."""
    tool = shutil.which("gh")
    if tool is None:
        return ""
    try:
        done = subprocess.run(
            [tool, "auth", "token", "--hostname", host_of_tool(api_url, given)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _usable(token: str, source: str) -> str:
    # It becomes a header: a line break in it would begin another one.
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise PublishRefused(f"the token from {source} holds characters that no token has")
    return token
