"""What a process holds: memory, open files, TCP connections by state. Linux only."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

STATES = {
    1: "established",
    2: "syn-sent",
    3: "syn-received",
    4: "fin-wait-1",
    5: "fin-wait-2",
    6: "time-wait",
    7: "close",
    8: "close-wait",
    9: "last-ack",
    10: "listen",
    11: "closing",
}
"""As `/proc/net/tcp` numbers them (include/net/tcp_states.h)."""


@dataclass(frozen=True, slots=True)
class Held:
    """A look at one process."""

    at_s: float
    """Since the beginning of the load."""
    rss_mb: float
    files: int
    connections: dict[str, int]
    """TCP connections by state, listening sockets left out."""

    @property
    def sockets(self) -> int:
        return sum(self.connections.values())


def held(pid: int, at_s: float) -> Held:
    """Raises OSError if the process is gone."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    inodes, files = set(), 0
    for entry in os.scandir(f"/proc/{pid}/fd"):
        files += 1
        try:
            target = os.readlink(entry.path)
        except FileNotFoundError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    states: Counter[str] = Counter()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[9] in inodes:
                states[STATES[int(words[3], 16)]] += 1
    states.pop("listen", None)
    return Held(at_s, pages * os.sysconf("SC_PAGE_SIZE") / 2**20, files, dict(states))


def slope_mb_per_min(samples: Sequence[Held]) -> float:
    """Of the memory, by least squares."""
    if len(samples) < 3:
        return 0.0
    minutes = np.array([one.at_s / 60 for one in samples])
    slope, _ = np.polyfit(minutes, np.array([one.rss_mb for one in samples]), 1)
    return float(slope)
