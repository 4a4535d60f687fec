"""Take the content coding off a reply.

Engines are asked for bodies without one. A compressing server in front of an engine may code all the same, and a coded
stream can be neither cut into events nor kept as text. What Python's zlib can't read (br, zstd) stays as it is.
"""

import zlib
from collections.abc import AsyncIterator, Iterator

from proxy.context import Stream
from proxy.errors import Headers, UpstreamFailed

PIECE_BYTES = 65_536
"""Decoded at once: what a bomb can add to memory."""

_ZLIB_OR_GZIP = 32 + zlib.MAX_WBITS
_RAW = -zlib.MAX_WBITS
_ZLIB_METHOD = 8
_READABLE = frozenset({b"gzip", b"x-gzip", b"deflate"})


def is_readable(coding: bytes) -> bool:
    """Whether the coding can be taken off."""
    return coding in _READABLE


def without_coding(headers: Headers) -> Headers:
    """The headers of the same body, decoded; its validators belonged to the coded one."""
    return [item for item in headers if item[0] not in (b"content-encoding", b"etag")]


def decoded(body: bytes, limit: int) -> bytes | None:
    """A whole body, decoded; None if it is broken, incomplete, or longer than `limit` bytes."""
    decoder, pieces, size = _Decoder(), [], 0
    try:
        for piece in decoder.feed(body):
            size += len(piece)
            if size > limit:
                return None
            pieces.append(piece)
    except zlib.error:
        return None
    return b"".join(pieces) if decoder.complete else None


class Decoded:
    """A stream, decoded as it comes."""

    def __init__(self, source: Stream) -> None:
        self._source = source
        self._next = source.__aiter__().__anext__
        self._decoder = _Decoder()
        self._ready: Iterator[bytes] = iter(())

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            while True:
                piece = next(self._ready, None)
                if piece:
                    return piece
                if piece is None:
                    self._ready = self._decoder.feed(await self._next())
        except zlib.error:
            raise UpstreamFailed("The upstream's reply is not in the coding that its headers name.") from None
        except StopAsyncIteration:
            if not self._decoder.complete:
                raise UpstreamFailed("The upstream's reply ended inside its content coding.") from None
            raise

    async def aclose(self) -> None:
        await self._source.aclose()


class _Decoder:
    """gzip, zlib, and the raw deflate that some servers send for `deflate`; several gzip members follow each other."""

    def __init__(self) -> None:
        self._inflate: zlib._Decompress | None = None
        self.complete = True

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decode further bytes, in pieces of at most `PIECE_BYTES`.

        Raises:
            zlib.error: they are in no such coding.
        """
        while data:
            if self._inflate is None:
                raw = data[0] & 0x0F != _ZLIB_METHOD and data[0] != 0x1F
                self._inflate = zlib.decompressobj(_RAW if raw else _ZLIB_OR_GZIP)
            yield self._inflate.decompress(data, PIECE_BYTES)
            self.complete = self._inflate.eof
            if self._inflate.eof:
                data, self._inflate = self._inflate.unused_data, None
            else:
                data = self._inflate.unconsumed_tail
