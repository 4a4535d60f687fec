"""Each stream is fed whole, then byte by byte, then in any pieces; all must agree."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.sse import EventSplitter, data_of, encode
from tests.captures import Capture, streams


def split(pieces: list[bytes]) -> tuple[list[bytes], bytes]:
    """The events of a stream that arrives in these pieces and then ends, and what is left."""
    splitter = EventSplitter()
    events = [event for piece in pieces for event in splitter.feed(piece)]
    events += splitter.end()
    return events, splitter.rest


def one_by_one(stream: bytes) -> list[bytes]:
    return [stream[at : at + 1] for at in range(len(stream))]


def pieces(stream: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    return [stream[start:stop] for start, stop in itertools.pairwise(places)]


@pytest.mark.parametrize("capture", streams(), ids=lambda capture: capture.name)
def test_every_recording_splits_the_same_however_it_arrives(capture: Capture):
    events, rest = split([capture.body])
    assert b"".join(events) + rest == capture.body
    assert split(one_by_one(capture.body)) == (events, rest)
    assert (rest == b"") == capture.complete
    assert all(event.endswith(b"\n\n") and event.count(b"\n\n") == 1 for event in events)


@given(st.sampled_from(streams()), st.lists(st.integers(0, 100_000), max_size=30))
def test_any_split_of_a_recording_gives_the_same_events(capture, cuts):
    assert split(pieces(capture.body, cuts)) == split([capture.body])


stream_like = st.lists(
    st.sampled_from([b"\n", b"\r", b"\r\n", b"\n\n", b"\r\n\r\n", b"data: a", b"data:b", b":", b"x", b"\xe2\x80\xa8"]),
    max_size=30,
).map(b"".join)


@given(stream_like, st.lists(st.integers(0, 200), max_size=10))
def test_any_split_of_any_mix_of_line_ends_gives_the_same_events(stream, cuts):
    events, rest = split([stream])
    assert b"".join(events) + rest == stream
    assert split(one_by_one(stream)) == (events, rest)
    assert split(pieces(stream, cuts)) == (events, rest)


@given(st.lists(st.binary(max_size=40).filter(lambda data: b"\r" not in data), max_size=8))
def test_encode_then_split_is_identity(datas):
    stream = b"".join(encode(data) for data in datas)
    events, rest = split([stream])
    assert ([data_of(event) for event in events], rest) == (datas, b"")


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("space", [b"", b" "], ids=["no space", "space"])
def test_S03_every_spelling_of_a_stream_carries_the_same_data(end, space):
    stream = b"".join(b"data:" + space + data + end + end for data in (b'{"a":1}', b"[DONE]"))
    events, rest = split([stream])
    assert [data_of(event) for event in events] == [b'{"a":1}', b"[DONE]"]
    assert (b"".join(events), rest) == (stream, b"")


def test_S01_a_character_cut_anywhere_comes_out_whole():
    event = encode('{"content":"日🙂"}'.encode())
    for cut in range(len(event) + 1):
        assert split([event[:cut], event[cut:]]) == ([event], b"")


def test_S02_comments_and_blank_lines_carry_no_data():
    stream = b": ping\n\ndata: 1\n\n:\n\n: ping\ndata: 2\n\n\n\n"
    events, _ = split([stream])
    assert [data_of(event) for event in events] == [None, b"1", None, b"2", None, None]


def test_an_event_is_out_as_soon_as_its_blank_line_is():
    splitter = EventSplitter()
    assert splitter.feed(b"data: 1\n") == []
    assert splitter.feed(b"\n") == [b"data: 1\n\n"]
    assert splitter.feed(b"data: 2\r\n\r\n") == [b"data: 2\r\n\r\n"]
    assert len(splitter) == 0


def test_a_final_cr_waits_for_the_lf_that_may_follow():
    splitter = EventSplitter()
    assert splitter.feed(b"data: 1\r\n\r") == []
    assert splitter.feed(b"\ndata: 2\r\r") == [b"data: 1\r\n\r\n"]
    assert splitter.rest == b"data: 2\r\r"
    assert splitter.end() == [b"data: 2\r\r"]


def test_an_incomplete_event_is_kept_and_never_given_out():
    splitter = EventSplitter()
    splitter.feed(b"data: 1\n\ndata: 2\n")
    assert splitter.end() == []
    assert (splitter.rest, len(splitter)) == (b"data: 2\n", 8)


@pytest.mark.parametrize(
    ("event", "data"),
    [
        (b"data: a\ndata: b\n\n", b"a\nb"),
        (b"data: a\r\ndata\r\ndata: c\r\n\r\n", b"a\n\nc"),
        (b"event: x\nid: 1\ndata:  two spaces\n\n", b" two spaces"),
        (b"data:\n\n", b""),
        (b"data\n\n", b""),
        (b"\xef\xbb\xbfdata: after a mark\n\n", b"after a mark"),
        (b"data: one\xe2\x80\xa8line\xc2\x85\n\n", b"one\xe2\x80\xa8line\xc2\x85"),
        (b"dataset: no\n\n", None),
        (b"event: ping\n\n", None),
        (b"\n", None),
    ],
)
def test_data_is_read_as_the_standard_says(event, data):
    assert data_of(event) == data


def test_work_does_not_grow_with_the_square_of_an_events_length(monkeypatch):
    """A long event that comes in small pieces is searched from where the last search stopped."""
    splitter = EventSplitter()
    searched = 0

    class Counted(bytearray):
        def find(self, sub, start=0):  # type: ignore[override]  # only what the splitter calls
            nonlocal searched
            searched += len(self) - start
            return super().find(sub, start)

    splitter._buffer = Counted()
    for _ in range(2_000):
        splitter.feed(b"data: xx")
    assert searched < 3 * len(splitter)
