import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.fold import StreamFold, fold, fold_stream, is_usage_only, read_record
from proxy.merge import Unmergeable
from proxy.openai import CHAT, COMPLETIONS
from proxy.sse import EventSplitter, encode
from tests.captures import Capture, all_captures, load, streams
from tests.deltas import Chunk, body, chat_streams, chunk, said, text_streams


def message(*chunks: Chunk) -> dict[str, Any]:
    """The only choice's message of a stream of these chunks."""
    record = fold(chunks)
    [choice] = record["choices"]
    folded: dict[str, Any] = choice["message"]
    return folded


def asked(capture: Capture) -> tuple[str, str, str]:
    """What was asked of whom, but for the wire mode."""
    payload = {name: value for name, value in capture.payload.items() if name not in ("stream", "stream_options")}
    return capture.name.partition("/")[0], capture.path, json.dumps(payload, sort_keys=True)


def pairs() -> list[tuple[Capture, Capture]]:
    """Every recorded stream that ended well, with each plain answer that was recorded for the same request."""
    plain = [
        capture
        for capture in all_captures()
        if capture.request_is_whole and capture.path in (CHAT, COMPLETIONS) and capture.status == 200
    ]
    return [
        (stream, answer)
        for stream in streams()
        if stream.complete and stream.request_is_whole
        for answer in plain
        if not answer.events and asked(answer) == asked(stream)
    ]


def comparable(value: Any, *, without: tuple[str, ...]) -> Any:
    """A record without what two generations may differ in.

    That is: `id` and `created` of the answer; members that are null, which vLLM writes into plain answers only
    (`refusal`, `annotations`, `audio`, `function_call`, `reasoning`, `routed_experts`, `service_tier`,
    `prompt_logprobs`, usage details); and the usage, where the stream was not asked to tell it.
    """
    if isinstance(value, dict):
        return {
            name: comparable(member, without=())
            for name, member in value.items()
            if member is not None and name not in without
        }
    if isinstance(value, list):
        return [comparable(item, without=()) for item in value]
    return value


@pytest.mark.parametrize(("stream", "answer"), pairs(), ids=lambda capture: capture.name)
def test_a_folded_stream_equals_the_engines_own_plain_answer(stream, answer):
    folded = fold_stream(stream.body)
    without = ("id", "created") if folded.has_usage else ("id", "created", "usage")
    assert comparable(folded.record, without=without) == comparable(read_record(answer.body), without=without)


def test_both_engines_and_both_endpoints_are_among_the_pairs():
    compared = {(stream.name.partition("/")[0], stream.path) for stream, _ in pairs()}
    assert compared >= {(engine, path) for engine in ("vllm", "llamacpp") for path in (CHAT, COMPLETIONS)}


@pytest.mark.parametrize("capture", streams(), ids=lambda capture: capture.name)
def test_every_recording_folds_the_same_however_it_arrives(capture):
    by_byte = StreamFold()
    for at in range(len(capture.body)):
        by_byte.feed(capture.body[at : at + 1])
    assert by_byte.finish() == fold_stream(capture.body)


@given(st.sampled_from(streams()), st.lists(st.integers(0, 20_000), max_size=10))
def test_any_split_of_a_recording_folds_the_same(capture, cuts):
    folded, start = StreamFold(), 0
    for stop in [*sorted(cuts), len(capture.body)]:
        folded.feed(capture.body[start:stop])
        start = max(start, stop)
    assert folded.finish() == fold_stream(capture.body)


@given(chat_streams | text_streams)
def test_folding_parsed_chunks_and_raw_bytes_agree(chunks):
    folded = fold_stream(body(*chunks))
    try:
        assert folded.record == fold(chunks)
    except Unmergeable:
        assert folded.record is None


BETWEEN_QUOTES = [
    *(b"", b"a", b" x", b'\\"', b"\\\\", b"\\n", "日".encode(), b"\\ud83d\\ude42"),
    # None of these is a text by itself; some are one together.
    *(
        b'"',
        b"\\",
        b'","',
        b",\\",
        b'a","role":"b',
        b"\\ud83d",
        b"\\ude42",
        b"\xf0\x9f",
        b"\x99\x82",
        b"\x01",
        b"\\u00",
    ),
]

