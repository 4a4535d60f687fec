"""The client of `python -m proxy --demo`: a repeat, a burst, samples, other words, another tenant; what each cost."""

import argparse
import asyncio
import sys
import time
from dataclasses import dataclass

import httpx
from rich.console import Console
from rich.table import Table

BURST = 100
WIDTH = 130
"""Columns where there is no terminal to ask."""
QUESTION = "What is the capital of Canada?"
SLOW_QUESTION = "Name a prime. [[stub: first-byte-ms=1500]]"
"""The stub is told to take its time, so that all of the burst arrive while it answers."""

CONVERSION, OTHER_WORDS, REVERSED = "convert 5 km to miles", "what is 5 km in miles?", "convert 5 miles to km"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing the client does, and the generations it should cost."""

    title: str
    why: str
    requests: int
    expected: int
    temperature: float | None = 0
    stream: bool = False
    key: str = "sk-demo-alice"
    question: str = QUESTION
    pause_s: float = 0
    """Before it: an answer can be found by meaning once its vector is made, which is after it was sent."""


STEPS = (
    Step("first question", "nobody asked before", 1, 1),
    Step("the same again", "same key, fresh entry: answered from memory", 1, 0),
    Step("the same, as a stream", "one entry serves both wire modes", 1, 0, stream=True),
    Step(f"{BURST} equal streams at once", "one flight, read by all", BURST, 1, stream=True, question=SLOW_QUESTION),
    Step("three samples (temperature 0.8)", "samples are meant to differ: never cached, never shared", 3, 3, 0.8),
    Step("no temperature given", "counts as sampled, unless the policy says greedy", 1, 1, None),
    Step(CONVERSION, "its family may be matched by meaning: that has evidence", 1, 1, question=CONVERSION),
    Step(OTHER_WORDS, "the same in other words: answered by meaning", 1, 0, question=OTHER_WORDS, pause_s=1),
    Step(REVERSED, "looks alike, asks the reverse: refused by the guard", 1, 1, question=REVERSED),
    Step("another API key, same question", "another tenant: nothing is shared between them", 1, 1, key="sk-demo-bob"),
)


def main(arguments: list[str] | None = None) -> int:
    """Run every step against a proxy and its engine; 1 if one cost another number of generations than it should."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.demo",
        description=__doc__,
        epilog="example: python -m bench.demo --proxy http://127.0.0.1:8080 --engine http://127.0.0.1:9100",
    )
    parser.add_argument("--proxy", required=True, help="root of the proxy")
    parser.add_argument("--engine", required=True, help="root of the stub engine, which counts generations")
    parsed = parser.parse_args(arguments)
    return asyncio.run(run(parsed.proxy, parsed.engine))


async def run(proxy: str, engine: str) -> int:
    table = Table(title="askonce: what each request cost", title_justify="left")
    for column, justify in (("sent", "left"), ("generations", "right"), ("slowest", "right"), ("Cache-Status", "left")):
        table.add_column(column, justify=justify, overflow="fold")  # type: ignore[arg-type]  # a Literal in rich
    table.add_column("why")
    good = True
    async with httpx.AsyncClient(timeout=30, limits=httpx.Limits(max_connections=None)) as client:
        for step in STEPS:
            await asyncio.sleep(step.pause_s)
            before = await _generations(client, engine)
            replies = await asyncio.gather(*(_ask(client, proxy, step) for _ in range(step.requests)))
            cost = await _generations(client, engine) - before
            texts = {body for _, _, body in replies}
            right = cost == step.expected and all(text for text in texts)
            good = good and right
            statuses = sorted({status for _, status, _ in replies})
            slowest_s = max(seconds for seconds, _, _ in replies)
            generations = f"{cost} of {step.requests}" if right else f"{cost}, expected {step.expected}"
            table.add_row(
                step.title,
                generations,
                f"{slowest_s * 1000:.1f} ms",
                "\n".join(statuses),
                step.why,
                style=None if right else "bold red",
            )
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH
    console.print(table)
    return 0 if good else 1


async def _ask(client: httpx.AsyncClient, proxy: str, step: Step) -> tuple[float, str, str]:
    """Seconds, cache status and body of one request."""
    messages = [{"role": "user", "content": step.question}]
    body: dict[str, object] = {"model": "stub", "messages": messages, "max_tokens": 64}
    if step.temperature is not None:
        body["temperature"] = step.temperature
    if step.stream:
        body["stream"] = True
    started_s = time.perf_counter()
    reply = await client.post(
        f"{proxy}/v1/chat/completions", json=body, headers={"authorization": f"Bearer {step.key}"}
    )
    reply.raise_for_status()
    told = reply.headers.get("cache-status", "-").removeprefix("askonce; ").split("; ")
    status = "; ".join(part for part in told if not part.startswith("ttl="))
    return time.perf_counter() - started_s, status, reply.text


async def _generations(client: httpx.AsyncClient, engine: str) -> int:
    return int((await client.get(f"{engine}/stats")).json()["generations"])


if __name__ == "__main__":
    sys.exit(main())
