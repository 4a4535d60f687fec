"""The client of a burst: it must know the end of a reply, wherever the network cuts it."""

import pytest

from bench.flight_burst import body_of, is_whole

REPLIES = {
    "plain": (b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nx: 1\r\n\r\nanswer", b"answer"),
    "streamed": (
        b'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n10\r\ndata: {"n":0}\n\n\n\r\n6\r\nanswer\r\n0\r\n\r\n',
        b'data: {"n":0}\n\n\nanswer',
    ),
}
EACH = pytest.mark.parametrize(("reply", "body"), REPLIES.values(), ids=REPLIES.keys())


@EACH
def test_a_reply_is_whole_at_its_end_and_at_no_cut_before(reply, body):
    assert [is_whole(reply[:cut]) for cut in range(len(reply))] == [False] * len(reply)
    assert is_whole(reply)


@EACH
def test_a_body_comes_without_its_framing(reply, body):
    assert body_of(reply) == body


def test_another_status_ends_the_burst():
    with pytest.raises(RuntimeError, match="503"):
        body_of(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n")
