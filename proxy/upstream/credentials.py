"""Which credential goes up with a request."""

from proxy.upstream.pool import Upstream


class Credentials:
    """`forward_authorization`: auto (the upstream's own key, else the client's), always the client's, or never."""

    def __init__(self, mode: str) -> None:
        self._mode = mode

    def passes_on(self, upstream: Upstream) -> bool:
        """Whether the client's own credential goes to `upstream`, which then is its judge."""
        return self._mode == "always" or (self._mode == "auto" and upstream.api_key is None)

    def for_upstream(self, upstream: Upstream, fields: dict[bytes, bytes]) -> bytes | None:
        """The value of `Authorization` for `upstream`, or None to send none."""
        if self.passes_on(upstream):
            return fields.get(b"authorization")
        return None if upstream.api_key is None else b"Bearer " + upstream.api_key.encode("latin-1")
