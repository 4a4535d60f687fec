"""What a request permits: look up, share, store. One pure function; the stages obey and none decides again."""

import math
from dataclasses import dataclass
from typing import Any

from policies.model import FamilyPolicy


@dataclass(frozen=True, slots=True)
class Directives:
    """What the client's headers ask for. They can only tighten what the policy allows."""

    no_cache: bool = False
    no_store: bool = False
    only_if_cached: bool = False
    max_age_s: float | None = None
    bypass_cache: bool = False
    bypass_share: bool = False


NO_DIRECTIVES = Directives()


@dataclass(frozen=True, slots=True)
class Permits:
    """Three permissions; `reason` names what took the first missing one away."""

    look_up: bool
    share: bool
    store: bool
    reason: str | None = None
    max_age_s: float | None = None
    """Entries must be younger."""
    only_if_cached: bool = False
    fresh_flight: bool = False
    """Share only a flight that begins with this request, or later: one begun before may have looked up."""


ALL = Permits(look_up=True, share=True, store=True)


def read_directives(fields: dict[bytes, bytes]) -> Directives:
    """Read `Cache-Control` (RFC 9111 section 5.2.1), whose unknown words are ignored, and `x-askonce-bypass`."""
    control = fields.get(b"cache-control")
    bypass = fields.get(b"x-askonce-bypass")
    if control is None and bypass is None:
        return NO_DIRECTIVES
    words = set()
    ages = []
    for word in (control or b"").lower().split(b","):
        name, _, value = (part.strip() for part in word.partition(b"="))
        words.add(name)
        if name == b"max-age":
            ages.append(_seconds(value.strip(b'"')))
    wanted = {word.strip() for word in (bypass or b"").lower().split(b",")} - {b""}
    # What we do not know, such as `true`, is read as `all`: the client meant to tighten.
    everything = bool(wanted - {b"cache", b"share"})
    return Directives(
        no_cache=b"no-cache" in words,
        no_store=b"no-store" in words,
        only_if_cached=b"only-if-cached" in words,
        max_age_s=min(ages, default=None),
        bypass_cache=everything or b"cache" in wanted,
        bypass_share=everything or b"share" in wanted,
    )


def _seconds(value: bytes) -> float:
    # An unreadable age is read as 0: the client meant to tighten, and 0 is the tightest (RFC 9111 section 4.2.1).
    return float(value) if value.isdigit() and len(value) < 12 else 0.0


def decide(
    payload: dict[str, Any],
    family: FamilyPolicy,
    directives: Directives,
    *,
    keyable: bool,
    json_body: bool,
) -> Permits:
    """The three permissions of a request, each reason a word that can be counted.

    Args:
        keyable: the body has a key (see `Request.keyable`).
        json_body: sent as `application/json`, without a content coding.
    """
    stateful = None if payload.keys().isdisjoint(STATEFUL) else _server_state(payload)
    if stateful or not keyable or not json_body:
        why = stateful or ("not-json" if not json_body else "not-keyable")
        return Permits(look_up=False, share=False, store=False, reason=why, only_if_cached=directives.only_if_cached)
    sampled = _sampled(payload, family)
    look_up = store = sampled is None
    share = family.coalesce == "always" or (sampled is None and family.coalesce != "never")
    reason = sampled
    if not family.exact.enabled:
        look_up = store = False
        reason = reason or "family-off"
    if directives is NO_DIRECTIVES:
        if look_up and share:
            return ALL
        return Permits(look_up=look_up, share=share, store=store, reason=reason)

    if directives.bypass_cache:
        look_up = store = False
        reason = reason or "client-bypass"
    if directives.bypass_share:
        share = False
    if directives.no_cache:
        look_up = False
        reason = reason or "no-cache"
    if directives.no_store:
        look_up = share = store = False
        reason = reason or "no-store"
    if directives.only_if_cached:
        share = store = False
    return Permits(
        look_up=look_up,
        share=share,
        store=store,
        reason=reason,
        max_age_s=directives.max_age_s,
        only_if_cached=directives.only_if_cached,
        fresh_flight=directives.no_cache or directives.bypass_cache,
    )


def _sampled(payload: dict[str, Any], family: FamilyPolicy) -> str | None:
    """Why the answer is a sample, or None if it is deterministic by what the family says."""
    if family.seeded == "reuse" and payload.get("seed") is not None:
        return None
    temperature = payload.get("temperature")
    if temperature is None:
        if family.when_temperature_missing == "greedy":
            return None
        return "temperature-missing" if "temperature" not in payload else "temperature-null"
    if type(temperature) not in (int, float):
        return "temperature-invalid"
    if temperature == 0:
        return None
    return "temperature" if temperature > 0 and math.isfinite(temperature) else "temperature-invalid"


_SERVER_STATE: dict[str, tuple[str, bool]] = {
    "previous_response_id": ("previous-response-id", False),
    "conversation": ("conversation", False),
    "store": ("server-store", True),
    "background": ("background", True),
    # SGLang's sessions grow with each request; the others hand the memory of one prompt from engine to engine, once.
    "session_params": ("session", False),
    "kv_transfer_params": ("kv-transfer", False),
    "ec_transfer_params": ("kv-transfer", False),
    "bootstrap_room": ("kv-transfer", False),
}
"""Fields that make the answer depend on what the server remembers, or the server on the answer: the reason, and whether
only `true` does. Null is never one."""

STATEFUL = frozenset(_SERVER_STATE)


def _server_state(payload: dict[str, Any]) -> str | None:
    """The reason of the first such field."""
    for name, (reason, only_true) in _SERVER_STATE.items():
        value = payload.get(name)
        if value is True or (value is not None and not only_true):
            return reason
    return None
