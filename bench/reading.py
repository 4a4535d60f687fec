"""What an exchange was: its outcome, when its tokens came, how long it was."""

import itertools
from dataclasses import dataclass
from typing import Any

import orjson

from bench.ask import Answer, Ask

OUTCOMES = ("hit", "semantic", "stale", "shared", "miss", "bypass", "uncached")
"""As in `Cache-Status`; `uncached` is a reply without that header, such as the engine's own."""

TOKEN_FIELDS = ("content", "reasoning_content", "reasoning", "tool_calls", "refusal")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One exchange, read. Times in seconds from when the request was due."""

    outcome: str
    error: str | None
    ttft_s: float
    """To the first token of a stream, or the first byte of a plain body."""
    e2e_s: float
    gaps_s: list[float]
    """ITL: between one event with a token and the next."""
    tpot_s: float | None
    """Time per output token after the first; None unless streamed with two tokens or more."""
    prompt_tokens: int | None
    output_tokens: int | None
    """By the engine's usage, else the events with a token."""
    finish: str | None


def read_exchange(ask: Ask, answer: Answer) -> Exchange:
    outcome = read_outcome(answer.cache_status.decode("latin-1"))
    e2e_s = answer.ended_s - answer.due_s
    first_s = (answer.chunks[0][0] if answer.chunks else answer.ended_s) - answer.due_s
    error = answer.error
    if error is None and answer.status != 200:
        error = f"status {answer.status}"
    if error is not None:
        return Exchange(outcome, error, first_s, e2e_s, [], None, None, None, None)
    if not ask.stream:
        return _plain(outcome, answer, first_s, e2e_s)
    return _stream(outcome, answer, e2e_s)


def read_outcome(cache_status: str) -> str:
    """The outcome that askonce's member of a `Cache-Status` list (RFC 9211) tells."""
    for member in cache_status.split(","):
        name, _, rest = member.strip().partition(";")
        if name.strip() != "askonce":
            continue
        told = {part.partition("=")[0].strip(): part.partition("=")[2].strip() for part in rest.split(";")}
        if "hit" in told:
            detail = told.get("detail")
            return detail if detail in ("semantic", "stale") else "hit"
        if "collapsed" in told:
            return "shared"
        return "miss" if told.get("fwd") == "miss" else "bypass"
    return "uncached"


def _plain(outcome: str, answer: Answer, first_s: float, e2e_s: float) -> Exchange:
    try:
        told = orjson.loads(b"".join(data for _, data in answer.chunks))
        finish = told["choices"][0]["finish_reason"]
        prompt, output = _usage(told)
    except (ValueError, LookupError, TypeError):
        return Exchange(outcome, "no answer in the body", first_s, e2e_s, [], None, None, None, None)
    return Exchange(outcome, None, first_s, e2e_s, [], None, prompt, output, finish)


def _stream(outcome: str, answer: Answer, e2e_s: float) -> Exchange:
    tokens_s: list[float] = []
    usage: tuple[int | None, int | None] = (None, None)
    finish: str | None = None
    error: str | None = "no end marker"
    for read_s, data in events(answer.chunks):
        if data == b"[DONE]":
            error = None
            break
        try:
            told = orjson.loads(data)
        except ValueError:
            error = "an event that is not JSON"
            break
        if not isinstance(told, dict):
            continue
        if "error" in told:
            error = "error event"
            break
        if told.get("usage"):
            usage = _usage(told)
        for choice in told.get("choices") or ():
            finish = choice.get("finish_reason") or finish
            if _has_token(choice):
                tokens_s.append(read_s)
    first_s = (tokens_s[0] if tokens_s else answer.ended_s) - answer.due_s
    gaps_s = [later - earlier for earlier, later in itertools.pairwise(tokens_s)]
    output = len(tokens_s) if usage[1] is None else usage[1]
    tpot_s = (tokens_s[-1] - tokens_s[0]) / (output - 1) if len(tokens_s) > 1 and output > 1 else None
    return Exchange(outcome, error, first_s, e2e_s, gaps_s, tpot_s, usage[0], output, finish)


def events(chunks: list[tuple[float, bytes]]) -> list[tuple[float, bytes]]:
    """The data of each event, with the time at which the event was whole."""
    found: list[tuple[float, bytes]] = []
    rest = b""
    for read_s, chunk in chunks:
        *whole, rest = (rest + chunk).replace(b"\r\n", b"\n").split(b"\n\n")
        for event in whole:
            lines = [line[5:].removeprefix(b" ") for line in event.split(b"\n") if line.startswith(b"data:")]
            if lines:
                found.append((read_s, b"\n".join(lines)))
    return found


def _has_token(choice: dict[str, Any]) -> bool:
    delta = choice.get("delta")
    if isinstance(delta, dict):
        return any(delta.get(field) for field in TOKEN_FIELDS)
    return bool(choice.get("text"))


def _usage(told: dict[str, Any]) -> tuple[int | None, int | None]:
    usage = told.get("usage")
    if not isinstance(usage, dict):
        return None, None
    return usage.get("prompt_tokens"), usage.get("completion_tokens")
