"""Vector and record leave together; nothing is found that is not what it seems."""

import asyncio
import hashlib
import random
from collections.abc import Callable

import numpy as np
import pytest

from proxy.cache.candidate import Candidate, similarity
from proxy.cache.embedder import Vector
from proxy.cache.embedder_worker import EmbeddingWorker
from proxy.cache.exact import Entry, ExactCache
from proxy.cache.index import VectorIndex
from proxy.cache.semantic import SemanticCache
from proxy.replay import Rendered
from tests.proxy.cache.fake_embedder import FakeEmbedder
from tests.virtual_time import run

EMBEDDER = FakeEmbedder()
HERE, THERE = b"a namespace", b"another namespace"


def cache(*, clock: Callable[[], float] = lambda: 0.0, **bounds: int) -> SemanticCache:
    return SemanticCache(VectorIndex, clock=clock, **bounds)


def candidate(text: str, created_s: float = 0.0, family: str = "default") -> Candidate:
    return Candidate(hashlib.sha256(text.encode()).digest(), text, {"facts of": text}, created_s, family)


def fill(semantic: SemanticCache, *texts: str, namespace: bytes = HERE) -> None:
    for text in texts:
        assert semantic.add(namespace, EMBEDDER.vector(text), candidate(text))


def texts(semantic: SemanticCache, text: str, namespace: bytes = HERE, k: int = 10) -> list[str]:
    return [found.text for found, _ in semantic.nearest(namespace, EMBEDDER.vector(text), k)]


def in_step(semantic: SemanticCache) -> int:
    """The number of vectors, which must be that of records and ids."""
    stats = semantic.stats()
    assert stats.vectors == stats.records == stats.ids
    return stats.vectors


def test_the_nearest_text_comes_first():
    semantic = cache()
    fill(semantic, "boil an egg", "boil a potato", "paint a wall")
    found = semantic.nearest(HERE, EMBEDDER.vector("boil an egg"), 2)
    assert [one.text for one, _ in found] == ["boil an egg", "boil a potato"]
    assert found[0][1] == 1.0 > found[1][1]
    assert found[0][0].facts == {"facts of": "boil an egg"}


def test_namespaces_do_not_see_each_other():
    semantic = cache()
    fill(semantic, "boil an egg")
    assert (semantic.has(HERE), semantic.has(THERE)) == (True, False)
    assert texts(semantic, "boil an egg", namespace=THERE) == []


def test_a_namespace_is_gone_with_its_last_candidate():
    semantic = cache()
    fill(semantic, "boil an egg")
    semantic.remove_key(candidate("boil an egg").key)
    assert not semantic.has(HERE)
    assert in_step(semantic) == semantic.stats().bytes == 0


def test_the_same_key_again_replaces_what_was_there():
    semantic = cache()
    fill(semantic, "boil an egg", "boil an egg")
    assert in_step(semantic) == 1
    assert texts(semantic, "boil an egg") == ["boil an egg"]


def test_another_key_with_the_same_id_is_another_candidate():
    semantic = cache()
    first = Candidate(b"\x01" * 8 + b"first", "boil an egg", None, 0.0, "default")
    second = Candidate(b"\x01" * 8 + b"second", "paint a wall", None, 0.0, "default")
    assert first.id == second.id
    semantic.add(HERE, EMBEDDER.vector(first.text), first)
    semantic.add(HERE, EMBEDDER.vector(second.text), second)
    assert texts(semantic, "boil an egg") == ["paint a wall"]
    semantic.remove_key(first.key)
    assert in_step(semantic) == 1


def test_M04_similarity_is_a_cosine_from_minus_one_to_one():
    a = EMBEDDER.row("boil an egg")
    assert similarity(a, a) == 1.0
    assert similarity(a, -a) == -1.0
    across = np.zeros(2, np.float32), np.array([0, 1], np.float32)
    assert similarity(*across) == 0.0


def test_M04_a_threshold_of_one_is_reached_by_identical_vectors_only():
    semantic = cache()
    many = [f"question number {number} about topic {number * 7}" for number in range(200)]
    fill(semantic, *many)
    for text in many:
        reached = [one.text for one, score in semantic.nearest(HERE, EMBEDDER.vector(text), 10) if score >= 1.0]
        assert reached == [text]


def test_M04_a_threshold_of_minus_one_is_reached_by_the_very_opposite():
    semantic = cache()
    fill(semantic, "boil an egg")
    opposite = Vector(-EMBEDDER.row("boil an egg"), EMBEDDER.identity)
    ((_, score),) = semantic.nearest(HERE, opposite, 1)
    assert score == -1.0


