"""What the stub engine says: a pure function of the request, in OpenAI's shapes, plain and as chunks."""

import dataclasses
import hashlib
import itertools
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.stub_script import Script, without_markers

Json = dict[str, Any]

SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprst" for vowel in "aeiou"]
WORDS = [first + second for first in SYLLABLES for second in SYLLABLES]
SPACED_WORDS = [f" {word}" for word in WORDS]
WORDS_MIN, WORDS_SPREAD = 24, 8
FRAGMENTS = 7
CREATED = 1_700_000_000
NOT_IN_THE_ANSWER = {
    *("messages", "prompt", "n"),  # told apart by hand
    *("stream", "stream_options", "user", "metadata"),
    *("max_tokens", "max_completion_tokens"),  # they cut an answer, and change no word of it
}
CHOICES_MAX = 128


@dataclass(frozen=True, slots=True)
class Asked:
    """A completion request, read."""

    payload: Json
    chat: bool
    prompts: list[str]
    script: Script

    @property
    def stream(self) -> bool:
        return self.payload.get("stream") is True

    @property
    def include_usage(self) -> bool:
        options = self.payload.get("stream_options")
        return isinstance(options, dict) and options.get("include_usage") is True

    @property
    def n(self) -> int:
        n = self.payload.get("n")
        return n if type(n) is int else 1


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice, before it has a wire mode."""

    index: int
    pieces: list[str]
    """The text as the tokens it is sent in."""
    finish: str | None
    reasoning: tuple[str, str] | None
    """Name of the field, and text."""
    refusal: str | None
    calls: list[Json]
    indexed: bool
    """Whether tool-call fragments carry their index."""

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class Answer:
    """All choices of one request."""

    chat: bool
    id: str
    model: str
    choices: list[Choice]
    usage: Json | None


def read_prompts(payload: Json, *, chat: bool) -> list[str]:
    """The prompts of a request, as text: one for a chat, one for each item of a prompt array."""
    if chat:
        return [json.dumps(payload["messages"], ensure_ascii=False, sort_keys=True)]
    prompt = payload["prompt"]
    if isinstance(prompt, list) and not all(isinstance(item, int) for item in prompt):
        return [item if isinstance(item, str) else json.dumps(item) for item in prompt]
    return [prompt if isinstance(prompt, str) else json.dumps(prompt)]


def answer(asked: Asked, generation: int) -> Answer:
    """What a request is answered: the same each time, unless `counter` asks for the generation's number."""
    payload, script, prompts = asked.payload, asked.script, asked.prompts
    seed = json.dumps(
        [asked.chat, {name: payload[name] for name in payload.keys() - NOT_IN_THE_ANSWER}], sort_keys=True
    )
    choices = []
    for index, (prompt, k) in enumerate(itertools.product(prompts, range(asked.n))):
        digest = hashlib.sha512(f"{seed}\0{prompt}\0{k}".encode("utf-8", "surrogatepass")).digest()
        echoed = _last_text(payload["messages"]) if asked.chat else prompt
        pieces = _pieces(struct.unpack("32H", digest), echoed, script, generation)
        choices.append(_choice(index, pieces, payload, script))
    if "unfinished-choice" in script:
        choices[-1] = dataclasses.replace(choices[-1], finish=None)
    usage = None if script.word("usage") == "off" else _usage(prompts, choices)
    one = f"{'chatcmpl' if asked.chat else 'cmpl'}-stub{generation:012d}"
    name = payload.get("model")
    model = name.encode("utf-8", "replace").decode() if isinstance(name, str) else "stub"
    return Answer(asked.chat, one, model, choices, usage)


