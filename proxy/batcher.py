"""Micro-batches: what waits in a group leaves together, up to `max_batch_size`.

Two forms, one rule. `submit` (or `put`, which does not wait) hands its items over and gets their results: one call of
`run` for the batch (a merged prompt array, texts to embed). `turn` only says when to go: each request of the batch then
sends itself, and the engine schedules. The rule (`decide`, below): a full batch leaves; so does one whose oldest member
has waited `max_wait_s`; and a member that is alone in a group with nothing in flight leaves at once, since there is
nobody to wait for. Alone means alone at the end of the loop's turn it came in: what comes in the same turn travels
together.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, assert_never

from proxy.errors import Unavailable

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Leave:
    """The `count` oldest leave now."""

    count: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Nobody leaves before `until_s`, or before something changes in the group; None: only then."""

    until_s: float | None


def decide(
    *,
    waiting: int,
    running: int,
    oldest_s: float,
    now_s: float,
    max_batch_size: int,
    max_wait_s: float,
    max_running: int | None,
) -> Leave | Wait:
    """Who leaves a group in which `waiting` ≥ 1 wait, the oldest since `oldest_s`, and `running` have left."""
    if max_running is not None and running >= max_running:
        return Wait(None)
    if waiting >= max_batch_size:
        return Leave(max_batch_size)
    if waiting == 1 and not running:
        return Leave(1)
    if now_s >= oldest_s + max_wait_s:
        return Leave(waiting)
    return Wait(oldest_s + max_wait_s)


