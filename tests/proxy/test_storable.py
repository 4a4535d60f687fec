from typing import Any

import pytest
from hypothesis import given

from proxy.fold import fold, fold_stream, read_record
from proxy.openai import CHAT, COMPLETIONS
from proxy.storable import well_formed, why_not_stored
from tests.captures import all_captures, load
from tests.deltas import body, chunk, said, unknown

CLEAN = frozenset({"stop", "tool_calls"})


def reason(record: Any, payload: dict[str, Any] | None = None, **changes: Any) -> str | None:
    """Why a plain 200 with this record is not stored."""
    arguments: dict[str, Any] = {
        "streamed": False,
        "done": False,
        "error": False,
        "finish_reasons": CLEAN,
        "request_payload": payload or {},
        "size": 100,
        "max_entry_bytes": 1000,
        **changes,
    }
    return why_not_stored(arguments.pop("status", 200), record, **arguments)


def reason_streamed(raw: bytes, payload: dict[str, Any] | None = None, **changes: Any) -> str | None:
    """Why the answer in these bytes of a stream is not stored."""
    folded = fold_stream(raw)
    return reason(folded.record, payload, streamed=True, done=folded.done, error=folded.error, **changes)


def answer(content: Any = "a", finish: Any = "stop", **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": content, **message}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": said, "finish_reason": finish}]}


def text(content: str, finish: str = "stop") -> dict[str, Any]:
    return {"object": "text_completion", "choices": [{"index": 0, "text": content, "finish_reason": finish}]}


CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def test_a_clean_answer_is_stored():
    assert reason(answer()) is None
    assert reason(text("a")) is None
    assert reason(answer(None, "tool_calls", tool_calls=[CALL])) is None
    assert reason(answer(None, "stop", function_call={"name": "f", "arguments": ""})) is None
    assert reason_streamed(body(chunk(said(content="a", finish="stop")))) is None


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (body(chunk(said(content="a")), done=False) + b'data: {"cho', "unfinished"),
        (body(chunk(said(content="a"))), "finish_reason"),
        (body(chunk(said(content="a", finish="stop")), done=False), "unfinished"),
        (body(chunk(said(content="a", finish="stop"), said(1, content="b"))), "finish_reason"),
    ],
    ids=["closed mid-delta", "no finish reason", "no end marker", "one of two unfinished"],
)
def test_S09_a_stream_that_stopped_early_is_not_stored(raw, why):
    assert reason_streamed(raw) == why


@pytest.mark.parametrize("payload", [{"n": 2}, {"prompt": ["a", "b"]}, {"prompt": [[1], [2]]}, {"prompt": ["a", [1]]}])
def test_S09_a_choice_that_never_began_is_missed(payload):
    assert reason(answer(), payload) == "unfinished"


@pytest.mark.parametrize(
    "payload", [{"n": 1}, {"n": None}, {"n": "2"}, {"n": True}, {"prompt": [1, 2]}, {"prompt": "a"}]
)
def test_one_choice_is_all_of_one(payload):
    assert reason(answer(), payload) is None


@pytest.mark.parametrize("record", [None, {}, [], 5, "x", {"choices": None}, {"choices": []}, {"choices": [5]}])
def test_S13_what_is_not_a_completion_is_not_stored(record):
    assert reason(record) == "shape"
    assert not well_formed(record)