def test_M06_another_embedder_of_the_same_size_finds_nothing_and_begins_anew(caplog):
    semantic, other = cache(), FakeEmbedder(identity="other/1")
    fill(semantic, "boil an egg")
    assert semantic.nearest(HERE, other.vector("boil an egg"), 5) == []
    assert semantic.foreign == 1
    assert in_step(semantic) == 1
    semantic.add(HERE, other.vector("paint a wall"), candidate("paint a wall"))
    assert semantic.identity == "other/1"
    assert [one.text for one, _ in semantic.nearest(HERE, other.vector("boil an egg"), 5)] == ["paint a wall"]
    assert "the embedder is now other/1, was fake/1: 1 vectors dropped" in caplog.text


def test_M06_rebuild_hands_over_what_is_to_be_embedded_again():
    semantic, other = cache(), FakeEmbedder(identity="other/1", dimensions=16)
    fill(semantic, "boil an egg")
    fill(semantic, "paint a wall", namespace=THERE)
    before = semantic.rebuild("other/1")
    assert [(namespace, one.text) for namespace, one in before] == [(HERE, "boil an egg"), (THERE, "paint a wall")]
    assert in_step(semantic) == 0
    for namespace, one in before:
        semantic.add(namespace, other.vector(one.text), one)
    assert [one.text for one, _ in semantic.nearest(THERE, other.vector("paint a wall"), 5)] == ["paint a wall"]


def test_M06_rebuild_with_the_same_embedder_changes_nothing():
    semantic = cache()
    fill(semantic, "boil an egg")
    assert semantic.rebuild(EMBEDDER.identity) == []
    assert in_step(semantic) == 1


def test_M07_after_deleting_half_at_random_every_hit_is_its_own_and_none_is_a_deleted_one():
    semantic, chance = cache(), random.Random(7)
    all_texts = [f"question {number} on subject {number * 31 % 997}" for number in range(1000)]
    fill(semantic, *all_texts)
    gone = set(chance.sample(all_texts, 500))
    for text in [*gone, *gone]:
        semantic.remove_key(candidate(text).key)
    for text in all_texts:
        found = semantic.nearest(HERE, EMBEDDER.vector(text), 5)
        assert not gone & {one.text for one, _ in found}
        for one, score in found:
            assert score == pytest.approx(float(EMBEDDER.row(one.text) @ EMBEDDER.row(text)), abs=1e-5)
        if text not in gone:
            assert found[0][0].text == text
    assert in_step(semantic) == 500
    assert semantic.mismatched == 0


def test_M07_a_payload_that_is_not_its_vectors_is_dropped_and_counted(caplog):
    semantic = cache()
    fill(semantic, "boil an egg", "paint a wall")
    records = semantic._namespaces[HERE].records
    egg, wall = candidate("boil an egg").id, candidate("paint a wall").id
    records[egg], records[wall] = records[wall], records[egg]
    assert texts(semantic, "boil an egg") == []
    assert semantic.mismatched == 2
    assert in_step(semantic) == 0
    assert "boil" not in caplog.text


def test_M08_a_hundred_unrelated_questions_of_a_constant_embedder_never_hit():
    constant = EMBEDDER.row("constant")
    broken = FakeEmbedder(spoil=lambda texts, rows: np.tile(constant, (len(texts), 1)))
    semantic = cache()

    async def scenario() -> list[Candidate]:
        worker = EmbeddingWorker(lambda: broken, off_loop=lambda job: job())
        await worker.start()
        hits: list[Candidate] = []
        for number in range(100):
            await asyncio.sleep(1)
            text = f"unrelated question number {number}"
            answer = await worker.embed(text)
            if isinstance(answer, Vector):
                hits += [one for one, _ in semantic.nearest(HERE, answer, 5)]
                semantic.add(HERE, answer, candidate(text))
        assert worker.look_alikes == 99
        return hits

    assert run(scenario()) == []


def test_the_number_of_vectors_is_bounded_and_the_least_recently_used_namespace_pays():
    semantic = cache(max_vectors=4)
    fill(semantic, "one", "two", namespace=HERE)
    fill(semantic, "three", "four", namespace=THERE)
    texts(semantic, "one", namespace=HERE)
    fill(semantic, "five", namespace=HERE)
    assert texts(semantic, "three", namespace=THERE) == ["four"]
    assert in_step(semantic) == 4
    assert semantic.evicted == 1


def test_the_oldest_of_a_lone_namespace_leaves_first():
    semantic = cache(max_vectors=3)
    fill(semantic, "one", "two", "three", "four")
    assert sorted(texts(semantic, "one")) == ["four", "three", "two"]


def test_bytes_are_bounded():
    semantic = cache(max_bytes=20_000)
    fill(semantic, *(f"a text with number {number} " + "and more " * 20 for number in range(100)))
    assert 0 < in_step(semantic) < 20
    assert semantic.stats().bytes <= 20_000 * 4 // 3


