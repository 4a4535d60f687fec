"""The index agrees with a dict and brute force, whatever was added, removed and compacted."""

import asyncio
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from proxy.cache import index as index_module
from proxy.cache.index import CATCH_UP_ROWS, SLICE_ROWS, VectorIndex
from tests.virtual_time import run

DIMENSIONS = 8
Vectors = NDArray[np.float32]


def unit(count: int, seed: int = 0, dimensions: int = DIMENSIONS) -> Vectors:
    rows = np.random.default_rng(seed).standard_normal((count, dimensions))
    scaled: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return scaled


POOL = unit(64)


def filled(count: int, *, graph: bool = False) -> tuple[VectorIndex, Vectors]:
    index, rows = VectorIndex(DIMENSIONS, graph=graph), unit(count)
    for id, row in enumerate(rows):
        index.add(id, row)
    return index, rows


async def inline(job: Callable[[], None]) -> None:
    job()
    await asyncio.sleep(0)


def expected(model: dict[int, Vectors], query: Vectors, k: int) -> list[float]:
    return sorted((float(row @ query) for row in model.values()), reverse=True)[:k]


STEP = st.one_of(
    st.tuples(st.just("add"), st.integers(0, 20), st.integers(0, 63)),
    st.tuples(st.just("remove"), st.integers(0, 20), st.just(0)),
    st.tuples(st.just("compact"), st.just(0), st.just(0)),
)


@settings(max_examples=150, deadline=None)
@given(steps=st.lists(STEP, max_size=60), query=st.integers(0, 63), k=st.integers(1, 25))
def test_any_history_of_changes_is_searched_as_a_dict_would_be(steps, query, k):
    index, model = VectorIndex(DIMENSIONS), dict[int, Vectors]()
    for action, id, which in steps:
        if action == "add":
            index.add(id, POOL[which])
            model[id] = POOL[which]
        elif action == "remove":
            assert index.remove(id) == (model.pop(id, None) is not None)
        else:
            index.compact_now()
            assert index.dead == 0
    found = index.search(POOL[query], k)
    assert [product for _, product in found] == pytest.approx(expected(model, POOL[query], k), abs=1e-5)
    assert len({id for id, _ in found}) == len(found)
    for id, product in found:
        assert product == pytest.approx(float(model[id] @ POOL[query]), abs=1e-5)
    assert len(index) == len(model)
    assert all(np.array_equal(index.vector(id), row) for id, row in model.items())


@settings(max_examples=60, deadline=None)
@given(
    changes=st.lists(st.lists(st.tuples(st.booleans(), st.integers(0, 250)), max_size=25), min_size=1, max_size=8),
    to_graph=st.booleans(),
)
def test_no_change_made_during_a_compaction_is_lost(changes, to_graph):
    index, rows = filled(200)
    model = dict(enumerate(rows))
    rounds = iter(changes)

    async def off_loop(job: Callable[[], None]) -> None:
        job()
        for add, id in next(rounds, []):
            if add:
                model[id] = POOL[id % 64]
                index.add(id, model[id])
            else:
                assert index.remove(id) == (model.pop(id, None) is not None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_module, "SLICE_ROWS", 50)
        patch.setattr(index_module, "FLAT_MAX", 150 if to_graph else 1000)
        run(index.compact(off_loop))
    assert index.graph == to_graph
    assert set(index._rows) == set(model)
    assert all(np.array_equal(index.vector(id), row) for id, row in model.items())
    found = dict(index.search(POOL[0], 20))
    assert len(found) == 20
    assert all(product == pytest.approx(float(model[id] @ POOL[0]), abs=1e-5) for id, product in found.items())


def test_tombstones_that_crowd_around_the_query_hide_nothing():
    index, rows = filled(300)
    for id in range(1000, 1200):
        index.add(id, rows[7])
        index.remove(id)
    assert index.dead == 200
    assert index.search(rows[7], 3)[0][0] == 7
    assert len(index.search(rows[7], 300)) == 300


