"""Any interleaving of joins, reads, departures, chunks, failures and cancels, checked against a model.

Each flight has a script: what its producer has done so far. The model knows, for every reader, what it must have got
by the time it has read all there is; the rules check the rest after each step.
"""

import asyncio
import functools
from dataclasses import dataclass, field
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from proxy.errors import ProxyError
from proxy.flight import Flight, Flights, Reader, SlowReader
from tests.virtual_time import VirtualTimeLoop

MAX_BYTES, MAX_LOG_BYTES, LONGEST_CHUNK, SLOW_READER_S = 60, 20, 12, 60
KEYS = st.sampled_from([b"one", b"two"])


class Broken(Exception):
    """The producer's failure."""


@dataclass(eq=False)
class Client:
    reader: Reader[str]
    script: "Script" = field(repr=False)
    with_withheld: bool
    wants_whole: bool
    """Reads by `whole`, not chunk by chunk."""
    got: bytearray = field(default_factory=bytearray)
    read: asyncio.Task[None] | None = None
    stopped_by: BaseException | None = None
    """What its reading ended with; StopAsyncIteration for a whole body."""


@dataclass(eq=False)
class Script:
    """One run of a producer, driven by the rules, and what its readers must see."""

    key: bytes
    stream: bool
    flight: Flight[str] = field(init=False)
    orders: asyncio.Queue[Any] = field(default_factory=asyncio.Queue)
    opened: bool = False
    closed: bool = False
    """To joins, by the producer or by a bound."""
    chunks: list[tuple[bytes, bool]] = field(default_factory=list)
    ended_with: type[BaseException] | None = None
    """What it was ordered to end with; `failed` once it has failed."""
    failed: bool = False
    cancelled: bool = False
    clients: list[Client] = field(default_factory=list)

    def body(self, *, with_withheld: bool) -> bytes:
        return b"".join(chunk for chunk, withheld in self.chunks if with_withheld or not withheld)


somebody_reads = precondition(lambda machine: bool(machine.reading()))
something_flies = precondition(lambda machine: bool(machine.live()))


class FlightsMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.loop = self.runner.get_loop()
        self.unhandled: list[dict[str, Any]] = []
        self.loop.set_exception_handler(lambda _, context: self.unhandled.append(context))
        self.flights = Flights[str](max_bytes=MAX_BYTES, max_log_bytes=MAX_LOG_BYTES, slow_reader_s=SLOW_READER_S)
        self.scripts: list[Script] = []
        self.produced = 0

    # What the rules are made of

    def settle(self, seconds: float = 0) -> None:
        async def wait() -> None:
            await asyncio.sleep(seconds)
            for _ in range(10):
                await asyncio.sleep(0)

        self.runner.run(wait())

    def live(self) -> list[Script]:
        return [script for script in self.scripts if script.ended_with is None and not script.cancelled]

    def reading(self) -> list[Client]:
        return [client for script in self.scripts for client in script.clients if client.stopped_by is None]

    async def produce(self, script: Script, flight: Flight[str]) -> None:
        """Obey the script's orders: each is a function of the flight that returns False to wait for room."""
        try:
            while (order := await script.orders.get()) is not None:
                if isinstance(order, Broken):
                    raise order
                if not order(flight):
                    await flight.room()
        except asyncio.CancelledError:
            script.cancelled = True
            raise

    async def read_some(self, client: Client, times: int) -> None:
        try:
            await client.reader.head()
            if client.wants_whole:
                client.got += await client.reader.whole()
                raise StopAsyncIteration
            for _ in range(times):
                client.got += await anext(client.reader)
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            # A reader closed under a waiting read ends it; that client had left before.
            client.stopped_by = client.stopped_by or error
            client.reader.close()

    def begin(self, key: bytes, stream: bool) -> Script | None:
        script = Script(key, stream)

        async def start() -> Flight[str] | None:
            bounded = self.flights.total_bytes >= MAX_BYTES  # here, as orders that are not settled come first
            flight = self.flights.start(key, stream=stream, produce=functools.partial(self.produce, script))
            assert (flight is None) is bounded
            return flight

        flight = self.runner.run(start())
        if flight is None:
            return None
        script.flight = flight
        for other in self.scripts:
            if (other.key, other.stream) == (key, stream):
                other.closed = True
        self.scripts.append(script)
        return script

    def enter(self, script: Script, with_withheld: bool, wants_whole: bool) -> None:
        reader = script.flight.join()
        reader.with_withheld = with_withheld
        script.clients.append(Client(reader, script, with_withheld, wants_whole))

    # Clients

    @rule(key=KEYS, stream=st.booleans(), with_withheld=st.booleans(), wants_whole=st.booleans(), begin=st.booleans())
    def a_client_comes(self, key, stream, with_withheld, wants_whole, begin):
        flight = self.flights.find(key, stream=stream)
        script: Script | None
        if flight is None:
            script = self.begin(key, stream)
        else:
            script = next(script for script in self.scripts if script.flight is flight)
            assert script.key == key
            assert script.stream or not stream
            assert not script.closed
            assert not script.failed
            assert flight.task is not None  # what its producer raised is its failure when it lands, a turn later
            assert not script.cancelled
        if script is not None:
            self.enter(script, with_withheld, wants_whole)
        if begin and flight is None and script is not None:

            async def take_the_first_step() -> None:
                script.flight.begin()

            self.runner.run(take_the_first_step())

    @rule(key=KEYS, stream=st.booleans())
    def a_client_comes_with_no_cache(self, key, stream):
        if (script := self.begin(key, stream)) is not None:
            self.enter(script, with_withheld=False, wants_whole=False)

    @somebody_reads
    @rule(data=st.data(), times=st.integers(1, 5))
    def a_client_reads(self, data, times):
        client = data.draw(st.sampled_from(self.reading()))
        if client.read is None or client.read.done():
            client.read = self.loop.create_task(self.read_some(client, times))
            self.settle()

    @somebody_reads
    @rule(data=st.data(), settled=st.booleans())
    def a_clients_read_is_cancelled(self, data, settled):
        """It may go on reading afterwards, as after a timeout; who wanted the whole leaves."""
        client = data.draw(st.sampled_from(self.reading()))
        if client.read is not None:
            client.read.cancel()
            if client.wants_whole:
                self.leave(client)
            elif settled:
                self.settle()

    @somebody_reads
    @rule(data=st.data())
    def a_client_leaves(self, data):
        self.leave(data.draw(st.sampled_from(self.reading())))

    def leave(self, client: Client) -> None:
        script = client.script
        was_over = script.flight.over
        client.reader.close()
        client.stopped_by = GeneratorExit()
        if not script.flight.readers and not was_over:
            script.closed = True
            for stream in (False, True):
                assert self.flights.find(script.key, stream=stream) is not script.flight
            self.settle()
            assert script.cancelled or script.flight.task is None

    # Producers

    @something_flies
    @rule(data=st.data(), settled=st.booleans())
    def a_head_arrives(self, data, settled):
        script = data.draw(st.sampled_from(self.live()))
        if script.opened:
            return
        script.opened = True
        joinable = data.draw(st.booleans()) or data.draw(st.booleans())

        def order(flight: Flight[str]) -> bool:
            flight.open("head", joinable=joinable)
            script.closed |= not joinable
            return True

        script.orders.put_nowait(order)
        if settled:
            self.settle()

    @something_flies
    @rule(data=st.data(), size=st.integers(0, LONGEST_CHUNK), settled=st.booleans())
    def a_whole_answer_arrives(self, data, size, settled):
        script = data.draw(st.sampled_from(self.live()))
        if script.opened:
            return
        script.opened = True
        self.produced += 1
        body = bytes([self.produced % 256]) * size

        def order(flight: Flight[str]) -> bool:
            script.closed = True
            script.chunks.append((body, False))
            flight.answer("head", body)
            return True

        script.ended_with = StopAsyncIteration
        script.orders.put_nowait(order)
        script.orders.put_nowait(None)
        if settled:
            self.settle()

    @something_flies
    @rule(data=st.data(), size=st.integers(0, LONGEST_CHUNK), withheld=st.booleans(), settled=st.booleans())
    def a_chunk_arrives(self, data, size, withheld, settled):
        script = data.draw(st.sampled_from(self.live()))
        if not script.opened:
            return
        self.produced += 1
        chunk = bytes([self.produced % 256]) * size

        def order(flight: Flight[str]) -> bool:
            script.chunks.append((chunk, withheld))
            return flight.append(chunk, withheld=withheld)

        script.orders.put_nowait(order)
        if settled:
            self.settle()

    @something_flies
    @rule(data=st.data(), how=st.sampled_from(["return", "end first", "raise", "fail first"]), settled=st.booleans())
    def a_producer_ends(self, data, how, settled):
        script = data.draw(st.sampled_from(self.live()))
        if not script.opened and how in ("return", "end first"):
            how = "raise"
        script.ended_with = StopAsyncIteration if how in ("return", "end first") else Broken

        def fail(flight: Flight[str]) -> bool:
            script.failed = True
            flight.fail(Broken())
            return True

        if how == "end first":
            script.orders.put_nowait(lambda flight: flight.end() or True)
        elif how == "fail first":
            script.orders.put_nowait(fail)
        script.orders.put_nowait(Broken() if how == "raise" else None)
        if settled:
            self.settle()

    @something_flies
    @rule(data=st.data())
    def a_producer_is_cancelled(self, data):
        script = data.draw(st.sampled_from(self.live()))
        script.flight.task.cancel()
        script.cancelled = True
        self.settle()

    @rule(seconds=st.sampled_from([1, SLOW_READER_S, 3 * SLOW_READER_S]))
    def time_passes(self, seconds):
        self.settle(seconds)

    @rule()
    def everything_ready_runs(self):
        self.settle()

    # What holds after every step

    @invariant()
    def no_bound_is_exceeded_by_more_than_a_chunk_a_flight(self) -> None:
        assert self.flights.total_bytes <= MAX_BYTES + len(self.scripts) * LONGEST_CHUNK
        for script in self.scripts:
            assert script.flight._bytes <= MAX_LOG_BYTES + LONGEST_CHUNK

    @invariant()
    def the_counts_are_right(self) -> None:
        assert self.flights.readers == sum(script.flight.readers for script in self.scripts)
        assert self.flights.total_bytes == sum(script.flight._bytes for script in self.scripts)

    @invariant()
    def who_wants_the_whole_sleeps_while_it_is_kept(self) -> None:
        for client in self.reading():
            flight = client.script.flight
            if client.reader._patient and flight._joinable and not flight.over:
                assert client.reader._waiter is not None

    @invariant()
    def the_readers_at_the_tail_are_counted(self) -> None:
        for script in self.scripts:
            flight = script.flight
            if not flight._joinable:
                positions = [reader.position for reader in flight._readers]
                assert flight._at_tail == positions.count(flight._tail)
                assert not flight._log or flight._at_tail or not positions

    @invariant()
    def nobody_has_got_what_was_not_sent_to_them(self) -> None:
        for script in self.scripts:
            for client in script.clients:
                assert script.body(with_withheld=client.with_withheld).startswith(client.got)

    @invariant()
    def a_client_whose_reading_ended_got_everything_or_one_documented_error(self) -> None:
        for script in self.scripts:
            for client in script.clients:
                match client.stopped_by:
                    case None | GeneratorExit() | SlowReader():
                        pass
                    case StopAsyncIteration():
                        assert script.ended_with is StopAsyncIteration
                        assert client.got == script.body(with_withheld=client.with_withheld)
                    case Broken() if client.wants_whole:
                        assert script.ended_with is Broken
                        assert client.got == b""
                    case Broken():
                        assert script.ended_with is Broken
                        assert client.got == script.body(with_withheld=client.with_withheld)
                    case ProxyError() as error:
                        assert error.code == "flight_cancelled"
                        assert script.cancelled
                    case error:
                        raise AssertionError(f"undocumented: {error!r}")

    def teardown(self) -> None:
        """Everybody who is left reads to the end; then nothing is left."""
        with self.runner:
            for script in self.live():
                if not script.opened:
                    script.orders.put_nowait(lambda flight: flight.open("head") or True)
                script.ended_with = StopAsyncIteration
                script.orders.put_nowait(None)
            for client in self.reading():
                if client.read is not None and not client.wants_whole:  # who wants the whole would lose what it took
                    client.read.cancel()
            self.settle()
            rest = [self.loop.create_task(self.read_some(client, 1000)) for client in self.reading()]
            self.settle(1)
            assert all(task.done() for task in rest)
            self.a_client_whose_reading_ended_got_everything_or_one_documented_error()
            self.nobody_has_got_what_was_not_sent_to_them()
            assert self.reading() == []
            assert (len(self.flights), self.flights.readers, self.flights.total_bytes) == (0, 0, 0)
            assert (self.flights._plain, self.flights._streams) == ({}, {})
            assert not any(task.get_name().startswith("flight") for task in asyncio.all_tasks(self.loop))
        assert self.unhandled == []


FlightsMachine.TestCase.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
test_any_interleaving_gives_the_whole_body_or_one_documented_error = FlightsMachine.TestCase
