"""Several upstreams for one model: who is asked, and what happens when one fails. Scripted engines, virtual time."""

import asyncio

import orjson
import pytest

from proxy.errors import UpstreamFailed, UpstreamTimeout
from proxy.upstream.client import UpstreamRequest
from proxy.upstream.failures import connect_timeout
from proxy.upstream.health import DISTINCT_FAILURES, Verdict
from tests.builders import ScriptedReply, answer, chat, text_of
from tests.fleet.builders import Fleet, dead, engine, failing, fate, fleet

pytestmark = pytest.mark.anyio


def verdicts(f: Fleet) -> dict[str, Verdict]:
    return {upstream.name: upstream.health.verdict for upstream in f.app.pool.upstreams}


async def test_the_one_with_the_least_outstanding_is_asked():
    async with fleet(engine("a"), engine("b")) as f:
        for scripted in f.engines.values():
            scripted.script(ScriptedReply(answer(), wait=60.0))
        replies = [asyncio.ensure_future(f.ask(chat(f"{n}"))) for n in range(20)]
        await asyncio.gather(*replies)
        assert (f.calls_of("a"), f.calls_of("b")) == (10, 10)
        f.engines["b"].script(ScriptedReply(answer(), wait=1.0))
        hanging = asyncio.ensure_future(f.ask(chat("first goes to a")))
        await asyncio.sleep(0.5)
        before = f.calls_of("a")
        for n in range(10):
            await f.ask(chat(f"then {n}"))
        assert f.calls_of("a") == before
        await hanging


async def test_a_killed_upstream_costs_no_request_and_is_left_alone():
    async with fleet(engine("a"), engine("b")) as f:
        f.engines["a"].script(dead)
        replies = [await f.ask(chat(f"{n}")) for n in range(10)]
        assert {reply.status_code for reply in replies} == {200}
        assert f.calls_of("a") == 1
        assert verdicts(f) == {"a": Verdict.DOWN, "b": Verdict.USABLE}


def lost(request: UpstreamRequest) -> ScriptedReply:
    """A host that drops what is sent to it: no connection within the limit."""
    raise connect_timeout()


async def test_who_takes_no_connection_in_time_costs_no_request_where_another_does():
    async with fleet(engine("a"), engine("b")) as f:
        f.engines["a"].script(lost)
        replies = [await f.ask(chat(f"{n}")) for n in range(2 * DISTINCT_FAILURES)]
        assert {text_of(reply) for reply in replies} == {"from b"}
        assert f.calls_of("a") == DISTINCT_FAILURES
        assert verdicts(f)["a"] is Verdict.SUSPECTED


async def test_where_none_takes_a_connection_in_time_the_error_says_so():
    async with fleet(engine("a"), engine("b")) as f:
        for scripted in f.engines.values():
            scripted.script(lost)
        reply = await f.ask()
        assert (reply.status_code, reply.json()["error"]["code"]) == (504, "upstream_timeout")
        assert (f.calls_of("a"), f.calls_of("b")) == (1, 1)


async def test_all_dead_is_a_503_at_once_that_says_why_for_each():
    async with fleet(engine("a"), engine("b")) as f:
        for scripted in f.engines.values():
            scripted.script(dead)
        for _ in range(2):
            reply = await f.ask()
            assert (reply.status_code, reply.headers["retry-after"]) == (503, "1")
            error = reply.json()["error"]
            assert error["code"] == "no_upstream"
            assert "a: no connection; b: no connection" in error["message"]
        assert asyncio.get_running_loop().time() == 0
        assert f.calls == 2


async def test_a_lone_dead_upstream_says_503_and_not_where_it_is():
    async with fleet(engine("a")) as f:
        f.engines["a"].script(dead)
        reply = await f.ask()
        assert reply.status_code == 503
        assert "a.test" not in reply.text


async def test_a_poison_body_does_not_eject_a_healthy_upstream_and_is_not_asked_twice():
    def poisoned(request):
        prompt = orjson.loads(request.body)["messages"][0]["content"]
        return failing() if prompt == "poison" else ScriptedReply(answer(prompt))

    async with fleet(engine("a"), engine("b")) as f:
        for scripted in f.engines.values():
            scripted.script(poisoned)
        for _ in range(20):
            reply = await f.ask(chat("poison"))
            assert (reply.status_code, reply.json()["error"]["message"]) == (500, "broken")
        assert f.calls == 20
        assert set(verdicts(f).values()) == {Verdict.USABLE}
        assert (await f.ask(chat("fine"))).status_code == 200


async def test_an_upstream_that_fails_whatever_it_is_asked_is_used_only_if_nobody_better_is_left():
    async with fleet(engine("a"), engine("b")) as f:
        f.engines["a"].script(failing())
        statuses = [(await f.ask(chat(f"{n}"))).status_code for n in range(30)]
        assert statuses.count(500) == DISTINCT_FAILURES
        assert verdicts(f)["a"] is Verdict.SUSPECTED
        f.engines["b"].script(dead)
        assert (await f.ask(chat("now b is gone"))).status_code == 500
        assert f.calls_of("a") == DISTINCT_FAILURES + 1


async def test_a_slow_upstream_takes_less_and_less_of_the_traffic():
    async with fleet(engine("a"), engine("b")) as f:
        f.engines["a"].script(ScriptedReply(answer(), wait=10.0))
        f.engines["b"].script(ScriptedReply(answer(), wait=0.1))

        replies = []
        for n in range(100):
            replies.append(asyncio.ensure_future(f.ask(chat(f"{n}"))))
            await asyncio.sleep(0.05)
        assert {reply.status_code for reply in await asyncio.gather(*replies)} == {200}
        assert f.calls_of("a") < 10


