"""Event streams of the OpenAI API: one-line builders, and strategies for streams that no engine has sent yet."""

from typing import Any

import orjson
from hypothesis import strategies as st

from proxy.sse import DONE, encode

Chunk = dict[str, Any]


def chunk(*choices: Any, **fields: Any) -> Chunk:
    """A chat chunk with these choices."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 7,
        "model": "m",
        "choices": list(choices),
        **fields,
    }


def said(index: int = 0, /, *, finish: str | None = None, **delta: Any) -> Chunk:
    """A choice that says `delta`."""
    return {"index": index, "delta": delta, "finish_reason": finish}


def body(*chunks: Any, done: bool = True) -> bytes:
    """An event stream of these chunks."""
    return b"".join(encode(orjson.dumps(chunk)) for chunk in chunks) + (encode(DONE) if done else b"")


names = st.sampled_from(["content", "reasoning", "refusal", "x_new", "y_new", "id", "type", "name", "role", "index"])
scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False, allow_infinity=False)
texts = st.sampled_from(["", "a", "b\n", "  ", "日🙂", '"\\', "id-1"])


def values(leaf: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaf,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
        max_leaves=5,
    )


unknown = values(scalars | texts)
"""Any small JSON value, among it lists of items with an `index`, an `id`, both or neither."""

deltas = st.fixed_dictionaries(
    {},
    optional={
        "role": st.just("assistant"),
        "content": st.none() | texts,
        "reasoning_content": st.none() | texts,
        "tool_calls": st.none()
        | st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "index": st.integers(0, 2),
                    "id": st.sampled_from(["", "call-1", "call-2"]),
                    "type": st.just("function"),
                    "function": st.fixed_dictionaries({}, optional={"name": texts, "arguments": texts}),
                    "x_new": texts,
                },
            ),
            max_size=3,
        ),
        "x_text": texts,
        "x_list": st.lists(unknown, max_size=3),
        "x_object": st.dictionaries(names, unknown, max_size=3),
        "x_any": unknown,
    },
)

logprobs = st.none() | st.fixed_dictionaries(
    {"content": st.lists(st.fixed_dictionaries({"id": st.integers(0, 1), "token": texts}), max_size=3)}
)


def _choices(spoken: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[list[Chunk]]:
    choice = st.fixed_dictionaries(
        {"index": st.integers(0, 2), **spoken},
        optional={
            "finish_reason": st.none() | st.just("stop"),
            "logprobs": logprobs,
            "stop_reason": st.none() | st.just("</s>") | st.just(5),
            "token_ids": st.none() | st.lists(st.integers(0, 9), max_size=3),
            "x_choice": unknown,
        },
    )
    return st.lists(choice, max_size=3)


def _streams(kind: str, spoken: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[list[Chunk]]:
    return st.lists(
        st.fixed_dictionaries(
            {"id": st.just("id-1"), "object": st.just(kind), "created": st.integers(0, 9), "model": st.just("m")},
            optional={
                "choices": _choices(spoken),
                "usage": st.none() | st.fixed_dictionaries({"prompt_tokens": st.integers(0, 9)}),
                "system_fingerprint": st.none() | st.just("fp"),
                "timings": st.just({"ms": 1}),
                "x_top": unknown,
            },
        ),
        max_size=6,
    )


chat_streams = _streams("chat.completion.chunk", {"delta": deltas})
text_streams = _streams("text_completion", {"text": texts})
