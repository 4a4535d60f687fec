"""A reply with the head of an earlier one is not parsed; whatever comes, nothing else is made of it than if it were."""

from dataclasses import dataclass
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from proxy.errors import UpstreamFailed
from proxy.head_bytes import HeadBytes
from proxy.upstream.http1_parser import MAX_HEADS_SEEN, ReplyParser

LINES = [b"HTTP/1.1 200 OK", b"HTTP/1.1 500 No", b"HTTP/1.1 204 No", b"HTTP/1.0 200 OK"]
FIELDS = [
    b"content-length: %d",
    b"Content-Length: %d",
    b"content-length:%d",
    b"content-length:  %d",
    b"content-length:\t%d",
    b"content-length: %d ",
    b"content-length: %05d",
    b"content-length: 0000000000000%d",
    b"content-length: +%d",
    b"content-length: %d\r\ncontent-length: %d",
    b"content-length: %d\r\ntransfer-encoding: chunked",
    b"x: \r\n content-length: 9\r\ncontent-length: %d",
    b"content-length: %d\r\nconnection: close",
    b"x-content-length: 5\r\ncontent-length: %d",
    b"content-length: %d\nx: y",
    b"transfer-encoding: chunked",
    b"x: y",
]
BEFORE = [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 E\r\nconnection: close\r\n\r\n", b"\r\n"]
BODIES = [
    b"",
    b"a",
    b"abc",
    b"content-length: 3\r\n\r\nabc",
    b"x" * 40,
    b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na",
]
BEHIND = [b"a", b"\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na"]


@dataclass(frozen=True)
class Exchange:
    method: str
    wire: bytes
    cuts: tuple[int, ...] = ()
    """Where the reads end that bring it, besides its end."""

    def reads(self) -> list[bytes]:
        places = [0, *sorted({cut % (len(self.wire) + 1) for cut in self.cuts}), len(self.wire)]
        reads = [self.wire[start:end] for start, end in pairwise(places)]
        return [data for data in reads if data]


def mostly(usual: list[Any], other: list[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 11).flatmap(lambda drawn: st.sampled_from(usual if drawn < 11 else other))


@st.composite
def exchanges(draw: Any) -> Exchange:
    body, field = draw(st.sampled_from(BODIES)), draw(mostly(FIELDS[:2], FIELDS))
    said = max(0, len(body) + draw(mostly([0], [-1, 1, 1000])))
    field = field.replace(b"%05d", b"%05d" % said).replace(b"%d", b"%d" % said)
    if field.endswith(b"chunked"):
        trailer = draw(st.sampled_from([b"", b"content-length: 3\r\n"]))
        body = b"%x\r\n%b\r\n0\r\n%b\r\n" % (len(body), body, trailer)
    head = draw(mostly([b""], BEFORE)) + draw(mostly(LINES[:2], LINES)) + b"\r\n" + field + b"\r\n\r\n"
    method = draw(mostly(["POST"], ["HEAD", "GET"]))
    cuts = draw(mostly([[]], [[3], [len(head)], [len(head) - 2], [-1], [len(head) + 1], [20, 50]]))
    return Exchange(method, head + body + draw(mostly([b""], BEHIND)), tuple(cuts))


runs = st.lists(exchanges(), max_size=7)


def heard(run: list[Exchange], *, parsed: bool) -> list[object]:
    """What comes of the replies; `parsed`: of each as if its head were new."""
    parser = ReplyParser()
    told: list[object] = []
    for exchange in run:
        parser.begin(exchange.method)
        try:
            for data in exchange.reads():
                if parsed:
                    parser._seen = None
                parser.feed(data)
        except UpstreamFailed:
            told.append((parser.take(), "broken"))
            break
        fields = [item for item in parser.headers if item[0] != b"content-length"]
        told.append((parser.status, fields, parser.length, parser.size, parser.take(), parser.complete, parser.begun))
        if not parser.complete or not parser.reusable:
            told.append("over")
            break
    return told


HIDDEN = b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na"
ENDING = b"HTTP/1.1 103 E\r\nconnection: close\r\n\r\n"
KNOWN = Exchange("POST", b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nab")
EARLY = Exchange("POST", b"HTTP/1.1 103 E\r\ncontent-length: %d\r\n\r\n%b" % (len(HIDDEN), HIDDEN))
NONE = Exchange("POST", b"HTTP/1.1 204 No\r\ncontent-length: 0\r\n\r\n")
SOME = Exchange("POST", b"HTTP/1.1 204 No\r\ncontent-length: 1\r\n\r\na")


@given(runs)
@example([EARLY, EARLY])
@example([NONE, SOME])
@example([KNOWN, Exchange("POST", ENDING + KNOWN.wire, (len(ENDING),))])
@example([KNOWN, Exchange("HEAD", KNOWN.wire)])
@example([KNOWN, Exchange("POST", KNOWN.wire + b"c"), KNOWN])
@example([KNOWN, Exchange("POST", KNOWN.wire + b"c", (len(KNOWN.wire),)), KNOWN])
@example([KNOWN, Exchange("POST", KNOWN.wire + KNOWN.wire, (len(KNOWN.wire),)), KNOWN])
def test_a_repeated_head_is_as_good_as_a_parsed_one(run: list[Exchange]):
    assert heard(run, parsed=False) == heard(run, parsed=True)


def test_a_repeated_head_is_not_parsed():
    def parse(data: object) -> None:
        raise AssertionError("parsed")

    parser = ReplyParser()
    parser.feed(KNOWN.wire)
    parser._feed_data = parse
    for body in (b"", b"abc", b"x" * 100_000):
        parser.begin("POST")
        parser.feed(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))
        assert (parser.status, parser.length, parser.take()) == (200, len(body), body)


def test_who_changes_the_headers_of_a_reply_changes_those_of_no_other():
    parser = ReplyParser()
    for body in (b"", b"a", b"ab", b"abc"):
        parser.begin("POST")
        parser.feed(b"HTTP/1.1 200 OK\r\nx: y\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))
        assert parser.headers == [(b"x", b"y"), (b"content-length", b"%d" % len(body))]
        parser.headers.clear()


def test_a_server_whose_every_head_is_another_one_is_only_parsed_until_one_comes_again(monkeypatch):
    looks = []

    def of(data: bytes) -> HeadBytes | None:
        looks.append(data)
        return looked(data)

    looked = HeadBytes.of
    monkeypatch.setattr("proxy.upstream.http1_parser.HeadBytes", SimpleNamespace(of=of))
    parser = ReplyParser()

    def reply(name: int, count: int) -> None:
        for _ in range(count):
            parser.begin("POST")
            parser.feed(b"HTTP/1.1 200 OK\r\nx: %d\r\ncontent-length: 0\r\n\r\n" % name)

    for name in range(3 * MAX_HEADS_SEEN):
        reply(name, 2)
    assert len(looks) == 3 * MAX_HEADS_SEEN
    for name in range(3 * MAX_HEADS_SEEN):
        reply(name, 1)
    assert len(looks) == 4 * MAX_HEADS_SEEN
