"""The bytes behind a redirect to another host, which must not learn who asks.

GitHub hands artifacts out that way. Through httpx, because the redirect is
followed by hand, without the token, and what arrives is counted while it
arrives. Importing httpx takes a tenth of a second, so it waits for a download.
"""

import ssl
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from observer import __version__
from observer.base.errors import PublishRefused
from publish.addresses import checked_url
from publish.answers import Refused, Unreachable
from publish.result import Stop

if TYPE_CHECKING:
    import httpx

_TIMEOUT_S = 30.0
_REDIRECTS = (301, 302, 303, 307, 308)
_AGENT = f"agent-observer/{__version__}"


def archive(url: str, *, token: str, ca_file: str | None, limit: int) -> bytes:
    """What `url` of the API redirects to; Refused and Unreachable as for other questions.

    Stop: failed (artifact_expired, bad_artifact above `limit` bytes,
    insecure_download, download_failed).
    """
    import httpx

    trusted = httpx.create_ssl_context() if ca_file is None else ssl.create_default_context(cafile=ca_file)
    try:
        with httpx.Client(verify=trusted, timeout=_TIMEOUT_S, headers={"User-Agent": _AGENT}) as client:
            asked = {"Accept": "application/vnd.github+json", "Authorization": f"Bearer {token}"}
            place = _second(url, client.get(url, headers=asked))
            # As they are: what a compressed stream becomes could not be counted before it is there.
            with client.stream("GET", place, headers={"Accept-Encoding": "identity"}) as stream:
                return _counted(stream, limit)
    except httpx.HTTPError as error:
        raise Unreachable(type(error).__name__) from error


def _second(url: str, reply: "httpx.Response") -> str:
    """Where a download leads; Stop unless that is as safe as the API's own address."""
    if reply.status_code == 410:
        raise Stop("failed", "artifact_expired", "the artifact has expired")
    if reply.status_code not in _REDIRECTS:
        headers = {name.lower(): text for name, text in reply.headers.items()}
        raise Refused(reply.status_code, "", headers=headers)
    try:
        place = urljoin(url, str(reply.headers.get("location", "")))
        own, other = url.partition(":")[0], place.partition(":")[0]
        # This machine may be spoken to openly, but only by a server that is on it, too.
        if other != "https" and other != own:
            raise ValueError(place)
        checked_url(place.partition("?")[0])
    except (PublishRefused, ValueError) as error:
        raise Stop("failed", "insecure_download", "GitHub points to a download that is not encrypted") from error
    return place


def _counted(stream: "httpx.Response", limit: int) -> bytes:
    if stream.status_code >= 500:
        raise Refused(stream.status_code, "")
    if stream.status_code != 200:
        raise Stop("failed", "download_failed", f"the store of artifacts answered {stream.status_code}")
    data = bytearray()
    for piece in stream.iter_raw():
        data += piece
        if len(data) > limit:
            raise Stop("failed", "bad_artifact", f"the artifact has more than {limit} bytes")
    return bytes(data)
