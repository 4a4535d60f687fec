"""Cases B01–B05: sizes, unreadable bodies, unknown paths, error shapes, the list of models."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import unquote

import httpx
import orjson
import pytest

from proxy.errors import UpstreamFailed, UpstreamUnreachable
from tests.builders import CHAT, COMPLETIONS, ScriptedReply, ScriptedUpstream, Stack, chat, event, outcome, stack
from tests.live import CLOSE, RESET, json_reply, wired

pytestmark = pytest.mark.anyio


def error_of(reply: httpx.Response) -> dict[str, Any]:
    """The error in OpenAI's shape, exactly."""
    body = reply.json()
    assert body.keys() == {"error"}
    assert body["error"].keys() == {"message", "type", "param", "code"}
    assert reply.headers["content-type"] == "application/json"
    assert body["error"]["message"].endswith(".")
    return dict(body["error"])


LIMIT = 10_000


def sized(size: int) -> bytes:
    frame = len(orjson.dumps(chat("")))
    return orjson.dumps(chat("x" * (size - frame)))


@pytest.mark.parametrize("path", [CHAT, "/v1/embeddings"])
@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(("size", "status"), [(LIMIT * 9 // 10, 200), (LIMIT, 200), (LIMIT + 1, 413), (LIMIT * 2, 413)])
async def test_B01_a_body_up_to_the_limit_passes_and_beyond_it_is_a_413(size, status, chunked, path):
    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, size, 999):
            yield sized(size)[at : at + 999]

    async with stack(max_body_bytes=LIMIT) as s:
        headers = {"content-type": "application/json"}
        reply = await s.client.post(path, content=pieces() if chunked else sized(size), headers=headers)
        assert reply.status_code == status
        if status == 413:
            assert error_of(reply)["code"] == "body_too_large"
            assert str(LIMIT) in error_of(reply)["message"]
            assert s.upstream.bodies == []
        else:
            assert s.upstream.requests[0].body == sized(size)


async def test_B01_the_default_takes_pictures():
    async with stack() as s:
        body = sized(8_000_000)
        assert (await s.ask(body)).status_code == 200
        assert s.upstream.requests[0].body == body


DEEP = b'{"messages":' + b"[" * 10_000 + b"]" * 10_000 + b"}"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid_json"),
        (b"null", "invalid_type"),
        (b"[]", "invalid_type"),
        (b'"x"', "invalid_type"),
        (b"5", "invalid_type"),
        (b"{", "invalid_json"),
        (b'{"messages": []} x', "invalid_json"),
        (b"{}", "missing_required_parameter"),
        (b'{"messages": null}', "invalid_type"),
        (b'{"messages": {}}', "invalid_type"),
        (b'{"messages": "x"}', "invalid_type"),
        (b'{"messages": [], "x": NaN}', "invalid_json"),
        (b'{"messages": [], "x": -Infinity}', "invalid_json"),
        (DEEP, "invalid_json"),
        (b'{"messages": [], "x": ' + b"9" * 5000 + b"}", "invalid_json"),
        (b'{"messages": [], "x": "\xff"}', "invalid_json"),
        (b'\xef\xbb\xbf{"messages": []}', "invalid_json"),
        ('{"messages": []}'.encode("utf-16"), "invalid_json"),
    ],
)
async def test_B02_what_cannot_be_read_is_a_400_and_reaches_no_engine(body, code):
    async with stack() as s:
        reply = await s.ask(body)
        assert reply.status_code == 400
        assert (error_of(reply)["type"], error_of(reply)["code"]) == ("invalid_request_error", code)
        assert s.upstream.calls == 0


@pytest.mark.parametrize("prompt", [None, 5, {}, True])
async def test_B02_a_prompt_of_a_wrong_type_is_a_400(prompt):
    async with stack() as s:
        reply = await s.ask({"prompt": prompt}, path=COMPLETIONS)
        assert (reply.status_code, error_of(reply)["param"]) == (400, "prompt")


@pytest.mark.parametrize(
    "body",
    [
        chat(messages=[]),
        chat(messages=[5, None, "x", {"role": 5}]),
        chat(messages=[{"role": "user", "content": 5}]),
        chat(messages=[{"role": "user"}]),
        chat(temperature="hot"),
        chat(temperature=-1),
        chat(max_tokens=-1),
        chat(n=0),
        chat(model=["m"]),
        chat(stream="true"),
        chat(stream_options=5),
        chat(tools="x"),
        chat(x=[[[[[]]]]]),
    ],
)
async def test_B02_everything_else_is_the_engines_to_judge(body):
    async with stack() as s:
        s.upstream.script(ScriptedReply({"error": {"message": "engine says"}}, status=400))
        reply = await s.ask(body)
        assert (reply.status_code, reply.json()) == (400, {"error": {"message": "engine says"}})
        assert s.upstream.requests[0].body == orjson.dumps(body)