async def test_an_upstream_that_accepts_and_never_answers_is_suspected_after_its_timeouts():
    async with fleet(engine("a", timeouts={"first_byte_s": 5}), engine("b")) as f:
        f.engines["a"].script(lambda request: hang())
        f.engines["b"].script(ScriptedReply(answer(), wait=1.0))
        replies = await asyncio.gather(*(f.ask(chat(f"{n}")) for n in range(2 * DISTINCT_FAILURES)))
        assert sorted({reply.status_code for reply in replies}) == [200, 504]
        assert verdicts(f)["a"] is Verdict.SUSPECTED
        after = [await f.ask(chat(f"after {n}")) for n in range(10)]
        assert {reply.status_code for reply in after} == {200}


async def hang() -> ScriptedReply:
    await asyncio.sleep(5)
    raise UpstreamTimeout("The upstream sent nothing in time.")


@pytest.mark.parametrize(
    ("error", "status"),
    [(UpstreamTimeout("The upstream sent nothing in time."), 504), (UpstreamFailed("It broke the connection."), 502)],
)
async def test_a_request_that_may_have_been_processed_is_not_asked_of_another(error, status):
    async with fleet(engine("a"), engine("b")) as f:
        f.engines["a"].script(error)
        assert (await f.ask()).status_code == status
        assert f.calls == 1


async def test_another_revision_takes_over_and_shares_no_answer_with_the_first():
    async with fleet(engine("a", revision="1"), engine("b", revision="2")) as f:
        assert text_of(await f.ask()) == "from a"
        f.engines["a"].script(dead)
        # The first to find out is answered too: nobody took its request, so it is asked again under the other's key.
        other = await f.ask(chat("not stored yet"))
        assert (text_of(other), fate(other)) == ("from b", "miss")
        assert text_of(await f.ask()) == "from b"
        f.app.pool.upstreams[0].health.probed(None)
        back = await f.ask()
        assert (text_of(back), fate(back)) == ("from a", "hit")
        assert text_of(await f.ask(chat("not stored yet"))) != "from b" or f.calls_of("a") > 1


async def test_a_suspected_upstream_yields_to_a_fallback_that_is_well():
    async with fleet(engine("a", revision="1"), engine("b", revision="2")) as f:
        f.engines["a"].script(failing())
        for n in range(DISTINCT_FAILURES):
            await f.ask(chat(f"{n}"))
        assert text_of(await f.ask(chat("next"))) == "from b"


async def test_models_go_where_they_are_served_in_the_order_of_the_file():
    served = fleet(
        engine("small", models=["qwen*"], aliases={"fast": "qwen2.5-1.5b"}),
        engine("large", models=["llama*", "qwen-max"]),
    )
    async with served as f:
        asked = {}
        for model in ("qwen2.5-7b", "fast", "llama-70b", "qwen-max"):
            asked[model] = text_of(await f.ask(chat("hello", model=model)))
        assert asked == {
            "qwen2.5-7b": "from small",
            "fast": "from small",
            "llama-70b": "from large",
            "qwen-max": "from small",
        }
        assert f.engines["small"].bodies[1]["model"] == "qwen2.5-1.5b"
        unknown = await f.ask(chat(model="gpt-9"))
        assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "model_not_found")


async def test_drain_by_configuration_sends_nothing_new_and_lets_what_is_under_way_finish():
    async with fleet(engine("a"), engine("b")) as f:
        f.engines["a"].script(ScriptedReply(answer("was under way"), wait=30.0))
        under_way = asyncio.ensure_future(f.ask(chat("long")))
        await asyncio.sleep(1)
        f.reload(upstreams=[engine("a", drain=True), engine("b")])
        for n in range(5):
            assert text_of(await f.ask(chat(f"{n}"))) == "from b"
        assert text_of(await under_way) == "was under way"
        f.reload(upstreams=[engine("a", drain=True), engine("b", drain=True)])
        reply = await f.ask(chat("nobody"))
        assert (reply.status_code, "a: draining; b: draining" in reply.text) == (503, True)


async def test_K06_an_alias_that_is_pointed_elsewhere_misses_and_pointed_back_hits():
    first = engine("a", aliases={"fast": "model-a"})
    async with fleet(first) as f:
        assert fate(await f.ask(chat(model="fast"))) == "miss"
        f.reload(upstreams=[engine("a", aliases={"fast": "model-b"})])
        assert fate(await f.ask(chat(model="fast"))) == "miss"
        assert [body["model"] for body in f.engines["a"].bodies] == ["model-a", "model-b"]
        f.reload(upstreams=[first])
        assert fate(await f.ask(chat(model="fast"))) == "hit"


async def test_K06_a_changed_revision_starts_afresh_and_a_changed_ttl_does_not():
    async with fleet(engine("a", revision="1")) as f:
        await f.ask()
        f.reload(upstreams=[engine("a", revision="2")])
        assert fate(await f.ask()) == "miss"
        assert f.calls == 2


async def test_more_places_by_a_reload_go_to_those_who_wait():
    async with fleet(engine("a", max_concurrency=1)) as f:
        f.engines["a"].script(ScriptedReply(answer(), wait=10.0))
        replies = [asyncio.ensure_future(f.ask(chat(f"{n}"))) for n in range(4)]
        await asyncio.sleep(1)
        assert f.calls == 1
        f.reload(upstreams=[engine("a", max_concurrency=3)])
        await asyncio.sleep(1)
        assert f.calls == 3
        f.reload(upstreams=[engine("a", max_concurrency=1)])
        await asyncio.gather(*replies)
        gate = f.app.pool.upstreams[0].gate
        assert (gate.in_flight, gate.waiting) == (0, 0)
        # The last one began only once all three had left: 10 s for the first, 11 s for the two, 21 s for the last.
        assert asyncio.get_running_loop().time() == 21