AROUND = [
    (b'{"id":"x","choices":[{"index":0,"delta":{"content":"', b'"},"finish_reason":null}]}'),
    (b'{"id": "x", "choices": [{"index": 0, "text": "', b'", "finish_reason": null}]}'),
    (b'{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning":"', b'"}}]}'),
    (b'{"choices":[{"index":0,"delta":{"content":"', b'","reasoning_content":null}}]}'),
    # What looks like the text is not, or is not what counts.
    (b'{"choices":[{"index":0,"delta":{"content":"b","reasoning_content":"', b'"}}]}'),
    (b'{"x":{"content":"', b'"},"choices":[{"index":0,"delta":{"content":"b"}}]}'),
    (b'{"choices":[{"index":0,"delta":{"content":"', b'","content":"ax"}}]}'),
    (b'{"choices":[{"index":0,"delta":{"content":"', b'"},"delta":{"content":"b"}}]}'),
    (b'{"x\\"content":"', b'","choices":[{"index":0,"delta":{"content":"b"}}]}'),
    (b'{"choices":[{"index":0,"delta":{"tool_calls":[{"content":"', b'"}]}}]}'),
    (b'{"error":null,"choices":[{"index":0,"x":["a"],"delta":{"content":"', b'"}}]}'),
]


@settings(max_examples=250)
@given(
    st.sampled_from(AROUND),
    st.lists(st.sampled_from(BETWEEN_QUOTES[:8]) | st.sampled_from(BETWEEN_QUOTES), min_size=1, max_size=8),
)
def test_events_that_differ_in_a_text_fold_as_if_each_were_read_alone(around, texts):
    before, after = around
    raw = b"".join(encode(before + text + after) for text in texts) + encode(b"[DONE]")
    one_by_one = StreamFold()
    one_by_one.feed(raw)
    assert fold_stream(raw) == one_by_one.finish()


def test_an_event_too_short_to_hold_a_text_is_not_one_of_a_run():
    before, after = AROUND[0]
    assert fold_stream(encode(before + b"a" + after) * 2).record is not None
    assert fold_stream(encode(before + b"a" + after) + encode(before + after[1:])).record is None


def test_a_run_of_texts_is_whole_and_in_order_around_what_interrupts_it():
    pieces = ["a", '"b"', "c\n", "日", "\\", "d"]
    chunks = [chunk(said(role="assistant", content=piece)) for piece in pieces]
    chunks[2:2] = [*(chunk(said(reasoning=piece)) for piece in pieces), chunk(said(content="-"), usage={"n": 1})]
    record = fold_stream(body(*chunks, chunk(said(finish="stop")))).record
    assert record == fold([*chunks, chunk(said(finish="stop"))])
    assert record["choices"][0]["message"] == {
        "role": "assistant",
        "content": 'a"b"-c\n日\\d',
        "reasoning": "".join(pieces),
    }


@given(chat_streams)
def test_folding_changes_nothing_it_is_given(chunks):
    before = orjson.dumps(chunks)
    try:
        fold(chunks)
    except Unmergeable:
        return
    assert orjson.dumps(chunks) == before


def test_S01_text_of_many_bytes_is_whole():
    assert fold_stream(load("llamacpp/chat_stream").body).record is not None
    raw = body(chunk(said(content="日")), chunk(said(content="🙂")))
    folded = StreamFold()
    for at in range(len(raw)):
        folded.feed(raw[at : at + 1])
    record = folded.finish().record
    assert record is not None
    assert record["choices"][0]["message"]["content"] == "日🙂"


def test_S02_comments_leave_no_trace():
    chunks = [chunk(said(content="a")), chunk(said(content="b", finish="stop"))]
    plain = body(*chunks)
    commented = b": ping\n\n" + plain.replace(b"\n\n", b"\n\n: ping\n\n:\n\n")
    assert fold_stream(commented) == fold_stream(plain)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("space", [b"", b" "], ids=["no space", "space"])
def test_S03_every_spelling_folds_to_the_same_record(end, space):
    raw = load("vllm/chat_stream_usage").body
    respelled = raw.replace(b"data: ", b"data:" + space).replace(b"\n", end)
    assert fold_stream(respelled) == fold_stream(raw)
    assert fold_stream(respelled).has_usage


@pytest.mark.parametrize("last", [{"choices": []}, {}, {"choices": None}])
def test_S04_a_chunk_may_have_no_choices(last):
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    record = fold([chunk(said(content="a", finish="stop")), {**last, "usage": usage}])
    assert record["usage"] == usage
    assert record["choices"][0]["message"]["content"] == "a"


def test_a_stream_without_any_choice_is_an_answer_without_choices():
    assert fold([])["choices"] == []
    assert fold([{"id": "x"}])["choices"] == []


def test_S06_reasoning_is_kept_beside_the_content():
    for name in ("reasoning", "reasoning_content"):
        folded = message(
            chunk(said(role="assistant", content="")),
            chunk(said(**{name: "think "})),
            chunk(said(**{name: "hard"})),
            chunk(said(content="42")),
        )
        assert folded == {"role": "assistant", "content": "42", name: "think hard"}


