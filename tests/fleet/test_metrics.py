"""What `/metrics` says, and what it can never say."""

import asyncio
import logging
from typing import Any

import orjson
import pytest
from prometheus_client.parser import text_string_to_metric_families

from proxy.bypass_hint import CURES
from proxy.metric_table import METRICS
from tests.builders import CHAT, ScriptedReply, answer, chat, policy_set, stream_of
from tests.fleet.builders import Fleet, dead, engine, fleet

pytestmark = pytest.mark.anyio


async def scrape(f: Fleet) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every series by name and labels."""
    text = (await f.client.get("/metrics")).text
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def value(f: Fleet, name: str, **labels: str) -> float:
    return (await scrape(f)).get((name, frozenset(labels.items())), 0.0)


async def test_every_metric_of_the_table_is_exported_and_no_other():
    async with fleet() as f:
        text = (await f.client.get("/metrics")).text
        exported = {line.split()[2].removesuffix("_total") for line in text.splitlines() if line.startswith("# TYPE")}
        assert exported == {metric.name for metric in METRICS}
        assert "_created" not in text


def test_names_end_in_their_unit_as_prometheus_wants_it():
    for metric in METRICS:
        if metric.unit == "s":
            assert "_seconds" in metric.name
        if metric.unit == "bytes":
            assert metric.name.endswith("_bytes")


async def test_R03_any_number_of_models_and_keys_makes_no_new_series():
    logging.getLogger("askonce.bypass").setLevel(logging.ERROR)
    async with fleet(engine("a", models=["qwen*", "*"], aliases={"fast": "x"})) as f:
        for model in ("qwen-1", "fast", "other", None):
            await f.ask(chat(model=model))
        await f.ask(chat(model="first of the flood"))
        before = set(await scrape(f))
        for number in range(1_500):
            await post(f, chat(model=f"made-up-{number}", max_tokens=1), key=f"sk-{number}")
        assert set(await scrape(f)) == before
        models = {dict(labels).get("model") for name, labels in before if name == "askonce_requests_total"}
        assert models == {"qwen*", "fast", "*", "none"}


async def post(f: Fleet, body: dict[str, Any], *, key: str) -> None:
    """A request without the cost of a client library."""
    data = orjson.dumps(body)
    scope = {
        "type": "http",
        "method": "POST",
        "path": CHAT,
        "raw_path": CHAT.encode(),
        "query_string": b"",
        "headers": [(b"content-type", b"application/json"), (b"authorization", f"Bearer {key}".encode())],
        "client": ("127.0.0.1", 1),
    }
    messages = [{"type": "http.request", "body": data}]

    async def receive() -> dict[str, Any]:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    async def send(message: Any) -> None:
        pass

    await f.app(scope, receive, send)


@pytest.mark.parametrize("stream", [False, True])
async def test_a_hit_saves_what_the_answer_took(stream):
    async with fleet() as f:
        f.upstream.script(ScriptedReply(stream_of("a") if stream else answer(), wait=3.0))
        await f.ask(chat(stream=stream))
        for _ in range(2):
            await f.ask(chat(stream=not stream))
        assert await value(f, "askonce_generations_saved_total", by="hit") == 2
        assert await value(f, "askonce_tokens_spent_total", kind="prompt") == 5
        assert await value(f, "askonce_tokens_spent_total", kind="completion") == 3
        assert await value(f, "askonce_tokens_saved_total", kind="prompt") == 10
        assert await value(f, "askonce_tokens_saved_total", kind="completion") == 6
        assert await value(f, "askonce_upstream_seconds_saved_total") == pytest.approx(6)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("then", [False, True])
async def test_each_follower_saves_what_the_flight_took_too(first, then):
    async with fleet(policies=policy_set(coalesce="always")) as f:
        f.upstream.script(ScriptedReply(stream_of("a") if first else answer(), wait=3.0))
        mode = {"stream": first, "temperature": 0}
        leader = asyncio.ensure_future(f.ask(chat(**mode)))
        await asyncio.sleep(1)
        if then and not first:
            f.upstream.script(ScriptedReply(stream_of("a"), wait=2.0))  # a streaming client needs a flight of its own
        followers = [asyncio.ensure_future(f.ask(chat(stream=then, temperature=0))) for _ in range(4)]
        await asyncio.gather(leader, *followers)
        shared = 3 if then and not first else 4
        assert await value(f, "askonce_generations_saved_total", by="collapsed") == shared
        assert await value(f, "askonce_tokens_saved_total", kind="completion") == 3 * shared
        assert await value(f, "askonce_upstream_seconds_saved_total") == pytest.approx(
            (2 if then and not first else 3) * shared
        )
        assert await value(f, "askonce_flights_joined_total") == shared
        assert await value(f, "askonce_flights") == 0


async def test_what_is_shared_and_not_stored_saves_as_well():
    async with fleet() as f:
        f.upstream.script(ScriptedReply(answer(finish="length"), wait=1.0))
        await asyncio.gather(*(f.ask() for _ in range(3)))
        assert await value(f, "askonce_not_stored_total", reason="finish_reason") == 1
        assert await value(f, "askonce_tokens_saved_total", kind="prompt") == 10


async def test_outcomes_reasons_and_failures_are_counted_by_their_words():
    async with fleet(engine("a"), engine("b")) as f:
        await f.ask()
        await f.ask()
        await f.ask(chat(temperature=1))
        assert await value(f, "askonce_requests_total", outcome="miss", family="default", model="*") == 1
        assert await value(f, "askonce_requests_total", outcome="hit", family="default", model="*") == 1
        assert await value(f, "askonce_bypasses_total", reason="temperature") == 1
        assert await value(f, "askonce_stored_total", family="default") == 1
        assert await value(f, "askonce_cache_entries") == 1
        f.engines["a"].script(dead)
        await f.ask(chat("another"))
        assert await value(f, "askonce_upstream_failures_total", upstream="a", code="upstream_unreachable") == 1
        assert await value(f, "askonce_upstream_up", upstream="a") == 0
        assert await value(f, "askonce_upstream_up", upstream="b") == 1
        assert await value(f, "askonce_replies_total", path="model", status="200") == 4


async def test_a_flight_that_asks_again_for_those_who_wait_is_counted():
    async with fleet() as f:
        f.upstream.script(ScriptedReply({"error": {}}, status=503, wait=1.0), ScriptedReply(answer()))
        await asyncio.gather(*(f.ask() for _ in range(3)))
        assert await value(f, "askonce_flights_asked_again_total") == 1


async def test_an_upstream_that_a_reload_took_away_is_no_longer_exported():
    async with fleet(engine("a"), engine("b")) as f:
        f.reload(upstreams=[engine("b")])
        ups = [dict(labels) for name, labels in await scrape(f) if name == "askonce_upstream_up"]
        assert ups == [{"upstream": "b"}]


def test_every_cure_is_for_a_reason_that_exists():
    assert set(CURES) <= {"temperature", "temperature-missing", "temperature-null", "family-off"}
