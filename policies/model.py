"""What a policies file may say of a family of requests. A family is data; who obeys it is elsewhere."""

import hashlib
import json
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from config.faults import nearest
from config.fields import Name, PositiveCount, PositiveSeconds, Seconds, Section, a_number, fault
from policies.guards import DEFAULT_GUARDS, GUARDS
from policies.match import Matchers, MatchPolicy

DEFAULT_FAMILY = "default"
"""The family of whatever matches no other. Its settings are those under `defaults:`."""


def _a_similarity(value: Any) -> Any:
    # One scale everywhere: cosine similarity. 0 is a threshold like any other; only null means that none was given.
    if value is None:
        return None
    if isinstance(value, bool | str):
        raise ValueError("a cosine similarity is a number from -1 to 1, written without quotes")
    if isinstance(value, int | float) and not -1 <= value <= 1:
        what = "not a number" if math.isnan(value) else f"{value:g}"
        raise ValueError(f"a cosine similarity is from -1 to 1, where 1 is the same direction; got {what}")
    return value


Words = Annotated[tuple[str, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)]
"""A word, or a list of words."""

Share = Annotated[float, BeforeValidator(a_number), Field(ge=0, le=1)]
Similarity = Annotated[float, BeforeValidator(_a_similarity)]


class ExactPolicy(Section):
    enabled: bool = True
    """Whether equal requests are answered from the store."""

    ttl_s: PositiveSeconds = 3600
    """An answer's life, from its creation."""

    sliding: bool = False
    """Each hit starts the life anew, up to `max_age_s`."""

    max_age_s: PositiveSeconds | None = None
    """End of a sliding answer's life, from its creation."""

    replay: Literal["fresh", "verbatim"] = "fresh"
    """`fresh` gives each hit an id and a time of its own; `verbatim` repeats the first answer's."""

    stale_while_revalidate_s: Seconds = 0
    """After its life an answer is still served for so long, while one request renews it (RFC 5861)."""

    stale_if_error_s: Seconds = 0
    """After its life an answer is still served for so long if the engine fails (RFC 5861)."""

    finish_reasons: tuple[str, ...] = ("stop", "tool_calls")
    """Answers that ended in another way are not stored."""

    store_refusals: bool = False
    """Whether the model's refusals are stored."""

    @field_validator("finish_reasons")
    @classmethod
    def _some_reasons(cls, reasons: tuple[str, ...]) -> tuple[str, ...]:
        if not reasons:
            raise ValueError("nothing could be stored: write [stop, tool_calls], or exact: {enabled: false}")
        return reasons

    @model_validator(mode="after")
    def _ends(self) -> Self:
        if self.sliding and self.max_age_s is None:
            raise fault(("sliding",), "an answer asked for often would never end: write max_age_s beside it")
        if self.max_age_s is not None and not self.sliding:
            raise fault(("max_age_s",), "is the end of a sliding life: write sliding: true, or ttl_s alone")
        if self.max_age_s is not None and self.max_age_s < self.ttl_s:
            raise fault(("max_age_s",), "must be at least ttl_s")
        return self


