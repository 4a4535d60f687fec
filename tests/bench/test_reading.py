"""What an exchange was: outcome, times, lengths, and whether it was an answer at all."""

import orjson
import pytest

from bench.ask import Answer, Ask
from bench.reading import events, read_exchange, read_outcome

STREAM, PLAIN = Ask(b"", stream=True), Ask(b"")


def answered(*chunks: tuple[float, bytes], ended_s: float | None = None, **fields: object) -> Answer:
    """An answer due at 10 s."""
    answer = Answer(10.0, status=200, chunks=list(chunks))
    answer.ended_s = ended_s if ended_s is not None else chunks[-1][0]
    for name, value in fields.items():
        setattr(answer, name, value)
    return answer


def event(delta: dict[str, object], finish: str | None = None, **more: object) -> bytes:
    told = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}
    return b"data: " + orjson.dumps(told) + b"\n\n"


DONE = b"data: [DONE]\n\n"


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("askonce; hit; ttl=3599; detail=exact", "hit"),
        ("askonce; hit; ttl=3599", "hit"),
        ("askonce; hit; ttl=12; detail=semantic", "semantic"),
        ("askonce; hit; ttl=-3; detail=stale", "stale"),
        ("askonce; fwd=miss; collapsed", "shared"),
        ("askonce; fwd=miss; stored", "miss"),
        ("askonce; fwd=miss", "miss"),
        ("askonce; fwd=bypass; detail=temperature-missing", "bypass"),
        ("edge; hit, askonce; fwd=miss", "miss"),
        ("edge; hit", "uncached"),
        ("", "uncached"),
    ],
)
def test_outcome_is_what_cache_status_tells(status: str, outcome: str):
    assert read_outcome(status) == outcome


def test_outcomes_are_read_from_what_the_proxy_writes():
    from proxy.headers import cache_status

    words = {"hit": "hit", "semantic": "semantic", "stale": "stale", "collapsed": "shared", "miss": "miss"}
    for told, read in {**words, "bypass": "bypass"}.items():
        assert read_outcome(cache_status(told, ttl_s=3, stored=told == "miss").decode()) == read


def test_first_token_is_timed_and_not_the_role():
    exchange = read_exchange(
        STREAM,
        answered(
            (11.0, event({"role": "assistant", "content": ""})),
            (12.0, event({"content": "a"})),
            (12.5, event({"content": "b"})),
            (14.0, event({"content": "c"}) + event({}, "stop") + DONE),
        ),
    )
    assert exchange.error is None
    assert (exchange.ttft_s, exchange.e2e_s) == (2.0, 4.0)
    assert exchange.gaps_s == [0.5, 1.5]
    assert exchange.tpot_s == 1.0
    assert (exchange.output_tokens, exchange.finish) == (3, "stop")


@pytest.mark.parametrize("field", ["content", "reasoning_content", "tool_calls"])
def test_reasoning_and_tool_calls_are_tokens_too(field: str):
    exchange = read_exchange(STREAM, answered((11.0, event({field: "a"})), (13.0, DONE)))
    assert exchange.ttft_s == 1.0


def test_completions_streams_have_text():
    body = b'data: {"choices": [{"text": "a", "finish_reason": null}]}\n\n'
    assert read_exchange(STREAM, answered((11.0, body), (12.0, DONE))).ttft_s == 1.0


def test_usage_counts_tokens_where_it_is_told():
    usage = b'data: {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 5}}\n\n'
    exchange = read_exchange(
        STREAM, answered((11.0, event({"content": "a"})), (13.0, event({"content": "b"})), (13.0, usage + DONE))
    )
    assert (exchange.prompt_tokens, exchange.output_tokens, exchange.tpot_s) == (7, 5, 0.5)


def test_event_counts_when_its_last_byte_is_there():
    whole = event({"content": "a"}) + DONE
    for cut in range(1, len(whole)):
        found = events([(1.0, whole[:cut]), (2.0, whole[cut:])])
        assert [data for _, data in found] == [event({"content": "a"})[6:-2], b"[DONE]"]
        assert [read_s for read_s, _ in found] == [1.0 if cut >= len(whole) - len(DONE) else 2.0, 2.0]


def test_events_in_crlf_split_anywhere_are_the_same():
    whole = b"data: 1\r\n\r\n: comment\r\n\r\ndata:2\r\n\r\n"
    for cut in range(1, len(whole)):
        assert [data for _, data in events([(1.0, whole[:cut]), (2.0, whole[cut:])])] == [b"1", b"2"]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (event({"content": "a"}), "no end marker"),
        (b'data: {"error": {"message": "x"}}\n\n', "error event"),
        (b"data: {nonsense\n\n", "an event that is not JSON"),
    ],
)
def test_stream_that_does_not_end_well_is_an_error(body: bytes, error: str):
    assert read_exchange(STREAM, answered((11.0, body))).error == error


def test_plain_answer_tells_usage_and_finish_reason():
    body = b'{"choices": [{"finish_reason": "length"}], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}'
    exchange = read_exchange(PLAIN, answered((11.0, body[:9]), (13.0, body[9:])))
    assert (exchange.error, exchange.finish) == (None, "length")
    assert (exchange.prompt_tokens, exchange.output_tokens) == (3, 4)
    assert (exchange.ttft_s, exchange.e2e_s) == (1.0, 3.0)


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b'{"choices": []}'])
def test_plain_body_without_an_answer_is_an_error(body: bytes):
    assert read_exchange(PLAIN, answered((11.0, body))).error == "no answer in the body"


def test_status_and_transport_errors_are_errors():
    assert read_exchange(PLAIN, answered((11.0, b"{}"), status=503)).error == "status 503"
    assert read_exchange(PLAIN, answered((11.0, b"{"), error="cut short")).error == "cut short"
