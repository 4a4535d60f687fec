import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.errors import BadRequest
from proxy.openai import (
    CHAT,
    COMPLETIONS,
    NESTING_READ,
    has_earlier_turns,
    last_user_text,
    prompt_text,
    read_request,
    system_text,
)
from proxy.round_trip import NESTING_DUMPED
from tests.captures import all_captures

REFUSED_CAPTURES = {
    "llamacpp/err_array_body",
    "llamacpp/err_bad_json",
    "llamacpp/err_comp_missing_prompt",
    "llamacpp/err_empty_body",
    "llamacpp/err_missing_messages",
    "vllm/err_array_body",
    "vllm/err_bad_json",
    "vllm/err_comp_missing_prompt",
    "vllm/err_empty_body",
    "vllm/err_missing_messages",
}


def chat(**fields) -> bytes:
    return orjson.dumps({"messages": [{"role": "user", "content": "hi"}], **fields})


def turns(*pairs: tuple[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": role, "content": content} for role, content in pairs]}


def test_what_the_chain_needs_is_read():
    request = read_request(CHAT, chat(model="m", stream=True, stream_options={"include_usage": True}))
    assert (request.model, request.stream, request.include_usage, request.keyable) == ("m", True, True, True)
    request = read_request(COMPLETIONS, b'{"prompt": "x", "model": 5}')
    assert (request.model, request.stream, request.include_usage, request.keyable) == (None, False, False, True)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"null",
        b"[]",
        b'"x"',
        b"1",
        b'{"messages": [',
        b'{"messages": null}',
        b'{"messages": {}}',
        b'{"messages": "hi"}',
        b"{}",
        b'{"messages": [], "temperature": NaN}',
        b'{"messages": [], "temperature": -Infinity}',
        b'{"messages": ["\xff"]}',
        b'{"messages": ["\xed\xa0\x80"]}',
        b'\xef\xbb\xbf{"messages": []}',
        b'{"messages": []}{}',
        '{"messages": []}'.encode("utf-16"),
        b'{"messages": ' + b"[" * 10_000 + b"]" * 10_000 + b"}",
        b'{"messages": [], "a": ' + b'{"a":' * NESTING_READ + b"1" + b"}" * NESTING_READ + b"}",
        b'{"messages": [], "seed": ' + b"9" * 5_000 + b"}",
    ],
)
def test_B02_what_cannot_be_read_is_refused(body):
    with pytest.raises(BadRequest):
        read_request(CHAT, body)


@pytest.mark.parametrize("prompt", [b"null", b"1", b"true", b"{}"])
def test_B02_a_prompt_of_a_wrong_json_type_is_refused(prompt):
    with pytest.raises(BadRequest) as refused:
        read_request(COMPLETIONS, b'{"prompt": %b}' % prompt)
    assert (refused.value.param, refused.value.member()["code"]) == ("prompt", "invalid_type")


def test_B02_a_missing_prompt_is_named():
    with pytest.raises(BadRequest) as refused:
        read_request(COMPLETIONS, b'{"messages": []}')
    assert (refused.value.param, refused.value.member()["code"]) == ("prompt", "missing_required_parameter")


@pytest.mark.parametrize(
    "body",
    [
        b'{"messages": []}',
        b'{"messages": [5]}',
        b'{"messages": [{"role": "alien", "content": 5}]}',
        b'{"messages": [], "temperature": "hot", "n": 0, "max_tokens": -5, "model": null}',
    ],
)
def test_B02_everything_else_is_the_engines_to_judge(body):
    assert read_request(CHAT, body).keyable


@given(st.text(min_size=5), st.sampled_from([b"\xff", b"NaN", b"}", b'"', b"\\"]))
def test_a_refusal_never_quotes_the_body(text, damage):
    secret = text.encode("utf-8", "replace").hex().encode() + b"secret"
    with pytest.raises(BadRequest) as refused:
        read_request(CHAT, b'{"messages": [{"content": "%b"}, %b' % (secret, damage))
    assert secret.decode() not in refused.value.message


def test_N03_of_duplicate_names_the_last_counts():
    assert read_request(CHAT, b'{"messages": [], "seed": 1, "seed": 2}').payload["seed"] == 2


@pytest.mark.parametrize(
    "value", [b'"\\ud800"', b'{"\\udc00": 1}', b"1e400", b"-1e400", b"18446744073709551616", b"-9223372036854775809"]
)
def test_N03_what_no_key_can_tell_apart_is_read_and_not_keyable(value):
    assert not read_request(CHAT, b'{"messages": [], "x": [%b]}' % value).keyable


