import json

import orjson
import pytest
from hypothesis import assume, given
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from proxy import replay
from proxy.fold import Record, fold, fold_stream, is_usage_only, read_record
from proxy.merge import Unmergeable
from proxy.openai import CHAT, COMPLETIONS
from proxy.replay import END, Marks, Rendered, new_id, personal, render
from proxy.sse import EventSplitter, data_of
from proxy.storable import well_formed
from tests.builders import answer
from tests.captures import Capture, all_captures, streams
from tests.deltas import body, chat_streams, chunk, said, text_streams

MARKS = Marks.new()


def whole(rendered: Rendered) -> bytes:
    """The template of a stream whose client asked for usage."""
    return rendered.stream + (rendered.usage_event or b"") + END


def filled(template: bytes) -> bytes:
    """A template with some id and time."""
    return personal(template, MARKS, "chatcmpl-x", 1)


def replayed(record: Record) -> Record:
    """The record that a client of the replayed stream can put together, under the record's own id and time."""
    raw = personal(whole(render(record, MARKS)), MARKS, record["id"], record["created"])
    folded = fold_stream(raw)
    assert folded.done
    assert folded.record is not None
    return folded.record


def chunks_of(record: Record) -> list[Record]:
    events = EventSplitter().feed(filled(render(record, MARKS).stream))
    return [json.loads(data_of(event) or b"") for event in events]


def plain_answers() -> list[Capture]:
    asked = [capture for capture in all_captures() if capture.path in (CHAT, COMPLETIONS) and capture.method == "POST"]
    return [capture for capture in asked if capture.status == 200 and not capture.events]


@pytest.mark.parametrize("capture", streams(), ids=lambda capture: capture.name)
def test_a_replayed_recording_folds_to_the_same_record(capture):
    record = fold_stream(capture.body).record
    if record is None:
        assert not capture.complete
        return
    assert replayed(record) == record


@given(chat_streams | text_streams)
def test_any_replayed_stream_folds_to_the_same_record(chunks):
    try:
        record = fold(chunks)
    except Unmergeable:
        assume(False)
    assume(well_formed(record))
    assert replayed(record) == record


@given(chat_streams | text_streams)
def test_any_replay_in_little_pieces_folds_to_the_same_record(chunks):
    try:
        record = fold(chunks)
    except Unmergeable:
        assume(False)
    assume(well_formed(record))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(replay, "PIECE", 2)
        assert replayed(record) == record


@pytest.mark.parametrize("capture", plain_answers(), ids=lambda capture: capture.name)
def test_S05_a_plain_answer_is_replayed_as_a_stream_with_every_field(capture):
    record = read_record(capture.body)
    assert record is not None
    assert replayed(record) == record


@pytest.mark.parametrize("capture", [*plain_answers(), *streams()], ids=lambda capture: capture.name)
def test_I01_verbatim_the_plain_rendering_is_the_record(capture):
    record = fold_stream(capture.body).record if capture.events else read_record(capture.body)
    if record is not None:
        assert orjson.loads(personal(render(record, MARKS).plain, MARKS, record["id"], record["created"])) == record


def test_I01_all_chunks_of_a_replay_share_one_id_and_time_and_two_replays_do_not():
    record = fold([chunk(said(content="a", finish="stop"), said(1, content="b", finish="stop"), usage={"n": 1})])
    template = whole(render(record, MARKS))
    ids = set()
    for _ in range(2):
        raw = personal(template, MARKS, new_id(CHAT, b"k" * 32), 99)
        events = [data_of(event) or b"" for event in EventSplitter().feed(raw)]
        chunks = [json.loads(data) for data in events if data != b"[DONE]"]
        [(one, created)] = {(chunk["id"], chunk["created"]) for chunk in chunks}
        assert created == 99
        ids.add(one)
    assert len(ids) == 2


def test_an_id_has_the_form_of_its_endpoint_and_leads_back_to_its_entry():
    key = bytes(range(32))
    assert new_id(CHAT, key).startswith("chatcmpl-" + key.hex()[:20])
    assert new_id(COMPLETIONS, key).startswith("cmpl-" + key.hex()[:20])
    assert {len(new_id(CHAT, key)) for _ in range(50)} == {len("chatcmpl-") + 32}
    assert len({new_id(CHAT, key) for _ in range(50)}) == 50


def test_marks_are_this_processes_own_and_never_in_what_is_sent():
    record = fold([chunk(said(content=Marks.new().id.decode(), finish="stop"))])
    for template in (render(record, MARKS).plain, whole(render(record, MARKS))):
        sent = personal(template, MARKS, "chatcmpl-x", 1)
        assert MARKS.id not in sent
        assert MARKS.created not in sent


def test_an_original_id_of_any_characters_stays_json():
    record = fold([chunk(said(content="a", finish="stop"))])
    sent = personal(render(record, MARKS).plain, MARKS, 'a"\\b', 1)
    assert json.loads(sent)["id"] == 'a"\\b'


