"""What the probe finds out, how soon, and what it tells. A scripted control plane, virtual time."""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx
import pytest

from proxy.probe import Probe, fingerprints, ollama_fingerprints
from proxy.upstream.health import DISTINCT_FAILURES, Verdict
from tests.builders import ScriptedReply, answer, chat, policy_set, text_of
from tests.fleet.builders import Fleet, dead, engine, failing, fate, fleet
from tests.live import PATIENCE_S
from tests.proxy.upstream.scripted_server import READ, ScriptedServer, plain
from tests.proxy.upstream.test_https import CERTIFICATE

pytestmark = pytest.mark.anyio

PERIOD_S = 5.0
TIMEOUT_S = 2.0


class Control:
    """What the engines answer to a probe, by host and path. `gone` refuses connections, `hung` never answers."""

    def __init__(self) -> None:
        self.gone: set[str] = set()
        self.hung: set[str] = set()
        self.replies: dict[tuple[str, str], httpx.Response] = {}
        self.asked: list[tuple[float, str, str]] = []

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        host = request.url.host.removesuffix(".test")
        self.asked.append((asyncio.get_running_loop().time(), host, request.url.path))
        if host in self.gone:
            raise httpx.ConnectError("refused", request=request)
        if host in self.hung:
            await asyncio.Event().wait()
        default = {"/health": httpx.Response(200), "/v1/models": httpx.Response(200, json={"data": [{"id": "m"}]})}
        return self.replies.get((host, request.url.path), default.get(request.url.path, httpx.Response(404)))

    def says(self, host: str, path: str, status: int = 200, body: object = None) -> None:
        self.replies[host, path] = httpx.Response(status, json=body)


@asynccontextmanager
async def probing(f: Fleet, control: Control) -> AsyncIterator[Probe]:
    probe = Probe(f.app.pool, interval_s=PERIOD_S, timeout_s=TIMEOUT_S, transport=lambda: httpx.MockTransport(control))
    f.app.probe = probe
    await probe.start()
    try:
        yield probe
    finally:
        await probe.aclose()


def verdicts(f: Fleet) -> list[Verdict]:
    return [upstream.health.verdict for upstream in f.app.pool.upstreams]


async def until(condition: Callable[[], bool]) -> float:
    """Wait for what has to happen; the time it took."""
    loop = asyncio.get_running_loop()
    start_s = loop.time()
    while not condition():  # noqa: ASYNC110 - on virtual time
        await asyncio.sleep(0.1)
    return loop.time() - start_s


async def test_T05_readiness_follows_the_upstreams_within_the_probe_period_and_liveness_does_not():
    control = Control()
    async with fleet(engine("a")) as f, probing(f, control):
        assert (await f.client.get("/readyz")).json() == {
            "status": "ok",
            "upstreams": {"a": {"state": "usable"}},
            "store": "ok",
            "embedder": "unused",
        }
        control.gone.add("a")
        assert await until(lambda: verdicts(f) == [Verdict.DOWN]) <= PERIOD_S + 0.1
        ready, alive = await f.client.get("/readyz"), await f.client.get("/healthz")
        assert (ready.status_code, alive.status_code) == (503, 200)
        assert ready.json()["status"] == "unavailable"
        assert ready.json()["upstreams"] == {"a": {"state": "down", "reason": "no connection"}}
        asked = len(control.asked)
        for _ in range(100):
            await f.client.get("/readyz")
        assert len(control.asked) == asked
        control.gone.clear()
        assert await until(lambda: verdicts(f) == [Verdict.USABLE]) <= PERIOD_S + 0.1
        assert (await f.client.get("/readyz")).status_code == 200


async def test_T05_one_usable_upstream_is_enough_to_be_ready_and_the_other_is_told():
    control = Control()
    control.gone.add("a")
    async with fleet(engine("a"), engine("b")) as f, probing(f, control):
        reply = await f.client.get("/readyz")
        assert (reply.status_code, reply.json()["status"]) == (200, "degraded")
        f.app.drain()
        reply = await f.client.get("/readyz")
        assert (reply.status_code, reply.json()["status"]) == (503, "draining")


@pytest.mark.real_loop
async def test_T05_an_embedder_in_trouble_is_told_and_takes_nothing_from_service():
    policies = policy_set(semantic={"mode": "on", "threshold": 0.9})
    async with fleet(policies=policies, embedder={"sha256": "0" * 64}) as f:
        await f.app.start_semantics()
        reply = await f.client.get("/readyz")
        assert (reply.status_code, reply.json()["status"]) == (200, "degraded")
        assert reply.json()["embedder"] not in ("ok", "unused")
        assert fate(await f.ask()) == "miss"


