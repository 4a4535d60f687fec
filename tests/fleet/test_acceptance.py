"""Where the engine is the judge, a stored answer is served only to whom it accepted lately."""

import asyncio

import pytest

from proxy.acceptance import YOUNG
from proxy.upstream.client import UpstreamRequest
from tests.builders import ScriptedReply, answer, chat
from tests.fleet.builders import dead, engine, fate, fleet

pytestmark = pytest.mark.anyio

TTL_S = 300


class Judge:
    """An engine that knows keys."""

    def __init__(self, *keys: str) -> None:
        self.keys = set(keys)
        self.checks = 0
        self.generations = 0

    def __call__(self, request: UpstreamRequest) -> ScriptedReply:
        if dict(request.headers).get(b"authorization", b"").decode().removeprefix("Bearer ") not in self.keys:
            return ScriptedReply({"error": "Unauthorized"}, status=401)
        if request.method == "GET":
            self.checks += 1
            return ScriptedReply({"object": "list", "data": [{"id": "m"}]}, wait=0.5)
        self.generations += 1
        return ScriptedReply(answer())


async def test_a_revoked_key_stops_getting_hits_within_auth_ttl_s():
    judge = Judge("sk-a")
    async with fleet(auth_ttl_s=TTL_S) as f:
        f.upstream.script(judge)
        await f.ask(key="sk-a")
        assert fate(await f.ask(key="sk-a")) == "hit"
        judge.keys.clear()
        await asyncio.sleep(TTL_S - 1)
        assert fate(await f.ask(key="sk-a")) == "hit"  # a hit is no acceptance: it does not make it last longer
        await asyncio.sleep(1)
        for _ in range(3):
            assert (await f.ask(key="sk-a")).status_code == 401


async def test_a_key_that_is_still_good_is_checked_once_however_many_ask_and_costs_no_generation():
    judge = Judge("sk-a")
    async with fleet(auth_ttl_s=TTL_S) as f:
        f.upstream.script(judge)
        await f.ask(key="sk-a")
        await asyncio.sleep(TTL_S)
        replies = await asyncio.gather(*(f.ask(key="sk-a") for _ in range(20)))
        assert {fate(reply) for reply in replies} == {"hit"}
        assert (judge.checks, judge.generations) == (1, 1)
        assert fate(await f.ask(key="sk-a")) == "hit"
        assert judge.checks == 1


async def test_what_an_engine_goes_on_accepting_needs_no_check():
    judge = Judge("sk-a")
    async with fleet(auth_ttl_s=TTL_S) as f:
        f.upstream.script(judge)
        for number in range(60):
            await f.ask(chat(f"new {number}"), key="sk-a")
            assert fate(await f.ask(chat("new 0"), key="sk-a")) == "hit"
            await asyncio.sleep(TTL_S / 10)
        assert judge.checks == 0
        judge.keys.clear()
        await asyncio.sleep(TTL_S * (1 - YOUNG))
        assert (await f.ask(chat("new 0"), key="sk-a")).status_code == 401


async def test_an_acceptance_that_is_still_young_keeps_its_first_time():
    judge = Judge("sk-a")
    async with fleet(auth_ttl_s=TTL_S) as f:
        f.upstream.script(judge)
        await f.ask(key="sk-a")
        await asyncio.sleep(TTL_S * YOUNG / 2)
        await f.ask(chat("another"), key="sk-a")
        judge.keys.clear()
        await asyncio.sleep(TTL_S * (1 - YOUNG / 2) - 1)
        assert fate(await f.ask(key="sk-a")) == "hit"
        await asyncio.sleep(1)
        assert (await f.ask(key="sk-a")).status_code == 401


async def test_more_credentials_than_are_remembered_are_checked_again_and_never_taken_for_accepted(monkeypatch):
    monkeypatch.setattr("proxy.acceptance.REMEMBERED", 3)
    keys = [f"sk-{number}" for number in range(5)]
    judge = Judge(*keys)
    async with fleet(auth_ttl_s=TTL_S) as f:
        f.upstream.script(judge)
        for key in keys:
            await f.ask(key=key)
        for key in reversed(keys):
            assert fate(await f.ask(key=key)) == "hit"
        assert (judge.checks, judge.generations) == (2, 5)


async def test_a_refusal_takes_the_acceptance_back_at_once():
    judge = Judge("sk-a")
    async with fleet(auth_ttl_s=TTL_S) as f:
        f.upstream.script(judge)
        await f.ask(key="sk-a")
        judge.keys.clear()
        assert (await f.ask(chat("another"), key="sk-a")).status_code == 401
        assert (await f.ask(key="sk-a")).status_code == 401


async def test_with_a_time_of_zero_every_hit_is_checked():
    judge = Judge("sk-a")
    async with fleet(auth_ttl_s=0) as f:
        f.upstream.script(judge)
        await f.ask(key="sk-a")
        for _ in range(3):
            assert fate(await f.ask(key="sk-a")) == "hit"
        assert (judge.checks, judge.generations) == (3, 1)


async def test_a_judge_that_can_not_be_asked_accepts_nobody():
    judge = Judge("sk-a")
    async with fleet(auth_ttl_s=TTL_S) as f:
        f.upstream.script(judge)
        await f.ask(key="sk-a")
        await asyncio.sleep(TTL_S)
        f.upstream.script(dead)
        assert (await f.ask(key="sk-a")).status_code == 503
        f.app.pool.upstreams[0].health.probed(None)
        f.upstream.script(judge)
        assert fate(await f.ask(key="sk-a")) == "hit"


async def test_what_one_engine_accepts_is_nothing_to_another():
    first, second = Judge("sk-a"), Judge("sk-a")
    served = fleet(engine("a", models=["one"]), engine("b", models=["two"]), auth_ttl_s=TTL_S)
    async with served as f:
        f.engines["a"].script(first)
        f.engines["b"].script(second)
        await f.ask(chat(model="one"), key="sk-a")
        first.keys.clear()
        for _ in range(4):
            await asyncio.sleep(TTL_S / 2)
            assert (await f.ask(chat(f"{_}", model="two"), key="sk-a")).status_code == 200
        assert (await f.ask(chat(model="one"), key="sk-a")).status_code == 401


async def test_an_engine_that_never_sees_the_credential_accepts_none():
    judge = Judge("sk-a")
    own_key = engine("b", models=["two"], api_key_env="ENGINE_KEY")
    served = fleet(engine("a", models=["one"]), own_key, environment={"ENGINE_KEY": "sk-b"}, auth_ttl_s=TTL_S)
    async with served as f:
        f.engines["a"].script(judge)
        await f.ask(chat(model="one"), key="sk-a")
        judge.keys.clear()
        await asyncio.sleep(TTL_S)
        assert (await f.ask(chat(model="two"), key="sk-a")).status_code == 200
        assert (await f.ask(chat(model="one"), key="sk-a")).status_code == 401


async def test_where_askonce_judges_the_engine_is_not_asked():
    tenants = [{"name": "acme", "api_keys": ["sk-acme-one"]}]
    own_key = engine("a", api_key_env="ENGINE_KEY")
    async with fleet(own_key, environment={"ENGINE_KEY": "sk-b"}, tenants=tenants, auth_ttl_s=0) as f:
        await f.ask(key="sk-acme-one")
        assert fate(await f.ask(key="sk-acme-one")) == "hit"
        assert f.calls == 1
