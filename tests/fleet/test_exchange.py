"""One exchange with an upstream: what it takes is given back once, and what it says of the upstream is said once."""

import gzip

import pytest

from proxy.errors import UpstreamFailed
from proxy.upstream.ask import Exchange, open_exchange
from proxy.upstream.client import Timeouts, UpstreamRequest
from tests.builders import ScriptedReply, chat, policy_set
from tests.fleet.builders import Fleet, engine, failing, fleet
from tests.fleet.test_metrics import value

pytestmark = pytest.mark.anyio


async def exchange(f: Fleet) -> Exchange:
    request = UpstreamRequest("POST", b"/v1/chat/completions", [], b"{}")
    limits = Timeouts(None, None, None, None)
    return await open_exchange(f.app.pool.upstreams[0], request, limits, "t", f.app.metrics, lambda: 0.0)


async def test_ending_twice_gives_one_place_back():
    async with fleet() as f:
        gate = f.app.pool.upstreams[0].gate
        one, other = await exchange(f), await exchange(f)
        await one.aclose()
        await one.fail(UpstreamFailed("too late"))
        await one.aclose()
        assert gate.in_flight == 1
        await other.fail(UpstreamFailed("broken off"))
        await other.aclose()
        assert gate.in_flight == 0
        assert await value(f, "askonce_upstream_failures_total", upstream="a", code="upstream_failed") == 1
        assert await value(f, "askonce_upstream_seconds_count", upstream="a") == 2


async def test_a_body_is_read_to_its_end_and_so_ended():
    async with fleet() as f:
        f.upstream.script(ScriptedReply([b"one", b"two"]))
        one = await exchange(f)
        assert [chunk async for chunk in one] == [b"one", b"two"]
        assert f.app.pool.upstreams[0].gate.in_flight == 0


async def test_a_stream_that_is_not_in_its_coding_is_a_failure_of_the_upstream():
    async with fleet() as f:
        coded = [(b"content-type", b"text/event-stream"), (b"content-encoding", b"gzip")]
        f.upstream.script(ScriptedReply([gzip.compress(b"data: 1\n\n")[:12], b"not deflate"], headers=coded))
        await f.ask(chat(stream=True))
        assert await value(f, "askonce_upstream_failures_total", upstream="a", code="upstream_failed") == 1


async def test_a_reloads_clocks_hold_from_the_next_request_on():
    own = [engine("a", timeouts={"total_s": 60, "connect_s": 7})]
    async with fleet(*own) as f:

        async def limits(number: int) -> tuple[float | None, float | None]:
            await f.ask(chat(f"{number}"))
            _, held = f.app.pool.upstreams[0].limits["default"]
            return held.connect_s, held.total_s

        assert await limits(1) == (7, 60)
        f.reload(policy_set(timeouts={"total_s": 5}), upstreams=own)
        assert await limits(2) == (7, 5)
        f.app.policies.current = policy_set(timeouts={"total_s": 6})
        assert await limits(3) == (7, 6)


async def test_a_success_takes_back_what_failed_before_whatever_came_between():
    async with fleet() as f:
        health = f.app.pool.upstreams[0].health
        for number in range(3):
            f.upstream.script(failing())
            await f.ask(chat(f"bad {number}"))
        f.upstream.script(ScriptedReply())
        await f.ask(chat("good"))
        f.upstream.script(failing())
        for number in range(4):
            await f.ask(chat(f"worse {number}"))
        assert health.reason is None
