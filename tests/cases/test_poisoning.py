"""Cases P01, P02, P04 and R01: what is never kept, what others may not keep, and how much is kept."""

import httpx
import orjson
import pytest

from tests.builders import DONE, ScriptedReply, answer, chat, event, outcome, policy_set, stack, stream_of

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("finish", "kept"),
    [("stop", True), ("tool_calls", True), ("length", False), ("content_filter", False), (None, False), ("eh", False)],
)
async def test_P01_only_stop_and_tool_calls_are_stored(finish, kept, stream):
    async with stack() as s:
        s.upstream.script(ScriptedReply(stream_of("a", finish=finish) if stream else answer("a", finish=finish)))
        await s.ask(chat(stream=stream))
        await s.ask(chat(stream=stream))
        assert s.upstream.calls == (1 if kept else 2)


async def test_P01_a_family_may_accept_length():
    async with stack(policy_set(exact={"finish_reasons": ["stop", "length"]})) as s:
        s.upstream.script(ScriptedReply(answer("a", finish="length")))
        assert [outcome(await s.ask()) for _ in range(2)] == ["fwd=miss; stored", "hit; detail=exact"]


def saying(**message: object) -> dict[str, object]:
    body = answer()
    body["choices"][0]["message"] = {"role": "assistant", "content": None, **message}
    return body


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        (ScriptedReply(answer(), status=201), {}),
        (ScriptedReply(answer(), status=203), {}),
        (ScriptedReply(answer(), status=500), {}),
        (ScriptedReply({"error": {"message": "no"}}, status=400), {}),
        (ScriptedReply(answer(error={"message": "no"})), {}),
        (ScriptedReply(answer(error="no")), {}),
        (ScriptedReply(answer("")), {}),
        (ScriptedReply(saying()), {}),
        (ScriptedReply(saying(refusal="I won't")), {}),
        (ScriptedReply(answer("{")), {"response_format": {"type": "json_object"}}),
        (ScriptedReply(answer("{} and more")), {"response_format": {"type": "json_schema", "json_schema": {}}}),
        (ScriptedReply(answer("NaN")), {"guided_json": {}}),
        (ScriptedReply(answer(choices=[])), {}),
        (ScriptedReply(answer(choices=None)), {}),
        (ScriptedReply(answer(choices=[*answer()["choices"]] * 2)), {"n": 2}),
        (ScriptedReply(answer()), {"n": 2}),
        (ScriptedReply(b"not json at all"), {}),
        (ScriptedReply(b'{"choices": [1]}'), {}),
        (ScriptedReply(b""), {}),
        (ScriptedReply(orjson.dumps(answer())[:-20]), {}),
    ],
)
async def test_P02_what_is_no_clean_answer_passes_untouched_and_is_asked_again(reply, asked):
    async with stack() as s:
        s.upstream.script(reply)
        replies = [await s.ask(chat(**asked)) for _ in range(2)]
        assert s.upstream.calls == 2
        sent = reply.body if isinstance(reply.body, bytes) else orjson.dumps(reply.body)
        assert [(got.status_code, got.content) for got in replies] == [(reply.status, sent)] * 2
        assert len(s.app.cache) == 0


@pytest.mark.parametrize(
    "events",
    [
        [event({"error": "no"}), DONE],
        [*stream_of("a")[:-1], event({"error": {"code": 500}}), DONE],
        stream_of("a", done=False),
        stream_of("a", finish=None),
        stream_of(),
        [*stream_of("a"), *stream_of("b")],
        [b"data: {broken\n\n", *stream_of("a")],
        [DONE],
        [],
    ],
)
async def test_P02_nor_is_a_stream_that_was_none(events):
    async with stack() as s:
        s.upstream.script(ScriptedReply(events))
        for _ in range(2):
            assert (await s.ask(chat(stream=True, stream_options={"include_usage": True}))).content == b"".join(events)
        assert s.upstream.calls == 2
        assert len(s.app.cache) == 0


