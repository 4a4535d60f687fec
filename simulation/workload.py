"""What arrives, when, and how long: drawn from named random streams, so that every policy sees the same requests.

Each property of a workload has its own stream (`stream(seed, "arrivals")`, …), so changing one never shifts another:
the same seed at twice the load is the same requests with the gaps halved.
"""

import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from simulation.request import LATEST_S, MOST_TOKENS, Request, WorkloadError

ArrivalKind = Literal["poisson", "gamma", "weibull", "fixed"]
ARRIVAL_KINDS: tuple[ArrivalKind, ...] = ("poisson", "gamma", "weibull", "fixed")


# What a run holds in memory: some gigabytes.
MOST_REQUESTS = 10_000_000
_LONGEST_THINK_S = 1e6
# The spread of a logarithm: e**10 times the median is one standard deviation.
_WIDEST = 10


def stream(seed: int, name: str) -> np.random.Generator:
    """The random stream of this name; streams of one seed are independent of each other and of the order of asking."""
    if seed < 0:
        raise WorkloadError(f"seed is {seed}; it must be 0 or more")
    words = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(name.encode()),))
    return np.random.Generator(np.random.Philox(words))


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Open arrivals: the gaps are independent with mean 1 / rate_per_s and coefficient of variation cv.

    cv counts for gamma and Weibull gaps only; Poisson has 1 and a fixed rate 0.
    """

    rate_per_s: float
    kind: ArrivalKind = "poisson"
    cv: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rate_per_s) and self.rate_per_s > 0):
            raise WorkloadError(f"arrival rate is {self.rate_per_s}; it must be above 0 requests per second")
        if self.kind in ("gamma", "weibull") and not (math.isfinite(self.cv) and self.cv > 0):
            raise WorkloadError(f"cv of the gaps is {self.cv}; it must be above 0 (use kind 'fixed' for none)")

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Arrival times in seconds, (count,), rising."""
        match self.kind:
            case "poisson":
                gaps = rng.standard_exponential(count)
            case "gamma":
                shape = 1 / self.cv**2
                gaps = rng.standard_gamma(shape, count) / shape
            case "weibull":
                shape = weibull_shape(self.cv)
                gaps = rng.weibull(shape, count) / math.gamma(1 + 1 / shape)
            case "fixed":
                gaps = np.ones(count)
        return np.cumsum(gaps) / self.rate_per_s


def weibull_shape(cv: float) -> float:
    """The shape whose coefficient of variation is cv, by bisection."""

    def squared_cv(shape: float) -> float:
        return math.exp(math.lgamma(1 + 2 / shape) - 2 * math.lgamma(1 + 1 / shape)) - 1

    low, high = 0.05, 50.0
    if not squared_cv(high) <= cv**2 <= squared_cv(low):
        raise WorkloadError(f"cv of the gaps is {cv}; Weibull gaps are offered from {squared_cv(high) ** 0.5:.3f} up")
    for _ in range(80):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if squared_cv(middle) > cv**2 else (low, middle)
    return low


@dataclass(frozen=True, slots=True)
class ClosedLoop:
    """N users who each ask, wait for the answer, think for an exponential time and ask again."""

    users: int
    think_s: float = 0.0

    def __post_init__(self) -> None:
        if self.users < 1 or not 0 <= self.think_s <= _LONGEST_THINK_S:
            raise WorkloadError(
                f"closed loop of {self.users} users thinking {self.think_s} s; use 1 or more, and 0 to "
                f"{_LONGEST_THINK_S:,.0f} s"
            )