@pytest.mark.parametrize(
    "damage",
    [
        {"object": "chat.completion.chunk"},
        {"object": ["chat.completion"]},
        {"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}]},
        {"choices": [{"index": 0, "finish_reason": "stop"}]},
        {"choices": [{"index": "0", "text": "a", "finish_reason": "stop"}]},
        {"choices": [{"text": "a", "finish_reason": "stop"}]},
        {"choices": [{"index": 0, "text": "a"}, {"index": 0, "text": "b"}]},
        {"choices": [{"index": 0, "message": "a", "finish_reason": "stop"}]},
    ],
)
def test_S13_a_chunk_shaped_or_damaged_record_is_not_stored(damage):
    assert reason({**answer(), **damage}) == "shape"


@given(unknown)
def test_S13_any_damage_gives_a_reason_and_no_exception(value):
    for place in ("object", "choices", "error"):
        reason({**answer(), place: value})
    for place in ("finish_reason", "message", "index", "text"):
        record = answer()
        record["choices"][0][place] = value
        reason(record, {"response_format": value, "n": value, "prompt": value})
    for place in ("content", "tool_calls", "refusal"):
        reason(answer(**{place: value}), {"response_format": {"type": "json_object"}})
        reason(answer(**{place: value}), {"response_format": {"type": value}})


@pytest.mark.parametrize("finish", ["length", "content_filter", None, "a word of the future", ["stop"]])
def test_P01_only_a_finish_reason_of_the_familys_list_is_stored(finish):
    assert reason(answer(finish=finish)) == "finish_reason"


def test_P01_a_family_may_accept_another():
    assert reason(answer(finish="length"), finish_reasons=CLEAN | {"length"}) is None


@pytest.mark.parametrize("status", [201, 206, 400, 404, 429, 500, 503])
def test_P02_only_a_200_is_stored(status):
    assert reason(answer(), status=status) == "status"


def test_P02_an_error_member_is_not_stored():
    assert reason({**answer(), "error": {"message": "x"}}) == "error"
    assert reason({**answer(), "error": "x"}) == "error"
    assert reason({**answer(), "error": None}) is None
    assert reason_streamed(load("vllm/stream_engine_killed").body) == "error"


@pytest.mark.parametrize(
    "record",
    [answer(""), answer(None), answer([]), answer("", tool_calls=[]), answer("", reasoning="much thought"), text("")],
)
def test_P02_nothing_said_and_no_tool_called_is_not_stored(record):
    assert reason(record) == "empty"


def test_P02_one_empty_choice_of_two_is_enough():
    record = fold([chunk(said(content="a", finish="stop"), said(1, finish="stop"))])
    assert reason(record) == "empty"


def test_P02_a_refusal_is_stored_only_where_the_policy_says_so():
    refused = answer(None, refusal="I can't")
    assert reason(refused) == "refusal"
    assert reason(refused, store_refusals=True) is None


@pytest.mark.parametrize(
    "payload",
    [
        {"response_format": {"type": "json_object"}},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}},
        {"guided_json": {}},
        {"json_schema": {}},
        {"structured_outputs": {"json": {"type": "object"}}},
        {"structured_outputs": {"json_object": True}},
    ],
)
def test_P02_text_that_is_not_json_is_not_stored_where_json_was_asked(payload):
    for content in ("{", "{} and more", "NaN", "[" * 100_000):
        assert reason(answer(content), payload) == "invalid_json"
        assert reason(text(content), payload) == "invalid_json"
    assert reason(answer(' {"a": 1}\n'), payload) is None
    assert reason(answer(None, "tool_calls", tool_calls=[CALL]), payload) is None


@pytest.mark.parametrize("payload", [{"response_format": {"type": "text"}}, {"response_format": None}, {}])
def test_text_is_not_asked_to_be_json_otherwise(payload):
    assert reason(answer("{"), payload) is None


def test_what_is_longer_than_an_entry_is_not_stored():
    assert reason(answer(), size=1000) is None
    assert reason(answer(), size=1001) == "size"


def test_of_the_recordings_only_the_whole_ones_are_stored():
    stored, refused = set(), {}
    for capture in all_captures():
        if capture.path not in (CHAT, COMPLETIONS) or capture.method != "POST" or not capture.request_is_whole:
            continue
        payload = capture.payload if capture.status == 200 else {}
        if capture.events:
            why = reason_streamed(capture.body, payload, status=capture.status, size=0)
        else:
            why = reason(read_record(capture.body), payload, status=capture.status, size=0)
        if why is None:
            stored.add(capture.name)
        else:
            refused[capture.name] = why
    # All others that ended well ended for length, or without a word.
    assert stored == {f"{engine}/chat_stop{mode}" for engine in ("llamacpp", "vllm") for mode in ("", "_stream")}
    assert set(refused.values()) == {"status", "finish_reason", "error", "unfinished", "empty"}
    assert refused["vllm/stream_engine_killed"] == "error"
    assert refused["llamacpp/stream_truncated_by_kill"] == "unfinished"
