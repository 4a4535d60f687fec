"""What a configured tenant may ask, and how often."""

import time
from typing import Any

import pytest

from tests.builders import chat
from tests.fleet.builders import engine, fleet

pytestmark = pytest.mark.anyio

ACME = {"name": "acme", "api_keys": ["sk-acme-one"]}
OTHER = {"name": "other", "api_keys": ["sk-other-one"]}


def two_engines() -> tuple[dict[str, Any], dict[str, Any]]:
    return engine("a", models=["qwen*"], aliases={"fast": "qwen-1"}), engine("b", models=["llama*"])


async def test_a_tenant_asks_the_models_it_may_and_sees_no_others():
    async with fleet(*two_engines(), tenants=[{**ACME, "models": ["qwen*", "fast"]}, OTHER]) as f:
        assert (await f.ask(chat(model="qwen-7b"), key="sk-acme-one")).status_code == 200
        assert (await f.ask(chat(model="fast"), key="sk-acme-one")).status_code == 200
        for model in ("llama-70b", None, ...):
            reply = await f.ask(chat(model=model), key="sk-acme-one")
            assert (reply.status_code, reply.json()["error"]["code"]) == (403, "model_not_allowed")
        assert (await f.ask(chat(model="llama-70b"), key="sk-other-one")).status_code == 200


async def test_a_right_is_asked_before_the_cache_is():
    async with fleet(*two_engines(), tenants=[ACME]) as f:
        await f.ask(chat(model="qwen-7b"), key="sk-acme-one")
        f.reload(upstreams=list(two_engines()), tenants=[{**ACME, "models": ["llama*"]}])
        assert (await f.ask(chat(model="qwen-7b"), key="sk-acme-one")).status_code == 403


async def test_paths_that_pass_through_obey_the_same_rights():
    async with fleet(*two_engines(), tenants=[{**ACME, "models": ["qwen*"]}]) as f:
        asked = {
            model: (await f.ask({"model": model, "input": "x"}, path="/v1/embeddings", key="sk-acme-one")).status_code
            for model in ("qwen-embed", "llama-embed")
        }
        assert asked == {"qwen-embed": 200, "llama-embed": 403}
        assert (await f.ask(b"no json", path="/v1/embeddings", key="sk-acme-one")).status_code == 403
        assert (await f.ask({"model": "qwen"}, path="/v1/embeddings", key="sk-nobody")).status_code == 401


async def test_over_its_rate_a_tenant_gets_429_and_when_to_come_again_and_others_do_not():
    async with fleet(tenants=[{**ACME, "requests_per_minute": 3}, OTHER]) as f:
        statuses = [(await f.ask(key="sk-acme-one")).status_code for _ in range(5)]
        assert statuses == [200, 200, 200, 429, 429]
        refused = await f.ask(key="sk-acme-one")
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert refused.json()["error"]["code"] == "rate_limited"
        assert (await f.ask(key="sk-other-one")).status_code == 200
        # Hits count too, and every other path.
        assert f.calls == 2
        models = await f.client.get("/v1/models", headers={"authorization": "Bearer sk-acme-one"})
        assert models.status_code == 429


async def test_a_clock_that_is_set_back_locks_no_tenant_out(monkeypatch):
    now_s = 1_700_000_000.0
    monkeypatch.setattr(time, "time", lambda: now_s)
    async with fleet(tenants=[{**ACME, "requests_per_minute": 2}]) as f:
        assert [(await f.ask(key="sk-acme-one")).status_code for _ in range(3)] == [200, 200, 429]
        now_s -= 3600
        assert [(await f.ask(key="sk-acme-one")).status_code for _ in range(3)] == [200, 200, 429]
        now_s += 61
        assert (await f.ask(key="sk-acme-one")).status_code == 200


async def test_a_reload_takes_a_key_away_and_gives_another():
    async with fleet(tenants=[ACME]) as f:
        assert (await f.ask(key="sk-acme-one")).status_code == 200
        f.reload(upstreams=[engine("a")], tenants=[{**ACME, "api_keys": ["sk-acme-new"]}])
        assert (await f.ask(key="sk-acme-one")).status_code == 401
        assert (await f.ask(key="sk-acme-new")).status_code == 200