@dataclass(frozen=True, slots=True)
class LogNormal:
    """Whole numbers of tokens: exp(normal) cut to an integer, at least 1 and at most cap."""

    median: float
    sigma: float
    cap: int | None = None

    def __post_init__(self) -> None:
        if not (1 <= self.median <= MOST_TOKENS and 0 <= self.sigma <= _WIDEST):
            raise WorkloadError(
                f"lengths of median {self.median}, sigma {self.sigma}; use 1 to {MOST_TOKENS:,}, and 0 to {_WIDEST}"
            )
        if self.cap is not None and self.cap < 1:
            raise WorkloadError(f"lengths capped at {self.cap}; the cap must be 1 token or more")

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        drawn = np.exp(math.log(self.median) + self.sigma * rng.standard_normal(count))
        tokens: NDArray[np.int64] = np.minimum(drawn, min(self.cap or MOST_TOKENS, MOST_TOKENS)).astype(np.int64)
        return np.maximum(tokens, 1)


@dataclass(frozen=True, slots=True)
class Histogram:
    """Lengths drawn from (tokens, weight) pairs; a trace's own lengths are a histogram of equal weights."""

    tokens: tuple[int, ...]
    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not self.tokens or min(self.tokens) < 1:
            raise WorkloadError("a histogram of lengths needs one or more values, each 1 token or more")
        if self.weights and (len(self.weights) != len(self.tokens) or min(self.weights) < 0 or not sum(self.weights)):
            raise WorkloadError("a histogram of lengths needs one weight a value, none negative, not all 0")

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        tokens = np.array(self.tokens, dtype=np.int64)
        edges = np.cumsum(self.weights or np.ones(len(tokens)))
        rows = np.searchsorted(edges, rng.random(count) * edges[-1], side="right")
        drawn: NDArray[np.int64] = tokens[np.minimum(rows, len(tokens) - 1)]
        return drawn


