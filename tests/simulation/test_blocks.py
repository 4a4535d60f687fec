"""The pool of KV blocks: what is taken first, what can still be found, and that nothing leaks."""

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from simulation.blocks import UNLIMITED, BlockPool
from simulation.sequence import block_keys


def filled(pool: BlockPool, *keys: int) -> list[int]:
    pool.take(len(keys))
    return [pool.enter(key) for key in keys]


def test_a_given_back_prefix_is_found_again():
    pool = BlockPool(4)
    pool.give_back(filled(pool, 1, 2), 0)
    assert pool.free == 4
    assert pool.hits([1, 2, 3], 3) == 2
    assert pool.hits([1, 2, 3], 1) == 1


def test_the_end_of_a_prefix_is_destroyed_before_its_start():
    pool = BlockPool(3)
    pool.give_back(filled(pool, 1, 2, 3), 0)
    pool.take(1)
    assert pool.hits([1, 2, 3], 3) == 2
    pool.take(1)
    assert pool.hits([1, 2, 3], 3) == 1


def test_a_gap_ends_a_prefix():
    pool = BlockPool(4)
    pool.give_back(filled(pool, 2, 3), 0)
    assert pool.hits([1, 2, 3], 3) == 0


def test_empty_blocks_are_taken_before_the_least_recently_given_back():
    pool = BlockPool(4)
    pool.give_back(filled(pool, 1), 0)
    pool.give_back(filled(pool, 2), 0)
    pool.take(2)
    assert (pool.hits([1], 1), pool.hits([2], 1)) == (1, 1)
    pool.take(1)
    assert (pool.hits([1], 1), pool.hits([2], 1)) == (0, 1)


def test_using_a_block_makes_it_the_freshest():
    pool = BlockPool(2)
    pool.give_back(filled(pool, 1), 0)
    pool.give_back(filled(pool, 2), 0)
    pool.give_back(pool.hold([1], 1), 0)
    pool.take(1)
    assert (pool.hits([1], 1), pool.hits([2], 1)) == (1, 0)


def test_a_held_block_is_shared_and_counted_once():
    pool = BlockPool(3)
    first = filled(pool, 7)
    second = pool.hold([7], 1)
    assert pool.used == 1
    assert pool.idle([7], 1) == 0
    pool.give_back(first, 0)
    assert pool.used == 1
    pool.give_back(second, 0)
    assert pool.used == 0
    assert pool.idle([7], 1) == 1


def test_a_second_copy_takes_over_when_the_first_is_destroyed():
    pool = BlockPool(2)
    first, second = filled(pool, 5), filled(pool, 5)
    pool.give_back(first, 0)
    pool.take(1)
    assert pool.hits([5], 1) == 1
    pool.give_back(second, 0)
    pool.take(1)
    assert pool.hits([5], 1) == 0


def test_a_destroyed_copy_leaves_the_first():
    pool = BlockPool(3)
    first, second = filled(pool, 5), filled(pool, 5)
    pool.give_back(second, 0)
    pool.take(2)
    assert pool.hits([5], 1) == 1
    pool.give_back(first, 2)
    assert pool.free == 3


def test_a_preempted_sequence_finds_what_is_left_of_its_own_blocks():
    pool = BlockPool(6)
    pool.take(4)
    run = pool.give_back_findable([], 3, 1)
    assert pool.left_of(run) == 3
    pool.take(2 + 1 + 1)  # two never used, the unfinished one, and the last full one
    assert pool.left_of(run) == 2
    pool.hold_run(run, 2)
    assert pool.free == 0
    assert pool.left_of(run) == 0


def test_a_run_is_taken_in_its_turn():
    pool = BlockPool(4)
    pool.take(4)
    run = pool.give_back_findable([], 2, 0)
    pool.give_back([], 2)
    pool.take(2)
    assert pool.left_of(run) == 0
    assert pool.free == 2


def test_without_a_limit_nothing_is_ever_destroyed():
    pool = BlockPool()
    pool.give_back(filled(pool, *range(1000)), 0)
    pool.take(10**9)
    assert pool.hits(range(1000), 1000) == 1000
    assert pool.total == UNLIMITED


class Pool(RuleBasedStateMachine):
    """Any order of taking, sharing and giving back keeps the counts right, and prefixes whole."""

    TOTAL = 12

    def __init__(self) -> None:
        super().__init__()
        self.pool = BlockPool(self.TOTAL)
        self.held: list[tuple[list[int], int]] = []
        self.run = 0

    @rule(family=st.integers(0, 2), length=st.integers(1, 5), others=st.integers(0, 4))
    def admit(self, family: int, length: int, others: int) -> None:
        keys = [family * 100 + position for position in range(length)]
        hits = self.pool.hits(keys, length)
        if length - hits + others + self.pool.idle(keys, hits) > self.pool.free:
            return
        table = self.pool.hold(keys, hits)
        self.pool.take(length - hits + others)
        table += [self.pool.enter(key) for key in keys[hits:]]
        assert self.pool.hits(keys, length) == length
        self.held.append((table, others))

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        self.pool.give_back(*self.held.pop(data.draw(st.integers(0, len(self.held) - 1))))

    @precondition(lambda self: self.held)
    @rule(partly=st.integers(0, 1))
    def preempt(self, partly: int) -> None:
        table, others = self.held.pop()
        full = max(0, others - partly)
        self.run = self.pool.give_back_findable(table, full, others - full)
        assert self.pool.left_of(self.run) == full

    @precondition(lambda self: self.pool.left_of(self.run))
    @rule()
    def resume(self) -> None:
        left = self.pool.left_of(self.run)
        self.pool.hold_run(self.run, left)
        self.held.append(([], left))

    @invariant()
    def nothing_leaks(self) -> None:
        shared = len({block for table, _ in self.held for block in table})
        assert self.pool.used == shared + sum(others for _, others in self.held)
        assert 0 <= self.pool.free <= self.TOTAL


TestPool = Pool.TestCase
TestPool.settings = settings(max_examples=25, stateful_step_count=25)


@given(prompt=st.integers(1, 5000))
def test_a_hash_of_many_tokens_names_every_small_block_inside(prompt: int):
    ids = tuple(range(7, 7 + -(-prompt // 512)))
    keys = block_keys(ids, 512, 16, prompt)
    assert len(keys) == prompt // 16
    assert len(set(keys)) == len(keys)
    assert list(keys) == list(block_keys(ids, 512, 16, 5000)[: len(keys)])


def test_hashes_of_fewer_tokens_are_chained_so_the_last_names_the_block():
    assert list(block_keys((10, 11, 12, 13, 14), 16, 32, 80)) == [11, 13]
    assert list(block_keys((10, 11, 12), 16, 16, 40)) == [10, 11]  # the third is not full
