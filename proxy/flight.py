"""One producer, many readers: what several clients ask at the same moment is made once, and read by each as it is made.

A flight is a head, a log of chunks, and the task that produces them. It belongs to no client: the first reader is a
reader like any other. Everything here runs on one event loop, and every method that is not `async` finishes without
suspending, so a caller may `find`, `start` and `join` in one step that nothing can come between. (One long module: the
three classes are one state machine, and what holds between their fields has to be read in one place.)

The life of a flight:

    begun     `start` registers it and creates its task. It can be found.
    open      the producer set the head; chunks follow.
    over      the producer called `end`, `answer` or `fail`, or the last reader left. Readers still get what was logged.
              After `end` it can be found until it has landed, so that a request sees either the stored entry or the
              flight; after the others it can't.
    landed    its task is done. It can't be found. Readers may go on reading what is logged.

When the last reader leaves a flight that is not over, nobody wants the rest: it can't be found from that moment, and
its task is cancelled.

A reader takes what comes as it comes, by `async for`, or asks for the `whole` and is then left alone: it is woken when
the flight is over, or when nobody may join any more, and from then on for each chunk, as the log is not kept for it.

The log is whole as long as somebody may join. Once nobody may (it outgrew `max_log_bytes`, all logs together outgrew
`max_bytes`, the producer closed it, or it landed), what all readers have read is dropped, and `append` returns False
while too much is left unread. Both bounds can be exceeded by the one chunk that reaches them.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final, Generic, Self, TypeVar, cast

from proxy.begun import Begun
from proxy.errors import Unavailable

H = TypeVar("H")

MAX_READ_BYTES: Final = 65536
"""A reader that lags gets several chunks as one, up to this many bytes: fewer sends, the same bytes."""

_UNSET: Final[Any] = object()
_logger = logging.getLogger(__name__)


class SlowReader(Unavailable):
    """This reader took nothing for `slow_reader_s` while others, or memory, waited for it."""

    code = "slow_reader"


class Flights(Generic[H]):
    """The flights of this process: who may join which, the bounds they share, and the owner of their tasks.

    All of its state: two maps from key to the flight that can be found (asked plain, asked as a stream), the tasks
    that are not done with their flights, and plain counters for metrics.
    """

    def __init__(self, *, max_bytes: int, max_log_bytes: int, slow_reader_s: float) -> None:
        self.max_bytes = max_bytes
        self.max_log_bytes = max_log_bytes
        self.slow_reader_s = slow_reader_s
        self.total_bytes = 0
        """Bytes in all logs; written by the flights."""
        self.readers = 0
        """Readers of all flights; written by the flights."""
        self.started = 0
        self.joined = 0
        """Readers that came to a flight which had had one already."""
        self.cut = 0
        """Readers cut for being slow."""
        self._plain: dict[bytes, Flight[H]] = {}
        self._streams: dict[bytes, Flight[H]] = {}
        self._aloft: dict[asyncio.Task[None], Flight[H]] = {}
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        """The one all of this runs on; known from the first flight on. To ask asyncio for it is a system call."""

    def __len__(self) -> int:
        """Flights whose task has not ended, cancelled ones included."""
        return len(self._aloft)

    def find(self, key: bytes, *, stream: bool) -> "Flight[H] | None":
        """Whom a client may join: a plain client any flight of its key, a streaming one only one asked as a stream."""
        if not stream and (flight := self._plain.get(key)) is not None:
            return flight
        return self._streams.get(key)

    def start(
        self, key: bytes, *, stream: bool, family: str = "", produce: "Callable[[Flight[H]], Coroutine[Any, Any, None]]"
    ) -> "Flight[H] | None":
        """Begin a flight that runs `produce` in a task of its own; it replaces one of the same key and mode.

        None if all logs together are at their bound, or after `drain`: the request then flies alone. What `produce`
        raises becomes the flight's failure. Join before suspending: a flight nobody joins runs to its end unread.
        Then call `Flight.begin`, or it begins when the loop comes to it.
        """
        if self._closed or self.total_bytes >= self.max_bytes:
            return None
        slots = self._streams if stream else self._plain
        loop = self._loop
        if loop is None:
            loop = self._loop = asyncio.get_running_loop()
        flight = Flight(self, slots, key, stream, family, loop)
        run = flight.run = Begun(produce(flight))
        # As `create_task` would, which in uvloop takes twice as long.
        task = flight.task = asyncio.Task(run, loop=loop, name="flight")
        task.add_done_callback(self._land)
        self._aloft[task] = flight
        if (replaced := slots.get(key)) is not None:
            replaced.close_to_joins()
        slots[key] = flight
        self.started += 1
        return flight

    def close_to_joins(self, family: str | None = None) -> None:
        """From now on nobody may join what is under way, of one family or at all; who reads it already reads on."""
        for flight in [*self._plain.values(), *self._streams.values()]:
            if family is None or flight.family == family:
                flight.close_to_joins()

    async def drain(self, grace_s: float) -> None:
        """Wait up to `grace_s` for the flights to land, then fail and cancel what is left; none starts afterwards."""
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + grace_s
        try:
            while self._aloft and (left_s := deadline_s - loop.time()) > 0:
                await asyncio.wait(self._aloft, timeout=left_s)
        finally:
            self._closed = True
            self._end_all()
        while self._aloft:
            # Again after a second, for a producer that swallowed its cancellation.
            await asyncio.wait(self._aloft, timeout=1)
            self._end_all()

    def _end_all(self) -> None:
        for task, flight in self._aloft.items():
            flight.fail(Unavailable("The proxy is shutting down.", code="shutting_down", retry_after_s=1))
            task.cancel()

    def _land(self, task: asyncio.Task[None]) -> None:
        # The task's done callback rather than a `finally` in it: readers that were woken by its end have left by now.
        flight = self._aloft.pop(task)
        if task.cancelled():
            flight.land(asyncio.CancelledError())
            return
        error = task.exception()
        if error is not None and flight.over and error is not flight.failure:
            _logger.warning("flight %s raised %s after it was over", flight.key.hex()[:8], type(error).__name__)
        flight.land(error)


class Flight(Generic[H]):
    """A head, a log, and who reads them.

    The producer calls `open`, `append`, `room`, `end`, or `answer` in place of these, `fail` and `close_to_joins`, and
    may look at `readers` and `beginning`; a client calls `join`, and who started it, `begin`.
    """

    __slots__ = (
        "_at_tail",
        "_bytes",
        "_flights",
        "_head",
        "_joinable",
        "_landed",
        "_log",
        "_loop",
        "_readers",
        "_room",
        "_seen",
        "_slots",
        "_tail",
        "_watch",
        "_withheld",
        "beginning",
        "failure",
        "family",
        "key",
        "over",
        "run",
        "stream",
        "task",
    )

    def __init__(
        self,
        flights: Flights[H],
        slots: "dict[bytes, Flight[H]]",
        key: bytes,
        stream: bool,
        family: str,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.key: Final = key
        self.family: Final = family
        self.stream: Final = stream
        """Whether it is asked upstream as a stream."""
        self.run: Begun[None] | None = None
        self.task: asyncio.Task[None] | None = None
        """These two set by `Flights.start`, once, and cleared when it has landed."""
        self.beginning = False
        """Whether the producer is in a first step that `begin` takes: who came in the same turn has yet to join."""
        self.over = False
        """Set once: by the producer's `end` or `fail`, by the last reader's leaving, or by `drain`."""
        self.failure: BaseException | None = None
        """Set together with `over`, or never."""
        self._flights = flights
        self._slots = slots
        self._loop = loop
        self._head: H = _UNSET
        """Set by the producer, once."""
        self._log: list[bytes] = []
        """The producer appends; the reader that was the last to read a chunk drops it, once nobody may join."""
        self._withheld: set[int] | None = None
        """Positions of withheld chunks, if there are any; written by the producer."""
        self._tail = 0
        """Position of `_log[0]`, counted from the flight's first chunk; moves when chunks are dropped."""
        self._bytes = 0
        """Bytes in `_log`."""
        self._readers: dict[Reader[H], None] = {}
        """In order of joining; a reader enters by `join` and leaves by its own `close` or by being cut."""
        self._at_tail = 0
        """Readers whose next chunk is `_log[0]`; kept only once nobody may join."""
        self._seen = False
        """Whether anybody joined."""
        self._joinable = True
        """True exactly as long as it is in its slot, where it can be found; cleared once, by `close_to_joins`."""
        self._landed = False
        self._room: asyncio.Future[None] | None = None
        """What the producer waits on in `room`; resolved by the reader that makes room."""
        self._watch: asyncio.TimerHandle | None = None
        """Looks for readers that stopped, after landing, as long as something is unread."""

    @property
    def readers(self) -> int:
        return len(self._readers)

    def join(self) -> "Reader[H]":
        """A reader of the whole flight, from its start. The caller closes it.

        Raises:
            RuntimeError: nobody may join any more; `Flights.find` does not return such a flight.
        """
        if not self._joinable:
            raise RuntimeError("this flight takes no more readers: ask Flights.find, and join before suspending")
        if self._seen:
            self._flights.joined += 1
        self._seen = True
        reader = Reader(self)
        self._readers[reader] = None
        self._flights.readers += 1
        return reader

    def begin(self) -> None:
        """Take the producer's first step now: what it asks is on its way before whoever else waits for the loop."""
        self.beginning = True
        assert self.run is not None
        assert self.task is not None
        self.run.begin(self.task)
        self.beginning = False

    def open(self, head: H, *, joinable: bool = True) -> None:
        """Set the head; once. `joinable=False` keeps further readers out from here on."""
        if not self.over:
            self._open(head, joinable)
            self._wake()

    def _open(self, head: H, joinable: bool) -> None:
        if self._head is not _UNSET:
            raise RuntimeError("this flight has a head already")
        self._head = head
        if len(self._readers) == 1:
            for reader in self._readers:
                reader.alone = True
        if not joinable:
            self.close_to_joins()

    def append(self, chunk: bytes, *, withheld: bool = False) -> bool:
        """Log a chunk and wake who waits for it. False: await `room` before reading more.

        `withheld` chunks go only to readers that set `with_withheld`. Does nothing once the flight is over, or when
        nobody reads it and nobody may join.
        """
        if self.over or not (self._joinable or self._readers):
            return True
        flights = self._flights
        if chunk:
            if withheld:
                if self._withheld is None:
                    self._withheld = set()
                self._withheld.add(self._tail + len(self._log))
            size = len(chunk)
            self._log.append(chunk)
            self._bytes += size
            flights.total_bytes += size
        # As `_within_bounds`: this runs once a chunk.
        within_bounds = self._bytes <= flights.max_log_bytes and flights.total_bytes <= flights.max_bytes
        if not within_bounds:
            self.close_to_joins()
        if chunk:
            self._wake()
        return within_bounds or self._has_room()

    def answer(self, head: H, body: bytes) -> None:
        """`open`, `append` and `end` at once, for a reply that is there as a whole. Nobody may join any more."""
        if not self.over:
            self._open(head, joinable=False)
            if body and self._readers:
                self._log.append(body)
                self._bytes += len(body)
                self._flights.total_bytes += len(body)
            self.over = True
            self._wake()

    async def room(self) -> None:
        """Wait until the slowest reader has made room. One that takes nothing for `slow_reader_s` meanwhile is cut."""
        while not self._has_room():
            self._room = self._loop.create_future()
            timer = self._loop.call_later(self._flights.slow_reader_s, self._cut_stopped, self._tail)
            try:
                await self._room
            finally:
                timer.cancel()
                self._room = None

    def end(self) -> None:
        """The body is complete. Optional before `produce` returns: it saves readers from waiting for the rest of it."""
        if self._head is _UNSET:
            self.fail(RuntimeError("a flight ended without a head"))
        elif not self.over:
            self.over = True
            self._wake()

    def fail(self, error: BaseException) -> None:
        """Readers get what was logged, then `error`. Does nothing once the flight is over.

        A CancelledError becomes Unavailable: raised in a reader, it would look as if the reader had been cancelled.
        """
        if isinstance(error, asyncio.CancelledError):
            error = Unavailable("The shared request was cancelled.", code="flight_cancelled", retry_after_s=1)
        if not self.over:
            self.over = True
            self.failure = error
            self.close_to_joins()
            self._wake()
            self._wake_producer()

    def close_to_joins(self) -> None:
        """From now on nobody may join, and what all have read is dropped. Idempotent."""
        if self._joinable:
            self._joinable = False
            del self._slots[self.key]
            if self._log:
                self._drop_read()
                self._wake()
            else:
                self._at_tail = len(self._readers)

    def land(self, error: BaseException | None) -> None:
        """The task is done; for `Flights` only."""
        if not self.over:
            if error is None:
                self.end()
            else:
                self.fail(error)
        self._landed = True
        self.run = self.task = None  # a task keeps where it failed, and so its frames, which hold this flight
        if self._joinable:
            self.close_to_joins()
        if self._log:
            self._watch_unread()

    def leave(self, reader: "Reader[H]") -> None:
        """For `Reader.close`, which calls it once."""
        del self._readers[reader]
        self._flights.readers -= 1
        if not self._joinable:
            if not self._readers:
                self._at_tail = 0
                if self._log:
                    self._drop_read()
            elif reader.position == self._tail:
                self._leave_tail()
        if not self._readers and not self.over:
            self.fail(asyncio.CancelledError())
            cast(asyncio.Task[None], self.task).cancel()

    def _wake(self) -> None:
        """Wake who waits; who waits for the whole, once that is due."""
        whole = self.over or not self._joinable
        for reader in self._readers:
            waiter = reader._waiter
            if waiter is not None and (whole or not reader._patient):
                reader._waiter = None
                if not waiter.done():  # else its read was cancelled
                    waiter.set_result(None)

    def _wake_producer(self) -> None:
        room = self._room
        if room is not None and not room.done() and self._has_room():
            room.set_result(None)

    def _within_bounds(self) -> bool:
        return self._bytes <= self._flights.max_log_bytes and self._flights.total_bytes <= self._flights.max_bytes

    def _has_room(self) -> bool:
        # A flight whose readers have read everything goes on even while other logs hold all the memory there is.
        return self._within_bounds() or not self._bytes or self.over

    def _leave_tail(self) -> None:
        """A reader has left the tail, by reading or by leaving; called only once nobody may join."""
        self._at_tail -= 1
        if self._at_tail <= 0 and self._log:
            self._drop_read()

    def _drop_read(self) -> None:
        # Runs over the readers, but only when the last of them left the tail: on average once per reader and chunk.
        log = self._log
        tail = self._tail + len(log)
        at_tail = 0
        for reader in self._readers:
            position = reader.position
            if position < tail:
                tail, at_tail = position, 1
            elif position == tail:
                at_tail += 1
        self._at_tail = at_tail
        count = tail - self._tail
        if not count:
            return
        size = self._bytes if count == len(log) else sum(map(len, log[:count]))
        del log[:count]
        self._tail = tail
        self._bytes -= size
        self._flights.total_bytes -= size
        if self._room is not None:
            self._wake_producer()
        if self._watch is not None and not log:
            self._watch.cancel()

    def _watch_unread(self) -> None:
        self._watch = self._loop.call_later(self._flights.slow_reader_s, self._cut_stopped, self._tail)

    def _cut_stopped(self, tail: int) -> None:
        """A timer's callback: cut the readers that are still at what was the tail when it was set."""
        for reader in [reader for reader in self._readers if reader.position == tail]:
            self._flights.cut += 1
            reader.close(SlowReader("The client read too slowly."))
        if self._landed and self._log:
            self._watch_unread()


