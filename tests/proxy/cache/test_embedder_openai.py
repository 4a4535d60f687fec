"""An `/v1/embeddings` upstream as the embedder."""

import json
from collections.abc import Callable

import httpx
import numpy as np
import pytest

from proxy.cache.embedder import EmbedderUnavailable
from proxy.cache.embedder_openai import OpenAIEmbedder

Answer = Callable[[httpx.Request], httpx.Response]


def vectors(request: httpx.Request) -> httpx.Response:
    """Answers out of order, and not normalised, as some servers do."""
    texts = json.loads(request.content)["input"]
    data = [{"index": at, "embedding": [len(text), 3.0, 4.0]} for at, text in enumerate(texts)]
    return httpx.Response(200, json={"data": data[::-1], "model": "m"})


def embedder(answer: Answer = vectors, url: str = "http://engine:8000/v1", **settings: str) -> OpenAIEmbedder:
    return OpenAIEmbedder(url, "bge", transport=httpx.MockTransport(answer), **settings)  # type: ignore[arg-type]


def test_rows_are_in_order_and_of_unit_length():
    made = embedder()
    rows = made.embed(["", "xxxxxxxxxxxx"])
    assert rows == pytest.approx(np.array([[0, 0.6, 0.8], [12 / 13, 3 / 13, 4 / 13]]), abs=1e-6)
    assert (str(rows.dtype), made.dimensions) == ("float32", 3)


@pytest.mark.parametrize("url", ["http://engine:8000", "http://engine:8000/", "http://engine:8000/v1"])
def test_the_url_may_end_in_v1_or_not(url):
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return vectors(request)

    embedder(answer, url, api_key="sk-test")
    assert str(asked[0].url) == "http://engine:8000/v1/embeddings"
    assert asked[0].headers["authorization"] == "Bearer sk-test"
    assert json.loads(asked[0].content)["model"] == "bge"


def test_M02_tokens_are_never_counted_too_few():
    made = embedder()
    assert made.count_tokens("né") == 5
    assert made.count_tokens("word " * 200) > made.window


def test_M06_another_server_or_model_is_another_identity():
    assert embedder().identity == embedder(url="http://engine:8000").identity
    assert embedder().identity != embedder(url="http://other:8000").identity
    assert "engine" not in embedder().identity


@pytest.mark.parametrize(
    "answer",
    [
        lambda request: httpx.Response(500),
        lambda request: httpx.Response(200, text="not JSON"),
        lambda request: httpx.Response(200, json={"error": "no such model"}),
        lambda request: httpx.Response(200, json={"data": []}),
        lambda request: httpx.Response(200, json={"data": [{"index": 0, "embedding": "base64"}]}),
        lambda request: httpx.Response(200, json=[]),
    ],
    ids=["500", "not JSON", "error", "no rows", "base64", "a list"],
)
def test_an_upstream_that_cannot_embed_is_refused_at_start(answer):
    with pytest.raises(EmbedderUnavailable, match=r"can't be used for model 'bge'.*embedder\.url") as caught:
        embedder(answer, api_key="sk-secret")
    assert "sk-secret" not in str(caught.value)


def test_an_upstream_out_of_reach_is_refused_at_start():
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with pytest.raises(EmbedderUnavailable, match="ConnectError"):
        embedder(answer)


def test_an_upstream_that_leaves_a_text_out_is_an_error():
    made = embedder()

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"data": [{"index": 0, "embedding": [1.0, 0.0, 0.0]}]})

    made._client._transport = httpx.MockTransport(answer)
    with pytest.raises(ValueError, match="did not answer every text once"):
        made.embed(["one", "two"])
