"""What real engines sent, as recorded: through both clients whole, through the own client split at every byte."""

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.errors import UpstreamFailed
from proxy.upstream.client import UpstreamRequest
from proxy.upstream.http1_client import Http1Client, Http1Reply
from proxy.upstream.http1_parser import ReplyParser
from proxy.upstream.http1_request import HeadEncoder
from proxy.upstream.origin import Origin
from tests.captures import ROOT, Capture, all_captures
from tests.proxy.upstream.asks import GENEROUS, body_of
from tests.proxy.upstream.conftest import Connect, Serve
from tests.proxy.upstream.scripted_server import END, READ
from tests.proxy.upstream.wire import Wires
from tests.virtual_time import run

CAPTURES = all_captures()


def received(capture: Capture) -> bytes:
    """All bytes of the recording, an interim reply included."""
    return (ROOT / f"{capture.name}.http").read_bytes()


def head_of(capture: Capture) -> tuple[int, list[tuple[bytes, bytes]]]:
    return capture.status, [(name.lower(), value) for name, value in capture.headers]


def request_of(capture: Capture) -> UpstreamRequest:
    return UpstreamRequest(capture.method or "GET", capture.path.encode() or b"/", [], capture.request_body)


@pytest.fixture
def anyio_backend():
    return "asyncio", {"use_uvloop": True}


@pytest.mark.anyio
@pytest.mark.real_loop
async def test_every_recording_passes_whole(serve: Serve, connect: Connect):
    server = await serve(*[[READ, received(capture), END] for capture in CAPTURES])
    client = connect(server, keepalive_s=0.0)
    for capture in CAPTURES:
        reply = await client.send(request_of(capture), GENEROUS)
        assert (reply.status, reply.headers) == head_of(capture), capture.name
        if capture.complete:
            assert await body_of(reply) == capture.body, capture.name
        else:
            with pytest.raises(UpstreamFailed):
                await body_of(reply)
    assert len(server.requests) == len(CAPTURES)


def splits(raw: bytes, length: int) -> Iterator[list[bytes]]:
    """`raw` in reads of `length` bytes, from each offset: together they split it at every byte."""
    for first in range(min(length, len(raw))):
        yield [raw[: first + 1], *[raw[at : at + length] for at in range(first + 1, len(raw), length)]]


@pytest.mark.parametrize("length", [1, 7, 100])
def test_every_recording_split_at_every_byte(length: int):
    parser = ReplyParser()
    for capture in CAPTURES:
        expected = (*head_of(capture), capture.body, capture.complete)
        for reads in splits(received(capture), length):
            if not parser.reusable:
                parser = ReplyParser()
            parser.begin(capture.method)
            for data in reads:
                parser.feed(data)
            body = parser.take()
            if not capture.complete:
                # The recording's reader dropped the chunk that was cut; its sound part is handed on.
                body = body[: len(capture.body)]
            got = (parser.status, parser.headers, body, parser.complete)
            assert got == expected, (capture.name, reads)


async def through_the_connection(capture: Capture, reads: list[bytes]) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """Feed the reads to a connection one by one, each as the consumer waits; what comes out of the reply."""
    wires = Wires.install(asyncio.get_running_loop())
    client = Http1Client(Origin.parse("http://engine"), stale_window_s=0.05, keepalive_s=3, max_idle=1)
    sending = asyncio.create_task(client.send(request_of(capture), GENEROUS))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    collecting: asyncio.Task[bytes] | None = None
    reply: Http1Reply | None = None
    for data in reads:
        if not wires[0].closed:
            wires[0].receive(data)
        await asyncio.sleep(0)
        if collecting is None and sending.done():
            reply = await sending
            collecting = asyncio.create_task(body_of(reply))
    wires[0].end()
    assert collecting is not None
    assert reply is not None
    try:
        return reply.status, reply.headers, await collecting
    finally:
        await client.aclose()


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_any_split_of_a_recording_gives_the_same_reply(data: st.DataObject):
    capture = data.draw(st.sampled_from([capture for capture in CAPTURES if capture.complete]))
    raw = received(capture)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(raw) - 1), max_size=20)))
    reads = [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    assert run(through_the_connection(capture, reads)) == (*head_of(capture), capture.body)


def test_a_recording_byte_by_byte_through_the_connection():
    for name in ("llamacpp/hdr_expect", "llamacpp/chat_stream_ping", "vllm/chat_stream", "llamacpp/health_head"):
        (capture,) = [capture for capture in CAPTURES if capture.name == name]
        raw = received(capture)
        reads = [raw[at : at + 1] for at in range(len(raw))]
        assert run(through_the_connection(capture, reads)) == (*head_of(capture), capture.body), name


def test_own_request_heads_parse_as_they_were_meant():
    """The recorded requests, encoded by us, differ from what the recorder sent in nothing but order and case."""
    heads = HeadEncoder(Origin.parse("http://engine"))
    for capture in CAPTURES:
        if capture.request_is_whole and capture.method == "POST":
            head = heads.encode(
                UpstreamRequest("POST", capture.path.encode(), capture.request_headers, capture.request_body)
            )
            lines = head.split(b"\r\n")
            assert lines[0] == b"POST %b HTTP/1.1" % capture.path.encode()
            assert lines[-3:] == [b"content-length: %d" % len(capture.request_body), b"", b""]
