"""Answers past their time (RFC 5861): served at once and renewed once, or kept for when the engine fails."""

import asyncio

import pytest

from proxy.context import Reply, RequestContext
from proxy.errors import Unavailable
from tests.builders import ScriptedReply, answer, chat, policy_set, stream_of, text_of
from tests.fleet.builders import Fleet, counted, dead, failing, fate, fleet

pytestmark = pytest.mark.anyio

TTL_S = 10
REVALIDATE = policy_set(exact={"ttl_s": TTL_S, "stale_while_revalidate_s": 60})
IF_ERROR = policy_set(exact={"ttl_s": TTL_S, "stale_if_error_s": 60})


async def renewed(f: Fleet) -> None:
    while len(f.app.revalidation):  # noqa: ASYNC110 - on virtual time
        await asyncio.sleep(0.1)


@pytest.mark.parametrize("coalesce", ["deterministic", "never"])
@pytest.mark.parametrize("stream", [False, True])
async def test_a_stale_answer_is_served_at_once_and_renewed_by_one_generation_however_many_ask(stream, coalesce):
    exact = {"ttl_s": TTL_S, "stale_while_revalidate_s": 60}
    async with fleet(policies=policy_set(exact=exact, coalesce=coalesce)) as f:
        f.upstream.script(
            ScriptedReply(answer("old")), ScriptedReply(stream_of("new") if stream else answer("new"), wait=30.0)
        )
        await f.ask()
        await asyncio.sleep(TTL_S)
        loop = asyncio.get_running_loop()
        asked_s = loop.time()
        replies = await asyncio.gather(*(f.ask(chat(stream=stream)) for _ in range(50)))
        assert loop.time() == asked_s
        assert {(fate(reply), text_of(reply)) for reply in replies} == {("stale", "old")}
        assert replies[0].headers["age"] == str(TTL_S)
        assert "ttl=0" in replies[0].headers["cache-status"]
        await asyncio.sleep(20)
        assert fate(await f.ask(chat(stream=stream))) == "stale"
        await renewed(f)
        reply = await f.ask(chat(stream=not stream))
        assert (fate(reply), text_of(reply)) == ("hit", "new")
        assert f.calls == 2


async def test_a_renewal_that_fails_leaves_the_stale_answer_to_its_time():
    async with fleet(policies=REVALIDATE) as f:
        f.upstream.script(ScriptedReply(answer("old")), failing())
        await f.ask()
        await asyncio.sleep(TTL_S + 1)
        for _ in range(3):
            assert fate(await f.ask()) == "stale"
            await renewed(f)
        f.upstream.script(dead)
        assert fate(await f.ask()) == "stale"
        await renewed(f)
        await asyncio.sleep(60)
        assert (await f.ask()).status_code == 503


async def test_a_renewal_asks_for_a_new_answer_and_takes_none_by_similarity(monkeypatch):
    async with fleet(policies=REVALIDATE) as f:
        await f.ask()
        await asyncio.sleep(TTL_S)
        permits = []

        async def call_next(ctx: RequestContext) -> Reply:
            permits.append(ctx.permits)
            raise Unavailable("Enough is known.")

        start = f.app.revalidation.start
        monkeypatch.setattr(f.app.revalidation, "start", lambda ctx, _: start(ctx, call_next))
        await f.ask()
        await renewed(f)
        assert [(permit.look_up, permit.store) for permit in permits] == [(False, True)]


async def test_after_the_grace_it_is_a_miss():
    async with fleet(policies=REVALIDATE) as f:
        f.upstream.script(counted())
        await f.ask()
        await asyncio.sleep(TTL_S + 60)
        reply = await f.ask()
        assert (fate(reply), text_of(reply)) == ("miss", "g2")


async def test_a_stale_answer_does_not_get_fresh_by_being_served():
    sliding = policy_set(exact={"ttl_s": TTL_S, "sliding": True, "max_age_s": 3600, "stale_while_revalidate_s": 60})
    async with fleet(policies=sliding) as f:
        f.upstream.script(ScriptedReply(answer("old")), failing())
        await f.ask()
        await asyncio.sleep(TTL_S - 1)
        assert fate(await f.ask()) == "hit"
        await asyncio.sleep(TTL_S - 1)
        assert fate(await f.ask()) == "hit"  # which started its life anew
        await asyncio.sleep(TTL_S)
        for _ in range(2):
            assert fate(await f.ask()) == "stale"
            await renewed(f)


