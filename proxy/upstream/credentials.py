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
        key = upstream.api_key
        if self._mode == "always" or (key is None and self._mode == "auto"):  # where it `passes_on`
            return fields.get(b"authorization")
        return b"Bearer " + key.encode("ascii") if key else None
