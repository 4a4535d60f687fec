"""A read that repeats a head is not parsed; whatever comes, nothing else is answered than if it were."""

import asyncio
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import proxy.connection
from proxy.connection import LimitedProtocol, Reply
from proxy.direct import DirectCycle
from proxy.request_head import RequestHead
from proxy.server import DrainingServer, ServerLimits
from tests import virtual_time
from tests.proxy.test_connection_breaks import Wire, turns

POST = b"POST /v1/chat/completions HTTP/1.1"
LINES = [
    POST,
    b"POST /v1/completions?a=b HTTP/1.1",
    b"\r\n" + POST,
    b"\r" + POST,
    b"\r\n\r\n" + POST,
    b"post /v1/chat/completions HTTP/1.1",
    b"GET /v1/chat/completions HTTP/1.1",
    b"POST /v1/chat/completions HTTP/1.0",
    b"POST /v1/models HTTP/1.1",
    b"POST http://a/v1/chat/completions HTTP/1.1",
    POST + b"\nx: y",
]
LENGTH = b"content-length: %d"
FIELDS = [
    LENGTH,
    LENGTH + b"\r\nx-request-id: a",
    LENGTH + b"\r\nx-request-id: null",
    LENGTH + b"\r\nx-request-id: a\r\nx-request-id: b",
    LENGTH + b"\r\nx-tenant: t",
    LENGTH + b"\r\nx-askonce-family: f",
    LENGTH + b"\r\ncache-control: no-store",
    LENGTH + b"\r\nconnection: close",
    LENGTH + b"\r\nconnection: upgrade\r\nupgrade: h2c",
    LENGTH + b"\r\nexpect: 100-continue",
    LENGTH + b"\r\n" + LENGTH,
    LENGTH + b"\r\ntransfer-encoding: chunked",
    b"transfer-encoding: chunked\r\n" + LENGTH,
    LENGTH + b"\ntransfer-encoding: chunked",
    LENGTH + b"\r\ntransfer-encoding : chunked",
    LENGTH + b"\r\n ",
    b"Content-Length: %d",
    b"content-length:%d",
    b"content-length:  %d",
    b"content-length:\t%d",
    b"content-length:\r\n %d",
    b"content-length : %d",
    b"content-length: %d ",
    b"content-length: %d, %d",
    b"content-length: 00%d",
    b"content-length: 0000000000000%d",
    b"content-length: +%d",
    b"content-length: -%d",
    b"content-length: 0x%d",
    b"content-length: ",
    b"x-content-length: 3\r\n" + LENGTH,
    b"x: y\r\n content-length: 3\r\n" + LENGTH,
    b"x: y\n" + LENGTH,
    b"x: " + b"z" * 300 + b"\r\n" + LENGTH,
    b"x:\r\n" * 9 + LENGTH,
    b"transfer-encoding: chunked",
    b"x: y",
]
BODIES = [
    b"",
    b"abc",
    b"known",
    b"x" * 90,
    b"\r\ncontent-length: 3\r\n\r\nabc",
    b"%b\r\n%b\r\n\r\nabc" % (POST, LENGTH % 3),
]
BEHIND = [b"\r\n", b"a", POST[:9], b"%b\r\n%b\r\n\r\nabc" % (POST, LENGTH % 3)]
DRAIN, LEAVE = "the server drains", "the client leaves"


class Echo:
    """Lane and direct in one: says all that it was told. The lane answers what it has answered once already."""

    def __init__(self, parsed_only: bool) -> None:
        self._parsed_only = parsed_only
        self._known: set[tuple[bytes, bytes]] = set()
        self._reads: dict[bytes, bytes] = {}
        self._answered = b""

    def __call__(self, head: RequestHead, peer: str | None, body: bytes, cycle: DirectCycle) -> Reply | None:
        return None if len(body) > 80 else self._answer(head, body, cycle)

    async def _answer(self, head: RequestHead, body: bytes, cycle: DirectCycle) -> None:
        await asyncio.sleep(0)
        self._known.add((head.told, body))
        if (sending := cycle.whole(200, b"by: direct\r\n", _said(head, body))) is not None:
            await sending

    def parsed(self, head: RequestHead, body: bytes) -> bytes | None:
        if body != b"known" or (head.told, body) not in self._known:
            return None
        said = _said(head, body)
        self._answered = b"by: lane\r\ncontent-length: %d\r\n\r\n%b" % (len(said), said)
        return self._answered

    def arrived_as(self, data: bytes) -> None:
        if not self._parsed_only:
            self._reads[data] = self._answered

    def unparsed(self, data: bytes) -> bytes | None:
        return self._reads.get(data)


