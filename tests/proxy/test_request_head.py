"""What follows from a head alone is the same whoever repeats it, and two heads are never taken for one."""

import copy
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from proxy.errors import Headers
from proxy.permit import NO_DIRECTIVES
from proxy.request_head import VARYING, RequestHead
from tests.builders import answer, policy_set, stream_of
from tests.live import json_reply, wired
from tests.proxy.test_connection_breaks import asking, post, raw

CHAT = b"/v1/chat/completions"
NAMES = [b"a", b"b", b"host", b"content-length", b"content-type", b"x-tenant", b"authorization", *sorted(VARYING)]
VALUES = [b"", b"a", b":a", b"a:", b"a: b", b"b:a", b"x-tenant:a", b"\xff", b"a\tb", b"3"]
URLS = [CHAT, CHAT + b"?", CHAT + b"?a", CHAT + b"?a:b", CHAT + b"?a?b", CHAT + b"?a:", b"/v1/completions"]
heads = st.tuples(
    st.sampled_from(URLS), st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)), max_size=4)
)


def read(url: bytes, headers: Headers) -> RequestHead:
    head = RequestHead.read(url, headers)
    assert head is not None
    return head


@given(heads, heads)
@example((CHAT + b"?a:b", []), (CHAT + b"?a", [(b"b", b"")]))
@example((CHAT, [(b"a", b""), (b"b", b"")]), (CHAT, [(b"a", b"b:")]))
@example((CHAT, [(b"a", b"1"), (b"a", b"2")]), (CHAT, [(b"a", b"1, 2")]))
def test_no_two_heads_are_told_alike(one: tuple[bytes, Headers], other: tuple[bytes, Headers]):
    def decides(url: bytes, headers: Headers) -> Any:
        without = VARYING | {b"content-length"}
        return url.removesuffix(b"?"), [item for item in headers if item[0] not in without]

    assert (read(*one).told == read(*other).told) == (decides(*one) == decides(*other))


@pytest.mark.parametrize(
    "url",
    [
        b"",
        b"/",
        b"/v1/models",
        CHAT + b"/",
        CHAT + b"#a",
        CHAT + b"?a#b",
        b"http://a" + CHAT,
        b"/v1/chat%2Fcompletions",
    ],
)
def test_the_head_of_another_path_is_none_of_ours(url):
    assert RequestHead.read(url, []) is None


def test_what_follows_from_a_head():
    lines = [(b"content-length", b"3"), (b"a", b"1"), (b"content-type", b"Application/JSON ; charset=utf-8")]
    lines += [(b"a", b"2"), (b"x-request-id", b"mine"), (b"x-askonce-family", b"f\xe4"), (b"traceparent", b"00")]
    head = read(CHAT + b"?b=\xff&c", lines)
    assert (head.path, head.query, head.target) == (CHAT.decode(), b"b=\xff&c", CHAT + b"?b=\xff&c")
    assert head.address == CHAT.decode() + "?b=\xff&c"
    assert (head.given_id, head.family, head.is_json, head.directives) == ("mine", "f\xe4", True, NO_DIRECTIVES)
    assert head.fields[b"a"] == b"1, 2"
    assert b"content-length" not in head.fields
    assert [name for name, _ in head.forwarded] == [b"content-type", b"traceparent", b"accept-encoding"]
    assert lines[0] == (b"content-length", b"3")


@pytest.mark.parametrize(
    ("lines", "given_id"),
    [
        ([], None),
        ([b"a"], "a"),
        ([b"null"], None),
        ([b"a b"], None),
        ([b"a", b"a"], None),
        ([b"\xff"], None),
        ([b"x" * 129], None),
    ],
)
def test_a_request_id_is_taken_over_only_if_it_is_one_and_sane(lines, given_id):
    assert read(CHAT, [(b"x-request-id", line) for line in lines]).given_id == given_id


@pytest.mark.parametrize(
    ("kind", "is_json"),
    [
        ([(b"content-type", b"application/json")], True),
        ([(b"content-type", b"application/json;a=b")], True),
        ([(b"content-type", b"text/json")], False),
        ([], False),
        ([(b"content-type", b"application/json"), (b"content-encoding", b"identity")], False),
        ([(b"content-type", b"application/json"), (b"content-type", b"application/json")], False),
    ],
)
def test_whether_the_body_is_json(kind, is_json):
    assert read(CHAT, kind).is_json is is_json


def state_of(head: RequestHead) -> dict[str, Any]:
    return {name: copy.deepcopy(getattr(head, name)) for name in RequestHead.__slots__ if name != "_told"}


@pytest.mark.anyio
@pytest.mark.real_loop
async def test_nothing_that_a_request_does_changes_the_head_it_shares(monkeypatch):
    made: list[tuple[RequestHead, dict[str, Any]]] = []
    make = RequestHead.__init__

    def noted(head: RequestHead, *args: Any) -> None:
        make(head, *args)
        made.append((head, state_of(head)))

    monkeypatch.setattr(RequestHead, "__init__", noted)

    def respond(request):
        if b"broken" in request.body:
            return b"no HTTP\r\n\r\n"
        if b'"stream":true' in request.body:
            events = b"".join(stream_of("s"))
            return (
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n" % len(events)
                + events
            )
        return json_reply(answer("a"))

    async with wired(respond) as w, raw(w.live.port) as client:
        asked = []
        for text in ("a", "b", "broken"):
            asked += [asking(text), asking(text, stream=True), asking(text, temperature=1), asking(text, n=2)]
        for credential in (b"authorization: Bearer sk-a\r\n", b""):
            for body in [*asked, *asked, b"no json"]:
                request = post(body, b"traceparent: 00-1", b"connection: x-a, keep-alive")
                client.send(request.replace(b"authorization: Bearer sk-a\r\n", credential))
                await client.reply()
    assert 2 <= len(made) < len(asked)
    for head, before in made:
        assert state_of(head) == before


@pytest.mark.anyio
@pytest.mark.real_loop
async def test_a_reload_applies_to_a_request_whose_head_is_known():
    async with wired(lambda request: json_reply(answer("a"))) as w, raw(w.live.port) as client:

        async def told(**fields: Any) -> Any:
            client.send(post(asking("a", **fields)))
            _, got, _ = await client.reply()
            return got[b"cache-status"]

        for n in range(4):
            await told(max_tokens=n + 1)
        assert b"hit" in await told(max_tokens=1)
        app = w.live.app
        app.apply(app.settings, policy_set(exact={"enabled": False}))
        assert b"detail=family-off" in await told(max_tokens=1)
        assert b"detail=family-off" in await told(max_tokens=1)
        app.apply(app.settings, policy_set())
        assert b"hit" not in await told(max_tokens=9)
