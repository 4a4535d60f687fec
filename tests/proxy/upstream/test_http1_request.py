"""A request's head, encoded anew whenever anything in it is another."""

import pytest

from proxy.upstream.client import UpstreamRequest
from proxy.upstream.http1_request import HeadEncoder
from proxy.upstream.origin import Origin
from tests.proxy.upstream.asks import get, post


@pytest.fixture
def heads() -> HeadEncoder:
    return HeadEncoder(Origin.parse("http://engine:8000"))


def test_a_head_is_its_request_line_host_headers_and_framing(heads):
    assert heads.encode(post(b"{}", b"/v1/x", [(b"a", b"1"), (b"content-length", b"9"), (b"b", b"2")])) == (
        b"POST /v1/x HTTP/1.1\r\nhost: engine:8000\r\na: 1\r\nb: 2\r\ncontent-length: 2\r\n\r\n"
    )
    assert heads.encode(get(b"/")) == b"GET / HTTP/1.1\r\nhost: engine:8000\r\n\r\n"


def test_the_next_request_with_the_same_headers_is_framed_by_its_own_body(heads: HeadEncoder):
    def lengths(body: bytes) -> bytes:
        return heads.encode(post(body, headers=[(b"a", b"1")])).rpartition(b"a: 1\r\n")[2]

    assert [lengths(b""), lengths(b"x" * 10)] == [b"content-length: 0\r\n\r\n", b"content-length: 10\r\n\r\n"]


@pytest.mark.parametrize(
    "other",
    [
        get(target=b"/x", headers=[(b"authorization", b"Bearer sk-b")]),
        get(target=b"/x", headers=[(b"authorization", b"Bearer sk-a"), (b"a", b"1")]),
        get(target=b"/x", headers=[]),
        get(target=b"/y", headers=[(b"authorization", b"Bearer sk-a")]),
        get(target=b"/x", headers=[(b"authorization", b"Bearer sk-a")], method="DELETE"),
    ],
)
def test_a_head_is_never_another_requests(heads, other):
    def usual() -> UpstreamRequest:
        return get(target=b"/x", headers=[(b"authorization", b"Bearer sk-a")])

    apart = HeadEncoder(Origin.parse("http://engine:8000")).encode
    expected = [apart(usual()), apart(other), apart(usual())]
    assert [heads.encode(usual()), heads.encode(other), heads.encode(usual())] == expected
    assert len(set(expected)) == 2


def test_headers_changed_in_place_are_seen(heads):
    headers = [(b"a", b"1")]
    heads.encode(get(headers=headers))
    headers.append((b"b", b"2"))
    assert heads.encode(get(headers=headers)).endswith(b"a: 1\r\nb: 2\r\n\r\n")


@pytest.mark.parametrize("broken", [get(headers=[(b"a", b"1\r\nb: 2")]), get(method="", target=b""), get(target=b"x")])
def test_what_was_refused_is_refused_again(heads, broken):
    for _ in range(2):
        with pytest.raises(ValueError, match=r"a line break|method|the target"):
            heads.encode(broken)