@pytest.mark.parametrize("failure", [dead, failing(500), failing(502), failing(503)])
@pytest.mark.parametrize("stream", [False, True])
async def test_when_the_engine_fails_the_stale_answer_takes_its_place(failure, stream):
    async with fleet(policies=IF_ERROR) as f:
        f.upstream.script(ScriptedReply(answer("old")), failure)
        await f.ask()
        await asyncio.sleep(TTL_S)
        reply = await f.ask(chat(stream=stream))
        assert (reply.status_code, fate(reply), text_of(reply)) == (200, "stale", "old")
        assert f.upstream.open == 0
        f.app.pool.upstreams[0].health.probed(None)
        f.upstream.script(ScriptedReply(answer("new")))
        assert text_of(await f.ask()) == "new"


@pytest.mark.parametrize("status", [400, 401, 404, 422, 429])
async def test_an_answer_that_is_no_failure_of_the_engine_is_passed_on(status):
    async with fleet(policies=IF_ERROR) as f:
        f.upstream.script(ScriptedReply(answer("old")), failing(status))
        await f.ask()
        await asyncio.sleep(TTL_S)
        assert (await f.ask()).status_code == status


async def test_where_a_probe_says_that_the_engine_hangs_the_stale_answer_comes_at_once():
    async with fleet(policies=IF_ERROR) as f:
        f.upstream.script(ScriptedReply(answer("old")), ScriptedReply(answer("new"), wait=60.0))
        await f.ask()
        await asyncio.sleep(TTL_S)
        for _ in range(2):
            f.app.pool.upstreams[0].health.probed("no answer within 2 s", connected=True)
        reply = await f.ask()
        assert (fate(reply), text_of(reply), f.calls) == ("stale", "old", 1)
        assert (await f.ask(cache_control="only-if-cached")).status_code == 504


async def test_without_a_grace_a_failure_is_a_failure():
    async with fleet(policies=policy_set(exact={"ttl_s": TTL_S})) as f:
        f.upstream.script(ScriptedReply(answer("old")), failing())
        await f.ask()
        await asyncio.sleep(TTL_S)
        assert (await f.ask()).status_code == 500


async def test_a_failure_is_as_it_was_where_the_stale_answer_can_not_serve():
    async with fleet(policies=IF_ERROR) as f:
        # A stream without usage was stored: it serves streams, and no plain client.
        f.upstream.script(ScriptedReply(stream_of("old", usage=False)), dead)
        await f.ask(chat(stream=True))
        await asyncio.sleep(TTL_S)
        reply = await f.ask()
        assert (reply.status_code, reply.json()["error"]["code"]) == (503, "no_upstream")
        assert text_of(await f.ask(chat(stream=True))) == "old"


async def test_who_wants_only_what_is_cached_starts_no_renewal_and_gets_nothing_for_a_failure():
    async with fleet(policies=REVALIDATE) as f:
        f.upstream.script(counted())
        await f.ask()
        await asyncio.sleep(TTL_S)
        assert fate(await f.ask(cache_control="only-if-cached")) == "stale"
        assert (len(f.app.revalidation), f.calls) == (0, 1)
    async with fleet(policies=IF_ERROR) as f:
        await f.ask()
        await asyncio.sleep(TTL_S)
        assert (await f.ask(cache_control="only-if-cached")).status_code == 504


async def test_who_limits_the_age_gets_nothing_stale():
    async with fleet(policies=REVALIDATE) as f:
        f.upstream.script(counted())
        await f.ask()
        await asyncio.sleep(TTL_S)
        assert fate(await f.ask(cache_control="max-age=3600")) == "miss"


async def test_a_renewal_is_ended_with_the_app():
    async with fleet(policies=REVALIDATE) as f:
        f.upstream.script(ScriptedReply(answer("old")), ScriptedReply(answer("new"), wait=asyncio.Event()))
        await f.ask()
        await asyncio.sleep(TTL_S)
        await f.ask()
        await asyncio.sleep(0.1)
        assert f.upstream.open == 1
        await f.app.aclose()
        assert (f.upstream.open, len(f.app.revalidation)) == (0, 0)
