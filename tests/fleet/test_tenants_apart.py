"""P03: two tenants never meet, whatever way there is to an answer, and whatever a client writes into its headers."""

import asyncio
import itertools
from typing import Any

import httpx
import pytest

from tests.builders import chat, policy_set, text_of
from tests.fleet.builders import Fleet, counted, engine, fate, fleet

pytestmark = pytest.mark.anyio

A, B = "Bearer sk-tenant-a", "Bearer sk-tenant-b"

CREDENTIALS: dict[str, dict[str, str]] = {
    "none": {},
    "empty": {"authorization": ""},
    "empty bearer": {"authorization": "Bearer "},
    "blank x-api-key": {"x-api-key": " "},
    "a": {"authorization": A},
    "b": {"authorization": B},
    "a in other case": {"authorization": A.upper()},
    "a by x-api-key": {"x-api-key": "sk-tenant-a"},
    "a by api-key": {"api-key": "sk-tenant-a"},
    "a, b beside it": {"authorization": A, "x-api-key": "sk-tenant-b"},
    "a, b beside it in api-key": {"authorization": A, "api-key": "sk-tenant-b"},
    "a twice over": {"authorization": A, "x-api-key": "sk-tenant-a"},
    "a and b in one field": {"authorization": f"{A}, {B}"},
    "basic": {"authorization": "Basic c2stdGVuYW50LWE6"},
    "not ascii": {"authorization": "Bearer sk-t\u00e4nant"},
}
"""Credentials of which no two are equal, so no two may share."""

SPOOFS = [
    {"x-tenant": "a"},
    {"x-tenant": ""},
    {"x-forwarded-for": "10.0.0.1", "x-tenant": "a"},
    {"x-forwarded-user": "a", "forwarded": "for=10.0.0.1", "x-real-ip": "10.0.0.1"},
    {"x-askonce-tenant": "a", "openai-organization": "a"},
    {"host": "a.example"},
]
"""What a client may write to pass for somebody else."""

WAYS = list(itertools.product(["exact", "flight", "stale"], [False, True]))
"""How an answer may come to a second client, and in which wire mode."""


async def ask(f: Fleet, headers: dict[str, str], *, stream: bool = False) -> httpx.Response:
    fields = {"content-type": "application/json", **headers}
    raw = [(name.encode(), value.encode("latin-1")) for name, value in fields.items()]
    reply = await f.client.post("/v1/chat/completions", json=chat(stream=stream), headers=raw)
    assert reply.status_code == 200, reply.text
    return reply


async def answers(f: Fleet, who: list[dict[str, str]], way: str, *, stream: bool) -> list[str]:
    """The texts that these clients get for one and the same body."""
    if way == "flight":
        return [text_of(reply) for reply in await asyncio.gather(*(ask(f, h, stream=stream) for h in who))]
    texts = [text_of(await ask(f, headers, stream=stream)) for headers in who]
    if way == "stale":
        await asyncio.sleep(15)
        again = [await ask(f, headers, stream=stream) for headers in who]
        assert {fate(reply) for reply in again} == {"stale"}
        assert [text_of(reply) for reply in again] == texts
    return texts


STALE = policy_set(exact={"ttl_s": 10, "stale_while_revalidate_s": 60})


@pytest.mark.parametrize(("way", "stream"), WAYS)
async def test_P03_each_credential_has_its_own_generation(way, stream):
    who = list(CREDENTIALS.values())
    async with fleet(policies=STALE) as f:
        f.engines["a"].script(counted(1.0))
        first = await answers(f, who, way, stream=stream)
        assert len(set(first)) == len(who)
        # And each gets its own again, in the other wire mode too.
        second = [text_of(await ask(f, headers, stream=not stream)) for headers in who]
        assert len(set(second)) == len(who)


@pytest.mark.parametrize(("way", "stream"), WAYS)
@pytest.mark.parametrize("trusting", [False, True])
async def test_P03_no_header_of_a_clients_own_makes_it_somebody_else(way, stream, trusting):
    trust: dict[str, Any] = {"trust_tenant_header": True, "trusted_proxies": ["10.0.0.0/8"]} if trusting else {}
    async with fleet(policies=STALE, peer="192.0.2.7", **trust) as f:
        f.engines["a"].script(counted(1.0))
        who = [{"authorization": A}, *({"authorization": B, **spoof} for spoof in SPOOFS)]
        texts = await answers(f, who, way, stream=stream)
        assert len(set(texts)) == 2
        assert texts.count(texts[0]) == 1  # a's answer went to nobody else


