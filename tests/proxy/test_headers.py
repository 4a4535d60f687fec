import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.headers import (
    HOP_BY_HOP,
    answer_headers,
    cache_status,
    forwarded,
    request_headers,
    request_id,
    response_headers,
)
from tests.captures import all_captures

SECRETS = [
    (b"authorization", b"Bearer sk-client"),
    (b"x-api-key", b"sk-client"),
    (b"api-key", b"sk-client"),
    (b"cookie", b"session=1"),
    (b"proxy-authorization", b"Basic x"),
    (b"x-internal-secret", b"hush"),
    (b"x-tenant", b"other"),
    (b"x-askonce-bypass", b"cache"),
    (b"forwarded", b"for=1.2.3.4"),
    (b"x-forwarded-for", b"1.2.3.4"),
]
CONNECTION = [
    (b"host", b"proxy.test"),
    (b"content-length", b"5"),
    (b"transfer-encoding", b"chunked"),
    (b"connection", b"keep-alive, X-Internal-Secret"),
    (b"keep-alive", b"timeout=5"),
    (b"expect", b"100-continue"),
    (b"te", b"trailers"),
    (b"trailer", b"x"),
    (b"upgrade", b"h2c"),
    (b"proxy-connection", b"keep-alive"),
]


def test_H03_no_credential_cookie_or_unknown_header_goes_up():
    assert forwarded(SECRETS) == [(b"accept-encoding", b"identity")]


def test_H03_the_upstreams_credential_takes_the_place_of_the_clients():
    sent = request_headers(forwarded(SECRETS), authorization=b"Bearer sk-upstream")
    assert [value for name, value in sent if name == b"authorization"] == [b"Bearer sk-upstream"]


def test_H04_host_length_and_framing_are_the_new_connections():
    assert forwarded(CONNECTION) == [(b"accept-encoding", b"identity")]


def test_H04_what_the_connection_header_names_stays_here_although_it_is_listed():
    raw = [(b"connection", b"close, Traceparent"), (b"traceparent", b"00-1"), (b"accept", b"*/*")]
    assert forwarded(raw) == [(b"accept", b"*/*"), (b"accept-encoding", b"identity")]


def test_what_an_engine_reads_goes_up_unchanged():
    raw = [
        (b"accept", b"text/event-stream"),
        (b"content-type", b"application/json; charset=utf-8"),
        (b"user-agent", b"OpenAI/Python 2"),
        (b"openai-organization", b"org"),
        (b"openai-project", b"p"),
        (b"openai-beta", b"a"),
        (b"openai-beta", b"b"),
        (b"traceparent", b"00-1"),
    ]
    assert forwarded(raw)[:-1] == raw


def test_H02_what_may_be_stored_is_asked_for_without_coding_and_the_rest_as_the_client_asks():
    raw = [(b"accept-encoding", b"gzip, br")]
    assert forwarded(raw) == [(b"accept-encoding", b"identity")]
    assert forwarded(raw, identity=False) == raw
    assert forwarded([], identity=False) == []


def test_a_request_id_goes_up_only_where_it_is_given():
    assert forwarded([(b"x-request-id", b"client")]) == [(b"accept-encoding", b"identity")]
    assert (b"x-request-id", b"abc") in request_headers([], authorization=None, request_id="abc")


def test_H01_length_framing_and_hop_by_hop_headers_do_not_come_back():
    raw = [
        (b"Content-Type", b"application/json"),
        (b"Content-Length", b"5"),
        (b"Transfer-Encoding", b"chunked"),
        (b"Connection", b"close, X-Hop"),
        (b"X-Hop", b"1"),
        (b"Keep-Alive", b"timeout=5, max=100"),
        (b"Set-Cookie", b"a=1"),
        (b"Set-Cookie", b"b=2"),
        (b"Retry-After", b"3"),
        (b"Content-Encoding", b"gzip"),
    ]
    assert response_headers(raw) == [
        (b"content-type", b"application/json"),
        (b"set-cookie", b"a=1"),
        (b"set-cookie", b"b=2"),
        (b"retry-after", b"3"),
        (b"content-encoding", b"gzip"),
    ]


def test_H01_of_the_recordings_headers_only_those_of_the_connection_are_dropped():
    for capture in all_captures():
        came = [(name.lower(), value) for name, value in capture.headers]
        passed = response_headers(capture.headers)
        dropped = {name for name, _ in came} - {name for name, _ in passed}
        assert [item for item in came if item[0] not in dropped] == passed
        assert dropped <= {b"content-length", b"transfer-encoding", b"keep-alive", b"connection"}


