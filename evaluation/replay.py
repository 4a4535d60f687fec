"""What a policy would have done with recorded requests: the proxy's own decisions on the record's clock, no upstream.

A request that nothing answers is a generation: it ends `upstream_s` after it came, and is stored then if it may be.
Until then others with its key share it. The engine is taken to answer each with a clean stop.
"""

import hashlib
import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson

from evaluation.dataset import DataError
from evaluation.score import Readings
from evaluation.vectors import Vectors
from policies.classify import classify
from policies.model import FamilyPolicy, PolicySet
from proxy import openai
from proxy.cache.candidate import Candidate
from proxy.cache.embedder import Vector
from proxy.cache.exact import Entry, ExactCache, Fresh, freshness
from proxy.cache.index import VectorIndex
from proxy.cache.lookup import Hit, decide
from proxy.cache.semantic import SemanticCache
from proxy.errors import BadRequest
from proxy.keys import cache_key, namespace
from proxy.openai import CHAT, COMPLETIONS
from proxy.permit import Permits, read_directives
from proxy.permit import decide as permit
from proxy.replay import Rendered

How = Literal["exact", "semantic", "shared", "generated", "other"]
"""`other`: a path that is passed through."""

MAX_ENTRIES = 100_000
MAX_BYTES = 1 << 40
"""Recorded answers have no bodies here, so only their number is bounded."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request of a trace."""

    t: float
    """Seconds."""
    path: str
    payload: dict[str, Any]
    keyable: bool
    headers: Mapping[bytes, bytes]
    tenant: str
    upstream_s: float
    """What its answer takes."""
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Replayed:
    """What became of it."""

    how: How
    family: str
    reason: str | None
    """Why it was not looked up."""
    similarity: float | None = None
    served_from: str | None = None
    """The text that was stored, of a semantic hit."""


@dataclass(slots=True)
class Saved:
    """Sums over a trace."""

    requests: int = 0
    by_how: dict[str, int] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    upstream_s: float = 0.0
    saved_prompt_tokens: int = 0
    saved_completion_tokens: int = 0
    saved_upstream_s: float = 0.0

    def add(self, request: Recorded, replayed: Replayed) -> None:
        self.requests += 1
        self.by_how[replayed.how] = self.by_how.get(replayed.how, 0) + 1
        self.prompt_tokens += request.prompt_tokens
        self.completion_tokens += request.completion_tokens
        self.upstream_s += request.upstream_s
        if replayed.how in ("exact", "semantic", "shared"):
            self.saved_prompt_tokens += request.prompt_tokens
            self.saved_completion_tokens += request.completion_tokens
            self.saved_upstream_s += request.upstream_s


def read_trace(path: Path, *, skip_bad: bool = False) -> tuple[list[Recorded], list[str]]:
    """The requests of a JSONL file in order of time, and a line for each bad row that was skipped.

    Raises:
        DataError: at the first bad row, unless they are skipped.
    """
    found: list[Recorded] = []
    skipped: list[str] = []
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append(_recorded(line))
        except _BadRow as error:
            said = f"{path}:{number}: {error}"
            if not skip_bad:
                raise DataError(said) from None
            skipped.append(said)
    return sorted(found, key=lambda one: one.t), skipped


class _BadRow(Exception):
    """Field and cure."""


def _recorded(line: bytes) -> Recorded:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _BadRow(f"not JSON ({error.msg})") from None
    if not isinstance(row, dict):
        raise _BadRow("not a JSON object")
    path = row.get("path", CHAT)
    if not isinstance(path, str) or not path.startswith("/"):
        raise _BadRow("`path`: write a request path such as /v1/chat/completions")
    body = row.get("body")
    if not isinstance(body, dict):
        raise _BadRow("`body`: write the request's JSON object")
    keyable = False
    if path in (CHAT, COMPLETIONS):
        try:
            request = openai.read_request(path, orjson.dumps(body))
        except BadRequest as error:
            raise _BadRow(f"`body`: {error}") from None
        keyable = request.keyable
    headers = row.get("headers") or {}
    usage = row.get("usage") or {}
    if not isinstance(headers, dict) or not isinstance(usage, dict):
        raise _BadRow(f"`{'usage' if isinstance(headers, dict) else 'headers'}`: write a JSON object")
    return Recorded(
        t=_number(row, "t", None),
        path=path,
        payload=body,
        keyable=keyable,
        headers={str(name).lower().encode(): str(value).encode() for name, value in headers.items()},
        tenant=str(row.get("tenant", "")),
        upstream_s=_number(row, "upstream_s", 0.0),
        prompt_tokens=int(_number(usage, "prompt_tokens", 0.0)),
        completion_tokens=int(_number(usage, "completion_tokens", 0.0)),
    )


