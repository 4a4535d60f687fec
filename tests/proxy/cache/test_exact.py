"""Entries by key, within both bounds; whoever keeps something beside an entry is told when it leaves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.cache.exact import OVERHEAD_BYTES, Entry, ExactCache
from proxy.replay import Rendered


def entry(key: str, size: int = 100) -> Entry:
    return Entry(
        key=key.encode(),
        created_s=0.0,
        used_s=0.0,
        family="default",
        rendered=Rendered(b"x" * size, 1, has_usage=True),
        serves_plain=True,
        origin_id="x",
        origin_created=1,
        prompt_tokens=1,
        completion_tokens=1,
        upstream_s=1.0,
    )


SIZE = entry("a").size


class Told:
    """A cache, and the keys it said had left."""

    def __init__(self, max_entries: int = 3, max_bytes: int = 100 * SIZE) -> None:
        self.left: list[str] = []
        self.cache = ExactCache(
            max_entries=max_entries, max_bytes=max_bytes, on_removal=lambda key: self.left.append(key.decode())
        )

    def put(self, keys: str) -> None:
        for key in keys:
            assert self.cache.put(entry(key))

    def held(self) -> str:
        return "".join(key for key in "abcdef" if self.cache.peek(key.encode()) is not None)


def test_the_least_recently_used_leaves_first_and_a_peek_is_no_use():
    told = Told()
    told.put("abc")
    assert told.cache.get(b"a") is not None
    assert told.cache.peek(b"b") is not None
    told.put("d")
    assert (told.held(), told.left) == ("acd", ["b"])


def test_as_many_leave_as_the_bytes_ask_for():
    told = Told(max_entries=100, max_bytes=3 * SIZE)
    told.put("abc")
    assert told.cache.put(entry("d", 200))
    assert (told.held(), told.left) == ("cd", ["a", "b"])
    assert told.cache.size == SIZE + entry("d", 200).size <= 3 * SIZE


def test_an_entry_over_the_bound_is_not_kept_and_what_it_would_replace_is_gone():
    told = Told(max_bytes=3 * SIZE)
    told.put("ab")
    assert not told.cache.put(entry("a", 4 * SIZE))
    assert (told.held(), told.left, told.cache.size) == ("b", ["a"], SIZE)


def test_a_replaced_entry_is_told_of_and_counts_no_more():
    told = Told()
    told.put("abc")
    told.put("a")
    assert (told.held(), told.left, told.cache.size) == ("abc", ["a"], 3 * SIZE)
    told.put("d")
    assert told.held() == "acd"


def test_what_is_deleted_is_told_of_once():
    told = Told()
    told.put("abc")
    assert told.cache.delete(b"b")
    assert not told.cache.delete(b"b")
    assert told.cache.purge("another family") == 0
    assert told.cache.purge() == 2
    assert (told.left, len(told.cache), told.cache.size) == (["b", "a", "c"], 0, 0)


@pytest.mark.parametrize("max_entries", [1, 3])
@given(st.lists(st.tuples(st.sampled_from("pgd"), st.sampled_from("abcdef"), st.integers(0, 2000))))
def test_no_bound_is_ever_exceeded_and_nothing_leaves_untold(max_entries, steps):
    bound = 3 * OVERHEAD_BYTES + 8000
    told = Told(max_entries, bound)
    put = 0
    sizes: dict[str, int] = {}
    for step, key, size in steps:
        if step == "p":
            sizes[key] = entry(key, size).size
            assert told.cache.put(entry(key, size)) == (sizes[key] <= bound)
            put += 1
        elif step == "g":
            told.cache.get(key.encode())
        else:
            told.cache.delete(key.encode())
        assert len(told.cache) <= max_entries
        assert told.cache.size == sum(sizes[key] for key in told.held()) <= bound
        assert put == len(told.cache) + len(told.left)
