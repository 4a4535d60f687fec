"""Cases H01–H05: framing, codings, credentials, host and request id, both ways."""

import gzip
import zlib
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from tests.builders import DONE, ScriptedReply, answer, chat, outcome, stack, stream_of, text_of
from tests.live import CLOSE, json_reply, wired

pytestmark = pytest.mark.anyio

JSON = b"application/json"
EVENTS = b"text/event-stream"


@pytest.mark.real_loop
@pytest.mark.parametrize(
    "framing",
    [
        b"content-length: %d\r\n\r\n%b",
        b"transfer-encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n",
        b"connection: close\r\nkeep-alive: timeout=5\r\ncontent-length: %d\r\n\r\n%b",
        b"connection: x-hop, close\r\nx-hop: secret\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n",
    ],
)
async def test_H01_a_strict_client_reads_every_framing_plain_streamed_and_passed(framing):
    body = orjson.dumps(answer())
    raw = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n" + framing % (len(body), body)
    async with wired(lambda request: [raw, CLOSE] if b"close" in raw else raw) as w:
        for path, temperature in (("/v1/chat/completions", 0), ("/v1/chat/completions", 1), ("/tokenize", 0)):
            reply = await w.client.post(path, json=chat(temperature=temperature))
            assert reply.content == body
            assert not {"x-hop", "keep-alive"} & set(reply.headers)
            assert len(reply.headers.get_list("date")) == 1
            assert len(reply.headers.get_list("content-length")) + len(
                reply.headers.get_list("transfer-encoding")
            ) == 1  # fmt: skip


@pytest.mark.real_loop
async def test_H01_a_reply_that_is_both_chunked_and_has_a_length_is_refused():
    raw = b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    async with wired(lambda request: raw) as w:
        reply = await w.client.post("/v1/chat/completions", json=chat())
        assert (reply.status_code, reply.json()["error"]["code"]) == (502, "upstream_failed")


def raw_deflate(data: bytes) -> bytes:
    squeeze = zlib.compressobj(wbits=-15)
    return squeeze.compress(data) + squeeze.flush()


CODINGS: dict[bytes, Callable[[bytes], bytes]] = {
    b"gzip": gzip.compress,
    b"x-gzip": lambda data: gzip.compress(data[:10]) + gzip.compress(data[10:]),
    b"deflate": zlib.compress,
    b"Deflate": raw_deflate,
    b"identity": lambda data: data,
}


def coded(coding: bytes, content_type: bytes) -> list[tuple[bytes, bytes]]:
    return [(b"content-type", content_type), (b"content-encoding", coding), (b"etag", b'"x"')]


@pytest.mark.parametrize("accepts", ["gzip", "identity", "br"])
@pytest.mark.parametrize("coding", CODINGS)
async def test_H02_an_engine_that_codes_although_asked_not_to_is_read_and_stored_without_coding(coding, accepts):
    body = CODINGS[coding](orjson.dumps(answer()))
    async with stack() as s:
        s.upstream.script(ScriptedReply(body, headers=coded(coding, JSON)))
        for expected in ("fwd=miss; stored", "hit; detail=exact"):
            reply = await s.ask(accept_encoding=accepts)
            assert outcome(reply) == expected
            assert reply.headers.get("content-encoding", "identity") == "identity"
            assert text_of(reply) == "Hello!"
        assert (b"accept-encoding", b"identity") in s.upstream.requests[0].headers


@pytest.mark.parametrize("coding", CODINGS)
async def test_H02_a_coded_stream_is_a_stream(coding):
    parts = stream_of("漢字", "b")
    body = CODINGS[coding](b"".join(parts))
    async with stack() as s:
        s.upstream.script(
            ScriptedReply([body[at : at + 3] for at in range(0, len(body), 3)], headers=coded(coding, EVENTS))
        )
        live = await s.ask(chat(stream=True))
        assert live.content == b"".join([*parts[:-2], DONE])
        assert outcome(await s.ask(chat())) == "hit; detail=exact"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:12] + b"\xff" * 20, lambda data: b"x"])
async def test_H02_a_broken_coding_is_never_stored(damage, stream):
    plain = b"".join(stream_of("a" * 500)) if stream else orjson.dumps(answer("a" * 500))
    body = damage(gzip.compress(plain))
    async with stack() as s:
        s.upstream.script(ScriptedReply([body] if stream else body, headers=coded(b"gzip", EVENTS if stream else JSON)))
        reply = await raw_ask(s, chat(stream=stream))
        if stream:
            assert b'"upstream_failed"' in reply
            assert b"[DONE]" not in reply.rpartition(b"error")[2]
        else:
            assert reply == body
        assert len(s.app.cache) == 0


async def test_H02_a_bomb_is_bounded():
    bomb = gzip.compress(b"\0" * 50_000_000)
    async with stack() as s:
        s.upstream.script(ScriptedReply(bomb, headers=coded(b"gzip", JSON)))
        assert await raw_ask(s, chat()) == bomb
        assert len(s.app.cache) == 0


