"""The key: all that can change an answer, and nothing else."""

import hashlib
import random
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.model import FamilyPolicy
from proxy.keys import IGNORED_WITH_USER, SCHEMA, cache_key, namespace
from tests.builders import CHAT, COMPLETIONS, chat, completion

numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False, width=32)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def key(payload: dict[str, Any], **changes: Any) -> bytes:
    named: dict[str, Any] = {
        "path": CHAT,
        "tenant": b"t",
        "model": "m",
        "revision": "",
        "meaning": FamilyPolicy().meaning,
    }
    return cache_key(payload, **{**named, **changes})


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"seed": 0},
        {"stop": ["a"]},
        {"stop": []},
        {"n": 2},
        {"logit_bias": {"5": 1}},
        {"logprobs": True},
        {"top_logprobs": 2},
        {"presence_penalty": 0.5},
        {"frequency_penalty": 0.5},
        {"top_p": 0.9},
        {"max_tokens": 5},
        {"max_tokens": 0},
        {"max_completion_tokens": 5},
        {"something_new": 1},
    ],
)
def test_K01_each_parameter_is_in_the_key(change):
    assert key(chat()) != key(chat(**change))


def test_K02_zero_is_one_number_and_missing_is_not_zero():
    assert key(chat(temperature=0)) == key(chat(temperature=0.0))
    missing, null = key(chat(temperature=...)), key(chat(temperature=None))
    assert len({key(chat()), missing, null}) == 3
    assert key(chat(max_tokens=5)) != key(chat(max_completion_tokens=5))


@pytest.mark.parametrize(
    "extra",
    [
        {"guided_json": {"type": "object"}},
        {"top_k": 1},
        {"min_p": 0.1},
        {"chat_template_kwargs": {"enable_thinking": False}},
        {"options": {"num_ctx": 1024}},
    ],
)
def test_K03_engine_extras_are_in_the_key(extra):
    assert key(chat()) != key(chat(**extra))


def test_K04_messages_count_whole():
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    results = [{"role": "tool", "tool_call_id": name, "content": text} for name, text in (("a", "1"), ("b", "2"))]
    swapped = [{**results[0], "content": "2"}, {**results[1], "content": "1"}]
    named = [{"role": "user", "content": "Say hi", "name": "ann"}]
    schema = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
    requests = [
        chat(),
        chat(tools=[tool]),
        chat(response_format=schema),
        chat(response_format={"type": "json_object"}),
        chat(messages=named),
        chat(messages=results),
        chat(messages=swapped),
    ]
    assert len({key(request) for request in requests}) == len(requests)


def test_K05_the_path_is_in_the_key():
    body = {**chat(), **completion()}
    assert key(body, path=CHAT) != key(body, path=COMPLETIONS)


def test_K06_the_resolved_model_and_its_revision_are_in_the_key():
    keys = {key(chat()), key(chat(), model="other"), key(chat(), revision="2")}
    assert len(keys) == 3


def test_K07_the_order_of_members_is_not_in_the_key_and_the_order_of_lists_is():
    body = chat(tools=[{"a": {"x": 1, "y": 2}}, {"b": 1}], messages=[{"role": "user", "content": "a"}, {"role": "x"}])

    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            names = list(value)
            random.Random(4).shuffle(names)
            return {name: shuffled(value[name]) for name in names}
        return [shuffled(item) for item in value] if isinstance(value, list) else value

    assert key(shuffled(body)) == key(body)
    assert key({**body, "tools": body["tools"][::-1]}) != key(body)
    assert key({**body, "messages": body["messages"][::-1]}) != key(body)


def test_K07_the_key_is_the_same_after_a_restart():
    assert key(chat()).hex() == "98a19ea17bb83ad2702eb82703cce65b0756d0aad9983cf19f6ed813728e91c3"


@pytest.mark.parametrize("query", ["", "?api-version=1", "?x=" + "y" * 500])
def test_K07_a_key_is_the_digest_of_its_parts_however_long_the_path(query):
    body, meaning = chat(temperature=0.0), FamilyPolicy().meaning
    head = orjson.dumps([SCHEMA, CHAT + query, b"t".hex(), "", meaning.hex()])
    whole = head + b"\n" + orjson.dumps({**body, "model": "m", "temperature": 0}, option=orjson.OPT_SORT_KEYS)
    for _ in range(2):
        assert key(body, path=CHAT + query) == hashlib.sha256(whole).digest()


def test_K08_all_parts_of_a_content_count():
    def picture(data: str) -> dict[str, Any]:
        part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
        return chat(messages=[{"role": "user", "content": [{"type": "text", "text": "What is it?"}, part]}])

    one_part = chat(messages=[{"role": "user", "content": [{"type": "text", "text": "Say hi"}]}])
    assert key(picture("AAAA")) != key(picture("BBBB"))
    assert key(picture("AAAA")) == key(picture("AAAA"))
    assert key(one_part) != key(chat("Say hi"))


