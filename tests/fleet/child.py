"""`python -m proxy` in a process of its own, and what it says on standard error."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

PATIENCE_S = 45
"""For what has to happen; waited for so long only when it does not."""


@dataclass
class Child:
    process: Process
    lines: list[str] = field(default_factory=list)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)
    listening: "asyncio.Task[None]" = field(init=False)
    """Ends when nobody is left who could say something."""

    async def listen(self) -> None:
        """Keep what it says; for the task that runs as long as it does."""
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            async with self.news:
                self.lines.append(line.decode().rstrip())
                self.news.notify_all()

    async def says(self, text: str, *, times: int = 1) -> str:
        """Wait until so many lines hold `text`; the last of them."""

        def said() -> list[str]:
            return [line for line in self.lines if text in line]

        try:
            async with asyncio.timeout(PATIENCE_S), self.news:
                await self.news.wait_for(lambda: len(said()) >= times)
        except TimeoutError:
            raise AssertionError(f"never said {text!r} {times} times: {self.lines}") from None
        return said()[-1]

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    async def ended(self) -> int:
        return await asyncio.wait_for(self.process.wait(), PATIENCE_S)


@asynccontextmanager
async def proxy_child(*arguments: str, **environment: str) -> AsyncIterator[Child]:
    """Start it; at the end it is gone, whatever happened."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "proxy",
        *arguments,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
    )
    child = Child(process)
    child.listening = asyncio.create_task(child.listen())
    try:
        yield child
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await asyncio.wait_for(child.listening, PATIENCE_S)
