"""Semantic lookup and fill: embedder, index and guard behind two questions, and the tasks of the fills.

A fill embeds after its answer has been sent. Nothing here fails a request: what goes wrong is a miss with a reason.
"""

import asyncio
import functools
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from policies.guards import Facts, Lexicon, parse
from policies.guards.as_embedded import as_embedded
from policies.guards.lexicon import default_lexicon
from policies.model import FamilyPolicy
from proxy import openai
from proxy.cache.candidate import Candidate
from proxy.cache.embedder import NoVector
from proxy.cache.embedder_worker import EmbeddingWorker
from proxy.cache.exact import Entry, ExactCache, Fresh, freshness
from proxy.cache.lookup import Considered, Hit, Miss, decide
from proxy.cache.semantic import SemanticCache
from proxy.context import Matched, Reading, RequestContext
from proxy.keys import namespace

FILL_DEADLINE_S = 10.0
UPKEEP_S = 5.0
MAX_FILLS = 256
"""Fills under way; further ones are left out, and their answers can be found by their exact key only."""

logger = logging.getLogger("askonce.semantics")


@dataclass(frozen=True, slots=True)
class Found:
    """What a lookup came to, and what it looked at."""

    verdict: Hit | Miss
    considered: list[Considered] = field(default_factory=list)


class Semantics:
    """Used from one loop. `start` before the first lookup; until then, and without weights, every lookup is a miss."""

    def __init__(
        self,
        cache: SemanticCache,
        worker: Callable[[], EmbeddingWorker],
        exact: ExactCache,
        clock: Callable[[], float],
        lifetime_s: Callable[[str], float],
    ) -> None:
        """
        Args:
            worker: makes the embedding worker; called once, when a family first needs it.
            lifetime_s: how long an answer of the named family can live, by the policies in force.
        """
        self.cache = cache
        self.worker: EmbeddingWorker | None = None
        self.fills_left_out = 0
        self._new_worker = worker
        self._exact = exact
        self._clock = clock
        self._lifetime_s = lifetime_s
        self._upkeep: asyncio.Task[None] | None = None
        self._lexicons: dict[str, tuple[object, Lexicon]] = {}
        """By family: its `lexicon:` as the policy in force has it, and what that makes."""
        self._fills: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Load the embedder, once; returns when it is loaded or is known to be missing."""
        if self.worker is None:
            self.worker = self._new_worker()
            self._upkeep = asyncio.get_running_loop().create_task(self._keep_up())
            await self.worker.start()

    async def _keep_up(self) -> None:
        """Drop what has expired, and compact what that leaves."""
        while True:
            await asyncio.sleep(UPKEEP_S)
            self.cache.expire(self._lifetime_s)
            await self.cache.maintain()

    async def aclose(self) -> None:
        """Cancel the fills and let the embedder go."""
        tasks = [*self._fills, *([self._upkeep] if self._upkeep is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.worker is not None:
            await self.worker.aclose()

    def matched(self, ctx: RequestContext) -> Matched | None:
        """The text that similarity may judge, with its namespace; None where the request takes no part."""
        payload = ctx.request.payload
        semantic = ctx.family.semantic
        if not ctx.key:
            return None
        text = openai.last_user_text(ctx.head.path, payload)
        if not text or not text.strip():
            return None
        if not semantic.multi_turn and openai.has_earlier_turns(payload):
            return None
        space = namespace(
            payload,
            path=ctx.head.address,
            tenant=ctx.tenant.id,
            model=ctx.route.model,
            revision=ctx.route.revision,
            meaning=ctx.family.meaning,
            family=ctx.family.name,
            ignore_user=ctx.family.ignore_user,
        )
        family = ctx.family  # and not the context, which would hold itself

        @functools.cache
        def reading() -> Reading:
            lexicon = self._lexicon(family)
            return Reading(lexicon, parse(text, lexicon))

        return Matched(space, text, functools.cache(functools.partial(as_embedded, text)), reading)

    async def look_up(self, ctx: RequestContext, matched: Matched) -> Found:
        """The nearest answered text that may answer this one, or why there is none.

        A namespace without entries is a miss without an embedding.
        """
        if self.worker is None or not self.cache.has(matched.namespace):
            return Found(Miss("empty"))
        semantic = ctx.family.semantic
        # The text is read while the embedder computes, in another thread; at need, if the vector is at hand.
        embedded = await self.worker.embed(matched.embedded(), scope=ctx.tenant.id, meanwhile=matched.reading)
        if isinstance(embedded, NoVector):
            return Found(Miss(f"embedder-{embedded.reason.replace('_', '-')}"))
        asked = matched.reading()
        nearest = self.cache.nearest(matched.namespace, embedded, semantic.top_k)
        verdict, considered = decide(
            nearest,
            asked.facts,
            threshold=semantic.threshold if semantic.threshold is not None else 1.0,
            guards=frozenset(semantic.guards),
            is_fresh=lambda candidate: self._is_fresh(ctx, candidate),
            facts_of=lambda candidate: _facts(candidate, asked.lexicon),
        )
        return Found(verdict, considered)

    def served(self, hit: Hit, text: str) -> None:
        """Note that a hit was served; one answer to too many different texts raises an alarm for operators."""
        if self.cache.concentration.served(hit.candidate.id, text):
            logger.warning(
                "one answer (%s) is served to very many different prompts of family %s: look at its threshold",
                hit.candidate.key.hex()[:12],
                hit.candidate.family,
            )

    def fill(self, ctx: RequestContext, entry: Entry) -> None:
        """After `entry` was stored: make its text findable, in the background."""
        matched = ctx.matched
        if matched is None or self.worker is None:
            return
        if len(self._fills) >= MAX_FILLS:
            self.fills_left_out += 1
            return
        task = asyncio.get_running_loop().create_task(self._fill(ctx, matched, entry))
        self._fills.add(task)
        task.add_done_callback(self._fills.discard)

    async def _fill(self, ctx: RequestContext, matched: Matched, entry: Entry) -> None:
        assert self.worker is not None
        embedded = await self.worker.embed(matched.embedded(), scope=ctx.tenant.id, deadline_s=FILL_DEADLINE_S)
        if isinstance(embedded, NoVector) or self._exact.peek(entry.key) is not entry:
            return
        candidate = Candidate(entry.key, matched.text, matched.reading(), entry.created_s, ctx.family.name)
        self.cache.add(matched.namespace, embedded, candidate)

    def _is_fresh(self, ctx: RequestContext, candidate: Candidate) -> bool:
        entry = self._exact.peek(candidate.key)
        if entry is None:
            return False
        return isinstance(freshness(entry, self._clock(), ctx.family.exact, ctx.permits.max_age_s), Fresh)

    def _lexicon(self, family: FamilyPolicy) -> Lexicon:
        words = family.semantic.lexicon
        known = self._lexicons.get(family.name)
        if known is None or known[0] is not words:
            extended = default_lexicon()
            if words.contrasts or words.units or words.names or words.synonyms:
                extended = extended.extended(words.contrasts, words.units, words.names, words.synonyms)
            known = self._lexicons[family.name] = (words, extended)
        return known[1]


def _facts(candidate: Candidate, lexicon: Lexicon) -> Facts:
    """The stored reading, or a new one where a reload has changed the lexicon."""
    reading = candidate.facts
    if isinstance(reading, Reading) and reading.lexicon is lexicon:
        return reading.facts
    return parse(candidate.text, lexicon)
