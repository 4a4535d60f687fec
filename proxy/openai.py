"""The OpenAI API on the wire: read a request, and the texts in it; `proxy.fold` reads what comes back.

Refused is only what can't be read or kept safely. Everything else that may be wrong with a body, unknown parameters
and bad values included, is the engine's to judge and goes to it as the bytes that arrived.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Never

import orjson

from proxy.errors import BadRequest
from proxy.fold import ENGINE_EXTRAS as ENGINE_EXTRAS
from proxy.fold import Folded as Folded
from proxy.fold import Record as Record
from proxy.fold import StreamFold as StreamFold
from proxy.fold import fold as fold
from proxy.fold import fold_stream as fold_stream
from proxy.fold import is_usage_only as is_usage_only
from proxy.fold import read_record as read_record
from proxy.round_trip import nesting, round_trips

CHAT = "/v1/chat/completions"
COMPLETIONS = "/v1/completions"

NESTING_READ = 1024
"""Levels that orjson reads; deeper bodies are refused."""


@dataclass(slots=True)
class Request:
    """One request as it was read. Nothing of it is ever changed; not frozen, since that costs every request a µs.

    `keyable` is false where a key could not tell two different requests apart, or where the engine might understand
    the body otherwise than we do; such a request is forwarded, and neither looked up, shared nor stored.
    """

    payload: dict[str, Any]
    model: str | None
    stream: bool
    include_usage: bool
    keyable: bool


UNREAD = Request({}, None, stream=False, include_usage=False, keyable=False)
"""A body in a content coding: forwarded, and nothing of it is known."""


def read_request(path: str, body: bytes) -> Request:
    """Read the body of a request to `CHAT` or `COMPLETIONS`. Of duplicate names the last counts, as in the engines.

    Raises:
        BadRequest: it is not UTF-8, not JSON, not an object, nested too deeply, or lacks its messages or prompt.
    """
    try:
        payload, keyable = orjson.loads(body), True
    except orjson.JSONDecodeError:
        payload, keyable = _read_leniently(body), False
    if not isinstance(payload, dict):
        raise BadRequest(f"The body must be a JSON object, not {_kind(payload)}.", code="invalid_type")
    if path == CHAT:
        if not isinstance(payload.get("messages"), list):
            raise _lacks("messages", "an array of messages", payload)
    elif not isinstance(payload.get("prompt"), str | list) and "prompt_embeds" not in payload:
        raise _lacks("prompt", "a string or an array", payload)
    stream, options = payload.get("stream"), payload.get("stream_options")
    include_usage = options.get("include_usage") if isinstance(options, dict) else None
    model = payload.get("model")
    # The key leaves the two stream fields out. Some engines read `"stream": 1` as true, some refuse it, so that
    # with such a value neither a stored answer nor a shared one is surely what the engine would have said.
    keyable = (
        keyable
        and (stream is None or isinstance(stream, bool))
        and (options is None or isinstance(options, dict))
        and (include_usage is None or isinstance(include_usage, bool))
        and round_trips(body, payload)
    )
    return Request(payload, model if isinstance(model, str) else None, stream is True, include_usage is True, keyable)


def may_name_another_model(payload: dict[str, Any]) -> bool:
    """Whether an engine that reads names in any case (Go's JSON reader, so Ollama) may find another model in it."""
    return any(name != "model" and name.casefold() == "model" for name in payload)


def _read_leniently(body: bytes) -> Any:
    """Read what orjson refuses and an engine may take: a lone surrogate escape, a number beyond a double."""
    if not body:
        raise BadRequest("The body is empty: send a JSON object.", code="invalid_json")
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        message = f"The body is not UTF-8 (byte {error.start}): encode the JSON as UTF-8."
        raise BadRequest(message, code="invalid_json") from None
    if text.startswith("\ufeff"):
        raise BadRequest("The body starts with a byte order mark: send the JSON without it.", code="invalid_json")
    try:
        payload = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        message = f"The body is not valid JSON (line {error.lineno}, column {error.colno})."
        raise BadRequest(message, code="invalid_json") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:  # an integer of thousands of digits
        raise BadRequest("The body holds a number that is too long to read.", code="invalid_json") from None
    if nesting(payload) > NESTING_READ:
        raise _too_deep()
    return payload


def _too_deep() -> BadRequest:
    return BadRequest(f"The body is nested too deeply: use at most {NESTING_READ} levels.", code="invalid_json")


def _refuse_constant(name: str) -> Never:
    raise BadRequest(f"The body holds {name}, which is not JSON: use null or a number.", code="invalid_json")


def _lacks(name: str, wanted: str, payload: dict[str, Any]) -> BadRequest:
    """What to say of a body that has no usable `name`."""
    if name not in payload:
        message = f"Missing required parameter: '{name}'. Give {wanted}."
        return BadRequest(message, param=name, code="missing_required_parameter")
    message = f"Invalid type for '{name}': expected {wanted}, got {_kind(payload[name])}."
    return BadRequest(message, param=name, code="invalid_type")


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"


def last_user_text(path: str, payload: dict[str, Any]) -> str | None:
    """The text that similarity may judge, or None where there is none: a last message that is not the user's, or that
    holds more than text; a prompt that is not one string."""
    if path != CHAT:
        prompt = payload.get("prompt")
        return prompt if isinstance(prompt, str) else None
    messages = payload["messages"]
    if not messages or not isinstance(messages[-1], dict) or messages[-1].get("role") != "user":
        return None
    content = messages[-1].get("content")
    texts = list(_texts(content))
    whole = isinstance(content, str) or (isinstance(content, list) and 0 < len(texts) == len(content))
    return "\n".join(texts) if whole else None


def system_text(payload: dict[str, Any]) -> str:
    """The texts of all system and developer messages, one after the other; empty if there are none."""
    messages = payload.get("messages")
    if not isinstance(messages, list):
        return ""
    return "\n".join(
        text
        for message in messages
        if isinstance(message, dict) and message.get("role") in ("system", "developer")
        for text in _texts(message.get("content"))
    )


def prompt_text(payload: dict[str, Any]) -> str:
    """What the user asks, for the policies' expressions: the last user message's text, or the text of the prompt."""
    if "messages" not in payload:
        prompt = payload.get("prompt")
        return "\n".join(text for text in (prompt if isinstance(prompt, list) else [prompt]) if isinstance(text, str))
    messages = payload["messages"]
    if isinstance(messages, list):
        for message in reversed(messages):
            if isinstance(message, dict) and message.get("role") == "user":
                content = message.get("content")
                return content if isinstance(content, str) else "\n".join(_texts(content))
    return ""


def has_earlier_turns(payload: dict[str, Any]) -> bool:
    """Whether a conversation precedes the last message; system and developer messages are not turns."""
    return any(
        not isinstance(message, dict) or message.get("role") not in ("system", "developer")
        for message in payload.get("messages", [])[:-1]
    )


def _texts(content: Any) -> Iterator[str]:
    """The texts in a message's content: itself, or those of its text parts."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str):
                yield part["text"]
