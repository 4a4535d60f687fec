"""What has been answered, by meaning: namespaces of vectors, and what is needed to judge and find each answer.

A namespace is everything in a request but the text that is matched; it is opaque here. Whatever is in an index has one
record, and both leave together: when the exact cache drops the answer (`remove_key`), when it has expired, or when a
bound is reached; then the oldest of the least recently used namespace goes first.

State, all of it on the loop's thread: `_namespaces`, least recently used first, each with its index and its records,
oldest first; `_homes`, the namespace of every id; `_bytes`, what the records count for.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from proxy.cache.candidate import Candidate, candidate_id, seal, similarity
from proxy.cache.concentration import HitConcentration
from proxy.cache.embedder import Vector

if TYPE_CHECKING:  # the plain proxy, which imports these types, must not load numpy and FAISS
    from proxy.cache.index import OffLoop, VectorIndex

log = logging.getLogger(__name__)

RECORD_BYTES = 1200
"""What a record costs beside its vector and text: its parsed facts, the objects, its places in the maps."""


@dataclass(frozen=True, slots=True)
class SemanticStats:
    """`vectors`, `records` and `ids` are equal at any time, or something leaks."""

    vectors: int
    records: int
    ids: int
    namespaces: int
    tombstones: int
    bytes: int
    """Records and index rows, tombstones included."""


@dataclass(slots=True, eq=False)
class _Record:
    candidate: Candidate
    seal: bytes
    """Of text, key and vector as they came: they belong together."""
    size: int


@dataclass(slots=True, eq=False)
class _Namespace:
    index: VectorIndex
    records: dict[int, _Record] = field(default_factory=dict)


class SemanticCache:
    """Nearest answered texts by namespace. Bounded by count, bytes and namespaces. No method but `maintain` waits."""

    def __init__(
        self,
        new_index: Callable[[int], VectorIndex],
        *,
        clock: Callable[[], float],
        max_vectors: int = 50_000,
        max_bytes: int = 134_217_728,
        max_namespaces: int = 10_000,
    ) -> None:
        """
        Args:
            new_index: makes an empty index of so many dimensions: `VectorIndex`.
            clock: the one `Candidate.created_s` is read from.
            max_bytes: of records and their vectors. Tombstones come on top, at most a third of it.
        """
        self._new_index = new_index
        self._clock = clock
        self._max_vectors = max_vectors
        self._max_bytes = max_bytes
        self._max_namespaces = max_namespaces
        self._namespaces: OrderedDict[bytes, _Namespace] = OrderedDict()
        self._homes: dict[int, bytes] = {}
        self._bytes = 0
        self.identity: str | None = None
        """The embedder whose vectors these are: the first vector's, until `rebuild`."""
        self.concentration = HitConcentration()
        self.evicted = 0
        """Records dropped because a bound was reached."""
        self.foreign = 0
        """Lookups with another embedder's vector."""
        self.mismatched = 0
        """Candidates dropped because text, key and vector no longer belong together."""

    def has(self, namespace: bytes) -> bool:
        """False means a miss without an embedding."""
        return namespace in self._namespaces

    def nearest(self, namespace: bytes, vector: Vector, k: int) -> list[tuple[Candidate, float]]:
        """At most `k` candidates with their similarity, a cosine in −1…1, greatest first. Counts as a use."""
        home = self._namespaces.get(namespace)
        if home is None:
            return []
        if vector.identity != self.identity:
            self.foreign += 1
            return []
        self._namespaces.move_to_end(namespace)
        found = []
        for id, _ in home.index.search(vector.values, k):
            record, stored = home.records[id], home.index.vector(id)
            if seal(record.candidate, stored) != record.seal:
                self.mismatched += 1
                log.error(
                    "a vector of the semantic index is not its text's: dropped %s", record.candidate.key.hex()[:12]
                )
                self._drop(id)
                continue
            found.append((record.candidate, similarity(stored, vector.values)))
        return found

    def add(self, namespace: bytes, vector: Vector, candidate: Candidate) -> bool:
        """Keep a candidate, in place of one with its key. False if it alone is over the bound.

        A vector of another embedder than before begins the cache anew: what is there can't be found with it.
        """
        if self.identity != vector.identity:
            self.rebuild(vector.identity)
        size = RECORD_BYTES + len(candidate.text.encode()) + 4 * len(vector.values)
        if size > self._max_bytes or self._max_vectors < 1 or self._max_namespaces < 1:
            return False
        self._drop(candidate.id)
        self._make_room(size)
        home = self._namespaces.get(namespace)
        if home is None:
            while len(self._namespaces) >= self._max_namespaces:
                self._evict_namespace()
            home = self._namespaces[namespace] = _Namespace(self._new_index(len(vector.values)))
        home.index.add(candidate.id, vector.values)
        home.records[candidate.id] = _Record(candidate, seal(candidate, home.index.vector(candidate.id)), size)
        self._homes[candidate.id] = namespace
        self._bytes += size
        self._namespaces.move_to_end(namespace)
        return True

    def remove_key(self, key: bytes) -> None:
        """Drop vector and record, if there are any, of an answer that is gone."""
        id = candidate_id(key)
        home = self._homes.get(id)
        if home is not None and self._namespaces[home].records[id].candidate.key == key:
            self._drop(id)

    def expire(self, ttl_s: Callable[[str], float]) -> int:
        """Drop what is older than its family's lifetime; how many there were. Lifetime counts from creation."""
        now_s = self._clock()
        old: list[int] = []
        for home in self._namespaces.values():
            # A namespace belongs to one family and its records are in order of arrival: the first fresh one ends it.
            for id, record in home.records.items():
                if now_s - record.candidate.created_s < ttl_s(record.candidate.family):
                    break
                old.append(id)
        for id in old:
            self._drop(id)
        return len(old)

    def clear(self) -> int:
        """Drop everything; how many there were."""
        count = len(self._homes)
        self._namespaces.clear()
        self._homes.clear()
        self._bytes = 0
        return count

    def rebuild(self, identity: str) -> list[tuple[bytes, Candidate]]:
        """Begin anew with another embedder. Returns what was there, by namespace, to be embedded again and added."""
        if identity == self.identity:
            return []
        before = [
            (namespace, record.candidate)
            for namespace, home in self._namespaces.items()
            for record in home.records.values()
        ]
        if before:
            log.warning("the embedder is now %s, was %s: %d vectors dropped", identity, self.identity, len(before))
        self.clear()
        self.identity = identity
        return before

    async def maintain(self, off_loop: OffLoop = asyncio.to_thread) -> None:
        """Compact the large indexes that need it, one after another. To be called now and then by a task of the app."""
        for home in [home for home in self._namespaces.values() if home.index.needs_compaction()]:
            await home.index.compact(off_loop)

    def stats(self) -> SemanticStats:
        indexes = [home.index for home in self._namespaces.values()]
        return SemanticStats(
            vectors=sum(map(len, indexes)),
            records=sum(len(home.records) for home in self._namespaces.values()),
            ids=len(self._homes),
            namespaces=len(indexes),
            tombstones=sum(index.dead for index in indexes),
            bytes=self._bytes + sum(index.dead_bytes for index in indexes),
        )

    def _make_room(self, size: int) -> None:
        while self._homes and (len(self._homes) >= self._max_vectors or self._bytes + size > self._max_bytes):
            oldest_home = next(iter(self._namespaces.values()))
            self._drop(next(iter(oldest_home.records)))
            self.evicted += 1

    def _evict_namespace(self) -> None:
        for id in list(next(iter(self._namespaces.values())).records):
            self._drop(id)
            self.evicted += 1

    def _drop(self, id: int) -> None:
        """Vector, record and id together, and the namespace with its last one."""
        namespace = self._homes.pop(id, None)
        if namespace is None:
            return
        home = self._namespaces[namespace]
        self._bytes -= home.records.pop(id).size
        home.index.remove(id)
        if not home.records:
            del self._namespaces[namespace]
        elif home.index.small and home.index.needs_compaction():
            home.index.compact_now()