def test_an_id_may_be_any_63_bit_number():
    index = VectorIndex(DIMENSIONS)
    index.add(2**63 - 1, POOL[0])
    assert index.search(POOL[0], 1)[0][0] == 2**63 - 1


def test_an_id_added_again_has_its_new_vector_only():
    index = VectorIndex(DIMENSIONS)
    index.add(1, POOL[0])
    index.add(1, POOL[1])
    assert np.array_equal(index.vector(1), POOL[1])
    assert (len(index), index.dead) == (1, 1)
    ((id, product),) = index.search(POOL[0], 5)
    assert id == 1
    assert product == pytest.approx(float(POOL[0] @ POOL[1]), abs=1e-6)


def test_an_empty_index_finds_nothing():
    assert VectorIndex(DIMENSIONS).search(POOL[0], 5) == []


def test_a_vector_of_other_dimensions_is_refused():
    with pytest.raises(ValueError, match="a vector of 3 dimensions for an index of 8"):
        VectorIndex(DIMENSIONS).add(1, np.ones(3, np.float32))


def test_a_compaction_is_due_when_a_quarter_is_dead():
    index, _ = filled(100)
    for id in range(25):
        index.remove(id)
    assert not index.needs_compaction()
    index.remove(25)
    assert index.needs_compaction()
    index.compact_now()
    assert (len(index), index.dead, index.needs_compaction()) == (74, 0, False)


def test_above_its_bound_a_flat_index_becomes_a_graph_and_well_below_flat_again(monkeypatch):
    monkeypatch.setattr(index_module, "FLAT_MAX", 200)
    index, rows = filled(201)
    assert index.needs_compaction()
    run(index.compact(inline))
    assert (index.graph, index.needs_compaction()) == (True, False)
    assert [index.search(row, 1)[0][0] for row in rows] == list(range(201))
    for id in range(60):
        index.remove(id)
    run(index.compact(inline))
    assert (index.graph, index.dead) == (True, 0)
    for id in range(60, 120):
        index.remove(id)
    run(index.compact(inline))
    assert (index.graph, len(index)) == (False, 81)
    assert [index.search(row, 1)[0][0] for row in rows[120:]] == list(range(120, 201))


def test_a_graph_finds_what_brute_force_finds_and_never_a_removed_row():
    index, rows = filled(2000, graph=True)
    gone = set(np.random.default_rng(1).permutation(2000)[:400].tolist())
    for id in gone:
        index.remove(id)
    hits = 0
    for id, row in enumerate(rows):
        (found, _), *_ = index.search(row, 4)
        assert found not in gone
        hits += found == id
    assert hits >= 0.99 * 1600


def test_a_cancelled_compaction_leaves_the_index_as_it_was():
    index, rows = filled(2 * SLICE_ROWS)
    index.remove(5)

    async def never(job: Callable[[], None]) -> None:
        await asyncio.get_running_loop().create_future()

    async def scenario() -> None:
        compacting = asyncio.ensure_future(index.compact(never))
        await asyncio.sleep(1)
        assert not index.needs_compaction()
        compacting.cancel()
        await asyncio.wait([compacting])
        await index.compact(inline)

    run(scenario())
    assert index.dead == 0
    assert [index.search(row, 1)[0][0] for row in rows[6:20]] == list(range(6, 20))


def test_rows_that_come_faster_than_one_tick_can_copy_go_through_the_thread_too():
    index, _ = filled(SLICE_ROWS)
    slices: list[int] = []

    async def off_loop(job: Callable[[], None]) -> None:
        job()
        slices.append(len(index))
        if len(slices) < 4:
            for _ in range(CATCH_UP_ROWS + 1):
                index.add(len(index), POOL[0])

    run(index.compact(off_loop))
    assert slices == [SLICE_ROWS + step * (CATCH_UP_ROWS + 1) for step in range(4)]
    assert (len(index), index.dead) == (SLICE_ROWS + 3 * (CATCH_UP_ROWS + 1), 0)