def test_a_text_over_the_bound_is_not_kept():
    semantic = cache(max_bytes=20_000)
    fill(semantic, "one")
    assert not semantic.add(HERE, EMBEDDER.vector("x"), candidate("x" * 20_000))
    assert in_step(semantic) == 1


def test_the_number_of_namespaces_is_bounded():
    semantic = cache(max_namespaces=3)
    for number in range(10):
        fill(semantic, f"one {number}", f"two {number}", namespace=bytes([number]))
    assert [semantic.has(bytes([number])) for number in range(10)] == [False] * 7 + [True] * 3
    assert (in_step(semantic), semantic.evicted) == (6, 14)


def test_expired_candidates_leave_by_their_familys_lifetime_from_creation():
    now = [0.0]
    semantic = cache(clock=lambda: now[0])
    for second in range(10):
        now[0] = second
        one = candidate(f"slow {second}", second, "slow"), candidate(f"quick {second}", second, "quick")
        semantic.add(HERE, EMBEDDER.vector(one[0].text), one[0])
        semantic.add(THERE, EMBEDDER.vector(one[1].text), one[1])
    now[0] = 10.0
    assert semantic.expire({"slow": 1000.0, "quick": 5.0}.__getitem__) == 6
    assert sorted(texts(semantic, "quick", namespace=THERE)) == ["quick 6", "quick 7", "quick 8", "quick 9"]
    assert in_step(semantic) == 14


def test_clear_leaves_nothing():
    semantic = cache()
    fill(semantic, "one", "two")
    assert semantic.clear() == 2
    assert semantic.stats().bytes == in_step(semantic) == 0
    assert not semantic.has(HERE)


def entry(key: bytes, created_s: float, size: int) -> Entry:
    return Entry(
        key=key,
        created_s=created_s,
        used_s=created_s,
        family="default",
        rendered=Rendered(b"x" * size, 1, has_usage=True),
        serves_plain=True,
        origin_id="",
        origin_created=0,
        prompt_tokens=1,
        completion_tokens=1,
        upstream_s=1.0,
    )


def test_a_day_of_traffic_leaves_index_records_and_ids_equal_in_number_and_bounded():
    """Expiry, eviction by either cache, deletion, embeddings, and compaction, on virtual time."""
    embedder, chance, ttl_s = FakeEmbedder(dimensions=16), random.Random(24), 3600.0

    async def off_loop(job: Callable[[], None]) -> None:
        job()
        await asyncio.sleep(0.01)

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        semantic = SemanticCache(VectorIndex, clock=loop.time, max_vectors=120, max_namespaces=8)
        exact = ExactCache(max_entries=200, max_bytes=400_000, on_removal=semantic.remove_key)
        worker = EmbeddingWorker(lambda: embedder, off_loop=lambda job: job(), max_recent=64)
        await worker.start()

        async def maintain() -> None:
            while True:
                await asyncio.sleep(60)
                semantic.expire(lambda family: ttl_s)
                for key in [one.key for one in exact._entries.values() if loop.time() - one.created_s >= ttl_s]:
                    exact.delete(key)
                await semantic.maintain(off_loop)

        maintaining = asyncio.ensure_future(maintain())
        fills = hits = most_tombstones = 0
        while loop.time() < 24 * 3600:
            await asyncio.sleep(chance.expovariate(1 / 15))
            namespace = bytes([min(int(chance.expovariate(0.4)), 11)])
            text = f"question {int(chance.paretovariate(0.6))} of {namespace[0]}"
            answer = await worker.embed(text)
            assert isinstance(answer, Vector)
            found = semantic.nearest(namespace, answer, 3)
            if found and found[0][1] == 1.0:
                assert found[0][0].text == text
                assert loop.time() - found[0][0].created_s < ttl_s + 61
                assert exact.get(found[0][0].key) is not None
                hits += 1
            else:
                one = candidate(text, loop.time())
                exact.put(entry(one.key, loop.time(), chance.randrange(100, 2000)))
                semantic.add(namespace, answer, one)
                fills += 1
            if chance.random() < 0.02:
                exact.delete(candidate(text).key)
            stats = semantic.stats()
            assert stats.vectors == stats.records == stats.ids <= 120
            assert stats.namespaces <= 8
            assert stats.ids <= len(exact)
            most_tombstones = max(most_tombstones, stats.tombstones)
        maintaining.cancel()
        assert min(fills, hits, semantic.evicted) > 500
        assert 0 < most_tombstones <= 120
        exact.purge()
        assert semantic.stats().bytes == in_step(semantic) == 0

    run(scenario())
