"""Builds what semantic lookup needs. Its libraries are loaded here, and only for installations that use it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from config.settings import Settings, key_from
from proxy.cache.exact import ExactCache

if TYPE_CHECKING:
    from proxy.cache.embedder import Embedder
    from proxy.semantics import Semantics


def build_semantics(
    settings: Settings,
    environment: Mapping[str, str],
    exact: ExactCache,
    clock: Callable[[], float],
    lifetime_s: Callable[[str], float],
) -> "Semantics":
    """Embedder, index and guard for these settings; `start` loads the embedder. `lifetime_s`: as in `Semantics`."""
    from policies.guards import default_lexicon
    from proxy.cache.embedder_loader import embedder_loader
    from proxy.cache.embedder_worker import EmbeddingWorker
    from proxy.cache.index import VectorIndex
    from proxy.cache.semantic import SemanticCache
    from proxy.semantics import Semantics

    embedder = settings.embedder
    load_embedder = embedder_loader(
        embedder.provider,
        model=embedder.model,
        url=embedder.url,
        sha256=embedder.sha256,
        api_key=key_from(environment, embedder.api_key_env) or None,
    )

    def load() -> "Embedder":
        default_lexicon()  # takes a second: here, in the worker's thread, rather than on the loop at the first lookup
        return load_embedder()

    return Semantics(
        SemanticCache(VectorIndex, clock=clock, max_vectors=settings.store.max_entries),
        lambda: EmbeddingWorker(load, deadline_s=embedder.deadline_ms / 1000, max_queue=embedder.max_queue),
        exact,
        clock,
        lifetime_s,
    )