class LexiconPolicy(Section):
    """Words the guards should know beside their own."""

    contrasts: tuple[tuple[Words, Words], ...] = ()
    """Opposites, which may not stand for each other: pairs of words or of lists of words, as in [inbound, outbound]."""

    units: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Unit to its spellings, such as `furlong: [furlong, fur]`."""

    names: tuple[str, ...] = ()
    """Names that count as such in lower case too."""

    synonyms: tuple[tuple[str, ...], ...] = ()
    """Groups of words that may stand for each other."""


class SemanticPolicy(Section):
    mode: Literal["on", "shadow", "off"] = "off"
    """`on` serves, `shadow` only compares what it would have served, `off` matches exactly."""

    threshold: Similarity | None = None
    """Cosine similarity from which a stored prompt counts as the same question."""

    floor: Similarity = 0.80
    """No threshold below this is accepted; write it to allow one."""

    guards: tuple[str, ...] = tuple(guard for guard in GUARDS if guard in DEFAULT_GUARDS)
    """Which differences forbid a hit, however similar the prompts are."""

    lexicon: LexiconPolicy = LexiconPolicy()
    """Further words for the guards."""

    evidence: str | None = None
    """The evaluation that justifies the threshold: a file of `python -m evaluation`."""

    multi_turn: bool = False
    """Whether requests with earlier turns take part."""

    shadow_rate: Share = 0.0
    """Share of served hits that are compared with a new answer."""

    max_wrong_share: Share = 0.01
    """Share of wrong answers among those judged at which the family stops serving."""

    top_k: Annotated[PositiveCount, Field(le=100)] = 5
    """Candidates looked at."""

    @field_validator("mode", mode="before")
    @classmethod
    def _words(cls, mode: Any) -> Any:
        # Other YAML readers take `on` and `off` for truth values.
        return {True: "on", False: "off"}.get(mode, mode) if isinstance(mode, bool) else mode

    @field_validator("guards")
    @classmethod
    def _known_guards(cls, guards: tuple[str, ...]) -> tuple[str, ...]:
        for guard in guards:
            if guard not in GUARDS:
                meant = nearest(guard, GUARDS)
                cure = f"did you mean {meant}?" if meant else f"write some of {', '.join(GUARDS)}"
                raise fault((guards.index(guard),), f"unknown guard `{guard}`: {cure}")
        return guards

    @model_validator(mode="after")
    def _justified(self) -> Self:
        if self.threshold is not None and self.threshold < self.floor:
            raise fault(
                ("threshold",),
                f"{self.threshold:g} is below the floor of {self.floor:g}; if an evaluation allows it, write "
                f"floor: {self.threshold:g} beside it",
            )
        if self.mode != "off" and self.threshold is None:
            raise fault(("mode",), f"{self.mode} needs a threshold: write the one `python -m evaluation` found")
        return self


class BatchPolicy(Section):
    max_batch_size: PositiveCount = 8
    """Requests sent together at most."""

    max_wait_ms: Seconds = 0
    """How long a request waits for company; only prompt merging and embeddings gain by it."""

    merge: Literal["prompts"] | None = None
    """`prompts` sends equal completions as one request with many prompts, to an engine that adds up their usage."""


class TimeoutsPolicy(Section):
    """What is given replaces the upstream's own."""

    connect_s: PositiveSeconds | None = None
    """To open a connection to the engine."""

    first_byte_s: PositiveSeconds | None = None
    """From the end of the request to the first byte of the reply."""

    between_chunks_s: PositiveSeconds | None = None
    """Silence within a reply."""

    total_s: PositiveSeconds | None = None
    """The whole exchange."""


class FamilyPolicy(Section):
    name: Name = DEFAULT_FAMILY
    """Shown in headers, metrics and logs."""

    match: MatchPolicy = MatchPolicy()
    """Which requests belong to it."""

    exact: ExactPolicy = ExactPolicy()
    """Answers to equal requests."""

    semantic: SemanticPolicy = SemanticPolicy()
    """Answers to the same question in other words."""

    coalesce: Literal["deterministic", "always", "never"] = "deterministic"
    """Which equal requests under way share one generation; `always` shares samples too."""

    batch: BatchPolicy = BatchPolicy()
    """How requests are gathered."""

    when_temperature_missing: Literal["sampled", "greedy"] = "sampled"
    """What a request without a temperature is taken for; `greedy` lets it be cached."""

    seeded: Literal["reuse", "ignore"] = "ignore"
    """`reuse` treats a request with a seed like a greedy one."""

    normalize: tuple[Literal["casefold", "whitespace", "nfc"], ...] = ()
    """Differences of text that the key ignores."""

    ignore_user: bool = True
    """Whether requests that differ only in `user` are equal."""

    timeouts: TimeoutsPolicy = TimeoutsPolicy()
    """Clocks of this family's exchanges."""

    @cached_property
    def meaning(self) -> bytes:
        """Digest of what changes the meaning of a stored answer, and of nothing else.

        A part of every key: editing a lifetime, a threshold or a guard keeps all entries.
        """
        fields: dict[str, Any] = {"ignore_user": self.ignore_user, "normalize": sorted(set(self.normalize))}
        exact, usual = self.exact, ExactPolicy()
        # Who accepts a cut answer, or a refusal, must not answer for who does not.
        if set(exact.finish_reasons) != set(usual.finish_reasons):
            fields["finish_reasons"] = sorted(set(exact.finish_reasons))
        if exact.store_refusals:
            fields["store_refusals"] = True
        return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).digest()


@dataclass(frozen=True, slots=True)
class PolicyWarning:
    """Something allowed that the one who wrote the file should know."""

    family: str
    place: str
    """File and line."""
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.family}: {self.text}"


@dataclass(frozen=True, slots=True)
class PolicySet:
    """All families, in the order they are asked, and the one for what matches none."""

    families: tuple[FamilyPolicy, ...] = ()
    defaults: FamilyPolicy = field(default_factory=FamilyPolicy)
    warnings: tuple[PolicyWarning, ...] = ()
    source: str = ""
    """The file, as the user named it."""
    matchers: Matchers = field(init=False, repr=False, compare=False)

    def family(self, name: str) -> FamilyPolicy:
        """The family of that name; the default one if a reload has removed it."""
        return next((family for family in self.families if family.name == name), self.defaults)

    def __post_init__(self) -> None:
        object.__setattr__(self, "matchers", Matchers([family.match for family in self.families]))
