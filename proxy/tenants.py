"""From a client's credential to a tenant: who may share answers with whom, and who may ask what, how often.

Without `tenants:` each credential is a tenant of its own, and so is the absence of one. With it, a credential must be
one of the configured keys. `x-tenant` counts only where it is trusted: from a peer in `trusted_proxies`.
"""

import hashlib
import hmac
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from ipaddress import IPv4Network, IPv6Network, ip_address

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from proxy.errors import Forbidden, RateLimited, Unauthorized

REMEMBERED = 10_000
"""Callers who are kept ready; a further one only costs its HMACs."""

Networks = Sequence[IPv4Network | IPv6Network]
_Credential = tuple[bytes | None, bytes | None, bytes | None]


@dataclass(frozen=True, slots=True)
class TenantRights:
    """One entry of `tenants:`."""

    name: str
    key_digests: tuple[str, ...]
    """`sha256:` and the hex digest of each of its keys."""
    models: tuple[str, ...] = ("*",)
    requests_per_minute: int | None = None


@dataclass(frozen=True, slots=True)
class Tenant:
    """Whose request it is, and by which credential."""

    id: bytes
    """32 bytes, part of every key."""
    label: str
    """A configured name, or a short hash: safe for logs; for metrics only where configured."""
    credential: bytes
    """32 bytes that stand for the credential itself: what an engine accepted or refused."""
    rights: TenantRights | None = None
    """None where nothing is configured: the engine decides."""

    @property
    def unlimited(self) -> bool:
        """Whether its requests need not be counted."""
        return self.rights is None or self.rights.requests_per_minute is None

    def may_ask(self, model: str | None) -> bool:
        """Whether its rights include `model`; one that names none needs the right to all."""
        if self.rights is None or "*" in self.rights.models:
            return True
        return model is not None and any(fnmatchcase(model, glob) for glob in self.rights.models)


class Tenants:
    """Tells tenants apart by HMACs under a secret that never leaves the process."""

    def __init__(
        self,
        secret: bytes,
        *,
        trusted_proxies: Networks = (),
        trust_header: bool = False,
        by_credential: bool = False,
    ) -> None:
        """`by_credential`: as in `configure`."""
        self._secret = secret
        self._trusted = tuple(trusted_proxies) if trust_header else ()
        self._limiter: MovingWindowRateLimiter | None = None
        self.configure((), by_credential=by_credential)

    def configure(self, tenants: Sequence[TenantRights], *, by_credential: bool) -> None:
        """Take over the configured tenants; what each asked in the last minute still counts while its rate stays.

        `by_credential`: keep even the keys of one tenant apart, because an engine judges each of them.
        """
        self._by_credential = by_credential
        self._configured = tuple(tenants)
        self._names = {rights.name: rights for rights in tenants}
        self._rates = {
            rights.name: RateLimitItemPerMinute(rights.requests_per_minute)
            for rights in tenants
            if rights.requests_per_minute is not None
        }
        if self._rates and self._limiter is None:
            self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._known: OrderedDict[tuple[_Credential, bytes | None], Tenant] = OrderedDict()
        """The most recently seen last."""

    def enter(self, fields: dict[bytes, bytes], peer: str | None) -> Tenant:
        """The tenant of a request, counted against its rate.

        Args:
            fields: header fields by lower-case name.
            peer: address of the socket's other end.

        Raises:
            Unauthorized: tenants are configured, and this credential is none of theirs.
            Forbidden: a trusted proxy named a tenant that is not configured.
            RateLimited: it asked more often than it may.
        """
        get = fields.get
        credential = (get(b"authorization"), get(b"x-api-key"), get(b"api-key"))
        # An empty name names nobody: two clients must not meet in it.
        named = (get(b"x-tenant") or None) if self._trusted and self._trusts(peer) else None
        known, caller = self._known, (credential, named)
        tenant = known.get(caller)
        if tenant is None:
            tenant = known[caller] = self._identify(credential, named)
            if len(known) > REMEMBERED:
                known.popitem(last=False)
        else:
            known.move_to_end(caller)
        if self._rates and tenant.label in self._rates:
            self._count(tenant)
        return tenant

    def _identify(self, credential: _Credential, named: bytes | None) -> Tenant:
        digest = self._hmac(b"credential", *credential)
        if named is not None:
            name = named.decode("utf-8", "replace")
            if self._names and name not in self._names:
                raise Forbidden("x-tenant names no configured tenant.", code="unknown_tenant")
            return self._tenant(self._hmac(b"x-tenant", named), digest, self._names.get(name))
        if self._configured:
            rights = self._rights(credential)
            return self._tenant(self._hmac(b"tenant", rights.name.encode()), digest, rights)
        return Tenant(digest, digest.hex()[:12], digest)

    def _tenant(self, identity: bytes, credential: bytes, rights: TenantRights | None) -> Tenant:
        if self._by_credential:
            identity = self._hmac(b"both", identity, credential)
        return Tenant(identity, rights.name if rights else identity.hex()[:12], credential, rights)

    def _rights(self, credential: _Credential) -> TenantRights:
        """The tenant that all presented keys belong to."""
        presented = [_bearer(part) if place == 0 else part for place, part in enumerate(credential) if part is not None]
        owners = [self._owner(key) for key in presented]
        if not owners or owners[0] is None or any(owner is not owners[0] for owner in owners):
            raise Unauthorized("The API key is missing, or not one of this proxy's tenants'.")
        return owners[0]

    def _owner(self, key: bytes) -> TenantRights | None:
        digest = "sha256:" + hashlib.sha256(key).hexdigest()
        found = None
        # Every digest is compared, in constant time: how long a refusal takes says nothing about the keys.
        for rights in self._configured:
            for known in rights.key_digests:
                if hmac.compare_digest(known, digest):
                    found = rights
        return found

    def _count(self, tenant: Tenant) -> None:
        rate = self._rates[tenant.label]
        assert self._limiter is not None
        if not self._limiter.hit(rate, tenant.label):
            wait_s = self._limiter.get_window_stats(rate, tenant.label).reset_time - time.time()
            if wait_s > rate.get_expiry():
                # The clock has been set back, so what was counted lies ahead: it would refuse until time catches up.
                self._limiter.clear(rate, tenant.label)
                self._limiter.hit(rate, tenant.label)
                return
            raise RateLimited(
                f"This tenant may ask {rate.amount} times a minute; try again later.", retry_after_s=max(wait_s, 1)
            )

    def _trusts(self, peer: str | None) -> bool:
        try:
            address = ip_address(peer or "")
        except ValueError:
            return False
        # A socket that listens to both families shows an IPv4 peer as ::ffff:10.0.0.7.
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in self._trusted)

    def _hmac(self, *parts: bytes | None) -> bytes:
        """HMAC-SHA256 over the length-prefixed parts, so that no two lists of them run together."""
        mac = hmac.new(self._secret, digestmod=hashlib.sha256)
        for part in parts:
            mac.update(b"-" if part is None else b"%d:%b" % (len(part), part))
        return mac.digest()


def _bearer(value: bytes) -> bytes:
    scheme, _, token = value.partition(b" ")
    return token.strip() if scheme.lower() == b"bearer" else value
