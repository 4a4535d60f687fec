"""The table of design section 3, a row a test."""

import pytest

from policies.model import ExactPolicy, FamilyPolicy
from proxy.permit import Directives, decide, read_directives
from tests.builders import chat


def permits(payload=None, family=None, *, keyable=True, json_body=True, control=None, bypass=None):
    fields = {b"cache-control": control, b"x-askonce-bypass": bypass}
    directives = read_directives({name: value for name, value in fields.items() if value is not None})
    return decide(payload or chat(), family or FamilyPolicy(), directives, keyable=keyable, json_body=json_body)


def three(*args, **kwargs):
    p = permits(*args, **kwargs)
    return p.look_up, p.share, p.store


@pytest.mark.parametrize("temperature", [0, 0.0, -0.0])
def test_greedy_permits_all(temperature):
    assert three(chat(temperature=temperature)) == (True, True, True)


@pytest.mark.parametrize(
    ("temperature", "reason"),
    [
        (1, "temperature"),
        (0.001, "temperature"),
        (..., "temperature-missing"),
        (None, "temperature-null"),
        ("0", "temperature-invalid"),
        (False, "temperature-invalid"),
        (-1, "temperature-invalid"),
    ],
)
def test_sampled_permits_nothing(temperature, reason):
    p = permits(chat(temperature=temperature))
    assert (p.look_up, p.share, p.store, p.reason) == (False, False, False, reason)


@pytest.mark.parametrize("temperature", [..., None])
def test_a_missing_temperature_is_greedy_where_the_family_says_so(temperature):
    family = FamilyPolicy(when_temperature_missing="greedy")
    assert three(chat(temperature=temperature), family) == (True, True, True)


@pytest.mark.parametrize("seed", [0, 7])
def test_a_seed_is_greedy_where_the_family_reuses_it(seed):
    assert three(chat(temperature=1, seed=seed)) == (False, False, False)
    assert three(chat(temperature=1, seed=seed), FamilyPolicy(seeded="reuse")) == (True, True, True)
    assert three(chat(temperature=1, seed=None), FamilyPolicy(seeded="reuse")) == (False, False, False)


def test_samples_are_shared_only_where_the_family_always_coalesces():
    assert three(chat(temperature=1), FamilyPolicy(coalesce="always")) == (False, True, False)


def test_a_family_may_never_coalesce():
    assert three(family=FamilyPolicy(coalesce="never")) == (True, False, True)


def test_a_family_without_an_exact_cache_still_shares():
    assert three(family=FamilyPolicy(exact=ExactPolicy(enabled=False))) == (False, True, False)


def test_no_cache_looks_nothing_up_and_shares_only_what_begins_after_it():
    p = permits(control=b"no-cache")
    assert (p.look_up, p.share, p.store, p.fresh_flight) == (False, True, True, True)


def test_no_store_permits_nothing():
    assert three(control=b"no-store") == (False, False, False)


def test_max_age_is_kept():
    assert permits(control=b"max-age=5").max_age_s == 5
    assert permits(control=b"max-age=soon").max_age_s == 0
    assert three(control=b"max-age=5") == (True, True, True)


def test_only_if_cached_looks_up_and_does_nothing_else():
    p = permits(control=b"only-if-cached")
    assert (p.look_up, p.share, p.store, p.only_if_cached) == (True, False, False, True)


@pytest.mark.parametrize(
    ("bypass", "expected"),
    [(b"cache", (False, True, False)), (b"share", (True, False, True)), (b"all", (False, False, False))],
)
def test_bypass_takes_away_what_it_names(bypass, expected):
    assert three(bypass=bypass) == expected


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ({"previous_response_id": "r"}, "previous-response-id"),
        ({"conversation": "c"}, "conversation"),
        ({"store": True}, "server-store"),
        ({"background": True}, "background"),
        ({"session_params": {"id": "s", "rid": None}}, "session"),
        ({"kv_transfer_params": {"do_remote_decode": True}}, "kv-transfer"),
        ({"ec_transfer_params": {}}, "kv-transfer"),
        ({"bootstrap_room": 0}, "kv-transfer"),
    ],
)
def test_I02_server_state_permits_nothing(field, reason):
    p = permits(chat(**field))
    assert (p.look_up, p.share, p.store, p.reason) == (False, False, False, reason)


def test_what_has_no_key_or_is_not_json_permits_nothing_whatever_the_family_says():
    generous = FamilyPolicy(coalesce="always", when_temperature_missing="greedy")
    assert three(family=generous, keyable=False) == (False, False, False)
    assert three(family=generous, json_body=False) == (False, False, False)


def test_a_client_can_only_tighten():
    sampled = chat(temperature=1)
    for control in (b"max-age=60", b"max-stale", b"public", b"only-if-cached"):
        p = permits(sampled, control=control)
        assert (p.look_up, p.share, p.store) == (False, False, False)


def test_directives_are_read_whatever_their_case_and_order():
    assert read_directives({b"cache-control": b'No-Cache , MAX-AGE="7"'}) == Directives(no_cache=True, max_age_s=7)
