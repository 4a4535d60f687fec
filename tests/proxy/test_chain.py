"""The main job, end to end in process: ask, store, hit, in both wire modes."""

import pytest

from tests.builders import ScriptedReply, answer, chat, outcome, stack, stream_of, text_of

pytestmark = pytest.mark.anyio


async def test_the_second_equal_request_is_answered_from_memory():
    async with stack() as s:
        first, second = await s.ask(), await s.ask()
        assert s.upstream.calls == 1
        assert (outcome(first), outcome(second)) == ("fwd=miss; stored", "hit; detail=exact")
        assert text_of(first) == text_of(second) == "Hello!"
        assert first.json()["id"] != second.json()["id"]


@pytest.mark.parametrize(("fill", "read"), [(False, True), (True, False), (True, True)])
async def test_one_entry_serves_both_wire_modes(fill, read):
    text = "def f():\n    return 1\n"
    async with stack() as s:
        s.upstream.script(ScriptedReply(stream_of("def f():\n", "    return 1\n") if fill else answer(text)))
        await s.ask(chat(stream=fill))
        reply = await s.ask(chat(stream=read))
        assert s.upstream.calls == 1
        assert text_of(reply) == text


async def test_a_sampled_request_is_never_stored():
    async with stack() as s:
        replies = [await s.ask(chat(temperature=1)) for _ in range(2)]
        assert s.upstream.calls == 2
        assert outcome(replies[1]) == "fwd=bypass; detail=temperature"


async def test_a_stream_passes_byte_for_byte_and_without_the_usage_nobody_asked_for():
    parts = stream_of("a", "b")
    async with stack() as s:
        s.upstream.script(ScriptedReply(parts))
        reply = await s.ask(chat(stream=True))
        assert reply.content == b"".join(parts[:-2] + parts[-1:])
        assert s.upstream.bodies[0]["stream_options"] == {"include_usage": True}