def _said(head: RequestHead, body: bytes) -> bytes:
    told = head.path, head.query, head.headers, head.fields, head.given_id, head.directives, head.family, head.told
    return b"%b|%b" % (repr(told).encode(), body)


async def app(scope: Any, receive: Any, send: Any) -> None:
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body, more = body + message["body"], message["more_body"]
    said = b"%b|%b" % (repr((scope["path"], scope["query_string"], scope["headers"])).encode(), body)
    headers = [(b"content-length", b"%d" % len(said))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": said})


async def answered(steps: list[Any], *, parsed_only: bool) -> list[object]:
    """What is written after each step: a read, or something that happens."""
    echo = Echo(parsed_only)
    limits = ServerLimits(max_head_bytes=250, max_header_lines=8)
    server = DrainingServer(app, "a", 0, limits, lambda: None, lambda: None, lambda _: None, lane=echo, direct=echo)
    server._state.default_headers = [(b"date", b"now")]
    wire = Wire()
    protocol = LimitedProtocol(server.config, server._state, {})
    protocol.connection_made(wire)
    told: list[object] = []
    for step in steps:
        if step == DRAIN:
            server._state.draining = True  # its idle connections are closed later
        elif step == LEAVE or wire.closing:
            break
        else:
            reading, wait = step
            protocol.data_received(reading)
            await turns(5 if wait else 1)
        told.append((wire.written, wire.ended, wire.closing))
    protocol.connection_lost(None)
    await turns(6)
    return [*told, server._state.total_requests]


def mostly(usual: list[Any], other: list[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 11).flatmap(lambda drawn: st.sampled_from(usual if drawn < 11 else other))


@st.composite
def reads(draw: Any) -> list[Any]:
    """One request in one or several reads, with what comes behind it."""
    body, field = draw(st.sampled_from(BODIES)), draw(mostly(FIELDS[:2], FIELDS))
    said = max(0, len(body) + draw(mostly([0], [-1, 1, 1000])))
    if field.endswith(b"chunked"):
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    head = draw(mostly(LINES[:1], LINES)) + b"\r\nhost: a\r\n" + field.replace(b"%d", b"%d" % said) + b"\r\n\r\n"
    whole = head + body + draw(mostly([b""], BEHIND))
    cut = draw(mostly([0], [1, 3, len(head) - 2, len(head), len(head) + 1])) % (len(whole) + 1)
    wait = draw(mostly([True], [False]))
    return [(data, wait) for data in (whole[:cut], whole[cut:]) if data]


runs = st.lists(reads() | mostly([[]], [[DRAIN], [LEAVE], [(b"\r\n", True)]]), max_size=8)


def one(body: bytes, *fields: bytes, line: bytes = POST) -> tuple[bytes, bool]:
    return b"\r\n".join([line, b"host: a", *fields, LENGTH % len(body), b"", body]), True


THREE = [[one(b"abc")]] * 3


@given(runs)
@example([*THREE, [DRAIN], [one(b"abc")], [one(b"abc")]])
@example([*THREE, [one(b"known")], [one(b"known")], [one(b"known")], [one(b"known")]])
@example([*THREE, [(one(b"abc")[0], False)], [one(b"abcd")]])
@example([*THREE, [one(b"x" * 90)], [one(b"abc")]])
@example([*THREE, [(one(b"abc")[0] + one(b"abc")[0], True)], [one(b"abc")]])
@example([*THREE, [one(b"a", b"connection: upgrade", b"upgrade: h2c")], [one(b"abc")]])
@example([[one(one(b"abc")[0])]] * 3)
def test_a_repeated_head_is_as_good_as_a_parsed_one(run: list[list[Any]]):
    steps = [step for part in run for step in part]
    repeated = virtual_time.run(answered(steps, parsed_only=False))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proxy.connection, "MAX_HEADS_SEEN", 0)
        assert repeated == virtual_time.run(answered(steps, parsed_only=True))
