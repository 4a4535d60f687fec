"""Which prompts, in which order, and which of them are asked beforehand.

Every workload is a sequence that depends on a seed alone, so that load processes share it out without talking, and the
proxy and the engine beside it are asked the same. A run's salt stands in the system message: no run finds the answers
of another, and no prefix cache of an engine does either.
"""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import orjson

from bench.ask import Ask, Expected
from simulation.traces import read_trace

_WORDS = """
amber anchor basin beacon bridge canal candle canvas cedar chapel cliff clover copper coral cotton crane crystal delta
ember falcon fern field flint forest garden glacier granite harbour hazel heron island ivory jasper juniper kettle
lagoon lantern laurel lemon linen maple marble meadow mirror mosaic needle nettle oasis ocean olive orchard otter
paper pebble pepper pillar pine plain prairie quarry quartz raven reef ribbon river saddle saffron sail sandal silver
slate sparrow spruce summit temple thistle timber topaz tunnel valley velvet violet walnut willow window winter wool
zephyr
"""
WORDS = _WORDS.split()


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question, before it has a model and a wire mode."""

    text: str
    at_s: float | None = None
    max_tokens: int | None = None
    stream: bool | None = None
    """In place of what the run says."""
    expected: Expected = Expected.ANSWER


def text_of(number: int, words: int, kind: str = "ticket") -> str:
    """A prompt of about `words` words that no other number has."""
    start = number % len(WORDS)
    chosen = itertools.islice(itertools.cycle(WORDS), start, start + max(words - 8, 1))
    return f"Write one short line about {kind} {number}: {' '.join(chosen)}."


@dataclass(frozen=True, slots=True)
class Burst:
    """Four prompts in turn, of which the fourth repeats the first: three generations, however many ask."""

    words: int = 40
    name: str = "burst"

    DISTINCT = 3

    @property
    def title(self) -> str:
        return self.name

    def primed(self) -> list[Prompt]:
        return []

    def prompts(self, seed: int) -> Iterator[Prompt]:
        asked = [Prompt(text_of(number, self.words)) for number in (0, 1, 2, 0)]
        return itertools.cycle(asked)


@dataclass(frozen=True, slots=True)
class Users:
    """`repeat_share` of the requests repeat one of `distinct` answered prompts, the others are new."""

    repeat_share: float = 1.0
    distinct: int = 20
    words: int = 40
    name: str = "users"

    @property
    def title(self) -> str:
        return f"{self.name}, {self.repeat_share:.0%} repeated"

    def primed(self) -> list[Prompt]:
        return [Prompt(text_of(number, self.words)) for number in range(self.distinct)] if self.repeat_share else []

    def prompts(self, seed: int) -> Iterator[Prompt]:
        drawn = random.Random(seed)
        known = self.primed()
        for number in itertools.count(self.distinct):
            repeats = drawn.random() < self.repeat_share
            yield drawn.choice(known) if repeats else Prompt(text_of(number, self.words))


@dataclass(frozen=True, slots=True)
class Zipf:
    """The prompt of rank r is asked in proportion to r to the power of -`exponent`; nothing is asked beforehand."""

    distinct: int = 1000
    exponent: float = 1.0
    words: int = 40
    name: str = "zipf"

    @property
    def title(self) -> str:
        return self.name

    def primed(self) -> list[Prompt]:
        return []

    def prompts(self, seed: int) -> Iterator[Prompt]:
        weights = np.arange(1, self.distinct + 1, dtype=np.float64) ** -self.exponent
        drawn = np.random.default_rng(seed)
        while True:
            for rank in drawn.choice(self.distinct, 1024, p=weights / weights.sum()).tolist():
                yield Prompt(text_of(rank, self.words))


@dataclass(frozen=True, slots=True)
class Recorded:
    """A trace at its own times; `limit` tokens at most of a prompt, `output_limit` of an answer.

    Rows with the same prefix blocks ask the same; a row without blocks asks what no other does.
    """

    path: Path
    speed: float = 1.0
    limit: int = 2048
    output_limit: int = 256
    name: str = "trace"

    @property
    def title(self) -> str:
        return self.name

    def primed(self) -> list[Prompt]:
        return []

    def prompts(self, seed: int) -> Iterator[Prompt]:
        trace = read_trace(self.path).faster(self.speed)
        for row, request in zip(trace.rows, trace.requests, strict=True):
            tokens = min(request.prompt_tokens, self.limit)
            if request.hash_ids:
                blocks = (text_of(block, trace.hash_tokens, "block") for block in request.hash_ids)
                words = itertools.islice((word for block in blocks for word in block.split()), tokens)
                text = f"{' '.join(words)} {request.prompt_tokens}"
            else:
                text = text_of(row if request.identity is None else request.identity, tokens, "row")
            yield Prompt(text, request.arrival_s, max(1, min(request.output_tokens, self.output_limit)))


_COUNTRIES = """
Argentina Australia Austria Belgium Brazil Bulgaria Canada Chile Colombia Croatia Denmark Egypt Ethiopia Finland
France Germany Ghana Greece Hungary Iceland Indonesia Ireland Italy Jamaica Japan Kenya Latvia Lithuania Malaysia
Mexico Morocco Nepal Norway Pakistan Peru Poland Portugal Romania Senegal Serbia Slovakia Slovenia Spain Sweden
Thailand Tunisia Turkey Ukraine Uruguay Vietnam
"""
COUNTRIES = _COUNTRIES.split()
SEMANTIC_POLICIES = Path(__file__).with_name("paraphrase.yaml")
"""Families for a proxy that is to answer paraphrases."""
PRIMED_FORM = "What is the capital of {}?"
FORMS = (
    "What is the capital city of {}?",
    "Which city is the capital of {}?",
    "Tell me the capital of {}.",
    "What's the capital of {}?",
    "Name the capital of {}.",
)


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """Questions that were answered, in other words: hits need a family with semantic lookup."""

    name: str = "paraphrase"

    @property
    def title(self) -> str:
        return self.name

    def primed(self) -> list[Prompt]:
        return [Prompt(PRIMED_FORM.format(country)) for country in COUNTRIES]

    def prompts(self, seed: int) -> Iterator[Prompt]:
        drawn = random.Random(seed)
        while True:
            yield Prompt(drawn.choice(FORMS).format(drawn.choice(COUNTRIES)))


@dataclass(frozen=True, slots=True)
class Soak:
    """Everything at once, for long: 30 % repeated, half of it streamed, clients that leave, an engine that breaks.

    For the stub engine, which reads in a prompt when to reset the connection.
    """

    leave_share: float = 0.01
    reset_share: float = 0.01
    repeat_share: float = 0.3
    distinct: int = 50
    words: int = 40
    name: str = "soak"

    @property
    def title(self) -> str:
        return self.name

    def primed(self) -> list[Prompt]:
        return [Prompt(text_of(number, self.words)) for number in range(self.distinct)]

    def prompts(self, seed: int) -> Iterator[Prompt]:
        drawn = random.Random(seed)
        known = self.primed()
        for number in itertools.count(self.distinct):
            stream, fate = drawn.random() < 0.5, drawn.random()
            text = text_of(number, self.words)
            if fate < self.leave_share:
                yield Prompt(f"{text} [[stub: chunk-ms=20]]", stream=True, expected=Expected.LEFT)
            elif fate < self.leave_share + self.reset_share:
                yield Prompt(f"{text} [[stub: reset-after=3]]", stream=True, expected=Expected.ERROR)
            elif drawn.random() < self.repeat_share:
                yield replace(drawn.choice(known), stream=stream)
            else:
                yield Prompt(text, stream=stream)


Workload = Burst | Users | Zipf | Recorded | Paraphrase | Soak
"""`primed()` is asked and answered before anything is measured; `prompts(seed)` is what is measured, in order. The
title tells two cases of one workload apart."""


@dataclass(frozen=True, slots=True)
class Wire:
    """How a prompt becomes a request."""

    model: str
    salt: str
    stream: bool = False
    max_tokens: int = 128
    marker: str = ""
    """For the stub engine; see `bench.stub_script`."""

    def ask(self, prompt: Prompt, at_s: float | None = None) -> Ask:
        stream = self.stream if prompt.stream is None else prompt.stream
        body: dict[str, object] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": f"You answer briefly. Session {self.salt}."},
                {"role": "user", "content": prompt.text + self.marker},
            ],
            "temperature": 0,
            "max_tokens": prompt.max_tokens or self.max_tokens,
        }
        if stream:
            body["stream"] = True
            body["stream_options"] = {"include_usage": True}
        return Ask(orjson.dumps(body), stream, at_s, prompt.expected)


def arrivals(rate_per_s: float, seed: int, *, fixed: bool) -> Iterator[float]:
    """When requests are due, in seconds: Poisson, or evenly spaced."""
    drawn = random.Random(f"arrivals-{seed}")
    at_s = 0.0
    while True:
        yield at_s
        at_s += 1 / rate_per_s if fixed else drawn.expovariate(rate_per_s)