async def test_P02_an_unusual_answer_is_kept_whole_and_replayed():
    unusual = answer(
        "x", id=7, created="yesterday", model=None, system_fingerprint=None, moderation={"a": [1]}, service_tier="x"
    )
    unusual["choices"][0] |= {"matched_stop": 3, "logprobs": None}
    unusual["choices"][0]["message"] |= {"annotations": [], "audio": None, "parsed": {"deep": {"er": [None]}}}
    async with stack() as s:
        s.upstream.script(ScriptedReply(unusual))
        await s.ask()
        hit, streamed = await s.ask(), await s.ask(chat(stream=True))
        assert outcome(hit) == outcome(streamed) == "hit; detail=exact"
        assert {**hit.json(), "id": 7, "created": "yesterday"} == unusual


@pytest.mark.parametrize("name", ["a\r\nx-evil: 1", "é", 'a"b\\c', "x" * 5000, "", "\x00", "🦊"])
async def test_P02_an_engines_id_can_neither_break_nor_extend_a_hits_headers(name):
    async with stack() as s:
        s.upstream.script(ScriptedReply(answer(id=name)))
        assert (await s.ask()).json()["id"] == name
        hit = await s.ask()
        assert outcome(hit) == "hit; detail=exact"
        assert "x-evil" not in hit.headers
        assert all(value.isprintable() and value.isascii() for value in hit.headers.values())


async def test_P04_no_cache_between_may_share_a_reply():
    scripts = [ScriptedReply(answer(), headers=[
        (b"content-type", b"application/json"), (b"cache-control", b"public, max-age=60"), (b"age", b"5"),
        (b"expires", b"Thu, 01 Jan 2099 00:00:00 GMT"), (b"cdn-cache-control", b"max-age=60"),
        (b"surrogate-control", b"max-age=60"), (b"cache-status", b"evil; hit"), (b"x-askonce-family", b"evil"),
    ])]  # fmt: skip
    async with stack() as s:
        s.upstream.script(*scripts)
        miss, hit = await s.ask(), await s.ask()
        bypass = await s.ask(chat(temperature=1))
        stream = await s.ask(chat(stream=True))
        refused = await s.ask(b"{")
        forbidden = await s.ask({}, path="/sleep")
        s.upstream.script(ScriptedReply({"data": [{"id": "m"}]}))
        models = await s.client.get("/v1/models")
        replies = [miss, hit, bypass, stream, refused, forbidden, models]
        assert [reply.headers.get_list("cache-control") for reply in replies] == [["private, no-store"]] * len(replies)
        assert all("Authorization" in reply.headers["vary"] for reply in replies)
        for reply in (miss, bypass):
            assert not {"expires", "age", "cdn-cache-control", "surrogate-control"} & set(reply.headers)
            assert reply.headers["x-askonce-family"] == "default"
        assert "evil" not in str(miss.headers)
        assert int(hit.headers["age"]) >= 0


async def test_P04_what_is_passed_through_is_private_unless_the_engine_says_otherwise():
    async with stack() as s:
        s.upstream.script(
            ScriptedReply({"data": []}),
            ScriptedReply(b"x", headers=[(b"cache-control", b"max-age=5"), (b"x-request-id", b"theirs")]),
        )
        assert (await s.ask({}, path="/v1/embeddings")).headers["cache-control"] == "private, no-store"
        static = await s.client.get("/ui.js")
        assert static.headers.get_list("cache-control") == ["max-age=5"]
        assert len(static.headers.get_list("x-request-id")) == 1


async def test_R01_count_and_bytes_are_bounded_however_long_entries_live():
    store = {"max_entries": 100, "max_bytes": 100_000, "max_entry_bytes": 50_000}
    async with stack(policy_set(exact={"ttl_s": 10**9}), store=store) as s:
        for n in range(1000):
            await s.ask(chat(str(n)))
            assert len(s.app.cache) <= 100
            assert s.app.cache.size <= 100_000
        assert outcome(await s.ask(chat("999"))) == "hit; detail=exact"
        assert outcome(await s.ask(chat("0"))) == "fwd=miss; stored"


async def test_R01_an_answer_over_the_bound_is_delivered_and_not_stored():
    async with stack(store={"max_entry_bytes": 1000, "max_bytes": 10_000}) as s:
        s.upstream.script(ScriptedReply(answer("x" * 2000)))
        replies: list[httpx.Response] = [await s.ask() for _ in range(2)]
        assert [reply.json() for reply in replies] == [answer("x" * 2000)] * 2
        assert s.upstream.calls == 2
