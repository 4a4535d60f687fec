"""Nearest vectors of one namespace, by FAISS. The only file that knows FAISS; loading it costs 13 MB.

A row is written once and never moves: `_ids[row]` is its id, `_rows[id]` the way back. Removing an id only forgets
the way back, so a dead row is one whose id leads elsewhere or nowhere (a tombstone); searches skip it. Compaction
builds another index from the living rows, off the loop, and takes over what changed meanwhile before it is swapped in.

Up to `FLAT_MAX` rows every search compares with all of them (0.3 ms at 10,000); above, a navigable small-world graph
(HNSW, Malkov and Yashunin 2016) answers in less, and may rarely overlook a neighbour, which costs a hit, no more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import faiss
import numpy as np
from numpy.typing import NDArray

FLAT_MAX = 10_000
"""Living rows up to which search is exhaustive."""
LINKS = 32
"""HNSW's M: neighbours of a row in each layer, twice as many in the lowest."""
SEARCH_WIDTH = 64
"""HNSW's efSearch."""
MAX_GRAPH_ASKED = 2048
"""Neighbours asked of HNSW, at most, when tombstones crowd around a query: some 2 ms."""
MAX_DEAD_SHARE = 0.25
MIN_DEAD = 2
"""So many tombstones are never too many. Small, because most namespaces hold a handful of rows."""
SLICE_ROWS = 1024
"""Rows read, or built, in one go: about half a millisecond on the loop, and half a second of HNSW in a thread."""
CATCH_UP_ROWS = 16
"""Rows that came during a compaction and are few enough to add on the loop (HNSW: 0.6 ms each)."""

LINK_BYTES = 4 * (2 * LINKS + 2)
"""Of one HNSW row, beside its vector."""

OffLoop = Callable[[Callable[[], None]], Awaitable[None]]
"""Runs a function in a thread: `asyncio.to_thread`."""