async def test_a_hung_upstream_is_found_by_two_probes_and_recovers_within_one_period():
    control = Control()
    async with fleet(engine("a"), engine("b")) as f, probing(f, control):
        control.hung.add("a")
        took_s = await until(lambda: verdicts(f) == [Verdict.DOWN, Verdict.USABLE])
        assert took_s <= PERIOD_S + 2 * TIMEOUT_S + 0.1
        assert f.app.pool.upstreams[0].health.reason == "no answer within 2 s"
        for n in range(5):
            assert (await f.ask(chat(f"{n}"))).status_code == 200
        assert f.calls_of("a") == 0
        control.hung.clear()
        assert await until(lambda: verdicts(f) == [Verdict.USABLE] * 2) <= PERIOD_S + TIMEOUT_S + 0.1


async def test_a_server_that_answers_no_probe_while_it_works_is_asked_all_the_same_if_nobody_better_is_left():
    control = Control()
    async with fleet(engine("a"), engine("b")) as f, probing(f, control):
        f.engines["a"].script(ScriptedReply(answer("slow"), wait=60.0))
        first = asyncio.ensure_future(f.ask(chat("first")))
        await until(lambda: f.calls_of("a") == 1)
        control.hung.add("a")
        await until(lambda: verdicts(f) == [Verdict.SUSPECTED, Verdict.USABLE])
        assert f.app.ready()[0]
        f.engines["a"].script(ScriptedReply(answer("slow")))
        assert text_of(await f.ask(chat("second"))) == "from b"
        f.engines["b"].script(dead)
        assert text_of(await f.ask(chat("third"))) == "slow"
        assert (await first).status_code == 200


async def test_a_server_that_fails_whatever_is_no_completion_is_asked_where_there_is_none_but_it():
    control = Control()
    control.says("a", "/health", 500)
    async with fleet(engine("a")) as f, probing(f, control):
        assert not f.app.ready()[0]
        assert fate(await f.ask(chat("first"))) == "miss"
        assert f.app.ready()[0]
        await asyncio.sleep(3 * PERIOD_S)
        assert verdicts(f) == [Verdict.USABLE]
        control.says("a", "/health", 200)
        await asyncio.sleep(PERIOD_S)
        control.says("a", "/health", 500)
        await until(lambda: verdicts(f) == [Verdict.DOWN])


@pytest.mark.parametrize("path", ["/health", "/v1/models"])
async def test_a_server_that_knows_nothing_but_the_completions_is_well(path):
    control = Control()
    control.says("a", path, 501)
    async with fleet(engine("a")) as f, probing(f, control):
        assert verdicts(f) == [Verdict.USABLE]
        assert fate(await f.ask()) == "miss"


@pytest.mark.real_loop
async def test_a_probe_trusts_the_authorities_that_requests_trust(monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))  # as an authority of a company's own is added to the system's
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(CERTIFICATE)
    server = await ScriptedServer.start([[READ, plain(b"{}")]], tls)
    async with fleet(engine("a", url=server.url)) as f:
        await f.app.probe.start()
        found = verdicts(f)
    await server.aclose()
    assert found == [Verdict.USABLE]
    assert [request.line for request in server.requests] == [b"GET /health HTTP/1.1", b"GET /v1/models HTTP/1.1"]


@pytest.mark.real_loop
async def test_a_probe_leaves_no_connection_behind_which_a_server_of_one_thread_would_go_on_serving():
    server = await ScriptedServer.start([[READ, plain(b"{}"), READ, plain(b"{}")]])
    async with fleet(engine("a", url=server.url), probe_s=3600) as f:
        await f.app.probe.start()
        found = verdicts(f)
        await asyncio.wait_for(asyncio.gather(*(peer.closed.wait() for peer in server.peers)), PATIENCE_S)
        await f.app.probe.aclose()
    await server.aclose()
    assert (found, len(server.peers)) == ([Verdict.USABLE], 2)


async def test_a_dead_engine_behind_a_server_that_lives_is_down():
    control = Control()
    control.says("a", "/health", 503)
    async with fleet(engine("a")) as f, probing(f, control):
        assert f.app.pool.upstreams[0].health.reason == "/health says 503"
        assert not f.app.ready()[0]


async def test_a_refused_connection_has_the_probe_look_at_once():
    control = Control()
    async with fleet(engine("a"), engine("b")) as f, probing(f, control):
        f.engines["a"].script(dead)
        await f.ask()
        await until(lambda: len(control.asked) > 4)
        assert {(at_s, host) for at_s, host, _ in control.asked[4:]} == {(0.0, "a")}


