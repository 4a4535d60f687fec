"""What is known by its head's bytes is what a parser would say of it."""

import httptools
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.head_bytes import HeadBytes

HEAD = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: %d\r\nx: y\r\n\r\n"
ABC = HEAD % 3 + b"abc"


class Heard:
    """Each message that a strict parser finds: its headers and its body."""

    def __init__(self, data: bytes) -> None:
        self.messages: list[tuple[list[tuple[bytes, bytes]], bytes]] = []
        self.broken = False
        self._lines: list[tuple[bytes, bytes]] = []
        self._body = b""
        try:
            httptools.HttpRequestParser(self).feed_data(data)
        except httptools.HttpParserError:
            self.broken = True

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() != b"content-length":
            self._lines.append((name, value))

    def on_body(self, data: bytes) -> None:
        self._body += data

    def on_message_complete(self) -> None:
        self.messages.append((self._lines, self._body))
        self._lines, self._body = [], b""


def known(data: bytes) -> HeadBytes | None:
    """`HeadBytes.of`, asked only what it may be asked."""
    heard = Heard(data)
    return None if heard.broken or len(heard.messages) != 1 else HeadBytes.of(data)


@pytest.mark.parametrize("body", [b"", b"a", b"abc", b"\r\n\r\n", b"content-length: 7", ABC, b"x" * 100_000])
def test_the_same_head_with_any_length_is_known(body):
    head = HeadBytes.of(ABC)
    assert head is not None
    assert head.body_in(HEAD % len(body) + body) == body


@pytest.mark.parametrize(
    "data",
    [
        b"",
        ABC[:-1],
        ABC + b"d",
        ABC + ABC,
        b"\r\n" + ABC,
        ABC[: len(HEAD)],
        ABC[:20],
        ABC.replace(b"host", b"Host"),
        ABC.replace(b"POST", b"PUT"),
        ABC.replace(b"x: y", b"x: z"),
        ABC.replace(b"x: y", b"x: y\r\nz: y"),
        ABC.replace(b"x: y", b"transfer-encoding: chunked"),
        *[
            ABC.replace(b": 3", digits)
            for digits in (b": ", b":3", b":  3", b": 3 ", b": +3", b": -3", b":\t3", b": 3\n")
        ],
        *[ABC.replace(b": 3", digits) for digits in (b": 3,3", b": 3_0", b": 0x3", b": \xb2", b": \xd9\xa3", b": 3.")],
        ABC.replace(b": 3", b": " + b"0" * 12 + b"3"),
        ABC.replace(b": 3", b": 3\r\ncontent-length: 3"),
    ],
)
def test_any_other_bytes_are_not(data):
    head = HeadBytes.of(ABC)
    assert head is not None
    assert head.body_in(data) is None


@pytest.mark.parametrize(
    "data",
    [
        HEAD.replace(b"content-length: %d", b"x-length: 3") + b"abc",
        b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\ncontent-length: 3\r\n\r\nabc",
        b"POST / HTTP/1.1\r\ncontent-length: 3\r\nContent-Length: 3\r\n\r\nabc",
        b"POST / HTTP/1.1\r\ncontent-length:\t3\r\n\r\nabc",
        b"POST / HTTP/1.1\r\ncontent-length: 3 \r\n\r\nabc",
        b"POST / HTTP/1.1\r\nx: " + b"y" * 9000 + b"\r\ncontent-length: 3\r\n\r\nabc",
        ABC + b"\r\n",
    ],
)
def test_a_message_of_another_form_is_left_to_the_parser(data):
    assert HeadBytes.of(data) is None


NAMES = [b"content-length: 3", b"Content-Length: 3", b"content-length:3", b"x: y", b"transfer-encoding: chunked"]
SIGNS = [b"\r\n", b"\r\n\r\n", b"\n", b"\r", b" ", b"\t", b":", b"0", b"3", b"abc", b"\0"]
pieces = st.sampled_from([*NAMES, *SIGNS, b"POST / HTTP/1.1\r\n"])


@given(st.lists(pieces, max_size=12), st.lists(pieces, max_size=12), st.lists(pieces, max_size=4), st.integers(0, 99))
def test_what_is_known_is_read_as_a_parser_reads_it(before, after, body, length):
    said = b"".join(body)
    for begin in (b"POST / HTTP/1.1\r\n" + b"".join(before), b"POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\nabc"):
        first = begin + b"content-length: %d\r\n" % len(said) + b"".join(after) + b"\r\n" + said
        for data in (first, ABC, begin):
            if (head := known(data)) is None:
                continue
            for next_one in (first, ABC, begin, HEAD % length + said, data.replace(b": 3", b": %d" % length)):
                got = head.body_in(next_one)
                if got is not None:
                    assert Heard(next_one).messages == [(Heard(data).messages[0][0], got)]
