"""Finished answers by key, bounded by count and by bytes; the least recently used leave first.

How long an entry is fresh is not kept with it: the policy in force decides at each lookup, so a change of `ttl_s`
keeps every entry.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

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


class Fresh(NamedTuple):
    """May be served."""

    age_s: float
    ttl_s: float
    """Seconds it stays fresh from now."""


class Stale(NamedTuple):
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
    over_s = overdue_s(entry, now_s, policy)
    if over_s < 0:
        return Fresh(age_s, -over_s)
    while_revalidate = over_s < policy.stale_while_revalidate_s
    if_error = over_s < policy.stale_if_error_s
    if while_revalidate or if_error:
        return Stale(age_s, while_revalidate, if_error)
    return Expired()


def overdue_s(entry: Entry, now_s: float, policy: ExactPolicy) -> float:
    """Seconds since its lifetime ended; while it is fresh, less than 0."""
    age_s = now_s - entry.created_s
    if policy.sliding and policy.max_age_s is not None:
        return max(now_s - entry.used_s - policy.ttl_s, age_s - policy.max_age_s)
    return age_s - policy.ttl_s


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
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._on_removal = on_removal
        self._entries: OrderedDict[bytes, Entry] = OrderedDict()
        """The most recently used last. A plain map: a hit and a miss each pass here, and every call would count."""
        self._bytes = 0
        """What they count for."""
        self.purges = 0
        """How often anything was purged."""
        self._last_purge: dict[str | None, int] = {}
        """By family, and by None of all of them: which purge it was."""

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def size(self) -> int:
        """What all entries count for together."""
        return self._bytes

    def get(self, key: bytes) -> Entry | None:
        """The entry, whatever its age; counts as a use of it."""
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
        return entry

    def peek(self, key: bytes) -> Entry | None:
        """The entry, whatever its age; not a use of it."""
        return self._entries.get(key)

    def put(self, entry: Entry) -> bool:
        """Keep `entry`, in place of one with its key. False if it alone is over the bound."""
        entries, size = self._entries, OVERHEAD_BYTES + entry.rendered.size
        if entry.key in entries:
            self.delete(entry.key)
        if size > self._max_bytes:
            return False
        while len(entries) >= self._max_entries or self._bytes + size > self._max_bytes:
            self.delete(next(iter(entries)))
        entries[entry.key] = entry
        self._bytes += size
        return True

    def delete(self, key: bytes) -> bool:
        """Drop the entry of `key`; whether there was one."""
        entry = self._entries.pop(key, None)
        if entry is None:
            return False
        self._bytes -= entry.size
        if self._on_removal is not None:
            self._on_removal(key)
        return True

    def families(self) -> set[str]:
        """Of all that is stored."""
        return {entry.family for entry in self._entries.values()}

    def purged_since(self, purges: int, family: str) -> bool:
        """Whether an answer of this family, asked for when `purges` was this, is not to be kept."""
        last = self._last_purge
        return max(last.get(None, 0), last.get(family, 0)) > purges

    def purge(self, family: str | None = None) -> int:
        """Drop what is stored of one family, or of all; how many entries there were."""
        self.purges += 1
        self._last_purge[family] = self.purges
        keys = [key for key, entry in self._entries.items() if family is None or entry.family == family]
        for key in keys:
            self.delete(key)
        return len(keys)