class MicroBatcher(Generic[T, R]):
    """Groups by a hashable; owns the tasks its batches run in.

    `run` gets the items of a batch, oldest first, and returns as many results; an exception in place of a result is
    raised for that item alone, and one it raises, for all. At most `max_running` batches of a group run at once, and
    what comes meanwhile waits; None sets no limit. A group exists as long as something of it waits or runs, so there
    are never more groups than requests.
    """

    def __init__(
        self, run: Callable[[list[T]], Awaitable[Sequence[R | BaseException]]], *, max_running: int | None = None
    ) -> None:
        self.batches = 0
        """Batches that have left, of both forms."""
        self.items = 0
        """Their members."""
        self.waiting = 0
        self._run = run
        self._max_running = max_running
        self._submitted: dict[Hashable, _Group] = {}
        self._turns: dict[Hashable, _Group] = {}
        self._tasks: set[asyncio.Task[Sequence[R | BaseException]]] = set()
        """Batches that run; each leaves the set by its done callback."""

    def __len__(self) -> int:
        """Groups in which something waits or runs."""
        return len(self._submitted) + len(self._turns)

    async def submit(self, group: Hashable, item: T, *, max_batch_size: int, max_wait_s: float) -> R:
        """The result of `item`, made together with others of its group.

        Cancelled before the batch leaves, the item is taken out; afterwards the batch goes on for the others, and is
        cancelled when nobody is left who wants it.

        Raises:
            Unavailable: the batcher was closed, or the batch cancelled.
            BaseException: what `run` raised, or returned for this item.
        """
        put = self.put(group, item, max_batch_size=max_batch_size, max_wait_s=max_wait_s)
        try:
            outcome = await put.outcome
        except asyncio.CancelledError:
            put.withdraw()
            raise
        if isinstance(outcome, BaseException):
            raise outcome.with_traceback(None)
        result: R = outcome
        return result

    def put(self, group: Hashable, item: T, *, max_batch_size: int, max_wait_s: float) -> "Put":
        """As `submit`, for who learns of the result in another way than by waiting for it here."""
        members = self._group(self._submitted, group, self._send, self._max_running)
        return Put(self, members, self._add(members, item, max_batch_size, max_wait_s))

    async def turn(self, group: Hashable, *, max_batch_size: int, max_wait_s: float) -> "Turn":
        """Wait until this request's batch leaves; it then sends itself, and counts as in flight until `Turn.done`.

        Without a window (`max_wait_s` 0, or batches of one) it leaves at once, without suspending.

        Raises:
            Unavailable: the batcher was closed.
        """
        members = self._group(self._turns, group, self._release, None)
        if max_wait_s <= 0 or max_batch_size <= 1:
            self._count(members, size=1, running=1)
            return Turn(self, members, 1)
        member = self._add(members, None, max_batch_size, max_wait_s)
        try:
            outcome = await member.outcome
        except asyncio.CancelledError:
            if not member.outcome.cancelled() and not isinstance(member.outcome.result(), BaseException):
                # Its batch left while it was being cancelled.
                self.finish(members)
            else:
                self._remove(members, member)
            raise
        if isinstance(outcome, BaseException):
            raise outcome
        return Turn(self, members, outcome)

    async def aclose(self) -> None:
        """Refuse what waits, cancel what runs, and wait for its end."""
        closing = Unavailable("The proxy is shutting down.", code="shutting_down", retry_after_s=1)
        for members in [*self._submitted.values(), *self._turns.values()]:
            self.waiting -= len(members.waiting)
            while members.waiting:
                members.waiting.popitem()[0].resolve(closing)
            self._consider(members)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def withdraw(self, members: "_Group", member: "_Member") -> None:
        """For `Put.withdraw`."""
        if member.batch is None:
            self._remove(members, member)
        else:
            member.batch.lose_one()

    def finish(self, members: "_Group") -> None:
        """For `Turn.done`, and when a batch has run: one less in flight."""
        members.running -= 1
        if not members.due:
            self._consider(members)

    def _group(
        self,
        groups: "dict[Hashable, _Group]",
        key: Hashable,
        depart: "Callable[[_Group, list[_Member]], None]",
        max_running: int | None,
    ) -> "_Group":
        members = groups.get(key)
        if members is None:
            members = groups[key] = _Group(groups, key, depart, max_running)
        return members

    def _add(self, members: "_Group", item: Any, max_batch_size: int, max_wait_s: float) -> "_Member":
        loop = asyncio.get_running_loop()
        member = _Member(item, loop.create_future(), loop.time())
        members.waiting[member] = None
        members.max_batch_size = max_batch_size
        members.max_wait_s = max_wait_s
        self.waiting += 1
        if len(members.waiting) >= max_batch_size:
            self._consider(members)
        elif members.timer is None and not members.due:
            # At the end of this turn of the loop, so that what comes together is seen together.
            members.due = True
            loop.call_soon(self._consider, members)
        return member

    def _remove(self, members: "_Group", member: "_Member") -> None:
        if member in members.waiting:
            del members.waiting[member]
            self.waiting -= 1
            if not members.due:
                self._consider(members)

    def _consider(self, members: "_Group", now_s: float | None = None) -> None:
        """Let leave who may, set the timer for the rest, forget an empty group. `now_s`: the time a timer stood for."""
        loop = asyncio.get_running_loop()
        members.due = False
        if members.timer is not None:
            members.timer.cancel()
            members.timer = None
        while members.waiting:
            decision = decide(
                waiting=len(members.waiting),
                running=members.running,
                oldest_s=next(iter(members.waiting)).since_s,
                now_s=loop.time() if now_s is None else now_s,
                max_batch_size=members.max_batch_size,
                max_wait_s=members.max_wait_s,
                max_running=members.max_running,
            )
            match decision:
                case Leave(count):
                    leaving = [members.waiting.popitem(last=False)[0] for _ in range(count)]
                    self.waiting -= count
                    members.depart(members, leaving)
                case Wait(until_s):
                    if until_s is not None:
                        # The loop may call a little early; the decision is then taken as of `until_s` all the same.
                        members.timer = loop.call_at(until_s, self._consider, members, until_s)
                    return
                case _:
                    assert_never(decision)
        if not members.running and members.groups.get(members.key) is members:
            del members.groups[members.key]

    def _count(self, members: "_Group", *, size: int, running: int) -> None:
        members.running += running
        self.batches += 1
        self.items += size

    def _release(self, members: "_Group", leaving: "list[_Member]") -> None:
        self._count(members, size=len(leaving), running=len(leaving))
        for member in leaving:
            if not member.resolve(len(leaving)):
                # Cancelled, and its task has not run since: nobody will call `done`.
                members.running -= 1

    def _send(self, members: "_Group", leaving: "list[_Member]") -> None:
        self._count(members, size=len(leaving), running=1)
        batch = _Batch(asyncio.get_running_loop().create_task(self._call([member.item for member in leaving])))
        self._tasks.add(batch.task)
        for member in leaving:
            member.batch = batch
            batch.wanted += 1

        def land(task: asyncio.Task[Sequence[R | BaseException]]) -> None:
            self._tasks.discard(task)
            for member, outcome in zip(leaving, _outcomes(task, len(leaving)), strict=True):
                member.resolve(outcome)
            self.finish(members)

        batch.task.add_done_callback(land)

    async def _call(self, items: list[T]) -> Sequence[R | BaseException]:
        return await self._run(items)


