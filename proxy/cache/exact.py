"""Finished answers by key, bounded by count and by bytes; the least recently used leave first.

How long an entry is fresh is not kept with it: the policy in force decides at each lookup, so a change of `ttl_s`
keeps every entry.
"""

from collections.abc import Callable
from dataclasses import dataclass

from cachetools import Cache, LRUCache

from policies.model import ExactPolicy
from proxy.replay import Rendered

OVERHEAD_BYTES = 700
"""What an entry costs beside its bodies: the objects around it, its place in the maps."""


@dataclass(slots=True, eq=False)
class Entry:
    """One finished answer, ready to be sent in either wire mode. Only `used_s` changes after it is stored."""

    key: bytes
    created_s: float
    """Monotonic."""
    used_s: float
    """Monotonic; written by each hit, read where a family's lifetime slides."""
    family: str
    rendered: Rendered
    """The answer in both wire modes, as templates."""
    serves_plain: bool
    """False for a stream whose usage was never seen: it serves streams only."""
    origin_id: str
    """The id the engine gave."""
    origin_created: int
    """The Unix time the engine gave, in seconds."""
    prompt_tokens: int
    completion_tokens: int
    upstream_s: float
    """What the answer took upstream: what a hit saves."""

    @property
    def size(self) -> int:
        """Bytes this entry counts for."""
        return OVERHEAD_BYTES + self.rendered.size


@dataclass(frozen=True, slots=True)
class Fresh:
    """May be served."""

    age_s: float
    ttl_s: float
    """Seconds it stays fresh from now."""


@dataclass(frozen=True, slots=True)
class Stale:
    """Past its time, but within a grace the family allows (RFC 5861)."""

    age_s: float
    while_revalidate: bool
    if_error: bool


@dataclass(frozen=True, slots=True)
class Expired:
    """No use any more."""


Freshness = Fresh | Stale | Expired


def freshness(entry: Entry, now_s: float, policy: ExactPolicy, max_age_s: float | None) -> Freshness:
    """What the policy in force says of `entry`; `max_age_s` is the client's own, tighter limit.

    Lifetime counts from creation. Where the family lets it slide, it counts from the last use, and ends for good
    `policy.max_age_s` after creation.
    """
    age_s = now_s - entry.created_s
    if max_age_s is not None and age_s >= max_age_s:
        return Expired()
    over_s = age_s - policy.ttl_s
    if policy.sliding and policy.max_age_s is not None:
        over_s = max(now_s - entry.used_s - policy.ttl_s, age_s - policy.max_age_s)
    if over_s < 0:
        return Fresh(age_s, -over_s)
    while_revalidate = over_s < policy.stale_while_revalidate_s
    if_error = over_s < policy.stale_if_error_s
    if while_revalidate or if_error:
        return Stale(age_s, while_revalidate, if_error)
    return Expired()


class ExactCache:
    """Entries by key. Used from one event loop; no method suspends."""

    def __init__(
        self,
        *,
        max_entries: int,
        max_bytes: int,
        on_removal: Callable[[bytes], None] | None = None,
    ) -> None:
        """`on_removal` is told the key of every entry that leaves or is replaced, so that nothing outlives it."""
        self._entries = _Bounded(max_bytes, max_entries, on_removal)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def size(self) -> int:
        """What all entries count for together."""
        return int(self._entries.currsize)

    def get(self, key: bytes) -> Entry | None:
        """The entry, whatever its age; counts as a use of it."""
        return self._entries.get(key)

    def peek(self, key: bytes) -> Entry | None:
        """The entry, whatever its age; not a use of it."""
        return self._entries.peek(key)

    def put(self, entry: Entry) -> bool:
        """Keep `entry`, in place of one with its key. False if it alone is over the bound."""
        self.delete(entry.key)
        if entry.size > self._entries.maxsize:
            return False
        self._entries[entry.key] = entry
        return True

    def delete(self, key: bytes) -> bool:
        """Drop the entry of `key`; whether there was one."""
        return self._entries.drop(key)

    def clear(self) -> int:
        """Drop everything; how many there were."""
        return self.delete_where(lambda entry: True)

    def delete_where(self, condition: Callable[[Entry], bool]) -> int:
        """Drop the entries that meet `condition`; how many there were."""
        keys = [key for key in self._entries if (entry := self.peek(key)) is not None and condition(entry)]
        for key in keys:
            self.delete(key)
        return len(keys)


class _Bounded(LRUCache[bytes, Entry]):
    """An LRU by bytes with a second bound on the count; every way out goes through `popitem` or `drop`."""

    def __init__(self, max_bytes: int, max_entries: int, on_removal: Callable[[bytes], None] | None) -> None:
        super().__init__(max_bytes, getsizeof=lambda entry: entry.size)
        self._max_entries = max_entries
        self._on_removal = on_removal

    def __setitem__(self, key: bytes, entry: Entry, **kwargs: object) -> None:
        while len(self) >= self._max_entries and key not in self:
            self.popitem()
        super().__setitem__(key, entry)

    def popitem(self) -> tuple[bytes, Entry]:
        key, entry = super().popitem()
        if self._on_removal is not None:
            self._on_removal(key)
        return key, entry

    def peek(self, key: bytes) -> Entry | None:
        return Cache.__getitem__(self, key) if key in self else None

    def drop(self, key: bytes) -> bool:
        if key not in self:
            return False
        del self[key]
        if self._on_removal is not None:
            self._on_removal(key)
        return True
