"""Scheme, host and port of an upstream, all that counts of its URL; and what of a request the caller can't decide."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

OWN_HEADERS = frozenset((b"host", b"connection", b"content-length", b"transfer-encoding"))
"""What the client's own connection decides, whatever the caller's headers say."""

DEFAULT_PORTS = {"http": 80, "https": 443}
_TARGET = re.compile(rb"/[^\x00-\x20\x7f#]*")
_METHOD = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where connections go, and what the Host header says."""

    scheme: str
    host: str
    """A name in its ASCII form, or an address without brackets."""
    port: int

    @classmethod
    def parse(cls, url: str) -> "Origin":
        """Read `url`, of which only scheme, host and port count.

        Raises:
            ValueError: not an http(s) URL with a host, or one with a user or password in it.
        """
        parts = urlsplit(url)
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
            raise ValueError("an upstream's url looks like http://127.0.0.1:8000 or https://api.example.com")
        if "@" in parts.netloc:
            raise ValueError("an upstream's url holds no user or password: name the variable with api_key_env instead")
        host = parts.hostname
        if not host.isascii():
            host = host.encode("idna").decode("ascii")
        return cls(parts.scheme, host, parts.port or DEFAULT_PORTS[parts.scheme])

    @property
    def authority(self) -> str:
        """The value of Host: the port only where it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


def check_request_line(method: str, target: bytes) -> None:
    """Refuse what would end the request line early, or means something else than one resource of this origin.

    Raises:
        ValueError: the method is no token, or the target is not in origin form (RFC 9112, 3.2.1).
    """
    if _METHOD.fullmatch(method) is None or method == "CONNECT":
        raise ValueError("the method is not one that can be sent")
    if _TARGET.fullmatch(target) is None:
        raise ValueError("the target must start with a slash and hold no space, control character or fragment")