async def test_P03_x_tenant_counts_from_a_trusted_peer_and_an_empty_one_names_nobody():
    async with fleet(trust_tenant_header=True, trusted_proxies=["10.0.0.0/8"], peer="::ffff:10.1.2.3") as f:
        f.engines["a"].script(counted())
        named = [{"x-tenant": "acme"}, {"x-tenant": "other"}]
        assert len(set(await answers(f, named, "exact", stream=False))) == 2
        # The engine judges each credential, so even within one tenant they stay apart.
        within = [{"x-tenant": "acme", "authorization": A}, {"x-tenant": "acme", "authorization": B}]
        assert len(set(await answers(f, within, "exact", stream=False))) == 2
    own_key = engine("a", api_key_env="ENGINE_KEY")
    trust: dict[str, Any] = {"trust_tenant_header": True, "trusted_proxies": ["10.0.0.0/8"], "peer": "10.1.2.3"}
    async with fleet(own_key, environment={"ENGINE_KEY": "sk-engine"}, **trust) as f:
        f.engines["a"].script(counted())
        # Where the engine does not judge them, a tenant's credentials share.
        assert len(set(await answers(f, within, "exact", stream=False))) == 1
        empty = [{"x-tenant": "", "authorization": A}, {"x-tenant": "", "authorization": B}]
        assert len(set(await answers(f, empty, "exact", stream=False))) == 2


@pytest.mark.parametrize("environment", [{}, {"ENGINE_KEY": ""}, {"ENGINE_KEY": "sk\u200b"}])
async def test_H03_where_an_upstreams_own_key_is_missing_the_clients_does_not_go_up_in_its_place(environment):
    tenants = [{"name": "acme", "api_keys": ["sk-acme-one"]}]
    async with fleet(engine("a", api_key_env="ENGINE_KEY"), environment=environment, tenants=tenants) as f:
        assert (await f.ask(key="sk-acme-one")).status_code == 200
        assert b"authorization" not in dict(f.engines["a"].requests[0].headers)


async def test_P03_configured_tenants_share_within_and_never_across():
    tenants = [
        {"name": "acme", "api_keys": ["sk-acme-one", "sk-acme-two"]},
        {"name": "other", "api_keys": ["sk-other-one"]},
    ]
    own_key = engine("a", api_key_env="ENGINE_KEY")
    async with fleet(own_key, environment={"ENGINE_KEY": "sk-engine"}, tenants=tenants) as f:
        f.engines["a"].script(counted())
        texts = [text_of(await f.ask(key=key)) for key in ("sk-acme-one", "sk-acme-two", "sk-other-one")]
        assert texts == ["g1", "g1", "g2"]
        assert {dict(request.headers)[b"authorization"] for request in f.engines["a"].requests} == {b"Bearer sk-engine"}
        for headers in ({}, {"authorization": "Bearer sk-unknown"}, {"authorization": "Bearer sk-acme-one, sk-x"}):
            reply = await f.client.post("/v1/chat/completions", json=chat(), headers=headers)
            assert (reply.status_code, reply.json()["error"]["code"]) == (401, "invalid_api_key")
        # Two keys that belong to different tenants are nobody's.
        both = {"authorization": "Bearer sk-acme-one", "x-api-key": "sk-other-one"}
        assert (await f.client.post("/v1/chat/completions", json=chat(), headers=both)).status_code == 401
        assert f.calls == 2


async def test_P03_an_upstream_that_judges_added_by_a_reload_keeps_one_tenants_keys_apart():
    tenants = [{"name": "acme", "api_keys": ["sk-acme-one", "sk-acme-two"]}]
    own_key = engine("a", api_key_env="ENGINE_KEY")
    async with fleet(own_key, environment={"ENGINE_KEY": "sk-engine"}, tenants=tenants) as f:
        f.reload(upstreams=[engine("b")], tenants=tenants)
        f.engines["b"].script(counted())
        assert text_of(await f.ask(key="sk-acme-one")) != text_of(await f.ask(key="sk-acme-two"))


async def test_the_same_credential_is_the_same_tenant_only_under_the_same_secret():
    async with fleet(tenant_secret="s" * 32) as f, fleet(tenant_secret="s" * 32) as again, fleet() as random:
        fields = {b"authorization": A.encode()}
        ids = [one.app.tenants.enter(fields, None).id for one in (f, again, random)]
        assert ids[0] == ids[1] != ids[2]


async def test_no_credential_is_in_what_a_tenant_is_called():
    async with fleet() as f:
        tenant = f.app.tenants.enter({b"authorization": A.encode()}, None)
        assert "sk-tenant-a" not in repr(tenant)