async def test_B02_what_is_nested_deeper_than_we_can_write_goes_up_as_it_is():
    body = b'{"model":"m","temperature":0,"messages":[],"x":' + b"[" * 900 + b"]" * 900 + b"}"
    async with stack() as s:
        replies = [await s.ask(body) for _ in range(2)]
        assert [request.body for request in s.upstream.requests] == [body] * 2
        assert outcome(replies[1]) == "fwd=bypass; detail=not-keyable"


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("POST", "/tokenize"),
        ("POST", "/v1/responses"),
        ("POST", "/v1/rerank"),
        ("POST", "/api/chat"),
        ("GET", "/api/tags"),
        ("GET", "/v1/files/a%2Fb?x=%2F&y=a+b"),
        ("OPTIONS", "/v1/chat/completions"),
        ("GET", "/v1/chat/completions"),
        ("DELETE", "/v1/responses/r1"),
        ("PUT", "/v1/x"),
        ("PATCH", "/v1/x"),
        ("POST", "/v1/chat/completions/"),
        ("POST", "//v1/chat/completions"),
        ("POST", "/V1/chat/completions"),
        ("GET", "/%E6%BC%A2?q=%E6%BC%A2"),
        ("GET", "/a%zz"),
        ("OPTIONS", "/v1/models"),
        ("GET", "/healthzzz"),
    ],
)
async def test_B03_an_unknown_path_is_passed_as_it_is_and_its_reply_too(method, target):
    body = b"\x00\xffnot json" if method in ("POST", "PUT", "PATCH") else b""
    async with stack() as s:
        s.upstream.script(
            ScriptedReply(b"raw\x00reply", status=418, headers=[(b"content-type", b"x/y"), (b"x-e", b"1")])
        )
        for _ in range(2):
            reply = await s.client.send(
                httpx.Request(
                    method,
                    httpx.URL("http://askonce.test").copy_with(raw_path=target.encode()),
                    content=body,
                    headers={"content-type": "a/b", "accept-encoding": "br"},
                )
            )
            assert (reply.status_code, reply.content, reply.headers["x-e"]) == (418, b"raw\x00reply", "1")
        assert s.upstream.calls == 2
        sent = s.upstream.requests[0]
        assert (sent.method, sent.target, sent.body) == (method, target.encode(), body)
        assert {(b"content-type", b"a/b"), (b"accept-encoding", b"br")} <= set(sent.headers)


@pytest.mark.real_loop
async def test_B03_ndjson_passes_line_by_line_as_it_comes():
    gates = [asyncio.Event() for _ in range(3)]
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n"

    def respond(request: Any) -> list[Any]:
        return [head, *(step for gate in gates for step in (b'8\r\n{"a":1}\n\r\n', gate)), b"0\r\n\r\n"]

    async with wired(respond) as w, w.client.stream("POST", "/api/chat", json={"model": "m"}) as reply:
        assert reply.headers["content-type"] == "application/x-ndjson"
        lines = reply.aiter_raw()
        for gate in gates:
            assert await anext(lines) == b'{"a":1}\n'  # before the engine goes on
            gate.set()
        assert [part async for part in lines] == []


@pytest.mark.real_loop
@pytest.mark.parametrize("method", ["HEAD", "GET"])
async def test_B03_head_and_bodyless_replies_keep_their_length_and_the_connection(method):
    def respond(request: Any) -> bytes:
        status = b"304 Not Modified" if b"/304" in request.line else b"200 OK"
        bodyless = method == "HEAD" or b"/304" in request.line
        return b"HTTP/1.1 " + status + b"\r\ncontent-length: 3\r\n\r\n" + (b"" if bodyless else b"abc")

    async with wired(respond) as w:
        for path in ("/x", "/304", "/x"):
            reply = await w.client.request(method, path)
            assert reply.content == (b"abc" if method == "GET" and path == "/x" else b"")
            assert reply.headers.get("content-length") == (None if path == "/304" else "3")


@pytest.mark.real_loop
@pytest.mark.parametrize("path", ["/api/chat", CHAT])
@pytest.mark.parametrize("cut", [CLOSE, RESET])
async def test_B03_a_reply_that_breaks_off_does_not_look_whole(cut, path, caplog):
    data = b"x" * 2_000_000
    raw = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n%b\r\n" % (
        len(data),
        data,
    )
    async with wired(lambda request: [raw, cut]) as w:
        told = "whole"
        try:
            reply = await w.client.post(path, json=chat(temperature=1))
            told = str(reply.status_code)
        except httpx.RemoteProtocolError:
            told = "broken off"
        # A reset may overtake all that was sent before it, and then there is a status to say so.
        assert told in (["broken off", "502"] if cut is RESET else ["broken off"])
        assert "Traceback" not in caplog.text
        assert w.live.app.pool.upstreams[0].gate.in_flight == 0


