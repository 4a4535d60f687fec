"""May an answer be stored? One pure function, and the shape that everything stored has."""

import json
from collections.abc import Collection
from typing import Any, Never, TypeGuard

from proxy.fold import Record

JSON_FORMATS = ("json_object", "json_schema")

JSON_FIELDS = ("guided_json", "json_schema")
"""Top-level request fields of vLLM and llama.cpp that ask for JSON beside `response_format`."""

_ASKING = frozenset({"response_format", "structured_outputs", *JSON_FIELDS})
"""Whoever asks for JSON has one of these."""


def why_not_stored(
    status: int,
    record: Record | None,
    *,
    streamed: bool,
    done: bool,
    error: bool,
    finish_reasons: Collection[str],
    request_payload: dict[str, Any],
    size: int,
    max_entry_bytes: int,
    store_refusals: bool = False,
) -> str | None:
    """The reason why this answer may not be stored, as a word that can be counted; None if it may.

    Args:
        record: the answer as `read_record` or `fold_stream` gave it; None where it could not be read.
        done: the end marker was seen; only asked of what was streamed.
        error: the body, or an event, had an `error` member.
        finish_reasons: those the family accepts.
        size: bytes of the answer as it arrived.
    """
    if status != 200:
        return "status"
    if error or (isinstance(record, dict) and record.get("error") is not None):
        return "error"
    if streamed and not done:
        return "unfinished"
    if not well_formed(record):
        return "shape"
    choices = record["choices"]
    # Most ask for one choice, which is known without a call.
    if ("n" in request_payload or "prompt" in request_payload) and len(choices) < _choices_asked(request_payload):
        return "unfinished"
    # Every answer to be stored comes by here, most with one choice: loops, without a call of ours in them.
    for choice in choices:
        reason = choice.get("finish_reason")
        if not isinstance(reason, str) or reason not in finish_reasons:
            return "finish_reason"
    if not store_refusals:
        for choice in choices:
            if "message" in choice and choice["message"].get("refusal"):
                return "refusal"
    for choice in choices:
        if "message" in choice:
            get = choice["message"].get
            if not (get("content") or get("tool_calls") or get("function_call") or get("refusal")):
                return "empty"
            if (get("tool_calls") or get("function_call")) and not _holds_arguments(choice["message"]):
                return "invalid_arguments"
        elif not choice["text"]:
            return "empty"
    if (
        not request_payload.keys().isdisjoint(_ASKING)
        and _asks_for_json(request_payload)
        and not all(_holds_json(choice) for choice in choices)
    ):
        return "invalid_json"
    return "size" if size > max_entry_bytes else None


def well_formed(record: Any) -> TypeGuard[Record]:
    """Whether this is a whole completion: choices with distinct indices, each with a message or a text, none a delta.

    Asked of what comes out of a store too: what is not well formed is a miss and is deleted.
    """
    if not isinstance(record, dict) or record.get("object", "chat.completion") not in _OBJECTS:
        return False
    choices = record.get("choices")
    if not isinstance(choices, list) or not choices:
        return False
    indices = set()
    for choice in choices:
        if not isinstance(choice, dict) or "delta" in choice:
            return False
        index = choice.get("index")
        if type(index) is not int:
            return False
        indices.add(index)
        if not (isinstance(choice["message"], dict) if "message" in choice else isinstance(choice.get("text"), str)):
            return False
    return len(indices) == len(choices)


_OBJECTS = ("chat.completion", "text_completion")


def _choices_asked(payload: dict[str, Any]) -> int:
    """How many choices make the answer whole: `n` for each prompt. One prompt may be a list of token numbers."""
    n, prompt = payload.get("n"), payload.get("prompt")
    prompts = 1
    if isinstance(prompt, list) and not all(isinstance(item, int) for item in prompt):
        prompts = len(prompt)
    return prompts * (n if type(n) is int and n > 0 else 1)


def _asks_for_json(payload: dict[str, Any]) -> bool:
    wanted = payload.get("response_format")
    structured = payload.get("structured_outputs")
    return (
        (isinstance(wanted, dict) and wanted.get("type") in JSON_FORMATS)
        or (isinstance(structured, dict) and any(structured.get(name) for name in ("json", "json_object")))
        or any(payload.get(name) is not None for name in JSON_FIELDS)
    )


def _holds_json(choice: dict[str, Any]) -> bool:
    """Whether the text of a choice is JSON; a choice that calls a tool, or refuses, has no text to check."""
    text = choice["message"].get("content") if "message" in choice else choice["text"]
    if not text and "message" in choice:
        return True
    if not isinstance(text, str):
        return False
    return _is_json(text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return False
    return True


def _holds_arguments(message: dict[str, Any]) -> bool:
    """Whether the arguments of all its calls are JSON, where they are text; a call without any has an empty one."""
    calls = message.get("tool_calls")
    functions = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    functions.append(message.get("function_call"))
    texts = [function.get("arguments") for function in functions if isinstance(function, dict)]
    return all(_is_json(text) for text in texts if isinstance(text, str) and text.strip())


def _refuse_constant(name: str) -> Never:
    raise ValueError(f"{name} is not JSON")
