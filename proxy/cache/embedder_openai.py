"""An embedder behind an OpenAI-compatible `/v1/embeddings`. Called in the worker's thread, so it may block."""

import hashlib
import ssl
from collections.abc import Sequence

import httpx
import numpy as np
from numpy.typing import NDArray

from proxy.cache.embedder import EmbedderUnavailable, identify

MARKS = 2
"""Tokens a model adds at a text's start and end."""
PROBE = "how many dimensions?"


class OpenAIEmbedder:
    """Vectors from an upstream. Its weights can't be hashed, so url and model name stand for them in the identity."""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        window: int = 512,
        timeout_s: float = 10.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """
        Args:
            url: with or without a trailing `/v1`.
            window: tokens the model reads. Many servers cut longer texts without a word, so they are never sent.

        Raises:
            EmbedderUnavailable: the upstream can't be reached, or doesn't answer as `/v1/embeddings` does.
        """
        root = url.rstrip("/").removesuffix("/v1")
        headers = {} if api_key is None else {"authorization": f"Bearer {api_key}"}
        self._client = httpx.Client(
            base_url=root,
            headers=headers,
            timeout=timeout_s,
            transport=transport,
            verify=ssl.create_default_context(),  # the system's authorities, as upstreams have, not httpx's own list
        )
        self._model = model
        self._window = window
        try:
            self._dimensions = int(self._ask([PROBE]).shape[1])
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError, IndexError) as error:
            self._client.close()
            raise EmbedderUnavailable(
                f"the embeddings upstream can't be used for model {model!r} ({type(error).__name__}): "
                "check embedder.url, embedder.model and its key"
            ) from error
        place = hashlib.sha256(root.encode()).hexdigest()
        self._identity = identify(f"openai/{model}", place, place, "upstream", self._dimensions)

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def window(self) -> int:
        return self._window

    def count_tokens(self, text: str) -> int:
        """An upper bound: no tokenizer in use makes more tokens than there are bytes."""
        return len(text.encode()) + MARKS

    def count_unknown(self, text: str) -> int:
        """Not known of a tokenizer that lives elsewhere; the check of look-alike vectors is what is left."""
        return 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(n, d)` float32, rows L2-normalised.

        Raises:
            httpx.HTTPError: the upstream failed.
            ValueError, KeyError, TypeError: its answer is not what was asked for.
        """
        rows = self._ask(texts)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        unit: NDArray[np.float32] = rows / lengths
        return unit

    def close(self) -> None:
        self._client.close()

    def _ask(self, texts: Sequence[str]) -> NDArray[np.float32]:
        answer = self._client.post(
            "/v1/embeddings", json={"model": self._model, "input": list(texts), "encoding_format": "float"}
        )
        answer.raise_for_status()
        data = answer.json()["data"]
        if sorted(item["index"] for item in data) != list(range(len(texts))):
            raise ValueError("the embeddings upstream did not answer every text once")
        return np.asarray([item["embedding"] for item in sorted(data, key=lambda item: item["index"])], np.float32)
