"""How a request tells the stub engine to behave: `[[stub: chunk-ms=5 no-done]]` in a prompt, or a header `x-stub`.

A proxy forwards prompts and not every header, so the marker in the prompt is the usual way. Options are separated by
blanks, commas or semicolons.
"""

import re
from dataclasses import dataclass

OPTIONS = {
    "first-byte-ms": "delay before the head, in place of base and per-item time",
    "chunk-ms": "delay between two chunks of a stream",
    "head-first": "send a stream's head before the delay, as llama.cpp does",
    "silence": "be silent for so many seconds once the head is out",
    "silence-after": "begin that silence after so many chunks (0)",
    "comments": "write SSE comments between chunks, and each second of a silence",
    "status": "answer with this status and an error body",
    "retry-after": "seconds, in a header of the error",
    "shape": "of the error body: object, string, flat, detail, text or html",
    "plain-text-error": "the same as shape=text, with status 500 unless one is given",
    "fail-first": "fail so many times for this prompt (503 unless status says otherwise), then work",
    "drop-before-reply": "generate, then close without a byte",
    "reset-after": "reset the connection after so many chunks; 0 is after the head",
    "close-after": "close the connection after so many chunks, inside the next event",
    "short-body": "announce a longer plain body than is sent, and close",
    "error-event": "send an error event after so many chunks (1), then the end marker",
    "error-body": "a plain 200 with an error member",
    "no-done": "leave out the end marker",
    "no-finish": "leave out every finish reason",
    "unfinished-choice": "leave out the last choice's finish reason",
    "finish": "the finish reason; null for none",
    "null-first": "begin a stream with `data: null`",
    "crlf": "end lines in CRLF",
    "no-space": "no space after `data:`",
    "split": "write a stream in pieces of so many bytes",
    "gzip": "compress the body",
    "deflate": "compress the body",
    "chunked": "send a plain body chunked",
    "set-cookie": "add a Set-Cookie header",
    "close": "close the connection after the reply, and say so",
    "not-json": "a 200 with HTML",
    "words": "length of the answer before max_tokens cuts it",
    "echo": "answer with the prompt itself",
    "json": "answer with a JSON object",
    "bad-json": "answer with half a JSON object",
    "empty": "answer with no text",
    "refusal": "refuse in words",
    "reasoning": "reason first, in this field (reasoning_content)",
    "tool-calls": "call so many tools (2), their arguments in fragments",
    "no-index": "leave the index out of tool-call fragments",
    "counter": "put the number of the generation into the answer",
    "usage": "off: never tell it; bare: in a chunk without choices",
}
"""Every option and what it does. A number after `=` is a count, seconds or, in `…-ms`, milliseconds."""

WORDS = frozenset({"shape", "finish", "reasoning", "usage"})
"""Options whose value is a word. The others' is a number."""

_MARKER = re.compile(r"\[\[stub:([^\]]*)\]\]")
_NUMBER = re.compile(r"\d+(\.\d+)?")
_SEPARATOR = re.compile(r"[\s,;]+")


class UnknownOption(ValueError):
    """An option that is not in `OPTIONS`, or whose value is not a number where one is needed."""


@dataclass(frozen=True, slots=True)
class Script:
    """The options of one request."""

    options: dict[str, str]

    def __contains__(self, name: str) -> bool:
        return name in self.options

    def word(self, name: str, default: str = "") -> str:
        return self.options.get(name) or default

    def number(self, name: str, default: float) -> float:
        return float(self.options.get(name) or default)

    def count(self, name: str, default: int) -> int:
        return int(self.number(name, default))


def read_script(*sources: str) -> Script:
    """The options of all markers in these texts.

    Raises:
        UnknownOption: one that no stub knows, or a word where a number is needed.
    """
    options: dict[str, str] = {}
    for source in sources:
        if "[[stub:" not in source:
            continue
        for marker in _MARKER.findall(source):
            for option in filter(None, _SEPARATOR.split(marker)):
                name, _, value = option.partition("=")
                if name not in OPTIONS:
                    raise UnknownOption(f"[[stub: {name}]] is unknown; known are {', '.join(OPTIONS)}")
                if value and name not in WORDS and not _NUMBER.fullmatch(value):
                    raise UnknownOption(f"[[stub: {name}={value}]]: write a number after {name}=")
                options[name] = value
    return Script(options)


def without_markers(text: str) -> str:
    return _MARKER.sub("", text).strip()
