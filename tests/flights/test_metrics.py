"""What the flights export."""

import asyncio

import pytest

from proxy.app import App
from tests.builders import chat
from tests.flights.engines import engine_stack

pytestmark = pytest.mark.anyio


def value(app: App, name: str, **labels: str) -> float:
    return app.metrics.registry.get_sample_value(name, labels) or 0


async def test_saved_generations_and_promotions_are_counted():
    async with engine_stack() as s:
        for question in ("a", "b [[stub: fail-first=1]]", "c [[stub: status=400]]"):
            calls = [s.ask(chat(question, stream=stream)) for stream in (True, True, False)]
            for call in calls:
                await call.whole()
        assert value(s.app, "askonce_generations_saved_total", by="collapsed") == 4, "a refusal saves none"
        assert value(s.app, "askonce_flights_asked_again_total") == 1
        assert value(s.app, "askonce_flights_started_total") == 3
        assert value(s.app, "askonce_flights_joined_total") == 6
        assert value(s.app, "askonce_requests_total", outcome="collapsed", family="default", model="*") == 6
        assert value(s.app, "askonce_requests_total", outcome="miss", family="default", model="*") == 3


async def test_flights_under_way_and_their_bytes_are_gauges():
    async with engine_stack() as s:
        call = s.ask(chat("a [[stub: chunk-ms=10]]", stream=True))
        await call.pieces_sent(3)
        assert value(s.app, "askonce_flights") == 1
        assert value(s.app, "askonce_flight_bytes") == len(call.body)
        await call.whole()
        await asyncio.sleep(0)
        assert value(s.app, "askonce_flights") == value(s.app, "askonce_flight_bytes") == 0