class VectorIndex:
    """Ids and their unit vectors, searched by inner product. Used by the loop's thread alone."""

    def __init__(self, dimensions: int, *, graph: bool = False) -> None:
        """
        Args:
            graph: HNSW from the start. Without it an index is flat until a compaction finds it too large for that.
        """
        faiss.omp_set_num_threads(1)
        self.dimensions = dimensions
        self.graph = graph
        self._faiss = _graph(dimensions) if graph else faiss.IndexFlatIP(dimensions)
        self._ids: list[int] = []
        self._rows: dict[int, int] = {}
        self._compacting = False

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def dead(self) -> int:
        """Tombstones."""
        return len(self._ids) - len(self._rows)

    @property
    def dead_bytes(self) -> int:
        """Memory the tombstones hold."""
        return self.dead * row_bytes(self.dimensions, graph=self.graph)

    def add(self, id: int, vector: NDArray[np.float32]) -> None:
        """Add, or replace, the vector of a 64-bit id.

        Raises:
            ValueError: the vector has other dimensions.
        """
        self._faiss.add(_as_rows(vector, self.dimensions))
        self._rows[id] = len(self._ids)
        self._ids.append(id)

    def remove(self, id: int) -> bool:
        """Leave a tombstone. False if the id is not there."""
        return self._rows.pop(id, None) is not None

    def vector(self, id: int) -> NDArray[np.float32]:
        """A copy of the very row that was added, bit by bit.

        Raises:
            KeyError: the id is not there.
        """
        row: NDArray[np.float32] = self._faiss.reconstruct(self._rows[id])
        return row

    def search(self, vector: NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        """The `k` living ids of the greatest inner product, greatest first, with it."""
        query = _as_rows(vector, self.dimensions)
        wanted = min(k, len(self._rows))
        # Tombstones may crowd around the query (a prompt that expired many times), so ask for more until enough live.
        asked = wanted + min(self.dead, wanted)
        while wanted > 0:
            found = self._search_rows(query, asked)
            if len(found) >= wanted or asked == len(self._ids) or (self.graph and asked >= MAX_GRAPH_ASKED):
                return found[:wanted]
            asked = min(4 * asked, len(self._ids))
        return []

    @property
    def small(self) -> bool:
        """Whether `compact_now` costs less than a thread does."""
        return len(self._ids) <= SLICE_ROWS

    def needs_compaction(self) -> bool:
        """Whether tombstones are too many, or a flat index too large."""
        if self._compacting:
            return False
        crowded = self.dead > max(MIN_DEAD, MAX_DEAD_SHARE * len(self._ids))
        return crowded or (not self.graph and len(self._rows) > FLAT_MAX)

    def compact_now(self) -> None:
        """Drop the tombstones at once, on the loop."""
        if not self._compacting:
            self._take_over(self._rebuilt_empty(), 0)

    async def compact(self, off_loop: OffLoop) -> None:
        """Drop the tombstones, and change between flat and HNSW by size. Searches and changes go on meanwhile.

        Cancelled, or failing, it leaves the index as it was.
        """
        if self._compacting:
            return
        self._compacting = True
        try:
            fresh, done = self._rebuilt_empty(), 0
            while len(self._ids) - done > CATCH_UP_ROWS:
                done = await self._copy_slice(fresh, done, off_loop)
            self._take_over(fresh, done)
        finally:
            self._compacting = False

    def _rebuilt_empty(self) -> VectorIndex:
        # A graph stays one until it is well below the bound, or it would be built again and again around it.
        return VectorIndex(self.dimensions, graph=len(self._rows) > (FLAT_MAX // 2 if self.graph else FLAT_MAX))

    async def _copy_slice(self, fresh: VectorIndex, start: int, off_loop: OffLoop) -> int:
        """Copy what lives of the rows from `start`, one slice; returns where the next begins."""
        stop = min(start + SLICE_ROWS, len(self._ids))
        alive = self._alive(start, stop)
        if alive:
            rows = self._faiss.reconstruct_n(start, stop - start)[[row - start for row in alive]]
            ids = [self._ids[row] for row in alive]

            def add() -> None:
                faiss.omp_set_num_threads(1)  # OpenMP counts threads for each calling thread apart
                fresh._faiss.add(rows)

            await off_loop(add)
            fresh._note(ids)
        else:
            await asyncio.sleep(0)
        return stop

    def _take_over(self, fresh: VectorIndex, done: int) -> None:
        """Bring `fresh`, which holds what lived of the first `done` rows at some moment, up to date; become it."""
        for id in [id for id in fresh._rows if self._rows.get(id, done) >= done]:
            fresh.remove(id)  # removed, or replaced by a row still to come
        alive = self._alive(done, len(self._ids))
        if alive:
            fresh._faiss.add(self._faiss.reconstruct_n(done, len(self._ids) - done)[[row - done for row in alive]])
            fresh._note([self._ids[row] for row in alive])
        self.graph, self._faiss, self._ids, self._rows = fresh.graph, fresh._faiss, fresh._ids, fresh._rows

    def _alive(self, start: int, stop: int) -> list[int]:
        return [row for row in range(start, stop) if self._rows.get(self._ids[row]) == row]

    def _note(self, ids: list[int]) -> None:
        self._rows.update(zip(ids, range(len(self._ids), len(self._ids) + len(ids)), strict=True))
        self._ids.extend(ids)

    def _search_rows(self, query: NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        products, rows = self._faiss.search(query, k)
        found = []
        for product, row in zip(products[0].tolist(), rows[0].tolist(), strict=True):
            # HNSW marks places it found nothing for with row -1.
            if row >= 0 and self._rows.get(id := self._ids[row]) == row:
                found.append((id, product))
        return found


def _graph(dimensions: int) -> faiss.Index:
    graph = faiss.IndexHNSWFlat(dimensions, LINKS, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efSearch = SEARCH_WIDTH
    return graph


def row_bytes(dimensions: int, *, graph: bool = False) -> int:
    """Memory of one row."""
    return 4 * dimensions + (LINK_BYTES if graph else 0)


def _as_rows(vector: NDArray[np.float32], dimensions: int) -> NDArray[np.float32]:
    row = np.ascontiguousarray(vector, np.float32).reshape(1, -1)
    if row.shape[1] != dimensions:
        raise ValueError(f"a vector of {row.shape[1]} dimensions for an index of {dimensions}")
    return row
