"""A paraphrase of an answered question is served; what only looks alike is not."""

import asyncio
import math

import numpy as np
import pytest

from policies.guards import parse
from policies.match import MatchPolicy
from policies.model import ExactPolicy, FamilyPolicy, PolicySet, SemanticPolicy
from proxy.cache.embedder_worker import EmbeddingWorker
from proxy.cache.index import VectorIndex
from proxy.cache.semantic import SemanticCache
from proxy.semantics import Semantics
from tests.builders import ScriptedReply, Stack, answer, chat, outcome, stack, stream_of, text_of
from tests.flights.calls import Call

pytestmark = pytest.mark.anyio

QUESTION = "What is the capital of Canada?"
PARAPHRASE = "Tell me the capital of Canada."
OTHER = "What is the capital of Kenya?"


class OneDirection:
    """An embedder to which all texts mean nearly the same: only the guard can tell them apart."""

    identity = "test/one-direction"
    dimensions = 8
    window = 256

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def count_unknown(self, text: str) -> int:
        return 0

    def embed(self, texts):
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        rows[:, 0] = 1.0
        for row, text in zip(rows, texts, strict=True):
            row[1 + sum(text.encode()) % 7] = 0.05 + 0.001 * (len(text) % 50)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def family(**semantic) -> PolicySet:
    return PolicySet(defaults=FamilyPolicy(semantic=SemanticPolicy(mode="on", threshold=0.9, **semantic)))


async def with_semantics(s: Stack) -> Semantics:
    """Give the stack an inline embedder in place of the packaged one."""
    app = s.app
    clock = app._clock
    semantics = Semantics(
        SemanticCache(VectorIndex, clock=clock),
        lambda: EmbeddingWorker(OneDirection, off_loop=lambda job: job()),
        app.cache,
        clock,
        app._lifetime_s,
    )
    app.semantics = app._semantic_lookup.semantics = semantics
    await semantics.start()
    return semantics


async def filled(s: Stack) -> None:
    """Let the fills that follow an answer end."""
    while s.app.semantics is not None and s.app.semantics._fills:
        await asyncio.wait(s.app.semantics._fills)


@pytest.mark.parametrize("stream", [False, True])
async def test_a_paraphrase_hits_in_either_wire_mode(stream):
    async with stack(family()) as s:
        await with_semantics(s)
        await s.ask(chat(QUESTION))
        await filled(s)
        reply = await s.ask(chat(PARAPHRASE, stream=stream))
        assert s.upstream.calls == 1
        assert outcome(reply) == "hit; detail=semantic"
        assert text_of(reply) == "Hello!"
        assert math.isclose(float(reply.headers["x-askonce-similarity"]), 1, abs_tol=0.1)
        assert reply.headers["x-askonce-origin-id"] == "chatcmpl-origin"


async def test_another_entity_misses_with_the_guards_reason():
    async with stack(family()) as s:
        await with_semantics(s)
        await s.ask(chat(QUESTION))
        await filled(s)
        reply = await s.ask(chat(OTHER))
        assert s.upstream.calls == 2
        assert outcome(reply).rpartition("detail=")[2] in ("semantic-entity", "semantic-substitution")


async def test_a_question_is_read_once_however_it_ends(monkeypatch):
    read: list[str] = []

    def count(text, lexicon):
        read.append(text)
        return parse(text, lexicon)

    monkeypatch.setattr("proxy.semantics.parse", count)
    async with stack(family()) as s:
        await with_semantics(s)
        for question in (QUESTION, OTHER, PARAPHRASE):
            await s.ask(chat(question))
            await filled(s)
        assert s.upstream.calls == 2
        assert read == [QUESTION, OTHER, PARAPHRASE]


async def test_a_semantic_hit_is_not_stored_again_and_leaves_with_its_origin():
    async with stack(family()) as s:
        semantics = await with_semantics(s)
        await s.ask(chat(QUESTION))
        await filled(s)
        await s.ask(chat(PARAPHRASE))
        assert len(s.app.cache) == 1
        s.app.purge()
        assert semantics.cache.stats().records == 0
        await s.ask(chat(PARAPHRASE))
        assert s.upstream.calls == 2