@given(st.lists(st.tuples(st.sampled_from(sorted(HOP_BY_HOP | {b"content-length", b"a", b"b"})), st.just(b"a, B"))))
def test_H01_no_header_of_the_connection_ever_comes_back(raw):
    kept = {name for name, _ in response_headers(raw)}
    nominated = {b"a", b"b"} if any(name == b"connection" for name, _ in raw) else set()
    assert kept == {name for name, _ in raw} & ({b"a", b"b"} - nominated)


@given(st.lists(st.tuples(st.sampled_from(sorted(HOP_BY_HOP | {b"content-length", b"a", b"b"})), st.just(b"a, B"))))
def test_an_answers_headers_are_those_of_any_response(raw):
    assert answer_headers(raw) == (response_headers(raw), b"", None)


def test_an_answers_headers_tell_its_type_and_its_coding():
    raw = [(b"content-type", b"Text/Event-Stream; charset=utf-8"), (b"content-encoding", b" GZIP"), (b"a", b"1")]
    assert answer_headers(raw) == (raw, b"text/event-stream; charset=utf-8", b"gzip")
    assert answer_headers([(b"content-encoding", b"identity")])[2] is None
    assert answer_headers([(b"content-encoding", b"deflate"), (b"content-encoding", b"gzip")])[2] == b"deflate, gzip"
    assert answer_headers([*raw, (b"connection", b"Content-Encoding")]) == ([raw[0], raw[2]], raw[0][1].lower(), None)


def test_another_askonces_own_headers_do_not_pass_as_ours():
    assert answer_headers([(b"x-askonce-family", b"theirs"), (b"x-other", b"1")])[0] == [(b"x-other", b"1")]


def test_keep_alive_and_close_nominate_nothing():
    for value in (b"keep-alive", b"close"):
        raw = [(b"connection", value), (b"accept", b"*/*")]
        assert forwarded(raw)[0] == answer_headers(raw)[0][0] == (b"accept", b"*/*")


@pytest.mark.parametrize("value", [b"abc", b"req-1", b"3f7be5b8-ce9a.4:x/+=@_", b"a" * 128, b" padded "])
def test_H05_a_sane_request_id_is_kept(value):
    assert request_id([value]) == value.strip().decode()


@pytest.mark.parametrize(
    "values",
    [
        [],
        [b""],
        [b"null"],
        [b"None"],
        [b"undefined"],
        [b"a" * 129],
        [b"a" * 10_000],
        [b"a\r\nx: y"],
        [b"a b"],
        [b"\xff"],
        [b"a", b"b"],
    ],
)
def test_H05_for_a_missing_or_unfit_request_id_a_new_one_is_made(values):
    made = request_id(values)
    assert re.fullmatch(r"[0-9a-f]{32}", made)
    assert made != request_id(values)


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (("hit", {"ttl_s": 30}), b"askonce; hit; ttl=30; detail=exact"),
        (("hit", {"ttl_s": 0, "detail": "verbatim"}), b"askonce; hit; ttl=0; detail=verbatim"),
        (("semantic", {"ttl_s": 30}), b"askonce; hit; ttl=30; detail=semantic"),
        (("stale", {"ttl_s": -5}), b"askonce; hit; ttl=-5; detail=stale"),
        (("miss", {}), b"askonce; fwd=miss"),
        (("miss", {"stored": True}), b"askonce; fwd=miss; stored"),
        (("collapsed", {}), b"askonce; fwd=miss; collapsed"),
        (("bypass", {"detail": "temperature-missing"}), b"askonce; fwd=bypass; detail=temperature-missing"),
        (("bypass", {"detail": "two words"}), b'askonce; fwd=bypass; detail="two words"'),
        (("bypass", {"detail": '"\\\r\né'}), b'askonce; fwd=bypass; detail="\\"\\\\???"'),
        (("hit", {"detail": "0.91"}), b'askonce; hit; detail="0.91"'),
    ],
)
def test_cache_status_is_written_as_rfc_9211_says(arguments, written):
    outcome, options = arguments
    assert cache_status(outcome, **options) == written


@given(st.text(min_size=1))
def test_whatever_the_detail_cache_status_is_one_parsable_header_line(detail):
    written = cache_status("bypass", detail=detail).decode("ascii")
    bare_item = r'(?:[A-Za-z*][!#$%&\'*+.^_`|~:/A-Za-z0-9-]*|"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*")'
    assert re.fullmatch(rf"askonce; fwd=bypass; detail={bare_item}", written)


def test_an_unknown_outcome_is_a_mistake_of_ours():
    with pytest.raises(KeyError):
        cache_status("no such outcome")
