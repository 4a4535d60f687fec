"""P03 over sockets, where exact hits take the short way through the server's protocol."""

from typing import Any

import httpx
import pytest

import tests.live
from bench.upstream import StubUpstream
from config.settings import Settings
from proxy.app import App
from proxy.request_head import RequestHead
from proxy.server import DrainingServer
from tests.builders import chat, text_of
from tests.fleet.builders import fate
from tests.fleet.test_tenants_apart import CREDENTIALS, SPOOFS, A, B
from tests.live import serving

pytestmark = [pytest.mark.anyio, pytest.mark.real_loop]


class Lane:
    """The short way, and how often it was taken."""

    app: App
    taken = 0

    def server(self, app: App, *given: Any) -> DrainingServer:
        self.app = app
        host, port, limits, on_drain, on_reload, on_listening, *_ = given
        return DrainingServer(app, host, port, limits, on_drain, on_reload, on_listening, self, app.edge.direct)

    def parsed(self, head: RequestHead, body: bytes) -> bytes | None:
        return self.counted(self.app.hit_lane.parsed(head, body))

    def arrived_as(self, data: bytes) -> None:
        self.app.hit_lane.arrived_as(data)

    def unparsed(self, data: bytes) -> bytes | None:
        return self.counted(self.app.hit_lane.unparsed(data))

    def counted(self, reply: bytes | None) -> bytes | None:
        self.taken += reply is not None
        return reply


@pytest.fixture(autouse=True)
def lane(monkeypatch):
    lane = Lane()
    monkeypatch.setattr(tests.live, "DrainingServer", lane.server)
    return lane


BODY = chat("[[stub: counter words=3]] who am I?", model="stub")


async def ask(http: httpx.AsyncClient, headers: dict[str, str]) -> httpx.Response:
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    return await http.post("/v1/chat/completions", json=BODY, headers=raw)


async def test_P03_no_credential_gets_anothers_answer_on_the_short_way_of_a_hit(lane):
    # A client library writes no blanks at the ends of a value; a server would drop them.
    who = [headers for headers in CREDENTIALS.values() if all(value == value.strip() for value in headers.values())]
    async with (
        StubUpstream() as stub,
        serving(stub.url) as live,
        httpx.AsyncClient(base_url=live.url, trust_env=False) as http,
    ):
        rounds = [[text_of(await ask(http, headers)) for headers in who] for _ in range(3)]
        assert len(set(rounds[0])) == len(who)
        assert rounds[1] == rounds[2] == rounds[0]
        assert lane.taken == len(who)
        # And b, whatever it writes beside its own credential, never gets a's.
        theirs = [text_of(await ask(http, {"authorization": B, **spoof})) for spoof in SPOOFS for _ in range(3)]
        assert text_of(await ask(http, {"authorization": A})) not in theirs
        assert stub.engine.stats.generations == len(who)


async def test_P03_the_same_bytes_from_another_peer_are_not_the_tenant_that_a_trusted_one_named():
    trust: dict[str, Any] = {"trust_tenant_header": True, "trusted_proxies": ["127.0.0.1"]}
    elsewhere = httpx.AsyncHTTPTransport(local_address="127.0.0.2")
    async with (
        StubUpstream() as stub,
        serving(stub.url, **trust) as live,
        httpx.AsyncClient(base_url=live.url, trust_env=False) as http,
        httpx.AsyncClient(base_url=live.url, trust_env=False, transport=elsewhere) as other,
    ):
        named = [text_of(await ask(http, {"x-tenant": "acme"})) for _ in range(3)]
        assert len(set(named)) == 1
        assert text_of(await ask(other, {"x-tenant": "acme"})) != named[0]


async def test_P03_a_key_that_a_reload_took_away_gets_no_more_hits_on_the_short_way(lane):
    engines = [{"name": "a", "url": "", "api_key_env": "ENGINE_KEY"}]
    async with StubUpstream() as stub:
        engines[0]["url"] = stub.url
        tenants = [{"name": "acme", "api_keys": ["sk-acme-one"]}]
        environment = {"ENGINE_KEY": "sk-engine"}
        async with (
            serving(upstreams=engines, tenants=tenants, environment=environment) as live,
            httpx.AsyncClient(base_url=live.url, trust_env=False) as http,
        ):
            key = {"authorization": "Bearer sk-acme-one"}
            assert [fate(await ask(http, key)) for _ in range(3)] == ["miss", "hit", "hit"]
            other = {"upstreams": engines, "tenants": [{"name": "acme", "api_keys": ["sk-acme-two"]}]}
            assert lane.taken == 1
            live.app.apply(Settings.model_validate({"access_log": "off", **other}), live.app.policies.current)
            assert (await ask(http, key)).status_code == 401


async def test_a_limited_rate_and_every_directive_count_on_the_short_way_too():
    tenants = [{"name": "acme", "api_keys": ["sk-acme-one"], "requests_per_minute": 5}]
    async with (
        StubUpstream() as stub,
        serving(stub.url, tenants=tenants) as live,
        httpx.AsyncClient(base_url=live.url, trust_env=False) as http,
    ):
        key = {"authorization": "Bearer sk-acme-one"}
        assert [(await ask(http, key)).status_code for _ in range(7)] == [200] * 5 + [429] * 2
    async with (
        StubUpstream() as stub,
        serving(stub.url) as live,
        httpx.AsyncClient(base_url=live.url, trust_env=False) as http,
    ):
        assert [fate(await ask(http, {})) for _ in range(3)] == ["miss", "hit", "hit"]
        for name, value in (("cache-control", "no-cache"), ("cache-control", "no-store"), ("x-askonce-bypass", "all")):
            assert fate(await ask(http, {name: value})) == "bypass"