def _last_text(messages: list[Any]) -> str:
    """What a client would call its question: the text of the last message."""
    content = messages[-1].get("content") if messages and isinstance(messages[-1], dict) else None
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _pieces(numbers: tuple[int, ...], echoed: str, script: Script, generation: int) -> list[str]:
    """The text as tokens, chosen by 32 numbers."""
    if script.options:
        if "empty" in script or "refusal" in script or "tool-calls" in script:
            return []
        if "json" in script or "bad-json" in script:
            text = json.dumps({"word": WORDS[numbers[0] % len(WORDS)], "number": numbers[1]})
            text = text[: len(text) // 2] if "bad-json" in script else text
            return [text[at : at + 4] for at in range(0, len(text), 4)]
        if "echo" in script:
            text = without_markers(echoed).encode("utf-8", "replace").decode()
            return [text[at : at + 3] for at in range(0, len(text), 3)]
    count = script.count("words", WORDS_MIN + numbers[0] % WORDS_SPREAD)
    chosen = (numbers * (1 + count // len(numbers)))[:count]
    words = [SPACED_WORDS[number % len(WORDS)] for number in chosen]
    if "counter" in script:
        words.append(f" #{generation}")
    return [words[0].lstrip(), *words[1:]] if words else []


def _choice(index: int, pieces: list[str], payload: Json, script: Script) -> Choice:
    limit = payload.get("max_completion_tokens", payload.get("max_tokens"))
    calls = _calls(script.count("tool-calls", 2)) if "tool-calls" in script else []
    finish: str | None = "tool_calls" if calls else "stop"
    if type(limit) is int and 0 <= limit < len(pieces):
        pieces, finish = pieces[:limit], "length"
    if "no-finish" in script:
        finish = None
    elif "finish" in script:
        finish = None if script.word("finish") == "null" else script.word("finish")
    reasoning = None
    if "reasoning" in script:
        reasoning = (script.word("reasoning", "reasoning_content"), "Let me think. One step, then another.")
    refusal = "I can't help with that." if "refusal" in script else None
    return Choice(index, pieces, finish, reasoning, refusal, calls, indexed="no-index" not in script)


def _calls(count: int) -> list[Json]:
    return [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {
                "name": f"tool_{number}",
                "arguments": json.dumps({"city": WORDS[number], "days": number}),
            },
        }
        for number in range(count)
    ]


def _usage(prompts: list[str], choices: list[Choice]) -> Json:
    asked = sum(len(prompt.split()) for prompt in prompts)
    told = sum(max(1, len(choice.pieces)) for choice in choices)
    return {"prompt_tokens": asked, "completion_tokens": told, "total_tokens": asked + told}


def plain(told: Answer) -> Json:
    """The answer as one object."""
    kind = "chat.completion" if told.chat else "text_completion"
    choices = []
    for choice in told.choices:
        said: Json = {"index": choice.index}
        if told.chat:
            said["message"] = _message(choice)
        else:
            said["text"] = choice.text
        choices.append({**said, "logprobs": None, "finish_reason": choice.finish})
    whole: Json = {"id": told.id, "object": kind, "created": CREATED, "model": told.model, "choices": choices}
    return whole if told.usage is None else {**whole, "usage": told.usage}


def _message(choice: Choice) -> Json:
    silent = choice.calls or choice.refusal
    message: Json = {"role": "assistant", "content": None if silent else choice.text}
    if choice.reasoning:
        message[choice.reasoning[0]] = choice.reasoning[1]
    if choice.refusal:
        message["refusal"] = choice.refusal
    if choice.calls:
        message["tool_calls"] = choice.calls
    return message


def chunks(told: Answer, asked: Asked) -> Iterator[Json]:
    """The answer as the chunks of a stream; choices take turns."""
    kind = "chat.completion.chunk" if told.chat else "text_completion"
    head = {"id": told.id, "object": kind, "created": CREATED, "model": told.model}
    spoken = [_deltas(choice) if told.chat else _texts(choice) for choice in told.choices]
    for turn in itertools.zip_longest(*spoken):
        for said in filter(None, turn):
            yield {**head, "choices": [said]}
    if asked.include_usage and told.usage is not None:
        bare = asked.script.word("usage") == "bare"
        yield {**head, "usage": told.usage} if bare else {**head, "choices": [], "usage": told.usage}


def _texts(choice: Choice) -> Iterator[Json]:
    for piece in choice.pieces:
        yield {"index": choice.index, "text": piece, "logprobs": None, "finish_reason": None}
    yield {"index": choice.index, "text": "", "logprobs": None, "finish_reason": choice.finish}


def _deltas(choice: Choice) -> Iterator[Json]:
    silent = choice.calls or choice.refusal
    deltas: list[Json] = [{"role": "assistant", "content": None if silent else ""}]
    if choice.reasoning:
        field, text = choice.reasoning
        deltas += [{field: text[at : at + 9]} for at in range(0, len(text), 9)]
    if choice.refusal:
        deltas.append({"refusal": choice.refusal})
    deltas += [{"content": piece} for piece in choice.pieces]
    deltas += [{"tool_calls": [fragment]} for fragment in _fragments(choice)]
    for delta in deltas:
        yield {"index": choice.index, "delta": delta, "logprobs": None, "finish_reason": None}
    yield {"index": choice.index, "delta": {}, "logprobs": None, "finish_reason": choice.finish}


def _fragments(choice: Choice) -> Iterator[Json]:
    """The calls in fragments: each begins with its name, then their arguments take turns."""

    def placed(number: int, fragment: Json) -> Json:
        return {"index": number, **fragment} if choice.indexed else {**fragment, "id": choice.calls[number]["id"]}

    for number, call in enumerate(choice.calls):
        named = {"id": call["id"], "type": "function", "function": {"name": call["function"]["name"], "arguments": ""}}
        yield placed(number, named)
    for turn in range(FRAGMENTS):
        for number, call in enumerate(choice.calls):
            text = call["function"]["arguments"]
            start, stop = (len(text) * place // FRAGMENTS for place in (turn, turn + 1))
            yield placed(number, {"function": {"arguments": text[start:stop]}})
