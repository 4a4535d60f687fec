"""Several processes behind one listening socket: started, watched and stopped by one that serves nothing itself.

    SIGTERM, SIGINT   passed on as SIGTERM; the exit status is 0 once all have ended
    SIGHUP            passed on
    a worker ends     another takes its place; but if it ended soon after its start, all are stopped, status 1

The parent makes the socket, and whatever secret all must share, before it forks. It runs no thread and no event loop,
so nothing but memory is copied. All take connections from the one queue of the socket: none is lost with a worker.
"""

import logging
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable

TOO_SOON_S = 5.0
"""A worker that ends within this of its start would do so again."""

SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD})

Work = Callable[[int, bool], int]
"""What a worker does; returns its status.

It is given a file descriptor that is at its end once the parent is gone, and whether it takes the place of another:
then what the parent read at its start may be out of date.
"""

logger = logging.getLogger("askonce.workers")


def listen(host: str, port: int) -> list[socket.socket]:
    """Sockets bound to every address of `host`; with port 0 all on the same free one.

    Raises:
        OSError: an address is taken or not ours.
    """
    sockets: list[socket.socket] = []
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            listener = socket.socket(family, kind, protocol)
            sockets.append(listener)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            listener.bind((address[0], port, *address[2:]))
            port = listener.getsockname()[1]
            listener.listen(2048)
    except OSError:
        for listener in sockets:
            listener.close()
        raise
    return sockets


def supervise(count: int, work: Work) -> int:
    """Keep `count` workers at work until told to stop; the exit status."""
    # Blocked, so that each is taken by `sigwait`, one after the other; a worker unblocks them.
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    # Nobody writes: who reads sees the end when the last one who could has gone, and that is the parent.
    orphaned, alive = os.pipe()
    workers = {_start(work, orphaned, alive, again=False): time.monotonic() for _ in range(count)}
    stopping = False
    status = 0
    while workers:
        number = signal.sigwait(SIGNALS)
        if number == signal.SIGHUP:
            _tell(workers, signal.SIGHUP)
        elif number != signal.SIGCHLD:
            stopping = True
            _tell(workers, signal.SIGTERM)
        for worker, how in _ended(workers):
            lived_s = time.monotonic() - workers.pop(worker)
            if stopping:
                continue
            logger.error("worker %d ended (%s)", worker, how)
            if lived_s < TOO_SOON_S:
                stopping, status = True, 1
                _tell(workers, signal.SIGTERM)
            else:
                workers[_start(work, orphaned, alive, again=True)] = time.monotonic()
    return status


def _start(work: Work, orphaned: int, alive: int, *, again: bool) -> int:
    worker = os.fork()
    if worker:
        return worker
    status = 1
    try:
        os.close(alive)
        # A group of its own: what is typed at the terminal goes to the parent, which passes it on once.
        os.setpgid(0, 0)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until the server takes it
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        status = work(orphaned, again)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _tell(workers: dict[int, float], number: signal.Signals) -> None:
    for worker in workers:
        os.kill(worker, number)  # one that has ended is there until it is waited for


def _ended(workers: dict[int, float]) -> list[tuple[int, str]]:
    """Workers that have ended since, and how. Several ends may be told by one signal."""
    ended = []
    for worker in workers:
        pid, status = os.waitpid(worker, os.WNOHANG)
        if pid:
            code = os.waitstatus_to_exitcode(status)
            ended.append((worker, f"status {code}" if code >= 0 else signal.Signals(-code).name))
    return ended