async def test_an_engine_that_says_it_is_well_and_fails_every_request_stays_suspected_for_a_period():
    control = Control()
    async with fleet(engine("a"), engine("b")) as f, probing(f, control):
        f.engines["a"].script(failing())
        for n in range(3 * DISTINCT_FAILURES):
            await f.ask(chat(f"{n}"))
            await asyncio.sleep(0.01)
        assert f.calls_of("a") == DISTINCT_FAILURES
        assert await until(lambda: verdicts(f)[0] is Verdict.USABLE) <= PERIOD_S + 0.1


async def test_an_upstream_that_a_reload_brings_is_probed_at_once_and_one_it_takes_is_let_go():
    control = Control()
    async with fleet(engine("a")) as f, probing(f, control):
        f.reload(upstreams=[engine("a"), engine("b")])
        await asyncio.sleep(0.1)
        assert "b" in {host for _, host, _ in control.asked}
        f.reload(upstreams=[engine("b")])
        await asyncio.sleep(0.1)
        control.asked.clear()
        await asyncio.sleep(3 * PERIOD_S)
        assert {host for _, host, _ in control.asked} == {"b"}


async def test_whatever_an_engine_answers_the_probe_goes_on():
    control = Control()
    async with fleet(engine("a")) as f, probing(f, control):
        bodies: list[object] = [None, [], {"data": 3}, {"data": [3, {"id": 5}, {"id": "m", "root": "x" * 1000}]}]
        for body in bodies:
            control.says("a", "/v1/models", 200, body)
            await asyncio.sleep(PERIOD_S)
        asked = len(control.asked)
        await asyncio.sleep(PERIOD_S)
        assert len(control.asked) > asked
        assert verdicts(f) == [Verdict.USABLE]


async def test_K06_other_weights_under_an_unchanged_name_start_a_new_revision_and_say_so(caplog):
    control = Control()
    control.says("a", "/v1/models", 200, {"data": [{"id": "m", "root": "/models/one", "created": 1}]})
    async with fleet(engine("a")) as f, probing(f, control):
        await f.ask()
        control.says("a", "/v1/models", 200, {"data": [{"id": "m", "root": "/models/one", "created": 2}]})
        await asyncio.sleep(PERIOD_S)
        assert fate(await f.ask()) == "hit"
        control.says("a", "/v1/models", 200, {"data": [{"id": "m", "root": "/models/two", "created": 3}]})
        with caplog.at_level(logging.WARNING):
            await asyncio.sleep(PERIOD_S + 0.1)
        assert fate(await f.ask()) == "miss"
        assert f.calls == 2
        assert "the weights behind m have changed" in caplog.text


async def test_a_restart_of_the_same_engine_keeps_its_answers():
    control = Control()
    control.says("a", "/v1/models", 200, {"data": [{"id": "m", "meta": {"n_params": 7}}]})
    async with fleet(engine("a")) as f, probing(f, control):
        await f.ask()
        control.gone.add("a")
        await asyncio.sleep(2 * PERIOD_S)
        control.gone.clear()
        await asyncio.sleep(2 * PERIOD_S)
        assert fate(await f.ask()) == "hit"


def test_what_identifies_weights_is_read_and_what_changes_by_itself_is_not():
    entry = b'{"id": "m", "root": "/w", "created": 1, "permission": [{"id": "a"}]}'
    vllm = b'{"data": [' + entry + b', {"id": "lora", "parent": "m"}]}'
    again = vllm.replace(b'"created": 1', b'"created": 2').replace(b'"id": "a"', b'"id": "b"')
    assert fingerprints(vllm) == fingerprints(again)
    assert set(fingerprints(vllm)) == {"m", "lora"}
    assert fingerprints(vllm) != fingerprints(vllm.replace(b"/w", b"/v"))


def test_ollamas_digests_are_known_with_and_without_the_tag():
    tags = b'{"models": [{"name": "qwen:latest", "digest": "ab"}, {"name": "qwen:7b", "digest": "cd"}, {"name": 1}]}'
    assert ollama_fingerprints(tags) == {"qwen:latest": "ab", "qwen": "ab", "qwen:7b": "cd"}
    assert ollama_fingerprints(b"[]") == ollama_fingerprints(b"no json") == {}


async def test_ollama_which_has_no_health_page_is_asked_for_its_digests():
    control = Control()
    control.says("a", "/health", 404)
    control.says("a", "/api/tags", 200, {"models": [{"name": "m:latest", "digest": "one"}]})
    async with fleet(engine("a")) as f, probing(f, control):
        await f.ask()
        control.says("a", "/api/tags", 200, {"models": [{"name": "m:latest", "digest": "two"}]})
        await asyncio.sleep(PERIOD_S + 0.1)
        assert fate(await f.ask()) == "miss"
