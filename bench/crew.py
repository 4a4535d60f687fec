"""The load processes, as the process that reports sees them."""

import multiprocessing
import multiprocessing.connection
from collections import Counter
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any

from bench.tally import Tally
from bench.worker import FLOOR, STOP, Job, Progress, work

Watch = Callable[[Progress], None]
STOP_S = 10.0


class LoadFailed(RuntimeError):
    """A load process ended by itself."""


class Crew:
    """So many load processes, as a context manager."""

    def __init__(self, workers: int = 1) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipes: list[Connection] = []
        self._processes: list[BaseProcess] = []
        for worker in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=work, args=(theirs, worker, workers), daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(ours)
            self._processes.append(process)
        self.interrupted = False

    def __enter__(self) -> "Crew":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.join(STOP_S)
            if process.is_alive():
                process.kill()
                process.join()

    def floor_us(self) -> float:
        self._pipes[0].send(FLOOR)
        found: float = self._receive(self._pipes[0])
        return found

    def run(self, job: Job, watch: Watch = lambda progress: None) -> Tally:
        """Run a job on all of them. After Ctrl-C it returns what was measured, and `interrupted` is set."""
        for pipe in self._pipes:
            pipe.send(job)
        try:
            return self._collect(watch)
        except KeyboardInterrupt:
            self.interrupted = True
            for pipe in self._pipes:
                pipe.send(STOP)
            return self._collect(watch)

    def _collect(self, watch: Watch) -> Tally:
        whole: Tally | None = None
        told: dict[int, Progress] = {}
        waiting = list(self._pipes)
        while waiting:
            for ready in multiprocessing.connection.wait(waiting):
                assert isinstance(ready, Connection)
                message = self._receive(ready)
                if isinstance(message, Progress):
                    told[id(ready)] = message
                    outcomes: Counter[str] = Counter()
                    for progress in told.values():
                        outcomes.update(progress.outcomes)
                    watch(Progress(outcomes, sum(progress.errors for progress in told.values())))
                    continue
                waiting.remove(ready)
                if whole is None:
                    whole = message
                else:
                    whole.merge(message)
        assert whole is not None
        return whole

    def _receive(self, pipe: Connection) -> Any:
        try:
            return pipe.recv()
        except (EOFError, ConnectionResetError):
            raise LoadFailed("a load process ended; what it wrote above says why") from None
