"""`--workers 2`: a parent that serves nothing, and two processes behind one socket."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from bench.upstream import StubUpstream
from config.settings import Settings, with_secrets
from proxy.workers import listen
from tests.builders import chat
from tests.fleet.child import PATIENCE_S, Child, proxy_child

pytestmark = [pytest.mark.anyio, pytest.mark.real_loop]


@pytest.mark.parametrize(
    ("too_soon_s", "said"),
    [
        pytest.param(0, ["first", "again", "status 0", ""], id="replaced by one that knows it is not the first"),
        pytest.param(3600, ["first", "status 1", ""], id="the end of all if it came at once"),
    ],
)
def test_the_end_of_a_worker_is(too_soon_s, said):
    # In a process of its own, since it blocks signals and forks.
    command = [sys.executable, "-c", SUPERVISED, str(too_soon_s)]
    child = subprocess.run(command, capture_output=True, text=True, timeout=45, check=True)
    assert child.stdout.split("\n") == said
    assert "ended (status 3)" in child.stderr


SUPERVISED = """
import os, signal, sys
from proxy import workers

workers.TOO_SOON_S = float(sys.argv[1])


def work(orphaned, again):
    os.write(1, b"again\\n" if again else b"first\\n")
    if again:
        os.kill(os.getppid(), signal.SIGTERM)
        signal.pause()
    return 3


os.write(1, b"status %d\\n" % workers.supervise(1, work))
"""


@asynccontextmanager
async def two_workers() -> AsyncIterator[tuple[Child, str]]:
    async with StubUpstream() as stub:
        fixed = ("--port", "0", "--access-log", "off", "--workers", "2", "--upstream", stub.url)
        async with proxy_child(*fixed, ASKONCE_SERVER__DRAIN_S="0") as child:
            line = await child.says("askonce on")
            yield child, line.split()[2].removesuffix("/v1")


def workers_of(child: Child) -> list[int]:
    parent = child.process.pid
    return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


async def serves(url: str) -> None:
    async with httpx.AsyncClient(trust_env=False) as http:
        reply = await http.post(f"{url}/v1/chat/completions", json=chat(model="stub"))
        assert reply.status_code == 200


async def test_two_processes_serve_and_each_gets_the_signals():
    async with two_workers() as (child, url):
        await child.says("each has its own cache")
        await child.says("worker serves", times=2)
        await serves(url)
        child.signal(signal.SIGHUP)
        for worker in workers_of(child):
            await child.says(f"[{worker}] INFO askonce.reload: reloaded")
        child.signal(signal.SIGTERM)
        assert await child.ended() == 0


async def test_workers_stop_when_their_parent_is_gone():
    async with two_workers() as (child, url):
        await serves(url)
        workers = workers_of(child)
        child.signal(signal.SIGKILL)
        await child.ended()
        # They hold the standard error that the child's reader reads: it is at its end only when they have ended.
        await asyncio.wait_for(child.listening, PATIENCE_S)
        assert len(workers) == 2


def test_a_taken_port_is_an_error_and_leaves_no_socket_behind():
    first = listen("127.0.0.1", 0)
    with pytest.raises(OSError, match="in use"):
        listen("127.0.0.1", first[0].getsockname()[1])
    for listener in first:
        listener.close()


def test_all_addresses_of_a_name_are_on_one_port():
    sockets = listen("localhost", 0)
    assert len({listener.getsockname()[1] for listener in sockets}) == 1
    for listener in sockets:
        listener.close()


def test_secrets_that_nobody_gave_are_made_once_for_all():
    given = Settings(admin_token=SecretStr("chosen-by-the-operator"))
    first = with_secrets(given)
    assert first.admin_token == given.admin_token
    assert first.tenant_secret is not None
    assert with_secrets(given, first) == first
    assert with_secrets(given) != first
