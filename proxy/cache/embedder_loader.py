"""From the settings' words to an embedder that has shown it works.

Each provider's libraries are loaded inside the functions that need them: together they weigh more than the proxy, and
most proxies use one or none.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal, assert_never

from proxy.cache.embedder import MINILM_SHA256, Embedder, EmbedderUnavailable

Provider = Literal["packaged", "fastembed", "openai"]

PACKAGED_MODEL = "all-MiniLM-L6-v2"


def built_folder(sha256: str) -> Path:
    """Where `python -m proxy embedder build` puts a model file of this sha256, and where it is looked for."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "askonce" / "embedder" / sha256[:16]


def embedder_loader(
    provider: Provider,
    *,
    model: str = PACKAGED_MODEL,
    url: str | None = None,
    sha256: str | None = None,
    api_key: str | None = None,
) -> Callable[[], Embedder]:
    """What `EmbeddingWorker` calls in its thread to make the embedder. It raises `EmbedderUnavailable` if it can't.

    Args:
        model: for `packaged` the model's name, or a folder that holds its `model.onnx`.
        sha256: for `packaged`, of another file than the packaged one.
    """

    def load() -> Embedder:
        from proxy.cache.embedder_check import rehearse

        embedder = _load(provider, model, url, sha256, api_key)
        rehearse(embedder)
        return embedder

    return load


def _load(provider: Provider, model: str, url: str | None, sha256: str | None, api_key: str | None) -> Embedder:
    match provider:
        case "packaged":
            from proxy.cache.embedder_fastembed import PackagedEmbedder

            if model != PACKAGED_MODEL:
                if not Path(model).is_dir():
                    raise EmbedderUnavailable(
                        f"embedder.model {model!r} is neither {PACKAGED_MODEL!r} nor a folder with a model.onnx; "
                        "another model needs provider: fastembed"
                    )
                return PackagedEmbedder(Path(model), sha256=sha256)
            if sha256 is None or sha256 == MINILM_SHA256:
                return PackagedEmbedder()
            return PackagedEmbedder(built_folder(sha256), sha256=sha256)
        case "fastembed":
            from proxy.cache.embedder_fastembed import FastembedEmbedder

            embedder = FastembedEmbedder(model)
            if sha256 is not None and embedder.weights_sha256 != sha256:
                raise EmbedderUnavailable(
                    f"the sha256 of {model!r} is {embedder.weights_sha256}, embedder.sha256 says {sha256}"
                )
            return embedder
        case "openai":
            from proxy.cache.embedder_openai import OpenAIEmbedder

            if url is None:
                raise EmbedderUnavailable("provider: openai needs embedder.url, the address of a /v1/embeddings")
            return OpenAIEmbedder(url, model, api_key=api_key)
        case _:
            assert_never(provider)