def _number(row: Mapping[str, Any], name: str, unset: float | None) -> float:
    value = row.get(name, unset)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise _BadRow(f"`{name}`: write a number of 0 or more")
    return float(value)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request with what the proxy would know of it."""

    request: Recorded
    family: FamilyPolicy
    permits: Permits
    key: bytes
    space: bytes | None
    """None where similarity has no part."""
    text: str


class Replay:
    """One pass over a trace under one policy set, with the proxy's caches."""

    def __init__(self, policies: PolicySet, vectors: Vectors) -> None:
        self._policies = policies
        self._vectors = vectors
        self._readings = Readings()
        self._now_s = 0.0
        self._near = SemanticCache(VectorIndex, clock=lambda: self._now_s, max_vectors=MAX_ENTRIES)
        self._exact = ExactCache(max_entries=MAX_ENTRIES, max_bytes=MAX_BYTES, on_removal=self._near.remove_key)
        self._flights: dict[bytes, float] = {}
        """By key, the end of the generation under way."""
        self._ends: list[tuple[float, int, _Asked]] = []
        self._begun = 0

    def texts(self, trace: Iterable[Recorded]) -> set[str]:
        """Every text that needs a vector."""
        asked = (self._ask(request) for request in trace)
        return {one.text for one in asked if one is not None and one.space is not None}

    def run(
        self, trace: Sequence[Recorded], progress: Callable[[int], None] = lambda done: None
    ) -> tuple[Saved, list[Replayed]]:
        """The vectors of `texts(trace)` must have been made."""
        saved = Saved()
        rows = []
        for done, request in enumerate(trace, 1):
            replayed = self._one(request)
            rows.append(replayed)
            saved.add(request, replayed)
            progress(done)
        return saved, rows

    def _one(self, request: Recorded) -> Replayed:
        self._end_generations(request.t)
        self._now_s = request.t
        asked = self._ask(request)
        if asked is None:
            return Replayed("other", "", None)
        name, permits = asked.family.name, asked.permits
        if permits.look_up and self._fresh(asked.key, asked) is not None:
            return Replayed("exact", name, None)
        if permits.share and not permits.fresh_flight and asked.key in self._flights:
            return Replayed("shared", name, permits.reason)
        hit = self._similar(asked) if permits.look_up else None
        if hit is not None:
            return Replayed("semantic", name, None, hit.similarity, hit.candidate.text)
        end_s = request.t + request.upstream_s
        if permits.share:
            self._flights[asked.key] = end_s
        heapq.heappush(self._ends, (end_s, self._begun, asked))
        self._begun += 1
        return Replayed("generated", name, permits.reason)

    def _ask(self, request: Recorded) -> _Asked | None:
        payload, path = request.payload, request.path
        if path not in (CHAT, COMPLETIONS):
            return None
        model = payload.get("model")
        family = classify(
            self._policies,
            path=path,
            model=model if isinstance(model, str) else "",
            tenant=request.tenant or None,
            header=request.headers.get(b"x-askonce-family", b"").decode("latin-1"),
            prompt_text=lambda: openai.prompt_text(payload),
            system_text=lambda: openai.system_text(payload),
        )
        permits = permit(
            payload, family, read_directives(dict(request.headers)), keyable=request.keyable, json_body=True
        )
        common: dict[str, Any] = {
            "path": path,
            "tenant": hashlib.sha256(request.tenant.encode()).digest(),
            "model": model if isinstance(model, str) else "",
            "revision": "",
            "meaning": family.meaning,
            "ignore_user": family.ignore_user,
        }
        key = cache_key(payload, normalize=family.normalize, **common) if request.keyable else b""
        text = (openai.last_user_text(path, payload) or "") if request.keyable else ""
        semantic = family.semantic
        takes_part = semantic.mode == "on" and text.strip() and (permits.look_up or permits.store)
        if takes_part and (semantic.multi_turn or not openai.has_earlier_turns(payload)):
            return _Asked(request, family, permits, key, namespace(payload, family=family.name, **common), text)
        return _Asked(request, family, permits, key, None, text)

    def _fresh(self, key: bytes, asked: _Asked) -> Entry | None:
        entry = self._exact.get(key)
        if entry is None:
            return None
        state = freshness(entry, self._now_s, asked.family.exact, asked.permits.max_age_s)
        if not isinstance(state, Fresh):
            return None
        entry.used_s = self._now_s
        return entry

    def _similar(self, asked: _Asked) -> Hit | None:
        values = None if asked.space is None else self._vectors[asked.text]
        if asked.space is None or values is None:
            return None
        semantic = asked.family.semantic
        lexicon = self._readings.lexicon(asked.family)
        nearest = self._near.nearest(asked.space, Vector(values, self._vectors.embedder.identity), semantic.top_k)
        verdict, _ = decide(
            nearest,
            self._readings.read(asked.text, lexicon),
            threshold=1.0 if semantic.threshold is None else semantic.threshold,
            guards=frozenset(semantic.guards),
            is_fresh=lambda candidate: self._is_fresh(candidate, asked),
            facts_of=lambda candidate: self._readings.read(candidate.text, lexicon),
        )
        if isinstance(verdict, Hit):
            self._fresh(verdict.candidate.key, asked)
            return verdict
        return None

    def _is_fresh(self, candidate: Candidate, asked: _Asked) -> bool:
        entry = self._exact.peek(candidate.key)
        if entry is None:
            return False
        return isinstance(freshness(entry, self._now_s, asked.family.exact, asked.permits.max_age_s), Fresh)

    def _end_generations(self, now_s: float) -> None:
        """Store what has ended by now, in the order it ended."""
        while self._ends and self._ends[0][0] <= now_s:
            end_s, _, asked = heapq.heappop(self._ends)
            self._now_s = end_s
            if self._flights.get(asked.key) == end_s:
                del self._flights[asked.key]
            if asked.permits.store:
                self._store(asked, end_s)

    def _store(self, asked: _Asked, end_s: float) -> None:
        request = asked.request
        entry = Entry(
            key=asked.key,
            created_s=end_s,
            used_s=end_s,
            family=asked.family.name,
            rendered=Rendered(b"", 1, has_usage=True),
            serves_plain=True,
            origin_id="",
            origin_created=0,
            prompt_tokens=request.prompt_tokens,
            completion_tokens=request.completion_tokens,
            upstream_s=request.upstream_s,
        )
        self._exact.put(entry)
        values = None if asked.space is None else self._vectors[asked.text]
        if asked.space is not None and values is not None:
            candidate = Candidate(asked.key, asked.text, None, end_s, asked.family.name)
            self._near.add(asked.space, Vector(values, self._vectors.embedder.identity), candidate)
