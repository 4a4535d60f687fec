"""One JSON line a request; no prompt text, no credential, keys as short hashes."""

import logging
import sys
import time
from typing import IO

import orjson

logger = logging.getLogger("askonce.access_log")

FLUSH_BYTES = 32_768


class AccessLog:
    """Collects lines and writes them in blocks: at 32 kB, when its owner calls `flush`, and on `close`."""

    def __init__(self, target: str | None) -> None:
        """`target`: a file's path, `-` for standard error, None for no log."""
        self._lines: list[bytes] = []
        self._size = 0
        self._failing = False
        """Said once, until it can be written again."""
        self._path = None if target == "-" else target
        self._file: IO[bytes] | None = None
        if target == "-":
            self._file = sys.stderr.buffer
        elif target is not None:
            self._file = open(target, "ab", buffering=0)  # noqa: SIM115 - closed in close()

    @property
    def on(self) -> bool:
        """Whether lines are kept at all."""
        return self._file is not None

    def write(self, line: dict[str, object]) -> None:
        """Keep one line, whose values hold no text of the client's."""
        self.add(orjson.dumps({"time": round(time.time(), 3), **line}, option=orjson.OPT_APPEND_NEWLINE))

    def add(self, data: bytes) -> None:
        """Keep a line that is written already, its end included."""
        self._lines.append(data)
        self._size += len(data)
        if self._size >= FLUSH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what was collected. What can't be written (a full disk, a closed pipe) is dropped: no reply waits for
        its log line, and none fails over it."""
        lines = b"".join(self._lines)
        self._lines.clear()
        self._size = 0
        if self._file is None or not lines:
            return
        try:
            self._file.write(lines)
            if self._file is sys.stderr.buffer:
                self._file.flush()
        except (OSError, ValueError) as error:
            if not self._failing:
                logger.error("the access log can't be written (%s): its lines are dropped", type(error).__name__)
            self._failing = True
        else:
            self._failing = False

    def reopen(self) -> None:
        """Go on in a file of the same name: what rotates logs has moved the old one away. If there can be none, the old
        one is kept."""
        if self._path is None or self._file is None:
            return
        self.flush()
        try:
            fresh = open(self._path, "ab", buffering=0)  # noqa: SIM115 - as above
        except OSError as error:
            logger.error("the access log can't be opened again (%s): the old file is kept", type(error).__name__)
            return
        self._file.close()
        self._file = fresh

    def close(self) -> None:
        """Write the rest and close the file."""
        self.flush()
        if self._file is not None and self._file is not sys.stderr.buffer:
            self._file.close()
        self._file = None