class Put:
    """An item handed over."""

    __slots__ = ("_batcher", "_member", "_members")

    def __init__(self, batcher: MicroBatcher[Any, Any], members: "_Group", member: "_Member") -> None:
        self._batcher = batcher
        self._members = members
        self._member = member

    @property
    def outcome(self) -> asyncio.Future[Any]:
        """Its result, or an exception as a value."""
        return self._member.outcome

    def withdraw(self) -> None:
        """Nobody wants the result any more. At most once: a batch counts who still wants it."""
        self._batcher.withdraw(self._members, self._member)


class Turn:
    """A request's permission to send itself, in flight until `done`."""

    __slots__ = ("_batcher", "_members", "batch_size")

    def __init__(self, batcher: MicroBatcher[Any, Any], members: "_Group", batch_size: int) -> None:
        self.batch_size = batch_size
        """How many left together."""
        self._batcher: MicroBatcher[Any, Any] | None = batcher
        self._members = members

    def done(self) -> None:
        """The request is no longer in flight. Idempotent."""
        if self._batcher is not None:
            batcher, self._batcher = self._batcher, None
            batcher.finish(self._members)


@dataclass(eq=False, slots=True)
class _Group:
    """What waits and what runs of one group; written by the batcher only."""

    groups: "dict[Hashable, _Group]"
    """The map it is in."""
    key: Hashable
    depart: "Callable[[_Group, list[_Member]], None]"
    max_running: int | None
    waiting: "OrderedDict[_Member, None]" = field(default_factory=OrderedDict)
    """Oldest first."""
    running: int = 0
    """Batches (`submit`) or requests (`turn`) in flight."""
    max_batch_size: int = 1
    max_wait_s: float = 0.0
    """These two as the newest member asked."""
    due: bool = False
    """Whether it is looked at when this turn of the loop ends."""
    timer: asyncio.TimerHandle | None = None
    """The end of its window."""


@dataclass(eq=False, slots=True)
class _Member:
    item: Any
    outcome: asyncio.Future[Any]
    """A result, or an exception as a value: one never read must not be reported by the loop."""
    since_s: float
    batch: "_Batch | None" = None

    def resolve(self, outcome: object) -> bool:
        """False if its task was cancelled."""
        if self.outcome.done():
            return False
        self.outcome.set_result(outcome)
        return True


@dataclass(eq=False, slots=True)
class _Batch:
    task: asyncio.Task[Any]
    wanted: int = 0

    def lose_one(self) -> None:
        self.wanted -= 1
        if not self.wanted:
            self.task.cancel()


def _outcomes(task: asyncio.Task[Sequence[Any]], count: int) -> list[Any]:
    """One for each item of a batch that is done."""
    cancelled = Unavailable("The batch was cancelled.", code="batch_cancelled", retry_after_s=1)
    if task.cancelled():
        return [cancelled] * count
    if (error := task.exception()) is not None:
        return [error] * count
    results = task.result()
    if len(results) != count:
        return [RuntimeError(f"a batch of {count} returned {len(results)} results")] * count
    # A CancelledError raised in a submitter would look as if the submitter had been cancelled.
    return [cancelled if isinstance(result, asyncio.CancelledError) else result for result in results]