async def test_who_is_not_served_by_similarity_does_not_share_a_flight_that_may_be():
    """The two are one request, and each of another family: one has chosen to be answered by similarity."""
    chosen = FamilyPolicy(
        name="similar", match=MatchPolicy(header="similar"), semantic=SemanticPolicy(mode="on", threshold=0.9)
    )
    async with stack(PolicySet((chosen,))) as s:
        semantics = await with_semantics(s)
        await s.ask(chat(QUESTION), x_askonce_family="similar")
        await filled(s)
        assert semantics.cache.stats().records == 1
        s.upstream.script(ScriptedReply(answer("its own"), wait=1.0))
        calls = [
            Call(s.app, chat(PARAPHRASE, stream=True), x_askonce_family="similar").start(),
            Call(s.app, chat(PARAPHRASE, stream=True)).start(),
        ]
        for call in calls:
            await call.whole()
        assert [call.headers["cache-status"].rpartition("; ")[2] for call in calls] == ["detail=semantic", "stored"]


async def test_K09_other_instructions_are_another_namespace():
    async with stack(family()) as s:
        await with_semantics(s)

        def under(system: str, text: str):
            return chat(messages=[{"role": "system", "content": system}, {"role": "user", "content": text}])

        await s.ask(under("answer in French", QUESTION))
        await filled(s)
        await s.ask(under("answer in German", PARAPHRASE))
        assert s.upstream.calls == 2
        assert outcome(await s.ask(under("answer in French", PARAPHRASE))) == "hit; detail=semantic"


async def test_M03_a_request_with_earlier_turns_takes_no_part_unless_the_family_says_so():
    def after(*turns: str):
        roles = ["user", "assistant"] * 3
        return chat(messages=[{"role": role, "content": text} for role, text in zip(roles, turns, strict=False)])

    first, second = after("Delete a?", "Shall I?", "Yes, do it"), after("Keep a?", "Shall I?", "Yes, please do it")
    async with stack(family()) as s:
        semantics = await with_semantics(s)
        await s.ask(first)
        await filled(s)
        assert semantics.cache.stats().records == 0
    async with stack(family(multi_turn=True)) as s:
        semantics = await with_semantics(s)
        await s.ask(first)
        await filled(s)
        assert semantics.cache.stats().records == 1
        await s.ask(second)
        assert s.upstream.calls == 2


async def test_what_has_expired_leaves_the_index_too():
    policies = PolicySet(
        defaults=FamilyPolicy(semantic=SemanticPolicy(mode="on", threshold=0.9), exact=ExactPolicy(ttl_s=60))
    )
    async with stack(policies) as s:
        semantics = await with_semantics(s)
        await s.ask(chat(QUESTION))
        await filled(s)
        assert semantics.cache.stats().records == 1
        await asyncio.sleep(70)
        assert semantics.cache.stats().records == 0


async def test_tenants_have_namespaces_of_their_own():
    async with stack(family()) as s:
        await with_semantics(s)
        await s.ask(chat(QUESTION), key="sk-a")
        await filled(s)
        await s.ask(chat(PARAPHRASE), key="sk-b")
        assert s.upstream.calls == 2


async def test_usage_is_withheld_from_who_did_not_ask_for_it_on_a_semantic_hit_too():
    async with stack(family()) as s:
        await with_semantics(s)
        s.upstream.script(ScriptedReply(stream_of("Ottawa")))
        await s.ask(chat(QUESTION, stream=True))
        await filled(s)
        without = await s.ask(chat(PARAPHRASE, stream=True))
        asked = await s.ask(chat(PARAPHRASE, stream=True, stream_options={"include_usage": True}))
        assert s.upstream.calls == 1
        assert '"usage"' not in without.text
        assert '"usage"' in asked.text
        assert text_of(without) == text_of(asked) == "Ottawa"


async def test_E01_a_broken_embedder_fails_no_request():
    class Broken(OneDirection):
        def embed(self, texts):
            if len(self.seen) >= 2:
                raise ValueError("no more")
            self.seen.extend(texts)
            return super().embed(texts)

        seen: list[str] = []  # noqa: RUF012 - one instance

    async with stack(family()) as s:
        app = s.app
        semantics = Semantics(
            SemanticCache(VectorIndex, clock=app._clock),
            lambda: EmbeddingWorker(Broken, off_loop=lambda job: job()),
            app.cache,
            app._clock,
            app._lifetime_s,
        )
        app.semantics = app._semantic_lookup.semantics = semantics
        await semantics.start()
        s.upstream.script(ScriptedReply(answer("one")), ScriptedReply(answer("two")), ScriptedReply(answer("three")))
        texts = []
        for question in (QUESTION, OTHER, "What is the capital of Peru?"):
            texts.append(text_of(await s.ask(chat(question))))
            await filled(s)
        assert texts == ["one", "two", "three"]
