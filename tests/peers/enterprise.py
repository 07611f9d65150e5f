"""The same GitHub as an enterprise server has it: HTTPS with a certificate of its own, the API below /api/v3.

`Enterprise` stands in front of the facade and turns addresses around in both
directions. The authority that signed its certificate is made anew for each run.
"""

import ipaddress
import re
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from observer.base import clock
from tests.peers.exchange import Answer, Request
from tests.peers.listener import Listener
from tests.peers.proxy import Facade

_API, _GRAPHQL = "/api/v3", "/api/graphql"
_API_PATHS = rb"(?=/(?:repos|repositories|users|user|orgs|graphql)\b)"


class Enterprise:
    """The running server; `asked` holds the paths of all requests as they came in."""

    def __init__(self, facade: Facade, folder: Path) -> None:
        self.ca_file = folder / "authority.pem"
        self.asked: list[str] = []
        self._facade = facade
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*_certificates(folder, self.ca_file))
        self._listener = Listener(self._respond, tls=context)

    @property
    def host(self) -> str:
        """Name and port, as the `gh` tool wants it."""
        return f"localhost:{self._listener.port}"

    @property
    def url(self) -> str:
        """The address of the web pages."""
        return f"https://{self.host}"

    @property
    def api_url(self) -> str:
        """The address of the API."""
        return self.url + _API

    def close(self) -> None:
        """Stops listening."""
        self._listener.close()

    def _respond(self, request: Request) -> Answer:
        self.asked.append(request.path)
        if request.place == _GRAPHQL:
            inner = request.at("/graphql")
        elif request.path.startswith(f"{_API}/"):
            inner = request.at(request.path.removeprefix(_API))
        else:
            return Answer(404, b"<html>no such page</html>", {"Content-Type": "text/html"})
        reply = self._facade.respond(inner)
        headers = {name: self._turned(text.encode()).decode() for name, text in reply.headers.items()}
        return Answer(reply.status, self._turned(reply.body), headers)

    def _turned(self, text: bytes) -> bytes:
        """Addresses of the facade become this server's: those of the API below /api/v3, pages beside it."""
        inner = re.escape(self._facade.url).encode()
        below = re.sub(inner + _API_PATHS, self.api_url.encode(), text)
        return re.sub(inner, self.url.encode(), below)


def _certificates(folder: Path, ca_file: Path) -> tuple[Path, Path]:
    """Writes the authority's certificate, and the server's with its key; the latter two are returned."""
    authority_key, server_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = _name("authority of one test run")
    signed = (
        _builder(authority, authority, authority_key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ipaddress.IPv4Address("127.0.0.1"))])
    server = (
        _builder(_name("localhost"), authority, server_key)
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    ca_file.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    certificate, key = folder / "server.pem", folder / "server-key.pem"
    certificate.write_bytes(server.public_bytes(serialization.Encoding.PEM))
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    key.write_bytes(server_key.private_bytes(*form))
    return certificate, key


def _name(words: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, words)])


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.fromtimestamp(clock.now_ms() / clock.MS, UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
