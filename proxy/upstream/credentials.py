"""Which credential goes up with a request."""

from proxy.upstream.pool import Upstream


class Credentials:
    """`forward_authorization`: auto (the upstream's own key, else the client's), always the client's, or never."""

    def __init__(self, mode: str) -> None:
        self._mode = mode

    def for_upstream(self, upstream: Upstream, fields: dict[bytes, bytes]) -> bytes | None:
        """The value of `Authorization` for `upstream`, or None to send none."""
        if self._mode == "always":
            return fields.get(b"authorization")
        if upstream.api_key is not None:
            return b"Bearer " + upstream.api_key.encode("latin-1")
        return fields.get(b"authorization") if self._mode == "auto" else None
