"""What a plain ending or a near synonym tells apart: how far an order is, and which of two titles is meant."""

from __future__ import annotations

from policies.guards.facts import Conflict, Facts
from policies.guards.vocabulary import base_form

_STAGES = {
    **dict.fromkeys(("ship", "ships", "shipped", "shipping", "dispatched", "sent"), "shipped"),
    **dict.fromkeys(("arrive", "arrives", "arrived", "delivered", "deliver"), "delivered"),
    **dict.fromkeys(("returned",), "returned"),
    **dict.fromkeys(("refunded", "reimbursed"), "refunded"),
}
_BEFORE_STAGE = frozenset(
    (
        "says", "say", "said", "shows", "marked", "status", "as", "is", "are", "was", "were", "be", "been", "being",
        "get", "gets", "got", "not", "already", "yet", "order", "orders", "package", "packages", "parcel", "parcels",
        "item", "items", "shipment", "purchase", "it", "they",
    )
)  # fmt: skip
"""Behind these a stage is a state; "do you ship to Canada" is none, nor is "shipped to"."""

_MAKING = frozenset(("directed", "wrote", "sang", "composed", "produced", "published", "released", "filmed", "scored"))
_PLAYING = frozenset(("starred", "stars", "star", "plays", "played", "acted", "acts"))
_PARTS = frozenset(("cast", "director", "author", "writer", "plot", "ending", "soundtrack", "stars", "composer"))
_GENERAL = frozenset(
    (
        "a", "an", "best", "most", "first", "last", "some", "any", "all", "many", "about", "my", "your", "his", "her",
        "this", "that", "these", "those", "and", "or", "for", "to",
    )
)  # fmt: skip
"""Words that show that a thing is described and not called by its title."""
_WORKS = frozenset(
    ("movie", "film", "song", "book", "poem", "novel", "play", "show", "episode", "album", "symphony", "opera", "paper")
)
_LONGEST = 6
"""Words of a title."""


def stage_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """ "Says delivered" against "says shipped"."""
    one, other = _stages(cached), _stages(asked)
    if not one or not other or not one.isdisjoint(other):
        return None
    return Conflict("contrast", min(one), min(other))


def _stages(facts: Facts) -> set[str]:
    words = facts.words
    if _STAGES.keys().isdisjoint(words):
        return set()
    return {
        _STAGES[word]
        for place, word in enumerate(words)
        if word in _STAGES and place and words[place - 1] in _BEFORE_STAGE and words[place + 1 : place + 2] != ("to",)
    }


def title_conflict(cached: Facts, asked: Facts) -> Conflict | None:
    """ "Who directed Alien" against "who directed Aliens"."""
    one = _title(cached)
    other = _title(asked) if one else ()
    if len(one) != len(other) or one[:-1] != other[:-1] or one == other:
        return None
    if base_form(one[-1]) != base_form(other[-1]) or base_form(one[-1]) in _WORKS:
        return None
    return Conflict("entity", one[-1], other[-1])


def _title(facts: Facts) -> tuple[str, ...]:
    """The words that stand where the title of a work stands, up to the end."""
    words = facts.words
    asks = "who" in facts.questions
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else ""
        rest: tuple[str, ...] = ()
        if word in _PARTS and following in ("of", "in"):
            rest = words[place + 2 :]
        elif asks and word in _MAKING:
            rest = words[place + 1 :]
        elif asks and word in _PLAYING and "in" in words[place:]:
            rest = words[words.index("in", place) + 1 :]
        if rest:
            rest = rest[1:] if rest[0] == "the" else rest
            return rest if len(rest) <= _LONGEST and _GENERAL.isdisjoint(rest) else ()
    return ()