def test_K09_the_namespace_is_all_but_the_last_text():
    def space(*messages: tuple[str, str], **fields: Any) -> bytes:
        payload = chat(messages=[{"role": role, "content": text} for role, text in messages], **fields)
        meaning = FamilyPolicy().meaning
        return namespace(payload, path=CHAT, tenant=b"t", model="m", revision="", meaning=meaning, family="f")

    french = space(("system", "answer in French"), ("user", "a"))
    assert french == space(("system", "answer in French"), ("user", "b"))
    assert french != space(("system", "answer in German"), ("user", "a"))
    assert space(("user", "a")) != space(("user", "a"), max_tokens=5)
    assert space(("user", "x"), ("user", "a")) != space(("user", "y"), ("user", "a"))


@pytest.mark.parametrize("name", sorted(IGNORED_WITH_USER - {"stream", "stream_options", "store"}))
def test_K10_what_cannot_matter_is_not_in_the_key(name):
    one, other = ({"a": "x"}, {"a": "y"}) if name == "metadata" else ("x", "y")
    assert len({key({**chat(), name: value}) for value in (one, other, None)} | {key(chat())}) == 1


@pytest.mark.parametrize("name", sorted(IGNORED_WITH_USER - {"stream"}))
def test_K10_a_value_that_an_engine_may_refuse_counts(name):
    assert key({**chat(), name: 5}) != key(chat())


def test_K10_stream_options_count_where_there_is_no_stream():
    options = {"include_usage": True}
    assert key(chat(stream_options=options)) != key(chat())
    assert key(chat(stream=True, stream_options=options)) == key(chat(stream=True)) == key(chat())


@pytest.mark.parametrize("model", [5, None, ["m"], {}])
def test_K06_what_is_no_name_is_not_the_model_it_resolves_to(model):
    assert key(chat(model=model), model="") != key(chat(model="x"), model="")
    assert key(chat(model=model), model="") != key(chat(model=True), model="")


def test_K10_user_counts_where_the_family_says_so():
    assert key(chat(user="a"), ignore_user=False) != key(chat(user="b"), ignore_user=False)


def test_K11_the_encoding_of_an_embedding_is_in_the_key():
    assert key({"input": "a", "encoding_format": "float"}) != key({"input": "a", "encoding_format": "base64"})


@pytest.mark.parametrize(
    ("one", "other"), [("print(A)", "print(a)"), ("git branch -d x", "git branch -D x"), ("US", "us")]
)
def test_N01_text_is_byte_exact(one, other):
    assert key(chat(one)) != key(chat(other))
    assert key(chat(one), normalize=["casefold"]) == key(chat(other), normalize=["casefold"])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Is C good?", "Is C++ good?"),
        ("if a:\n    b", "if a:\n  b"),
        ("all:\n\tcc", "all:\n        cc"),
        ("hi", "hi\n"),
        ('say "a  b"', 'say "a b"'),
    ],
)
def test_N02_punctuation_and_blanks_count(one, other):
    assert key(chat(one)) != key(chat(other))


def test_N03_unicode_forms_are_different_texts_unless_the_family_says_nfc():
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert key(chat(composed)) != key(chat(decomposed))
    assert key(chat(composed), normalize=["nfc"]) == key(chat(decomposed), normalize=["nfc"])
    assert key(chat("１")) != key(chat("1"))
    assert key(chat("a\u200db")) != key(chat("ab"))


def test_N03_of_duplicate_names_the_last_counts():
    twice = orjson.loads(
        b'{"model":"m","temperature":1,"temperature":0,"messages":[{"role":"user","content":"Say hi"}]}'
    )
    assert key(twice) == key(chat())


@given(st.dictionaries(st.text(max_size=6), json_values, max_size=4), st.text(min_size=1, max_size=6), json_values)
def test_any_field_that_is_not_ignored_changes_the_key(fields, name, value):
    if name in IGNORED_WITH_USER or name == "model":
        return
    before, after = {**fields}, {**fields, name: value}
    before.pop(name, None)
    assert key(before) != key(after)


@given(st.binary(max_size=8), st.binary(max_size=8))
def test_another_tenant_is_another_key(one, other):
    assert (key(chat(), tenant=one) == key(chat(), tenant=other)) == (one == other)


@pytest.mark.parametrize("value", [2.0**53, 2.0**60, -(2.0**53)])
def test_a_float_that_skips_integers_stays_a_float(value):
    assert key(chat(seed=value)) != key(chat(seed=int(value)))