MANAGING = [
    ("POST", "/api/pull"),
    ("POST", "/api/pull/"),
    ("DELETE", "/api/delete"),
    ("HEAD", "/api/blobs/sha256:1"),
    ("POST", "/v1/load_lora_adapter"),
    ("POST", "/sleep?level=1"),
    ("POST", "/SLEEP"),
    ("POST", "/%73leep"),
    ("POST", "/%2573leep"),
    ("POST", "//sleep"),
    ("POST", "/v1/../sleep"),
    ("POST", "/v1/%2e%2e/sleep"),
    ("POST", "/v1/models/../../sleep"),
    ("POST", "/./sleep;x=1"),
    ("POST", "/a\\..\\sleep"),
    ("POST", "/sleep%3Fx"),
    ("GET", "/reset_prefix_cache"),
    ("POST", "/update_weights_from_disk"),
    ("POST", "/collective_rpc"),
    ("POST", "/flush_cache"),
    ("POST", "/release_memory_occupation"),
    ("POST", "/start_profile"),
    ("POST", "/slots/0?action=erase"),
    ("POST", "/props"),
    ("POST", "/models/unload"),
    ("POST", "/load_lora_adapter_from_tensors"),
    ("POST", "/abort_request"),
    ("POST", "/continue_generation"),
    ("GET", "/close_session"),
    ("GET", "/slow_down"),
    ("POST", "/configure_logging"),
    ("POST", "/init_weight_transfer_engine"),
    ("POST", "/destroy_weights_update_group"),
]


async def test_B03_a_target_that_is_no_path_is_a_400():
    async with stack() as s:
        status, body = await send_raw(s, "OPTIONS", "*")
        assert (status, orjson.loads(body)["error"]["code"], s.upstream.calls) == (400, "invalid_path", 0)


@pytest.mark.parametrize(("method", "target"), MANAGING)
async def test_what_manages_an_engine_is_refused_in_every_spelling_unless_all_is_passed(method, target):
    async with stack() as s:
        status, body = await send_raw(s, method, target)
        assert (status, s.upstream.calls) == (403, 0)
        assert b"pass_through: all" in body
    async with stack(pass_through="all") as s:
        assert (await send_raw(s, method, target))[0] == 200
        assert s.upstream.requests[0].target == target.encode()


async def send_raw(s: Stack, method: str, target: str) -> tuple[int, bytes]:
    """A request whose target no client library has tidied; status and body of its reply."""
    path, _, query = target.partition("?")
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False} if not sent else await asyncio.Future()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [],
        "client": ("127.0.0.1", 1),
    }
    await s.app(scope, receive, send)
    return sent[0]["status"], b"".join(message["body"] for message in sent[1:])


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/slots"), ("GET", "/props"), ("POST", "/v1/sleepy"), ("GET", "/is_sleeping")]
)
async def test_what_only_reads_or_merely_resembles_is_passed(method, path):
    async with stack() as s:
        assert (await s.client.request(method, path)).status_code == 200


@pytest.mark.parametrize(
    ("status", "content_type", "body"),
    [
        (401, b"application/json", b'{"error":"Unauthorized"}'),
        (404, b"application/json", b'{"detail":"Not Found"}'),
        (422, b"text/plain", b"no such thing"),
        (429, b"application/json", b'{"object":"error","message":"slow down"}'),
        (500, b"text/html", b"<html>oops</html>"),
        (503, b"application/json", b'{"error":{"message":"Loading model"}}'),
    ],
)
@pytest.mark.parametrize("path", [CHAT, "/v1/embeddings"])
@pytest.mark.parametrize("stream", [False, True])
async def test_B04_an_engines_error_passes_untouched_with_its_retry_after(status, content_type, body, path, stream):
    async with stack() as s:
        headers = [(b"content-type", content_type), (b"retry-after", b"7"), (b"x-engine", b"1")]
        s.upstream.script(ScriptedReply(body, status=status, headers=headers))
        reply = await s.ask(chat(stream=stream), path=path)
        assert (reply.status_code, reply.content) == (status, body)
        assert reply.headers["content-type"].encode() == content_type
        assert (reply.headers["retry-after"], reply.headers["x-engine"]) == ("7", "1")
        assert s.upstream.calls == 1


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/admin/nothing", 404, "not_found"),
        ("GET", "/dashboard/x.js", 404, "not_found"),
        ("POST", "/healthz", 405, "method_not_allowed"),
        ("GET", "/admin/purge", 405, "method_not_allowed"),
        ("POST", "/admin/purge", 401, "invalid_api_key"),
        ("GET", "/upstream/local/v1/models", 401, "invalid_api_key"),
    ],
)
async def test_B04_errors_of_our_own_paths_have_the_same_shape(method, path, status, code):
    async with stack() as s:
        reply = await s.client.request(method, path)
        assert reply.status_code in (status, 401)
        assert error_of(reply)["code"] in (code, "invalid_api_key")


