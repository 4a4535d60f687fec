"""Every recording of a real engine, replayed by a server on a socket, through the whole proxy.

What comes out is what the engine said, byte for byte, but for framing and what belongs to a connection. The exceptions
are listed, each with what it becomes. And of all that the engines said, exactly what may be stored is a hit the second
time. The engine knows which recording to play by the request's credential.
"""

import json
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from policies.model import PolicySet
from proxy.headers import HOP_BY_HOP
from proxy.openai import fold_stream
from proxy.sse import EventSplitter, data_of
from tests import captures
from tests.builders import chat, outcome, policy_set
from tests.captures import Capture
from tests.live import CLOSE, PATIENCE_S, Live, LiveEngine, Steps, engine_of, serving
from tests.proxy.upstream.scripted_server import Request

pytestmark = [pytest.mark.anyio, pytest.mark.real_loop]

FRAMING = {b"content-length", b"transfer-encoding"}
SERVERS = {b"date"}
"""Written by whoever sends the reply, so the proxy's own server does."""
OURS = {b"cache-control", b"vary", b"x-request-id", b"cache-status", b"x-askonce-family", b"date"}

NOT_SENT = {b"host", b"content-length", b"connection", b"authorization", b"expect"}

MODEL_PATHS = ("/v1/chat/completions", "/v1/completions")

REFUSED = {
    "err_array_body": "invalid_type",
    "err_bad_json": "invalid_json",
    "err_comp_missing_prompt": "missing_required_parameter",
    "err_empty_body": "invalid_json",
    "err_missing_messages": "missing_required_parameter",
}
"""By case: bodies we refuse ourselves, with the code that says why."""


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"use_uvloop": True}


def play(request: Request) -> Steps:
    [credential] = request.all(b"authorization")
    capture = captures.load(credential.decode().removeprefix("Bearer "))
    if request.line.startswith(b"GET /v1/models ") and capture.path.startswith("/v1/models/"):
        capture = captures.load(capture.name.partition("/")[0] + "/models")  # one model is read from the list
    ends = not capture.complete or any(
        (name.lower(), value.lower()) == (b"connection", b"close") for name, value in capture.headers
    )
    return [capture.raw, CLOSE] if ends else [capture.raw]


@pytest.fixture(scope="module")
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(timeout=PATIENCE_S, verify=False) as client:  # no certificates to load
        yield client


@dataclass(frozen=True, slots=True)
class Setup:
    """A proxy in front of the recordings, and who asks it."""

    live: Live
    engine: LiveEngine
    client: httpx.AsyncClient

    async def ask(self, capture: Capture, **changes: Any) -> httpx.Response:
        """The recorded request, with the recording's name for a credential."""
        method, path, body = capture.method, capture.path, capture.request_body
        headers = [item for item in capture.request_headers if item[0].lower() not in NOT_SENT]
        if not method:  # the request of these was not recorded
            engine, _, case = capture.name.partition("/")
            listed = json.loads((captures.ROOT / engine / "index.json").read_text())
            told = listed.get(case, {"method": "POST", "path": "/v1/chat/completions"})
            method, path, body = told["method"], told["path"], json.dumps(chat()).encode()
            headers.append((b"content-type", b"application/json"))
        if not capture.request_is_whole and not is_json(body):
            body = json.dumps(chat(stream=capture.events)).encode()
        if changes:
            body = json.dumps({**json.loads(body), **changes}).encode()
        headers.append((b"authorization", b"Bearer " + capture.name.encode()))
        return await self.client.request(method, self.live.url + path, content=body or None, headers=headers)


@asynccontextmanager
async def set_up(policies: PolicySet | None = None) -> AsyncIterator[Setup]:
    async with (
        engine_of(play) as engine,
        serving(engine.url, policies) as live,
        httpx.AsyncClient(timeout=PATIENCE_S, verify=False) as client,  # no certificates to load
    ):
        yield Setup(live, engine, client)


@pytest.fixture(scope="module")
async def usual() -> AsyncIterator[Setup]:
    async with set_up() as setup:
        yield setup


@pytest.fixture(scope="module")
async def storing() -> AsyncIterator[Setup]:
    """A family that stores all it may: also what was cut by the limit, and what gives no temperature."""
    family = {"when_temperature_missing": "greedy", "exact": {"finish_reasons": ["stop", "length", "tool_calls"]}}
    async with set_up(policy_set(**family)) as setup:
        yield setup


def is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except ValueError:
        return False
    return True


def fields(headers: list[tuple[bytes, bytes]], dropped: set[bytes] | frozenset[bytes]) -> Counter[tuple[bytes, bytes]]:
    return Counter((name.lower(), value) for name, value in headers if name.lower() not in dropped)


def exception(capture: Capture) -> str | None:
    """Why a recording does not come out as it is; None if it does."""
    if capture.path in MODEL_PATHS and capture.name.partition("/")[2] in REFUSED:
        return "refused"
    if capture.path.startswith("/v1/models"):
        return "merged"
    if capture.path == "/metrics":
        return "ours"
    return None if capture.complete else "cut"


PASSED = [capture for capture in captures.all_captures() if exception(capture) is None]


def of_kind(kind: str) -> list[Capture]:
    return [capture for capture in captures.all_captures() if exception(capture) == kind]


def name_of(capture: Capture) -> str:
    return capture.name


ASKED = [capture for capture in PASSED if capture.path in MODEL_PATHS and capture.method == "POST"]
ANSWERED = [capture for capture in ASKED if capture.status == 200]


