"""What sharing and storing save of a small load, through the whole app, in virtual time."""

import asyncio
import collections
import itertools

import pytest

from tests.builders import chat, policy_set
from tests.flights.calls import Call
from tests.flights.engines import engine_stack

pytestmark = pytest.mark.anyio

PROMPTS = ["Name a prime.", "Name a colour.", "Name a river.", "Name a prime."]
REQUESTS = 80
IN_FLIGHT = 16


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize(
    ("coalesce", "generations", "expected"),
    [
        ("deterministic", 3, {"fwd=miss": 3, "fwd=miss; collapsed": 13, "hit": 64}),
        ("never", 16, {"fwd=miss": 16, "hit": 64}),
    ],
)
async def test_80_requests_over_3_distinct_prompts_with_16_in_flight(stream, coalesce, generations, expected):
    """The batches leave together, so that every prompt is answered before the first client asks its next one."""
    policies = policy_set(coalesce=coalesce, batch={"max_batch_size": 8, "max_wait_ms": 6})
    prompts = itertools.islice(itertools.cycle(PROMPTS), REQUESTS)
    outcomes: collections.Counter[str] = collections.Counter()
    texts: dict[str, set[str]] = {prompt: set() for prompt in PROMPTS}

    async with engine_stack(policies=policies) as s:

        async def client() -> None:
            for prompt in prompts:
                call = Call(s.app, chat(prompt, stream=stream))
                await call.run()
                assert call.status == 200
                outcomes["; ".join(call.outcome.split("; ")[: 1 + ("collapsed" in call.outcome)])] += 1
                texts[prompt].add(call.text)
                await asyncio.sleep(0)  # the reply travels, while the others of its batch are stored

        await asyncio.gather(*(client() for _ in range(IN_FLIGHT)))
        assert s.engine.stats.generations == generations
        assert outcomes == expected
        assert [len(answers) for answers in texts.values()] == [1, 1, 1]
        assert (s.app.batcher.batches, s.app.batcher.items) == (1 if generations == 3 else 2, generations)
        await s.assert_nothing_left()