async def test_B04_a_fault_of_our_own_is_a_500_in_the_same_shape_and_its_text_goes_nowhere(caplog):
    async with stack() as s:
        s.upstream.script(RuntimeError("secret prompt text"))
        for path in (CHAT, "/v1/embeddings"):
            reply = await s.ask(path=path)
            assert (reply.status_code, error_of(reply)["code"]) == (500, "internal_error")
            assert "secret" not in reply.text
        s.upstream.script(ScriptedReply([event({"choices": []}), RuntimeError("secret prompt text")]))
        assert b'"internal_error"' in (await s.ask(chat("x", stream=True))).content
        assert "secret" not in caplog.text
        assert "RuntimeError" in caplog.text


TWO = [{"name": "a", "url": "http://127.0.0.1:1"}, {"name": "b", "url": "http://127.0.0.1:2"}]


def listing(*names: str) -> ScriptedReply:
    return ScriptedReply({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})


@pytest.fixture
async def two() -> AsyncIterator[tuple[Stack, ScriptedUpstream, ScriptedUpstream]]:
    """Two upstreams, each with a script of its own."""
    async with stack(upstreams=TWO) as s:
        first, second = ScriptedUpstream(), ScriptedUpstream()
        s.app.pool.upstreams[0].client, s.app.pool.upstreams[1].client = first, second
        yield s, first, second


async def names(s: Any, key: str = "sk-a") -> list[str]:
    reply = await s.client.get("/v1/models", headers={"authorization": f"Bearer {key}"})
    assert reply.status_code == 200
    return [model["id"] for model in reply.json()["data"]]


DOWN = UpstreamUnreachable("No connection.")


async def test_B05_the_list_is_merged_over_those_that_answer(two):
    s, a, b = two
    a.script(listing("x", "y"))
    b.script(listing("y", "z"))
    assert await names(s) == ["x", "y", "z"]
    b.script(DOWN)
    assert await names(s, "sk-new") == ["x", "y"]
    for script in (DOWN, UpstreamFailed("Broken."), ScriptedReply({}, status=503), ScriptedReply(b"no json")):
        b.script(script)
        assert await names(s, "sk-new") == ["x", "y"]


async def test_B05_the_last_known_list_stands_in_for_the_same_credential_only(two):
    s, a, b = two
    a.script(listing("x"))
    b.script(listing("z"))
    await names(s)
    b.script(DOWN)
    assert await names(s) == ["x", "z"]
    assert await names(s, "sk-other") == ["x"]


async def test_B05_all_dead_is_a_503_and_all_refusing_is_their_refusal(two):
    s, a, b = two
    a.script(DOWN)
    b.script(DOWN)
    reply = await s.client.get("/v1/models")
    assert (reply.status_code, error_of(reply)["code"]) == (503, "no_upstream")
    b.script(ScriptedReply({"error": "no"}, status=401))
    reply = await s.client.get("/v1/models")
    assert (reply.status_code, reply.json()) == (401, {"error": "no"})


async def test_B05_one_model_is_read_from_the_list_whatever_its_name(two):
    s, a, b = two
    a.script(listing("org/m 1"))
    b.script(DOWN)
    assert (await s.client.get("/v1/models/org%2Fm%201")).json()["id"] == "org/m 1"
    reply = await s.client.get("/v1/models/none")
    assert (reply.status_code, error_of(reply)["code"]) == (404, "model_not_found")


@pytest.mark.real_loop
async def test_B01_an_upload_without_a_length_is_cut_at_the_limit_and_answered():
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(1000):
            yield b"x" * 1000

    async with wired(max_body_bytes=LIMIT) as w:
        for path in (CHAT, "/v1/audio/transcriptions"):
            reply = await w.client.post(path, content=endless(), headers={"content-type": "application/json"})
            assert (reply.status_code, error_of(reply)["code"]) == (413, "body_too_large")


@pytest.mark.real_loop
async def test_B03_an_upload_passes_as_it_comes():
    arrived = asyncio.Event()

    async def pieces() -> AsyncIterator[bytes]:
        yield b"a" * 100_000
        yield b"b" * 100_000

    def respond(request: Any) -> bytes:
        arrived.set()
        return json_reply({"size": len(request.body)})

    async with wired(respond) as w:
        reply = await w.client.post("/v1/audio/transcriptions", content=pieces())
        assert reply.json() == {"size": 200_000}
        assert w.engine.requests[0].all(b"transfer-encoding") == [b"chunked"]