async def raw_ask(s: Any, body: Any) -> bytes:
    """The reply's bytes as they were sent; httpx would decode them."""
    request = s.client.build_request(
        "POST", "/v1/chat/completions", json=body, headers={"content-type": "application/json"}
    )
    reply = await s.client.send(request, stream=True)
    return b"".join([part async for part in reply.aiter_raw()])


async def test_H02_a_coding_we_cannot_read_passes_or_is_refused_and_is_never_cut_into_events():
    body = b"\x0b\x02\n\nbrotli\n\n"
    async with stack() as s:
        s.upstream.script(ScriptedReply([body], headers=coded(b"br", EVENTS)))
        refused = await s.ask(chat(stream=True))
        assert (refused.status_code, refused.json()["error"]["code"]) == (502, "coded_stream")
        assert (await raw_ask(s, chat(stream=True, temperature=1))) == body
        s.upstream.script(ScriptedReply(body, headers=coded(b"br", JSON)))
        assert (await raw_ask(s, chat("plain"))) == body
        assert len(s.app.cache) == 0


SECRETS = {
    "x_api_key": "k1",
    "api_key": "k2",
    "cookie": "session=1",
    "proxy_authorization": "Basic x",
    "x_internal_secret": "s",
    "x_forwarded_for": "1.2.3.4",
    "forwarded": "for=1.2.3.4",
    "x_tenant": "boss",
    "x_askonce_bypass": "all",
    "cache_control": "no-store",
}


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/embeddings"])
async def test_H03_only_what_is_allowed_goes_up(path, tmp_path):
    log = tmp_path / "access.log"
    upstreams = [{"name": "local", "url": "http://127.0.0.1:1", "api_key_env": "KEY"}]
    async with stack(upstreams=upstreams, environment={"KEY": "sk-engine"}) as s:
        s.app.access_log._file = log.open("ab")
        await s.ask(path=path, key="sk-client", **SECRETS)
        sent = dict(s.upstream.requests[0].headers)
        assert sent.pop(b"authorization") == b"Bearer sk-engine"
        assert sent.keys() <= {b"accept", b"accept-encoding", b"content-type", b"user-agent", b"x-request-id"}
        s.app.flush_log()
        s.app.access_log.close()
        written = log.read_text()
        assert written
        for secret in ("sk-client", "sk-engine", "k1", "session", "Say hi", "Hello"):
            assert secret not in written


@pytest.mark.parametrize(("mode", "sent"), [("auto", b"Bearer sk-a"), ("always", b"Bearer sk-a"), ("never", None)])
async def test_H03_the_clients_credential_goes_up_as_the_settings_say(mode, sent):
    async with stack(forward_authorization=mode) as s:
        await s.ask()
        assert dict(s.upstream.requests[0].headers).get(b"authorization") == sent


@pytest.mark.real_loop
async def test_H04_host_and_framing_are_the_new_connections():
    async with wired() as w:
        odd = {"host": "evil.test", "te": "trailers", "connection": "x-a", "x-a": "1"}
        for path in ("/v1/chat/completions", "/tokenize"):
            for more in ({}, {"expect": "100-continue"}, {"upgrade": "h2c", "connection": "upgrade"}):
                reply = await w.client.post(path, json=chat(temperature=1), headers={**odd, **more})
                assert reply.status_code == 200
        for request in w.engine.requests:
            assert request.all(b"host") == [w.engine.url.removeprefix("http://").encode()]
            assert len(request.all(b"content-length")) == 1
            assert not any(request.all(name) for name in (b"te", b"x-a", b"upgrade", b"expect"))


@pytest.mark.real_loop
async def test_H05_one_request_id_comes_back_on_every_kind_of_reply():
    asked: list[tuple[str, str, Any]] = [
        ("POST", "/v1/chat/completions", chat()),
        ("POST", "/v1/chat/completions", chat()),
        ("POST", "/v1/chat/completions", chat(stream=True)),
        ("POST", "/v1/chat/completions", []),
        ("POST", "/v1/embeddings", {}),
        ("POST", "/sleep", {}),
        ("GET", "/v1/models", None),
        ("GET", "/v1/models/none", None),
        ("GET", "/healthz", None),
    ]
    sane = [[b"req-1"], [b"a/b:c"]]
    unfit = [[], [b"x" * 10_000], [b"null"], [b"a", b"b"], [b"a\tb"], [b'"quoted"']]

    def respond(request: Any) -> bytes:
        return json_reply(answer(), b"200 OK", b"x-request-id: the-engines-own", b"x-request-id: twice")

    async with wired(respond) as w:
        for sent in sane + unfit:
            echoed = []
            for method, path, body in asked:
                headers = [(b"x-request-id", value) for value in sent]
                reply = await w.client.request(method, path, json=body, headers=headers)
                echoed += reply.headers.get_list("x-request-id")
            assert len(echoed) == len(asked)
            if sent in sane:
                assert {value.encode() for value in echoed} == {sent[0]}
            else:
                assert len(set(echoed)) == len(asked)
                assert all(8 <= len(value) <= 128 for value in echoed)
        for request in w.engine.requests:
            # One answer may be many clients', and vLLM makes the answer's id of it.
            shared = request.line.startswith(b"POST /v1/chat") or request.line.startswith(b"GET ")
            assert len(request.all(b"x-request-id")) == (0 if shared else 1)
