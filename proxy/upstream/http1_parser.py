"""One reply after another from the bytes of a connection: httptools, and the rules that it leaves to its user.

llhttp is strict about lines, lengths and chunk sizes. Ours are: one reply per request, a version and a status that HTTP
knows, no coding but chunked, no upgrade, no body for HEAD, a bounded head, and when a close is an end.
"""

import httptools

from proxy.errors import Headers
from proxy.head_bytes import HeadBytes
from proxy.upstream.failures import MAX_HEAD_BYTES, not_http

_BODILESS = frozenset((204, 304))

MAX_HEADS_SEEN = 16
"""So many heads of a connection are looked at as bytes in vain: a server whose every head is another one is parsed."""


class ReplyParser:
    """Feed it the bytes of one connection; `begin` before each request. Read its fields, they are never wrong."""

    __slots__ = (
        "_coding",
        "_feed_data",
        "_for_head",
        "_heads_seen",
        "_is_1_1",
        "_parser",
        "_pieces",
        "_quiet_bytes",
        "_seen",
        "begun",
        "complete",
        "headers",
        "length",
        "reusable",
        "size",
        "status",
        "until_close",
    )

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._feed_data = self._parser.feed_data
        self._seen: _Seen | None = None
        """The head of the last reply that came in one read."""
        self._heads_seen = 0
        """That were looked at as bytes and have not come again."""
        self.begin("GET")

    def begin(self, method: str) -> None:
        """Make ready for the reply to a request of `method`."""
        self.begun = False
        """A byte of the final reply has been seen."""
        self.status = 0
        """Of the final reply, once its head is complete; 0 before."""
        self.headers: Headers = []
        self.length: int | None = None
        self._pieces: list[bytes] = []
        self.size = 0
        """Of the body parsed and not yet taken, in bytes."""
        self.complete = False
        self.reusable = False
        """The connection may carry another request; known when complete."""
        self.until_close = False
        self._is_1_1 = False
        """The final reply surely says that it is HTTP/1.1; asking the parser costs more than this."""
        self._coding: bytes | None = None
        self._for_head = method == "HEAD"
        self._quiet_bytes = 0

    def feed(self, data: bytes) -> None:
        """Parse what the connection has read.

        Raises:
            UpstreamFailed: the reply is broken, or goes on after its end. What was sound of its body can be taken.
        """
        first = not self.begun and not self._quiet_bytes  # not even an informational reply has come before
        if first and (seen := self._seen) is not None and not self._for_head:
            body = seen.bytes.body_in(data)
            if body is not None:
                self._repeat(seen, body)
                return
        if not self.begun:
            self._is_1_1 = data.startswith(b"HTTP/1.1 ")
            if not (self._is_1_1 or data.startswith(b"H")):
                # llhttp would skip empty lines before a reply, and takes RTSP for HTTP.
                raise not_http()
        if self.complete:
            raise not_http()
        self._quiet_bytes += len(data)
        try:
            self._feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            raise not_http() from error
        if self._quiet_bytes > MAX_HEAD_BYTES:
            raise not_http()
        # `_is_1_1` is not set behind an informational reply in the same read, whose head would be taken for this one's.
        if (
            first
            and self._is_1_1
            and self.reusable
            and self.length is not None
            and self.status not in _BODILESS
            and self._heads_seen < MAX_HEADS_SEEN
        ):
            self._heads_seen += 1
            head = HeadBytes.of(data)
            self._seen = None if head is None else _Seen(head, self.status, self.headers.copy())

    def _repeat(self, seen: "_Seen", body: bytes) -> None:
        """A reply with the head of another one."""
        self._heads_seen = 0
        self.begun = self.complete = self.reusable = True
        self.status = seen.status
        self.length = self.size = len(body)
        self.headers = seen.headers.copy()
        self.headers[seen.place] = b"content-length", b"%d" % len(body)
        self._pieces.append(body)

    def take(self) -> bytes:
        """All of the body that was parsed since the last time."""
        pieces = self._pieces
        self._pieces = []
        self.size = 0
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def end(self) -> bool:
        """The server has closed its side in good order: whether that completes the reply."""
        if self.until_close:
            self.complete = True
        return self.complete

    # httptools calls the following; what they raise, it reports as its own error.

    def on_message_begin(self) -> None:
        if self.complete:
            raise not_http()
        self.begun = True

    def on_header(self, name: bytes, value: bytes) -> None:
        if self.status:
            return  # a trailer
        name = name.lower()
        self.headers.append((name, value))
        if name == b"content-length":
            self.length = int(value)  # llhttp has refused what is no number
        elif name == b"transfer-encoding":
            value = value.strip().lower()
            self._coding = value if self._coding is None else self._coding + b", " + value

    def on_headers_complete(self) -> None:
        if self._quiet_bytes > MAX_HEAD_BYTES and _size(self.headers) > MAX_HEAD_BYTES:
            raise not_http()
        status = self._parser.get_status_code()
        if not 200 <= status < 600:
            if status < 100 or status >= 600 or status == 101:
                raise not_http()
            # Informational: forget it; llhttp goes on with the next head.
            self.begun = self._is_1_1 = False
            self.headers = []
            self.length = None
            self._coding = None
            return
        version = "1.1" if self._is_1_1 else self._parser.get_http_version()
        if version not in ("1.1", "1.0"):
            raise not_http()
        if self._coding is not None and (self._coding != b"chunked" or version == "1.0"):
            raise not_http()
        self.status = status
        if self._for_head:
            # llhttp waits for the body that the head describes, so this parser is good for no other reply.
            self.complete = True
        elif status not in _BODILESS:
            self.until_close = self.length is None and self._coding is None

    def on_body(self, data: bytes) -> None:
        if self.complete:
            raise not_http()
        self._quiet_bytes = 0
        self._pieces.append(data)
        self.size += len(data)

    def on_message_complete(self) -> None:
        if self.status:
            self.complete = True
            self.reusable = self._parser.should_keep_alive() and not self._for_head


class _Seen:
    """A head that a parser has read, of a reply after which the connection stays."""

    __slots__ = ("bytes", "headers", "place", "status")

    def __init__(self, head: HeadBytes, status: int, headers: Headers) -> None:
        self.bytes = head
        self.status = status
        self.headers = headers
        self.place = next(place for place, (name, _) in enumerate(headers) if name == b"content-length")
        """Of the length among the headers."""


def _size(headers: Headers) -> int:
    return sum(len(name) + len(value) + 4 for name, value in headers)
