"""F02, T01: a cancel at every await of every form of the miss path leaves nothing behind, and harms nobody else.

Cancelled is the client's task (as when the client leaves), the flight's own, and the one of a merged batch.
"""

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from policies.model import PolicySet
from proxy.context import Reply
from proxy.flight import Flight
from proxy.middleware.micro_batch import Alone, Member
from proxy.middleware.single_flight import Head
from proxy.outlet import Message
from tests.builders import CHAT, COMPLETIONS, chat, completion, policy_set
from tests.cancelling import MOMENTS, Moment, cancelled_at, driven
from tests.flights.calls import Call
from tests.flights.engines import EngineStack, engine_stack

pytestmark = pytest.mark.anyio

Body = Callable[[int], dict[str, Any]]


def asks(script: str, **fields: Any) -> Body:
    """The body of the n-th request, another one for each n."""
    return lambda n: chat(f"{n} [[stub: {script}]]", **fields)


def completes(which: str) -> Body:
    return lambda n: completion(f"{which} {n}", max_tokens=5)


def local(**upstream: Any) -> dict[str, Any]:
    return {"upstreams": [{"name": "local", "url": "http://stub", **upstream}]}


@dataclass(frozen=True)
class Form:
    """One form of the miss path: a request, what others are under way, and how the proxy is set up."""

    body: Body
    company: Sequence[Body] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    policies: PolicySet | None = None
    path: str = CHAT


WINDOW = policy_set(batch={"max_batch_size": 8, "max_wait_ms": 6})
MERGE = policy_set(batch={"max_batch_size": 8, "max_wait_ms": 6, "merge": "prompts"})
STREAM = asks("chunk-ms=1 words=4", stream=True)
RETRY = asks("fail-first=1 retry-after=1")

FORMS = {
    "plain": Form(asks("first-byte-ms=5")),
    "streamed": Form(STREAM),
    "always_stream": Form(asks("chunk-ms=1 words=4"), settings=local(always_stream=True)),
    "alone, plain": Form(asks("first-byte-ms=5", temperature=1)),
    "alone, streamed": Form(asks("chunk-ms=1 words=4", stream=True, temperature=1)),
    "followed": Form(STREAM, company=[STREAM, asks("chunk-ms=1 words=4")]),
    "in the queue": Form(asks("words=4"), company=[asks("words=3")], settings=local(max_concurrency=1)),
    "in a window": Form(asks("words=4"), company=[asks("words=3")], policies=WINDOW),
    "in a window, streamed": Form(STREAM, company=[asks("words=3")], policies=WINDOW),
    "alone in a window, streamed": Form(
        asks("chunk-ms=1 words=4", stream=True, temperature=1), company=[asks("words=3")], policies=WINDOW
    ),
    "merged": Form(completes("a"), company=[completes("b")], policies=MERGE, path=COMPLETIONS),
    "waiting to ask again": Form(RETRY, company=[RETRY, RETRY]),
    "over the bound": Form(
        asks("chunk-ms=1 words=9", stream=True),
        company=[asks("chunk-ms=1 words=9", stream=True)],
        settings={"store": {"max_entry_bytes": 300}},
    ),
}

EACH_FORM = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
FLYING = [name for name in FORMS if not name.startswith("alone")]
EACH_FLYING_FORM = pytest.mark.parametrize("form", [FORMS[name] for name in FLYING], ids=FLYING)
EACH_MOMENT = pytest.mark.parametrize("moment", MOMENTS)


class YieldingCall(Call):
    """A call whose every send may be cancelled."""

    async def _send(self, message: Message) -> None:
        await asyncio.sleep(0)
        await super()._send(message)


async def assert_fresh(s: EngineStack, form: Form, n: int) -> None:
    """Nothing is left, and the next equal request gets what the engine says."""
    await s.assert_nothing_left()
    again = s.ask(form.body(n), path=form.path)
    await again.whole()
    direct = s.ask(form.body(n), path=form.path, x_askonce_bypass="all")
    await direct.whole()
    assert (again.status, again.text) == (200, direct.text)
    await s.assert_nothing_left()


@EACH_FORM
@EACH_MOMENT
async def test_F02_a_client_cancelled_at_any_await_leaves_nothing_and_disturbs_nobody(form: Form, moment: Moment):
    async with engine_stack(policies=form.policies, **form.settings) as s:
        for step in itertools.count():
            company = [s.ask(body(step), path=form.path) for body in form.company]
            call = YieldingCall(s.app, form.body(step), path=form.path)
            cancelled = await cancelled_at(step, call.run(), moment)
            for other in company:
                await other.whole()
                assert other.status == 200, (step, other.body)
            await assert_fresh(s, form, step)
            if not cancelled:
                assert call.ended
                assert step > 1, "it suspends more often than that"
                return


@EACH_FLYING_FORM
@EACH_MOMENT
async def test_F02_a_flight_cancelled_at_any_await_is_one_error_for_all_and_leaves_nothing(form: Form, moment: Moment):
    async with engine_stack(policies=form.policies, **form.settings) as s:
        target: list[int] = []
        start = s.app.flights.start

        def start_driven(
            key: bytes, *, stream: bool, family: str, produce: Callable[[Flight[Head]], Coroutine[Any, Any, None]]
        ) -> Flight[Head] | None:
            if not target:
                return start(key, stream=stream, family=family, produce=produce)
            step = target.pop()
            return start(
                key, stream=stream, family=family, produce=lambda flight: driven(step, produce(flight), moment)
            )

        s.app.flights.start = start_driven  # type: ignore[method-assign, assignment]
        for step in itertools.count():
            target.append(step)
            # The first to come is the one whose flight is cancelled; company that asks the same shares its fate.
            calls = [s.ask(body(step), path=form.path) for body in (form.body, *form.company)]
            for call in calls:
                await call.whole()
            equal = [call for call, body in zip(calls, (form.body, *form.company), strict=True) if body is form.body]
            failed = [b'"error"' in call.body for call in calls]
            for call, with_error in zip(calls, failed, strict=True):
                assert not with_error or call.error_code == "flight_cancelled"
                assert with_error or call.status == 200
            assert len({b'"error"' in call.body for call in equal}) == 1
            await assert_fresh(s, form, step)
            if not any(failed):
                assert step > 0
                return


@EACH_MOMENT
async def test_F02_a_merged_batch_cancelled_at_any_await_is_one_error_for_each_member(moment: Moment):
    form = FORMS["merged"]
    async with engine_stack(policies=form.policies) as s:
        target: list[int] = []
        run = s.app.batcher._run

        async def run_driven(members: list[Member]) -> Sequence[Reply | Alone | BaseException]:
            if not target:
                return await run(members)
            outcomes: list[Reply | Alone | BaseException] = []

            async def kept() -> None:
                outcomes.extend(await run(members))

            await driven(target.pop(), kept(), moment)
            return outcomes

        s.app.batcher._run = run_driven
        for step in itertools.count():
            target.append(step)
            calls = [s.ask(body(step), path=form.path) for body in (form.body, *form.company)]
            for call in calls:
                await call.whole()
            codes = {call.error_code if call.status != 200 else None for call in calls}
            assert codes in ({None}, {"batch_cancelled"})
            await assert_fresh(s, form, step)
            if codes == {None}:
                assert step > 0
                return
