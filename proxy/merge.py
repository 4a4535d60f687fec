"""Merge JSON values that arrive in pieces, in time linear in their size. No field of any API has a rule of its own.

    strings   append, but for the few in `NOT_APPENDED`, whose last one that is not empty wins; base64 that has ended
              does not go on
    lists     extend; items with an integer `index` merge by it. Those without fall back on a string `id`, and an item
              without either goes on where the item with an `id` just before it stopped
    objects   merge by the same rules; where a caller says which grow, the others' strings and lists are told anew
    the rest  last non-null wins

What is under way is made of `dict`, `Items` and `_Text`, is changed in place, and shares nothing with what came in.
"""

from dataclasses import dataclass, field
from typing import Any, TypeGuard

NOT_APPENDED = frozenset(
    {"role", "id", "type", "name", "format", "finish_reason", "native_finish_reason", "stop_reason"}
)
"""Strings that are words, not text: some engines repeat them in every piece."""

_NAMING = frozenset({"id", "name", "function", "custom"})
"""What tells an item from another; most pieces have none."""


class Unmergeable(ValueError):
    """The pieces do not fit together, so nobody can say what the whole is."""


class _Text(list[str]):
    """A string under way, as its pieces: appending to a `str` would copy it each time."""


@dataclass(slots=True)
class Items:
    """A list under way, with the places of those of its items that may go on."""

    values: list[Any] = field(default_factory=list)
    places: dict[int | str, int] = field(default_factory=dict)
    growing: frozenset[str] | None = None
    """The members of its items in whose objects strings append; None for all of them."""

    def add(self, item: Any) -> None:
        """Append an item, or merge it into the one it continues."""
        index, name = (item.get("index"), item.get("id")) if isinstance(item, dict) else (None, None)
        place = len(self.values)
        if type(index) is int:
            place = self.places.setdefault(index, place)
            self._require_same(place, item)
        elif _is_name(name):
            place = self.places.setdefault(name, place)
        elif isinstance(item, dict) and not name and self._last_is_named():
            place -= 1
        if place == len(self.values):
            self.values.append(None)
        self.values[place] = _merged(self.values[place], item, "", self.growing)

    def has(self, index: int, name: str) -> bool:
        """Whether the item at `index` has a member of this name."""
        return index in self.places and self.values[self.places[index]].get(name) is not None

    def _require_same(self, place: int, item: dict[str, Any]) -> None:
        """Refuse an item of another `id`, or function, than the item at its index: one of the two is wrong."""
        if place == len(self.values) or _NAMING.isdisjoint(item):
            return
        there = self.values[place]
        for one, other in ((there, item), *((there.get(kind), item.get(kind)) for kind in ("function", "custom"))):
            for name in ("id", "name"):
                old, new = (part.get(name) if isinstance(part, dict) else None for part in (one, other))
                if _is_name(old) and _is_name(new) and old != new:
                    raise Unmergeable(f"two items with different {name}s have the same index")

    def _last_is_named(self) -> bool:
        """Whether the last item has an `id` and no index, so that it may go on in an item that has neither."""
        last = self.values[-1] if self.values else None
        return isinstance(last, dict) and type(last.get("index")) is not int and _is_name(last.get("id"))


def _is_name(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and value != ""


def _merged(old: Any, new: Any, name: str, growing: frozenset[str] | None = None, grows: bool = True) -> Any:
    """`growing`: as of `Items`, for the members of `new`; `grows`: whether a string in `new` appends."""
    if new is None:
        return old
    if isinstance(new, str):
        if name in NOT_APPENDED or not grows:
            return new or old or new
        if not isinstance(old, _Text):
            _require(old, None, name)
            return _Text([new])
        if name == "data" and new and old[-1].endswith("="):
            raise Unmergeable("pieces of base64 that end each by itself, as those of audio may, are no one text")
        old.append(new)
        return old
    if isinstance(new, dict):
        _require(old, dict, name)
        merged = {} if old is None else old
        for member, value in new.items():
            inner = grows and (growing is None or member in growing or not isinstance(value, dict))
            merged[member] = _merged(merged.get(member), value, member, grows=inner)
        return merged
    if isinstance(new, list):
        _require(old, Items, name)
        items = Items() if old is None or not grows else old  # what does not grow is told anew
        for item in new:
            items.add(item)
        return items
    _require(old, None, name)
    return new


def _require(old: Any, kind: type | None, name: str) -> None:
    """Refuse to put a list or an object in the place of something else, or the reverse."""
    if old is None or (kind is not None and isinstance(old, kind)):
        return
    if kind is not None or isinstance(old, dict | Items):
        raise Unmergeable(f"{name or 'an item'} has more than one type")


def finished(value: Any) -> Any:
    """The plain JSON value of what was merged."""
    if isinstance(value, _Text):
        return "".join(value)
    if isinstance(value, Items):
        return [finished(item) for item in value.values]
    if isinstance(value, dict):
        return {name: finished(member) for name, member in value.items()}
    return value