def test_S08_two_parallel_tool_calls_in_interleaved_fragments():
    def call(index: int, **function: str) -> Chunk:
        return chunk(said(tool_calls=[{"index": index, "function": function}]))

    first = [
        {"index": 1, "id": "call-b", "type": "function", "function": {"name": "f", "arguments": ""}},
        {"index": 0, "id": "call-a", "type": "function", "function": {"name": "g", "arguments": ""}},
    ]
    folded = message(
        chunk(said(role="assistant", content=None, tool_calls=first)),
        *[call(index, arguments=text) for index, text in [(0, '{"a"'), (1, "{"), (0, ": 1"), (1, '"b"'), (0, "}")]],
        *[call(1, arguments=text) for text in (": [2", "]}")],
        chunk(said(finish="tool_calls")),
    )
    assert folded["content"] is None
    assert folded["tool_calls"] == [
        {"id": "call-a", "type": "function", "function": {"name": "g", "arguments": '{"a": 1}'}},
        {"id": "call-b", "type": "function", "function": {"name": "f", "arguments": '{"b": [2]}'}},
    ]


def test_S08_without_an_index_calls_are_told_apart_by_id():
    def call(**fields: Any) -> Chunk:
        return chunk(said(tool_calls=[fields]))

    folded = message(
        call(id="a", type="function", function={"name": "f", "arguments": "{"}),
        call(id="b", type="function", function={"name": "g", "arguments": "["}),
        call(id="a", function={"arguments": "}"}),
        call(id="b", function={"arguments": "]"}),
    )
    assert [call["function"]["arguments"] for call in folded["tool_calls"]] == ["{}", "[]"]


def test_S08_a_fragment_with_neither_goes_on_where_the_last_call_stopped():
    folded = message(
        chunk(said(tool_calls=[{"id": "a", "function": {"name": "f", "arguments": "{"}}])),
        chunk(said(tool_calls=[{"id": "", "function": {"arguments": "}"}}])),
    )
    assert folded["tool_calls"] == [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]


def test_two_calls_at_one_index_cannot_be_told_apart():
    calls = [{"index": 0, "id": name, "function": {"name": "f", "arguments": "{}"}} for name in ("a", "b")]
    with pytest.raises(Unmergeable):
        fold([chunk(said(tool_calls=calls))])


def test_log_probabilities_of_a_repeated_token_stay_apart():
    token = {"id": 5, "token": "a", "bytes": [97], "top_logprobs": []}
    choices = [{**said(content="a"), "logprobs": {"content": [token]}} for _ in range(3)]
    record = fold([chunk(choice) for choice in choices])
    assert record["choices"][0]["logprobs"] == {"content": [token] * 3}


def test_classic_log_probabilities_extend():
    pieces = [{"tokens": ["a"], "text_offset": [0]}, {"tokens": ["b"], "text_offset": [1]}]
    chunks = [{"choices": [{"index": 0, "text": "x", "logprobs": piece}]} for piece in pieces]
    assert fold(chunks)["choices"][0]["logprobs"] == {"tokens": ["a", "b"], "text_offset": [0, 1]}


def test_words_are_not_appended():
    folded = fold(
        [
            chunk({**said(role="assistant", content="a"), "stop_reason": None}),
            chunk({**said(role="assistant", content="b", finish="stop"), "stop_reason": "</s>"}),
            chunk({**said(role="", finish="stop"), "stop_reason": "</s>"}),
        ]
    )
    [choice] = folded["choices"]
    assert choice == {
        "index": 0,
        "message": {"role": "assistant", "content": "ab"},
        "finish_reason": "stop",
        "stop_reason": "</s>",
    }


@pytest.mark.parametrize("delta", [{}, {"role": None}, {"role": ""}])
def test_a_message_always_has_a_role_and_a_content(delta):
    assert message(chunk(said(**delta))) == {"role": "assistant", "content": None}


def test_fields_of_the_whole_answer_are_repeated_not_appended():
    record = fold([chunk(said(content="a"), model="m"), chunk(said(content="b"), model="m", x_new={"a": 1})])
    assert (record["model"], record["object"], record["x_new"]) == ("m", "chat.completion", {"a": 1})


def test_fields_nobody_has_heard_of_survive():
    record = fold(
        [
            chunk({**said(x_text="a", x_list=[1], x_object={"y": "p"}), "x_choice": "u"}, x_top=1),
            chunk({**said(x_text="b", x_list=[2], x_object={"y": "q", "z": 3}), "x_choice": "v"}, x_top=None),
        ]
    )
    [choice] = record["choices"]
    assert choice["message"] == {
        "role": "assistant",
        "content": None,
        "x_text": "ab",
        "x_list": [1, 2],
        "x_object": {"y": "pq", "z": 3},
    }
    assert (choice["x_choice"], record["x_top"]) == ("uv", 1)