@pytest.mark.parametrize("text", ["100%", "%", "%%", "%s %d %(id)b", f"%({'0f' * 16})b", "%" * 99 + "("])
def test_S05_per_cent_signs_come_back_as_they_were(text):
    usage = {"prompt_tokens": 1, "completion_tokens": 2, text: text}
    record = fold([chunk({**said(content=text, finish="stop"), text: text}, usage=usage, model=text)])
    assert replayed(record) == record
    assert orjson.loads(personal(render(record, MARKS).plain, MARKS, text, 1)) == {**record, "id": text, "created": 1}


CODE = "def f(x):\n\tif x:\n        return  'é🙂'\r\n\n# end  \n"


def test_S05_role_then_content_then_finish_and_the_text_byte_for_byte():
    record = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": CODE}, "finish_reason": "stop"}],
    }
    chunks = chunks_of(record)
    assert [chunk["choices"] for chunk in chunks] == [
        [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}],
        [{"index": 0, "delta": {"content": CODE}, "finish_reason": None}],
        [{"index": 0, "delta": {}, "finish_reason": "stop"}],
    ]
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    assert render(record, MARKS).usage_event is None


def test_S06_reasoning_comes_before_the_content_in_both_modes():
    for name in ("reasoning", "reasoning_content"):
        record = fold([chunk(said(content="")), chunk(said(**{name: "hm"})), chunk(said(content="42", finish="stop"))])
        told = [next(iter(chunk["choices"][0]["delta"]), None) for chunk in chunks_of(record)]
        assert told == ["role", name, "content", None]
        assert json.loads(filled(render(record, MARKS).plain))["choices"][0]["message"][name] == "hm"


def test_S07_usage_comes_only_as_the_last_event_before_the_end():
    usage = {
        "prompt_tokens": 1,
        "completion_tokens": 2,
        "total_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 1},
    }
    record = fold([chunk(said(content="a", finish="stop")), chunk(usage=usage)])
    rendered = render(record, MARKS)
    assert b"usage" not in rendered.stream
    assert rendered.usage_event is not None
    event = filled(rendered.usage_event)
    assert is_usage_only(event)
    told = json.loads(data_of(event) or b"")
    assert (told["usage"], told["choices"]) == (usage, [])
    assert json.loads(filled(rendered.plain))["usage"] == usage


def test_S08_replayed_tool_calls_have_the_index_that_plain_ones_lack():
    calls = [{"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}} for name in "ab"]
    record = fold([chunk(said(content=None, tool_calls=calls, finish="tool_calls"))])
    assert json.loads(filled(render(record, MARKS).plain))["choices"][0]["message"]["tool_calls"] == calls
    first, told, last = (chunk["choices"][0] for chunk in chunks_of(record))
    assert first["delta"] == {"role": "assistant", "content": None}
    assert told["delta"]["tool_calls"] == [{**call, "index": index} for index, call in enumerate(calls)]
    assert (last["delta"], last["finish_reason"]) == ({}, "tool_calls")


def test_log_probabilities_go_with_the_content():
    logprobs = {"content": [{"token": "a", "logprob": -0.5}]}
    record = fold([chunk({**said(reasoning="hm", content="a", finish="stop"), "logprobs": logprobs})])
    assert [chunk["choices"][0].get("logprobs") for chunk in chunks_of(record)] == [None, None, logprobs, None]


def test_what_is_replayed_is_what_the_official_clients_types_say():
    calls = [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    for delta in ({"content": "a"}, {"content": "a", "reasoning": "b", "refusal": None}, {"tool_calls": calls}):
        record = fold_stream(body(chunk(said(role="assistant", **delta)), chunk(said(finish="stop")))).record
        assert record is not None
        ChatCompletion.model_validate_json(personal(render(record, MARKS).plain, MARKS, "chatcmpl-x", 1))
        for event in EventSplitter().feed(personal(render(record, MARKS).stream, MARKS, "chatcmpl-x", 1)):
            ChatCompletionChunk.model_validate_json(data_of(event) or b"")


@pytest.mark.parametrize("text", ["%" * 3000, "%s" * 1000, "x" * 3000, "\u00e4%" * 1000, "x" * 99_999])
@pytest.mark.parametrize("as_read", [False, True])
def test_what_an_answer_counts_for_is_no_less_than_its_renderings(text, as_read):
    record = answer(text)
    rendered = render(record, MARKS, orjson.dumps(record) if as_read else None)
    counted = rendered.size
    usage = rendered.usage_event
    assert usage is not None
    assert len(rendered.plain) + len(rendered.stream) + len(usage) <= counted == rendered.size


@pytest.mark.parametrize(
    "raw", [b' {"a" : 1}\n', b'{"a":1,"prompt_logprobs":null,"prompt_token_ids":[1]}', b'{"a":1E2}']
)
def test_an_answer_that_is_rendered_later_is_rendered_as_at_once(raw):
    choices = b'{"choices":[{"index":0,"message":{"content":"%s"},"finish_reason":"stop"}],'
    raw = choices + raw.strip().removeprefix(b"{")
    record = read_record(raw)
    assert record is not None
    at_once, later = render(record, MARKS), render(record, MARKS, raw)
    assert later.stream == at_once.stream
    assert later.plain == at_once.plain