class Reader(Generic[H]):
    """One client's place in a flight: its head, then its chunks by `async for`, or the `whole` of them.

    Reading by `async for` may be cancelled or timed out at any time and loses nothing. Chunks that wait are joined, up
    to `MAX_READ_BYTES` a read.
    """

    __slots__ = ("_closed", "_flight", "_patient", "_reason", "_waiter", "alone", "position", "with_withheld")

    def __init__(self, flight: Flight[H]) -> None:
        self.with_withheld = False
        """Set by the client before it reads: whether it gets the chunks that are withheld from others."""
        self.alone = False
        """Whether it was the only one when the head came. Written by the flight."""
        self.position = 0
        """The next chunk, counted from the flight's first; written by this reader."""
        self._flight = flight
        self._waiter: asyncio.Future[None] | None = None
        """Set by the reader when it waits; resolved by the flight when there is news, or by `close`."""
        self._patient = False
        """Whether it waits for the whole. Written by this reader."""
        self._closed = False
        """Set once, by the client's `close` or by the flight that cuts it."""
        self._reason: Exception | None = None
        """What a further read raises, if that was said."""

    async def head(self) -> H:
        """Wait for the head.

        Raises:
            BaseException: the flight's failure, if it failed before it had a head.
        """
        flight = self._flight
        while flight._head is _UNSET:
            if self._closed:
                raise self._left()
            if flight.failure is not None:
                raise flight.failure.with_traceback(None)
            # A future for each: cancelling one reader would cancel a shared one for all, and to shield it costs more.
            waiter = self._waiter = flight._loop.create_future()
            await waiter
        return flight._head

    def answer(self) -> bytes | None:
        """What `whole` would give, if that is one chunk and has come; leaves then."""
        flight = self._flight
        log = flight._log
        if (
            not flight.over
            or len(log) != 1
            or self.position != flight._tail
            or flight.failure is not None
            or flight._withheld is not None
            or self._closed
        ):
            return None
        chunk = log[0]
        self.close()
        return chunk

    async def whole(self) -> bytes:
        """All there is from here to the end, for who wants nothing sooner; then leaves.

        Cancelled, it loses what it took after nobody could join any more.

        Raises:
            SlowReader: this reader was cut.
            BaseException: the flight's failure.
        """
        flight = self._flight
        taken: list[bytes] = []
        while True:
            if not taken and (body := self.answer()) is not None:
                return body
            if self._closed:
                raise self._left()
            if flight.over:
                if flight.failure is not None:
                    raise flight.failure.with_traceback(None)
                if self.position < flight._tail + len(flight._log):
                    taken.append(self._take(None))
                self.close()
                return b"".join(taken)
            if not flight._joinable and self.position < flight._tail + len(flight._log):
                taken.append(self._take(None))
            self._patient = True
            waiter = self._waiter = flight._loop.create_future()
            try:
                await waiter
            finally:
                self._patient = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        """The bytes that came since the last read; waits for some.

        Raises:
            SlowReader: this reader was cut.
            BaseException: the flight's failure, after everything that was logged.
        """
        flight = self._flight
        while True:
            if self._closed:
                raise self._left()
            if self.position < flight._tail + len(flight._log) and (chunk := self._take(MAX_READ_BYTES)):
                return chunk
            if flight.over:
                if flight.failure is not None:
                    # One exception for many readers: without this each would add its frames to the last one's.
                    raise flight.failure.with_traceback(None)
                raise StopAsyncIteration
            waiter = self._waiter = flight._loop.create_future()
            await waiter

    async def aclose(self) -> None:
        """`close`, for who reads it as a stream."""
        self.close()

    def close(self, reason: Exception | None = None) -> None:
        """Leave. The last one out of a flight that is not over ends it. Idempotent; a later read raises `reason`."""
        if not self._closed:
            self._closed = True
            self._reason = reason
            self._flight.leave(self)
            waiter = self._waiter
            if waiter is not None and not waiter.done():
                waiter.set_result(None)

    def _left(self) -> Exception:
        return self._reason or RuntimeError("this reader is closed")

    def _take(self, max_bytes: int | None) -> bytes:
        """What has come since the last read, which is something; empty if all of it is withheld from this reader."""
        flight = self._flight
        log = flight._log
        position = self.position
        end = flight._tail + len(log)
        if position + 1 == end and flight._withheld is None:
            chunk = log[-1]
            self.position = end
        else:
            chunk = self._take_several(end, max_bytes)
        if position == flight._tail and not flight._joinable:
            flight._leave_tail()
        return chunk

    def _take_several(self, end: int, max_bytes: int | None) -> bytes:
        flight = self._flight
        withheld = () if self.with_withheld or flight._withheld is None else flight._withheld
        chunks: list[bytes] = []
        size = 0
        position = self.position
        for chunk in flight._log[position - flight._tail :]:
            if position not in withheld:
                size += len(chunk)
                if max_bytes is not None and size > max_bytes and chunks:
                    break
                chunks.append(chunk)
            position += 1
        self.position = position
        return b"".join(chunks)
