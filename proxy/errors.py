"""Every error that askonce itself answers with, and the one function that renders it.

    ProxyError                     status  type                    code
    ├── BadRequest                 400     invalid_request_error   (given)
    ├── Unauthorized               401     authentication_error    invalid_api_key
    ├── Forbidden                  403     permission_error        (given)
    ├── ModelNotFound              404     invalid_request_error   model_not_found
    ├── NotFound                   404     invalid_request_error   not_found
    ├── BodyTimeout                408     invalid_request_error   body_timeout
    ├── BodyTooLarge               413     invalid_request_error   body_too_large
    ├── RateLimited                429     rate_limit_error        (given)
    ├── UpstreamFailed             502     upstream_error          (given)
    │   └── UpstreamUnreachable    502     upstream_error          upstream_unreachable
    ├── Unavailable                503     unavailable_error       (given)
    ├── UpstreamTimeout            504     upstream_error          upstream_timeout
    │   └── UpstreamConnectTimeout 504     upstream_error          upstream_timeout
    └── NotCached                  504     invalid_request_error   not_cached

An upstream's own 4xx or 5xx is an answer, passed on untouched, and never one of these. Messages are written for
clients: they hold no prompt text, no credential and no address of an upstream.
"""

import math

import orjson

Headers = list[tuple[bytes, bytes]]


class ProxyError(Exception):
    """A request that askonce answers itself, with an OpenAI-shaped error body."""

    status = 500
    type = "internal_error"
    code: str | None = "internal_error"

    def __init__(
        self,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.retry_after_s = retry_after_s
        if code is not None:
            self.code = code

    def headers(self) -> Headers:
        """The headers that belong to this error: the content type, and `Retry-After` in whole seconds."""
        headers = [(b"content-type", b"application/json")]
        if self.retry_after_s is not None:
            headers.append((b"retry-after", str(max(1, math.ceil(self.retry_after_s))).encode()))
        return headers

    def body(self) -> bytes:
        """The error as OpenAI's clients expect it."""
        return orjson.dumps({"error": self.member()})

    def event(self) -> bytes:
        """The same error as one server-sent event, for a stream whose head is already out."""
        return b"data: " + self.body() + b"\n\n"

    def member(self) -> dict[str, str | None]:
        """The value of the `error` member."""
        return {"message": self.message, "type": self.type, "param": self.param, "code": self.code}


class BadRequest(ProxyError):
    """The body can't be read, or can't be kept safely."""

    status = 400
    type = "invalid_request_error"
    code = None


class Unauthorized(ProxyError):
    """The credential is missing or unknown."""

    status = 401
    type = "authentication_error"
    code = "invalid_api_key"


class Forbidden(ProxyError):
    """The credential is known and may not do this."""

    status = 403
    type = "permission_error"
    code = "forbidden"


class ModelNotFound(ProxyError):
    """No configured upstream serves the model."""

    status = 404
    type = "invalid_request_error"
    code = "model_not_found"


class NotFound(ProxyError):
    """One of our own paths that does not exist."""

    status = 404
    type = "invalid_request_error"
    code = "not_found"


class BodyTimeout(ProxyError):
    """The client was too slow in sending its body."""

    status = 408
    type = "invalid_request_error"
    code = "body_timeout"


class BodyTooLarge(ProxyError):
    """The body is over `max_body_bytes`."""

    status = 413
    type = "invalid_request_error"
    code = "body_too_large"


class RateLimited(ProxyError):
    """The tenant asked more often than it may, or its share of the queue is full."""

    status = 429
    type = "rate_limit_error"
    code = "rate_limited"


class UpstreamFailed(ProxyError):
    """The upstream broke the connection or the protocol.

    `unprocessed` is true only where the request surely never reached the engine, so that asking again can't cost a
    second generation.
    """

    status = 502
    type = "upstream_error"
    code = "upstream_failed"
    unprocessed = False


class UpstreamUnreachable(UpstreamFailed):
    """No connection could be made, or a reused one was closed before the engine can have read the request."""

    code = "upstream_unreachable"
    unprocessed = True


class Unavailable(ProxyError):
    """Nothing can take the request now: no usable upstream, a full queue, or a shutdown."""

    status = 503
    type = "unavailable_error"
    code = "unavailable"


class UpstreamTimeout(ProxyError):
    """The upstream was silent for longer than one of its four limits."""

    status = 504
    type = "upstream_error"
    code = "upstream_timeout"
    unprocessed = False


class UpstreamConnectTimeout(UpstreamTimeout):
    """It did not accept the connection in time, so the request never reached it."""

    unprocessed = True


class NotCached(ProxyError):
    """`only-if-cached` was asked, and there is no fresh answer."""

    status = 504
    type = "invalid_request_error"
    code = "not_cached"