def test_choices_come_in_the_order_of_their_indices():
    record = fold([chunk(said(1, content="b")), chunk(said(0, content="a"), said(1, content="c"))])
    assert [(choice["index"], choice["message"]["content"]) for choice in record["choices"]] == [(0, "a"), (1, "bc")]


def test_a_choice_without_an_index_has_the_place_it_stands_at():
    record = fold([{"choices": [{"text": "a"}]}, {"choices": [{"text": "b"}]}])
    assert record["choices"] == [{"text": "ab", "index": 0, "finish_reason": None}]


def test_llamacpp_tells_the_usage_of_each_choice_and_the_last_counts():
    folded = fold_stream(load("llamacpp/chat_n2_stream").body)
    assert folded.record is not None
    assert folded.record["usage"]["completion_tokens"] == 3
    assert len(folded.record["choices"]) == 2


@pytest.mark.parametrize("name", ["timings", "kv_transfer_params", "ec_transfer_params", "metrics", "__verbose"])
def test_engine_extras_are_no_part_of_a_record(name):
    assert name not in fold([chunk(said(content="a"), **{name: {"x": 1}})])
    assert read_record(orjson.dumps({"id": "x", name: 1})) == {"id": "x"}


def test_done_is_not_success():
    folded = fold_stream(load("vllm/stream_engine_killed").body)
    assert (folded.done, folded.error) == (True, True)
    assert folded.error_body is not None
    status, error = folded.error_body
    assert (status, json.loads(error)["error"]["type"]) == (500, "InternalServerError")


@pytest.mark.parametrize(
    ("error", "status"), [("text", 502), ({"code": "x"}, 502), ({"code": 429}, 429), ({"code": 200}, 502), ([], 502)]
)
def test_an_error_event_has_a_status(error, status):
    folded = fold_stream(body({"error": error}))
    assert folded.error_body == (status, orjson.dumps({"error": error}))


def test_an_error_member_that_is_null_is_none():
    assert not fold_stream(body(chunk(said(content="a"), error=None))).error


def test_the_first_event_may_be_null():
    folded = fold_stream(load("llamacpp/comp_array_stream").body)
    assert folded.record is not None
    assert [choice["text"] for choice in folded.record["choices"]] == [" a time,", " the limit for"]


@pytest.mark.parametrize(
    "raw",
    [
        b"data: {\n\n",
        b"data: [1]\n\n",
        b"data: 5\n\n",
        b'data: {"choices": 5}\n\n',
        b'data: {"choices": [5]}\n\n',
        b'data: {"choices": [], "x": "\\ud800"}\n\n',
        b'data: {"choices": [], "x": 18446744073709551616}\n\n',
        body(chunk(said(content="a")), chunk(said(content=["a"]))),
        body(chunk(said(content={"a": 1})), chunk(said(content="a"))),
        body(chunk(said(content="a"))) + body(chunk(said(content="b"))),
        b"data: {}\n\ndata: {",
        b'data: {"choices": [{"x": ' + b"[" * 500 + b"]" * 500 + b"}]}\n\n",
    ],
)
def test_what_cannot_be_read_or_put_together_has_no_record(raw):
    assert fold_stream(raw).record is None


def test_a_stream_cut_inside_an_event_has_no_record():
    folded = fold_stream(load("llamacpp/stream_truncated_by_kill").body)
    assert (folded.record, folded.done) == (None, False)


def test_many_small_pieces_are_joined_at_the_end():
    """Appending to a string each time would copy megabytes for each chunk; here the pieces are kept apart."""
    count = 20_000
    raw = encode(orjson.dumps(chunk(said(content="x" * 50)))) * count
    record = fold_stream(raw).record
    assert record is not None
    assert len(record["choices"][0]["message"]["content"]) == 50 * count


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b'{"a": 18446744073709551616}', b"null"])
def test_a_plain_answer_that_is_not_one_has_no_record(raw):
    assert read_record(raw) is None


def test_S07_only_the_event_that_include_usage_adds_is_usage_only():
    for name in ("vllm/chat_stream_usage", "vllm/comp_stream_usage", "llamacpp/chat_stream_usage"):
        events = EventSplitter().feed(load(name).body)
        assert [is_usage_only(event) for event in events] == [False] * (len(events) - 2) + [True, False]
    # Where an engine puts the usage into the last text chunk, there is nothing to withhold.
    for name in ("llamacpp/comp_stream_usage", "llamacpp/comp_stream", "vllm/chat_stream"):
        assert not any(is_usage_only(event) for event in EventSplitter().feed(load(name).body))
    assert is_usage_only(b'data: {"usage": {"total_tokens": 1}}\n\n')
    assert not is_usage_only(b'data: {"choices": [], "usage": null}\n\n')
    assert not is_usage_only(b'data: {"usage"\n\n')
    assert not is_usage_only(b': "usage"\n\n')
