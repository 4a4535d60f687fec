"""What a reply says in its headers, and what is counted and written down of it, however many kinds of replies come."""

import itertools
from types import SimpleNamespace
from typing import Any, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.access_log import AccessLog
from proxy.account import Account, _repeated_lines, head_of, lines_of, written
from proxy.context import Outcome, Reply, RequestContext
from proxy.errors import Headers
from proxy.journal import Journal
from proxy.metrics import Metrics
from proxy.outlet import AsgiOutlet

PATH = "/v1/chat/completions"
OUTCOMES = [Outcome.HIT, Outcome.MISS, Outcome.BYPASS, Outcome.COLLAPSED, Outcome.REFUSED]


def context(family: str = "f", model: str = "m", tenant: str = "t", reason: str | None = None) -> RequestContext:
    """As much of one as an account looks at."""
    fields = {"family": SimpleNamespace(name=family), "route": SimpleNamespace(label=model)}
    fields |= {"tenant": SimpleNamespace(label=tenant), "permits": SimpleNamespace(reason=reason)}
    return cast(RequestContext, SimpleNamespace(key=b"k" * 32, **fields))


values = st.sampled_from([b"", b"a", b"a: b", b":", b" padded ", b"100% %s", b"\xff", b"a" * 300])
names = st.sampled_from([b"x-a", b"x-b", b"content-type", b"date", b"age", b"cache-status", b"x-request-id", b"vary"])
replies = st.builds(
    Reply,
    st.sampled_from([200, 204, 503]),
    st.lists(st.tuples(names, values), max_size=5),
    st.just(b""),
    outcome=st.sampled_from(OUTCOMES),
    detail=st.sampled_from([None, "word", 'two "words"']),
    age_s=st.sampled_from([None, None, 0.0, 7.9]),
    ttl_s=st.sampled_from([None, None, -1.5, 60.0]),
    stored=st.booleans(),
)


@given(replies, st.sampled_from([None, context(), context(family="g")]))
def test_a_replys_lines_are_its_headers_each_time(reply: Reply, ctx: RequestContext | None):
    given_headers = [*reply.headers]
    for request_id in ("a", "100%", "a" * 128):
        assert lines_of(reply, request_id, ctx) == written(head_of(reply, request_id, ctx))
    assert reply.headers == given_headers


def test_headers_that_do_not_go_on_are_no_difference():
    made = _repeated_lines.cache_info().misses
    for number in range(65):
        named = (b"x-request-id", b"engine-%d" % number), (b"date", b"now %d" % number)
        lines_of(Reply(200, [(b"x-once", b"a"), *named], b""), "id", context())
    assert _repeated_lines.cache_info().misses == made + 1


@pytest.mark.parametrize("sign", [b"\r", b"\n", b"\r\n", b"\0"])
@pytest.mark.parametrize("place", ["name", "value"])
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_header_that_would_end_its_line_is_never_written(sign, place, outcome):
    header = (b"x" + sign + b"y", b"z") if place == "name" else (b"x", b"y" + sign + b"z: 1")
    for _ in range(2):
        with pytest.raises(ValueError, match="line break"):
            lines_of(Reply(200, [(b"a", b"b"), header], b"", outcome=outcome), "id", context())


@pytest.mark.anyio
async def test_asgi_gets_the_headers_of_the_lines():
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    headers: Headers = [(b"a", b""), (b"a", b"b: c"), (b"d", b" e:f "), (b"g", b"\xff")]
    await AsgiOutlet(send).whole(200, written(headers), b"body")
    await AsgiOutlet(send).whole(204, written(headers), b"")
    await AsgiOutlet(send).start(200, written([]))
    told = [message["headers"] for message in sent if message["type"] == "http.response.start"]
    assert told == [[*headers, (b"content-length", b"4")], headers, []]


def test_of_more_kinds_of_replies_than_are_kept_ready_each_is_counted_and_written_down(tmp_path):
    log = AccessLog(str(tmp_path / "log"))
    metrics = Metrics()
    journal = Journal(log, lambda: 5.0)
    metrics.before_reading(journal.settle)
    account = Account(metrics, journal, lambda: 5.0)
    kinds = list(itertools.product(range(400), [None, "no-store"], [Outcome.MISS, Outcome.BYPASS]))
    for _ in range(2):
        for tenant, reason, outcome in kinds:
            reply = Reply(200, [], b"", outcome=outcome, detail=reason)
            ctx = context(tenant=f"t{tenant}", family=f"f{tenant % 3}", reason=reason)
            account.note(PATH, ctx, reply, "id", 4.0, 4.5, 7)
    journal.settle()
    log.close()
    lines = [orjson.loads(line) for line in (tmp_path / "log").read_bytes().splitlines()]
    assert [(line["tenant"], line["detail"], line["outcome"]) for line in lines] == 2 * [
        (f"t{tenant}", reason, str(outcome)) for tenant, reason, outcome in kinds
    ]
    told = metrics.render().decode()
    assert f'askonce_replies_total{{path="model",status="200"}} {2.0 * len(kinds)}' in told
    assert f'askonce_bypasses_total{{reason="no-store"}} {1.0 * len(kinds)}' in told
    assert f'askonce_ttft_seconds_count{{outcome="miss"}} {1.0 * len(kinds)}' in told
    for family in range(3):
        count = 2.0 * sum(tenant % 3 == family and outcome is Outcome.MISS for tenant, _, outcome in kinds)
        assert f'askonce_requests_total{{family="f{family}",model="m",outcome="miss"}} {count}' in told
    kept = account._tally.cache_info()
    assert kept.currsize == kept.maxsize == 1024