Lengths = LogNormal | Histogram


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A share of the requests asks one of `entries` questions, by Zipf's law; the rest equal no other.

    A question keeps its lengths each time it is asked. It has `wordings` equally likely spellings: an identity is
    question * wordings + spelling, so identity // wordings is what a semantic cache would recognise. With block_tokens
    the prompts of one identity also share block hashes, for engines with prefix caching.
    """

    entries: int
    share: float = 1.0
    exponent: float = 1.0
    wordings: int = 1
    block_tokens: int = 0

    def __post_init__(self) -> None:
        if not (1 <= self.entries <= MOST_REQUESTS and self.wordings >= 1 and 0 <= self.share <= 1):
            raise WorkloadError(
                f"catalogue of {self.entries:,} entries, share {self.share}, {self.wordings} wordings: entries must be "
                f"1 to {MOST_REQUESTS:,}, wordings 1 or more, the share between 0 and 1"
            )
        if not (math.isfinite(self.exponent) and self.exponent >= 0):
            raise WorkloadError(f"exponent of the popularity is {self.exponent}; it must be 0 (all alike) or more")


@dataclass(frozen=True, slots=True)
class Workload:
    """Requests as columns in order of arrival: the reference model reads these far faster than objects.

    identity and hash_ids are empty when no request has any, else one entry a request.
    """

    arrival_s: list[float]
    prompt_tokens: list[int]
    output_tokens: list[int]
    identity: list[int | None] = field(default_factory=list)
    hash_ids: list[tuple[int, ...]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.arrival_s)

    def requests(self) -> Iterator[Request]:
        """The same as objects, for the full engine."""
        for row, arrival_s in enumerate(self.arrival_s):
            yield Request(
                arrival_s,
                self.prompt_tokens[row],
                self.output_tokens[row],
                self.hash_ids[row] if self.hash_ids else (),
                self.identity[row] if self.identity else None,
            )

    def at_rate(self, rate_per_s: float, drawn_at: float = 1.0) -> "Workload":
        """The same requests at another load: every time is multiplied by drawn_at / rate_per_s."""
        scale = drawn_at / rate_per_s
        times = [at * scale for at in self.arrival_s]
        return Workload(times, self.prompt_tokens, self.output_tokens, self.identity, self.hash_ids)


@dataclass(frozen=True, slots=True)
class Mix:
    """How requests are drawn."""

    prompt: Lengths
    output: Lengths
    catalogue: Catalogue | None = None

    def draw(self, count: int, seed: int, arrivals: Arrivals) -> Workload:
        """`count` requests; the same seed always gives the same ones."""
        if not 1 <= count <= MOST_REQUESTS:
            raise WorkloadError(f"a workload of {count:,} requests; use 1 to {MOST_REQUESTS:,}")
        times = arrivals.draw(count, stream(seed, "arrivals")).tolist()
        if not times[-1] <= LATEST_S:
            raise WorkloadError(f"{count:,} requests would take {times[-1]:g} s; use {LATEST_S:,.0f} s at most")
        prompt = self.prompt.draw(count, stream(seed, "prompt tokens"))
        output = self.output.draw(count, stream(seed, "output tokens"))
        if self.catalogue is None:
            return Workload(times, prompt.tolist(), output.tolist())
        return self._with_catalogue(self.catalogue, times, prompt, output, seed)

    def _with_catalogue(
        self,
        catalogue: Catalogue,
        times: list[float],
        prompt: NDArray[np.int64],
        output: NDArray[np.int64],
        seed: int,
    ) -> Workload:
        count = len(times)
        weights = np.arange(1, catalogue.entries + 1, dtype=np.float64) ** -catalogue.exponent
        edges = np.cumsum(weights)
        asked = np.searchsorted(edges, stream(seed, "catalogue question").random(count) * edges[-1], side="right")
        asked = np.minimum(asked, catalogue.entries - 1)
        spelling = stream(seed, "catalogue wording").integers(0, catalogue.wordings, count)
        repeats = stream(seed, "catalogue share").random(count) < catalogue.share
        questions = stream(seed, "catalogue lengths")
        prompt = np.where(repeats, self.prompt.draw(catalogue.entries, questions)[asked], prompt)
        output = np.where(repeats, self.output.draw(catalogue.entries, questions)[asked], output)
        names = (asked * catalogue.wordings + spelling).tolist()
        identity = [name if again else None for name, again in zip(names, repeats.tolist(), strict=True)]
        tokens: list[int] = prompt.tolist()
        hash_ids: list[tuple[int, ...]] = []
        if catalogue.block_tokens:
            # Ids of a question start at its own million: no prompt has a million blocks.
            hash_ids = [
                () if name is None else tuple(range(name * 10**6, name * 10**6 + length // catalogue.block_tokens))
                for name, length in zip(identity, tokens, strict=True)
            ]
        return Workload(times, tokens, output.tolist(), identity, hash_ids)


def of_requests(requests: Sequence[Request], time_scale: float = 1.0) -> Workload:
    """A trace as a workload: arrival times are multiplied by time_scale (0.5 is twice the load).

    A request without an identity but with block hashes is identified by them and its length: its full blocks are then
    the same text, and the incomplete last one is taken to be.

    Raises:
        WorkloadError: no requests, or a time_scale that is not above 0.
    """
    if not requests:
        raise WorkloadError("a workload of 0 requests; it needs 1 or more")
    if not (math.isfinite(time_scale) and time_scale > 0):
        raise WorkloadError(f"time scale is {time_scale}; it must be above 0")
    given = [request.identity for request in requests if request.identity is not None]
    names: dict[tuple[tuple[int, ...], int], int] = {}
    after = max(given, default=-1) + 1
    identity: list[int | None] = []
    for request in requests:
        if request.identity is not None or not request.hash_ids:
            identity.append(request.identity)
        else:
            identity.append(names.setdefault((request.hash_ids, request.prompt_tokens), after + len(names)))
    hashed = any(request.hash_ids for request in requests)
    return Workload(
        [request.arrival_s * time_scale for request in requests],
        [request.prompt_tokens for request in requests],
        [request.output_tokens for request in requests],
        identity if given or names else [],
        [request.hash_ids for request in requests] if hashed else [],
    )


def lengths_of(requests: Sequence[Request]) -> Mix:
    """Prompt and output lengths of a trace, to be drawn anew and independently of each other."""
    return Mix(
        Histogram(tuple(request.prompt_tokens for request in requests)),
        Histogram(tuple(request.output_tokens for request in requests)),
    )
