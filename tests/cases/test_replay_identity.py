"""Cases I01–I03: whose id a reply has, and what is never replayed."""

from typing import Any

import orjson
import pytest

from tests.builders import COMPLETIONS, ScriptedReply, answer, chat, completion, outcome, policy_set, stack, stream_of

pytestmark = pytest.mark.anyio


def ids(raw: bytes) -> set[tuple[str, int]]:
    chunks = [orjson.loads(line[6:]) for line in raw.split(b"\n") if line.startswith(b"data: {")]
    return {(one["id"], one["created"]) for one in chunks}


@pytest.mark.parametrize("streamed", [False, True])
async def test_I01_each_hit_has_an_id_of_its_own_and_names_the_original(streamed):
    async with stack() as s:
        s.upstream.script(ScriptedReply(stream_of("a") if streamed else answer("a")))
        await s.ask(chat(stream=streamed))
        plain = [await s.ask() for _ in range(2)]
        streams = [await s.ask(chat(stream=True)) for _ in range(2)]
        assert all(len(ids(reply.content)) == 1 for reply in streams)
        seen = [reply.json()["id"] for reply in plain] + [name for reply in streams for name, _ in ids(reply.content)]
        assert len({*seen, "chatcmpl-origin"}) == 5
        # All lead back to one entry: they share the part that is made of its key.
        assert len({name[: len("chatcmpl-") + 20] for name in seen}) == 1
        assert {len(name) for name in seen} == {len("chatcmpl-") + 32}
        assert {reply.headers["x-askonce-origin-id"] for reply in plain + streams} == {"chatcmpl-origin"}
        assert plain[0].json()["created"] > 1700000000


@pytest.mark.parametrize("fields", [{"id": 5}, {"id": None}, {"created": 1.5}, {"created": "now"}])
async def test_I01_what_can_not_be_repeated_verbatim_is_not_stored_to_be(fields):
    for replay, kept in (("verbatim", "fwd=miss"), ("fresh", "hit; detail=exact")):
        async with stack(policy_set(exact={"replay": replay})) as s:
            s.upstream.script(ScriptedReply(answer(**fields)))
            await s.ask()
            assert outcome(await s.ask()) == kept


async def test_I01_verbatim_repeats_the_first_answer():
    async with stack(policy_set(exact={"replay": "verbatim"})) as s:
        first = answer()
        s.upstream.script(ScriptedReply(first))
        await s.ask()
        one, two = await s.ask(), await s.ask()
        assert one.content == two.content
        assert outcome(two) == "hit; detail=exact"
        assert one.json() == first
        streams = [await s.ask(chat(stream=True)) for _ in range(2)]
        assert streams[0].content == streams[1].content


async def test_I01_the_originals_id_is_in_a_header_for_completions_too():
    async with stack() as s:
        body = {"id": "cmpl-1", "object": "text_completion", "created": 1, "model": "m",
                "choices": [{"index": 0, "text": "x", "finish_reason": "stop"}]}  # fmt: skip
        s.upstream.script(ScriptedReply(body))
        await s.ask(completion(), path=COMPLETIONS)
        hit = await s.ask(completion(), path=COMPLETIONS)
        assert hit.headers["x-askonce-origin-id"] == "cmpl-1"
        assert hit.json()["id"].startswith("cmpl-")


STATE: list[dict[str, Any]] = [
    {"previous_response_id": "r1"},
    {"conversation": "c1"},
    {"store": True},
    {"background": True},
]


@pytest.mark.parametrize("state", STATE)
async def test_I02_what_depends_on_what_the_server_remembers_is_asked_each_time(state):
    async with stack(policy_set(coalesce="always", when_temperature_missing="greedy")) as s:
        for path in ("/v1/responses", "/v1/chat/completions"):
            for _ in range(2):
                await s.ask(chat(**state), path=path)
        assert s.upstream.calls == 4
        assert len(s.app.cache) == 0


async def test_I02_a_state_that_is_null_or_off_is_none():
    async with stack() as s:
        off: dict[str, Any] = {"previous_response_id": None, "conversation": None, "store": False, "background": False}
        for _ in range(2):
            await s.ask(chat(**off))
        assert s.upstream.calls == 1


async def test_I03_embeddings_pass_through():
    """Decided: see docs/limits.md."""
    async with stack() as s:
        for texts in (["a", "b"], ["b", "c", "a", "b"], ["a", "b"]):
            reply = await s.ask({"input": texts, "model": "m"}, path="/v1/embeddings")
            assert "cache-status" not in reply.headers
        assert [body["input"] for body in s.upstream.bodies] == [["a", "b"], ["b", "c", "a", "b"], ["a", "b"]]
