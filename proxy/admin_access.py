"""Who may do what is an administrator's: the token, and for what changes something, no page of another site."""

import hmac
from collections.abc import Sequence
from ipaddress import ip_address

from proxy.errors import Forbidden, Unauthorized

TOKEN_HEADER = b"x-askonce-admin-token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class AdminAccess:
    """The one credential for everything that is not a client's business. No address is trusted for it."""

    def __init__(self, token: str, hosts: Sequence[str] = ()) -> None:
        """`hosts`: names under which the proxy is reached, besides `localhost` and any address."""
        self._token = token.encode()
        self._hosts = {"localhost", *(host.lower() for host in hosts)}

    def check(self, fields: dict[bytes, bytes]) -> None:
        """Accepts `Authorization: Bearer TOKEN` or `x-askonce-admin-token: TOKEN`.

        Raises:
            Unauthorized: neither holds the token.
        """
        bearer = fields.get(b"authorization", b"")
        given = (fields.get(TOKEN_HEADER, b""), bearer.partition(b" ")[2].strip())
        if not any(hmac.compare_digest(value, self._token) for value in given):
            raise Unauthorized("This path needs the admin token: send it as Authorization: Bearer TOKEN.")

    def check_change(self, fields: dict[bytes, bytes]) -> None:
        """For a call that changes something.

        A page of another site, or one whose own name was made to lead here (DNS rebinding), shows in these two headers.

        Raises:
            Unauthorized: it does not hold the token.
            Forbidden: it comes from another site's page, or was sent to a name that is not ours.
        """
        self.check(fields)
        host = fields.get(b"host", b"").decode("latin-1").lower()
        if not self._is_ours(host):
            raise Forbidden(
                "This Host is not one of ours: use the address, or write the name under admin_hosts in the settings.",
                code="unexpected_host",
            )
        origin = fields.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower().partition("://")[2] != host:
            raise Forbidden("Calls that change something are not taken from another site.", code="foreign_origin")

    def _is_ours(self, host: str) -> bool:
        """Whether `Host` names us: any address does, since no other site's page can have one of ours as its name."""
        name = host.partition("]")[0].removeprefix("[") if host.startswith("[") else host.partition(":")[0]
        if name in self._hosts:
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return True
