"""The key of a request: everything that can change its answer.

A key is the SHA-256 of the whole body, dumped with sorted keys, minus a short list of fields that can't matter; with
it go the path, the tenant, the resolved model, its revision, and what the matched family says a stored answer means.
Unknown fields count, so they fail safe. Text is byte-exact. The same function serves lookup, fill, flight and store;
content hashes only, so two replicas, and a restart, compute the same key.
"""

import hashlib
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import orjson

SCHEMA = "askonce/1"

_KINDS: dict[str, type] = {
    "stream": bool,
    "stream_options": dict,
    "metadata": dict,
    "service_tier": str,
    "prompt_cache_key": str,
    "safety_identifier": str,
    "store": bool,
    "user": str,
}
"""Fields that can't change the answer, and what they have to be: an engine may refuse the request over any other kind,
and a refusal is shared. So there they count."""

IGNORED_WITH_USER = frozenset(_KINDS)

IGNORED = IGNORED_WITH_USER - {"user"}
"""Top-level fields that are not in the key. `user` joins them unless a family says otherwise."""

EXACT_INTEGER_LIMIT = 2.0**53
"""Below it an integral float and the integer are one number; above, floats skip integers."""


def cache_key(
    payload: dict[str, Any],
    *,
    path: str,
    tenant: bytes,
    model: str,
    revision: str,
    meaning: bytes,
    normalize: Iterable[str] = (),
    ignore_user: bool = True,
) -> bytes:
    """The 32-byte key of a request. `payload` must be one that orjson can dump (`Request.keyable`)."""
    body = _counted(payload, model, IGNORED_WITH_USER if ignore_user else IGNORED)
    if normalize:
        _normalize(body, normalize)
    return _digest(body, path, tenant, revision, meaning)


def namespace(
    payload: dict[str, Any],
    *,
    path: str,
    tenant: bytes,
    model: str,
    revision: str,
    meaning: bytes,
    family: str,
    ignore_user: bool = True,
) -> bytes:
    """The 32-byte name of the set in which similarity may decide: the key of all but the text that is matched.

    That text is the content of the last message, or the prompt of a completion.
    """
    body = _counted(payload, model, IGNORED_WITH_USER if ignore_user else IGNORED)
    messages = body.get("messages")
    if isinstance(messages, list):
        last = {name: value for name, value in messages[-1].items() if name != "content"}
        body["messages"] = [*messages[:-1], last]
    else:
        body.pop("prompt", None)
    return _digest(body, path, tenant, revision, meaning + family.encode())


def _digest(body: dict[str, Any], path: str, tenant: bytes, revision: str, meaning: bytes) -> bytes:
    begin = _begun if len(path) <= REMEMBERED_PATH else _begun.__wrapped__
    digest = begin(path, tenant, revision, meaning).copy()
    digest.update(orjson.dumps(body, option=orjson.OPT_SORT_KEYS))
    return digest.digest()


@lru_cache(maxsize=256)
def _begun(path: str, tenant: bytes, revision: str, meaning: bytes) -> "hashlib._Hash":
    """The digest after the head, to be copied: few values make most heads."""
    # The head is itself JSON, so no two lists of its parts run together; the newline can't occur inside it.
    return hashlib.sha256(orjson.dumps([SCHEMA, path, tenant.hex(), revision, meaning.hex()]) + b"\n")


REMEMBERED_PATH = 256
"""Characters; a longer path has a query in it, and the client chose its length."""


def _counted(payload: dict[str, Any], resolved: str, ignored: frozenset[str]) -> dict[str, Any]:
    """The fields that count, their numbers in one form; the resolved model in place of the name that was asked for."""
    counted = {}
    for name, value in payload.items():
        if name in ignored and _is_usual(name, value, payload):
            continue
        # An integral float as its integer, so that `temperature: 0` and `0.0` are one request.
        if type(value) is float and value.is_integer() and abs(value) < EXACT_INTEGER_LIMIT:
            value = int(value)
        counted[name] = value
    # What is no name resolves to none, and engines refuse it or take their own model, so there it stays beside it.
    asked = payload.get("model")
    counted["model"] = resolved if isinstance(asked, str) else [resolved, asked]
    return counted


def _is_usual(name: str, value: Any, payload: dict[str, Any]) -> bool:
    """Whether an engine takes this value of an ignored field; vLLM refuses `stream_options` without a stream."""
    if value is None:
        return True
    return isinstance(value, _KINDS[name]) and (name != "stream_options" or payload.get("stream") is True)


def _whitespace(text: str) -> str:
    return " ".join(text.split())


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


_STEPS: dict[str, Callable[[str], str]] = {"casefold": str.casefold, "whitespace": _whitespace, "nfc": _nfc}


def _normalize(body: dict[str, Any], steps: Iterable[str]) -> None:
    """Apply a family's opt-in folding to the texts of messages and prompt, in copies."""
    functions = [_STEPS[step] for step in steps]

    def fold(text: str) -> str:
        for function in functions:
            text = function(text)
        return text

    def fold_content(content: Any) -> Any:
        if isinstance(content, str):
            return fold(content)
        if isinstance(content, list):
            return [
                {**part, "text": fold(part["text"])}
                if isinstance(part, dict) and isinstance(part.get("text"), str)
                else part
                for part in content
            ]
        return content

    messages = body.get("messages")
    if isinstance(messages, list):
        body["messages"] = [
            {**message, "content": fold_content(message["content"])}
            if isinstance(message, dict) and "content" in message
            else message
            for message in messages
        ]
    prompt = body.get("prompt")
    if isinstance(prompt, str):
        body["prompt"] = fold(prompt)
    elif isinstance(prompt, list):
        body["prompt"] = [fold(item) if isinstance(item, str) else item for item in prompt]
