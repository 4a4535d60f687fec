"""From a client's credential to a tenant: who may share answers with whom.

Without configuration each credential is a tenant of its own, and so is the absence of one.
"""

import hashlib
import hmac
from dataclasses import dataclass

from cachetools import LRUCache

CREDENTIAL_FIELDS = (b"authorization", b"x-api-key", b"api-key")
"""All three together are the credential: an engine may look at any of them."""

REMEMBERED = 10_000
"""Credentials whose tenant is kept ready; more only cost an HMAC each."""


@dataclass(frozen=True, slots=True)
class Tenant:
    """Whose request it is."""

    id: bytes
    """32 bytes, part of every key."""
    label: str
    """A configured name, or a short hash: safe for logs, and for labels only where configured."""


class Tenants:
    """Tells tenants by an HMAC of their credential; the secret never leaves the process."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._known: LRUCache[tuple[bytes | None, ...], Tenant] = LRUCache(REMEMBERED)

    def identify(self, fields: dict[bytes, bytes]) -> Tenant:
        """The tenant of a request with these header fields."""
        get = fields.get
        credential = (get(b"authorization"), get(b"x-api-key"), get(b"api-key"))
        tenant = self._known.get(credential)
        if tenant is None:
            digest = self.digest(credential)
            tenant = self._known[credential] = Tenant(digest, digest.hex()[:12])
        return tenant

    def digest(self, credential: tuple[bytes | None, ...]) -> bytes:
        """HMAC-SHA256 over the length-prefixed parts, so that no two credentials run together."""
        mac = hmac.new(self._secret, digestmod=hashlib.sha256)
        for part in credential:
            mac.update(b"-" if part is None else b"%d:%b" % (len(part), part))
        return mac.digest()
