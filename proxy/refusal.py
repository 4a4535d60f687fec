"""What the server answers itself, as bytes, before any application sees a request."""

from dataclasses import dataclass
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from proxy.errors import BadRequest, BodyTimeout, Headers, ProxyError


@dataclass(frozen=True, slots=True)
class Refusal:
    status: HTTPStatus
    error: ProxyError

    def reply(self, headers: Headers) -> bytes:
        """The whole reply, after which the connection ends; `headers` come before its own."""
        body = self.error.body()
        lines = [*headers, *self.error.headers(), (b"content-length", b"%d" % len(body)), (b"connection", b"close")]
        return b"".join([STATUS_LINE[self.status], *(b"%b: %b\r\n" % line for line in lines), b"\r\n", body])


HEAD_TOO_LARGE = Refusal(
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    BadRequest("The request's headers are too large or too many.", code="headers_too_large"),
)
HEAD_LATE = Refusal(
    HTTPStatus.REQUEST_TIMEOUT, BadRequest("The request's headers took too long to arrive.", code="head_timeout")
)
BODY_LATE = Refusal(HTTPStatus.REQUEST_TIMEOUT, BodyTimeout("The request's body took too long to arrive."))
NOT_HTTP = Refusal(HTTPStatus.BAD_REQUEST, BadRequest("This is not a valid HTTP/1.1 request.", code="invalid_http"))