def may_be_stored(capture: Capture, *, finishes: set[str], temperatures: set[Any]) -> bool:
    """Read from the recorded bytes alone, as a human would."""
    asked = capture.payload if is_json(capture.request_body) else chat()
    if (b"Content-Type", b"application/json") not in capture.request_headers:
        return False
    if asked.get("temperature", "none") not in temperatures or isinstance(asked.get("stream"), str):
        return False
    if any(name != "include_usage" for name in asked.get("stream_options", {})):
        return False
    if not capture.events and b'"text":"",' in capture.body:
        return False  # nothing was said
    ends = {found.decode() for found in re.findall(rb'"finish_reason":\s*"(\w+)"', capture.body)}
    whole = not capture.events or b"data: [DONE]" in capture.body
    return capture.status == 200 and whole and b'"error":' not in capture.body and bool(ends) and ends <= finishes


async def test_there_are_enough_recordings_of_each_kind():
    kinds = Counter(exception(capture) for capture in captures.all_captures())
    assert kinds[None] > 150
    assert all(kinds[kind] for kind in ("refused", "merged", "ours", "cut"))
    assert {capture.name.partition("/")[0] for capture in ANSWERED} == {"llamacpp", "vllm", "vllm-tools"}


@pytest.mark.parametrize("capture", PASSED, ids=name_of)
async def test_what_the_engine_said_comes_out_byte_for_byte(usual: Setup, capture: Capture):
    reply = await usual.ask(capture)
    assert reply.status_code == capture.status
    assert reply.content == capture.body
    got = fields(reply.headers.raw, FRAMING | {b"connection"})
    kept = fields(capture.headers, HOP_BY_HOP | FRAMING | SERVERS | {b"x-request-id"})
    assert got >= kept
    added = Counter(name for name, _ in (got - kept).elements())
    assert added.keys() <= OURS
    assert max(added.values()) == 1


@pytest.mark.parametrize("capture", ANSWERED, ids=name_of)
async def test_what_may_be_stored_is_stored_and_what_may_not_is_not(usual: Setup, capture: Capture):
    await usual.ask(capture)
    again = await usual.ask(capture)
    expected = may_be_stored(capture, finishes={"stop", "tool_calls"}, temperatures={0})
    assert (outcome(again) == "hit; detail=exact") == expected


@pytest.mark.parametrize("capture", ANSWERED, ids=name_of)
async def test_a_hit_says_what_the_engine_said_in_both_wire_modes(storing: Setup, capture: Capture):
    await storing.ask(capture)
    again = await storing.ask(capture)
    stored = may_be_stored(capture, finishes={"stop", "length", "tool_calls"}, temperatures={0, "none"})
    if stored and b"json_" in capture.request_body:
        stored = is_json(json.loads(capture.body)["choices"][0]["message"]["content"])
    assert (outcome(again) == "hit; detail=exact") == stored
    if not stored:
        return
    said = choices(capture.body, capture.events)
    assert choices(again.content, capture.events) == said
    if capture.events and b'"usage":{' not in capture.body:
        return  # a plain client would be owed the usage
    if not capture.events and b"stream_options" in capture.request_body:
        return  # which vLLM refuses on a plain request, so there it counts
    other = await storing.ask(capture, stream=not capture.events, stream_options=None)
    assert outcome(other) == "hit; detail=exact"
    assert choices(other.content, not capture.events) == said


def choices(body: bytes, events: bool) -> Any:
    """The choices of an answer in either wire mode, as plain answers have them."""
    record = fold_stream(body).record if events else json.loads(body)
    assert record is not None
    return record["choices"]


@pytest.mark.parametrize("capture", of_kind("refused"), ids=name_of)
async def test_a_body_we_refuse_is_a_400_that_says_why_and_reaches_no_engine(usual: Setup, capture: Capture):
    calls = usual.engine.calls
    reply = await usual.ask(capture)
    assert reply.status_code == 400
    assert reply.json()["error"]["type"] == "invalid_request_error"
    assert reply.json()["error"]["code"] == REFUSED[capture.name.partition("/")[2]]
    assert usual.engine.calls == calls


@pytest.mark.parametrize("capture", of_kind("cut"), ids=name_of)
async def test_a_stream_without_an_end_is_its_whole_events_and_an_error_event(usual: Setup, capture: Capture):
    for _ in range(2):
        reply = await usual.ask(capture)
        *events, last = EventSplitter().feed(reply.content)
        assert capture.body.startswith(b"".join(events))
        assert len(b"".join(events)) > 1000
        assert json.loads(data_of(last) or b"")["error"]["code"] == "upstream_failed"
        assert outcome(reply) == "fwd=miss"


@pytest.mark.parametrize("capture", of_kind("merged"), ids=name_of)
async def test_the_list_of_models_is_ours(usual: Setup, capture: Capture):
    reply = await usual.ask(capture)
    wanted = capture.path.removeprefix("/v1/models").strip("/")
    if capture.status == 503:
        assert (reply.status_code, reply.json()["error"]["code"]) == (503, "no_upstream")
    elif capture.status == 401:
        assert (reply.status_code, reply.content) == (401, capture.body)
    elif not wanted:
        assert reply.json() == {"object": "list", "data": json.loads(capture.body)["data"]}
    elif wanted in ("gemma", "tiny"):
        assert reply.json()["id"] == wanted
    else:
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "model_not_found")


@pytest.mark.parametrize("capture", of_kind("ours"), ids=name_of)
async def test_our_own_metrics_stand_in_place_of_the_engines(usual: Setup, capture: Capture):
    reply = await usual.ask(capture)
    assert "askonce_requests_total" in reply.text
    assert b"askonce" not in capture.body