@pytest.mark.parametrize(
    "value",
    [b"18446744073709551615", b"-9223372036854775808", b"1e30", b'"99999999999999999999"', b"0.12345678901234567890"],
)
def test_numbers_that_come_back_as_they_were_are_keyable(value):
    assert read_request(CHAT, b'{"messages": [], "x": %b}' % value).keyable


def test_what_is_read_and_too_deep_to_dump_has_no_key():
    deepest = b'{"messages": %b%b}' % (b"[" * (NESTING_DUMPED - 1), b"]" * (NESTING_DUMPED - 1))
    orjson.dumps(read_request(CHAT, deepest).payload)
    assert read_request(CHAT, deepest).keyable
    deeper = b'{"messages": %b%b}' % (b"[" * NESTING_DUMPED, b"]" * NESTING_DUMPED)
    assert not read_request(CHAT, deeper).keyable


def test_many_brackets_side_by_side_are_keyable():
    assert read_request(CHAT, b'{"messages": [%b]}' % b",".join([b"{}"] * 1_000)).keyable


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**80), 2**80) | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=10,
    )
)
def test_a_keyable_body_is_dumped_with_the_values_json_reads(value):
    body = json.dumps({"messages": [], "x": value}).encode("utf-8", "surrogatepass")
    try:
        request = read_request(CHAT, body)
    except BadRequest:
        assert b"Infinity" in body
        return
    if request.keyable:
        assert json.loads(orjson.dumps(request.payload)) == json.loads(body)


@pytest.mark.parametrize(
    "fields", [{"stream": 1}, {"stream": "true"}, {"stream_options": "x"}, {"stream_options": {"include_usage": 1}}]
)
def test_stream_fields_that_engines_read_differently_have_no_key_and_are_no_stream(fields):
    request = read_request(CHAT, chat(**fields))
    assert (request.stream, request.include_usage, request.keyable) == (False, False, False)


@pytest.mark.parametrize("fields", [{"stream": None}, {"stream": False}, {"stream_options": None}])
def test_stream_fields_that_say_no_are_keyable(fields):
    assert read_request(CHAT, chat(**fields)).keyable


def test_of_the_recorded_requests_only_the_unreadable_are_refused():
    refused = set()
    for capture in all_captures():
        if not capture.request_is_whole or capture.method != "POST" or capture.path not in (CHAT, COMPLETIONS):
            continue
        try:
            assert read_request(capture.path, capture.request_body).keyable
        except BadRequest:
            refused.add(capture.name)
    assert refused == REFUSED_CAPTURES


def test_the_text_to_match_is_the_last_user_message_or_one_prompt():
    assert last_user_text(CHAT, turns(("system", "s"), ("user", "a"), ("user", "b"))) == "b"
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert last_user_text(CHAT, turns(("user", parts))) == "a\nb"
    assert last_user_text(COMPLETIONS, {"prompt": "p"}) == "p"


@pytest.mark.parametrize(
    "payload",
    [
        {"messages": []},
        {"messages": ["hi"]},
        turns(("user", "a"), ("assistant", "b")),
        turns(("user", None)),
        turns(("user", [])),
        turns(("user", [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:"}}])),
        turns(("user", [{"type": "text", "text": 5}])),
    ],
)
def test_K08_where_there_is_more_or_less_than_text_nothing_is_matched(payload):
    assert last_user_text(CHAT, payload) is None


@pytest.mark.parametrize("prompt", [["a"], [1, 2], [[1]]])
def test_a_prompt_that_is_not_one_string_is_not_matched(prompt):
    assert last_user_text(COMPLETIONS, {"prompt": prompt}) is None


def test_texts_for_the_policies():
    payload = turns(("system", "be"), ("developer", [{"type": "text", "text": "brief"}]), ("user", "a"), ("tool", "t"))
    assert (system_text(payload), prompt_text(payload)) == ("be\nbrief", "a")
    assert prompt_text({"prompt": ["a", [1], "b"]}) == "a\nb"
    assert (system_text({"prompt": "p"}), prompt_text({"prompt": "p"})) == ("", "p")
    assert prompt_text({"messages": [5, {"role": "user"}]}) == ""


def test_earlier_turns_are_all_but_instructions_and_the_last_message():
    assert not has_earlier_turns(turns(("system", "s"), ("developer", "d"), ("user", "a")))
    assert has_earlier_turns(turns(("user", "a"), ("assistant", "b"), ("user", "c")))
    assert has_earlier_turns({"messages": [5, {"role": "user"}]})
    assert not has_earlier_turns({"messages": []})
    assert not has_earlier_turns({"prompt": "p"})
