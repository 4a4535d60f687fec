"""Settings and policies that change under load: nobody notices but those whom the change is about."""

import asyncio
import contextlib
import logging
import signal
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from bench.upstream import StubUpstream
from config.settings import Settings, load_settings
from policies.load import load_policies
from proxy.reload import NOT_RELOADED, RELOADED
from proxy.upstream.client import UpstreamRequest
from tests.builders import ScriptedReply, answer, chat, outcome, policy_set, stream_of, text_of
from tests.fleet.builders import Fleet, engine, fate, fleet
from tests.fleet.child import proxy_child

REQUESTS = 2000
RELOADS = 20
BROKEN = {7: "policies", 13: "settings"}
"""Which reloads find a file that is wrong."""

SETTINGS = """
upstreams:
  - name: a
    url: http://a.test
    aliases: {fast: ALIAS}
    revision: 'REVISION'
access_log: 'off'
tenants:
  - {name: acme, api_keys: [KEY]}
policies: policies.yaml
"""
POLICIES = "version: 1\ndefaults: {exact: {ttl_s: TTL}, semantic: {mode: off, threshold: THRESHOLD}}\n"


class Files:
    """The two files as they are on the disk."""

    def __init__(self, folder: Path) -> None:
        self.settings, self.policies = folder / "proxy.yaml", folder / "policies.yaml"
        self.values = {"ALIAS": "model-a", "REVISION": "1", "KEY": "sk-acme-one", "TTL": "3600", "THRESHOLD": "0.9"}
        self.write()

    def write(self, **changed: object) -> None:
        self.values |= {name: str(value) for name, value in changed.items()}
        for path, text in ((self.settings, SETTINGS), (self.policies, POLICIES)):
            for name, value in self.values.items():
                text = text.replace(name, value)
            path.write_text(text)

    def read(self) -> Settings:
        return load_settings(self.settings, {})

    def fleet(self) -> Any:
        settings = self.read()
        given = {name: getattr(settings, name) for name in ("access_log", "tenants")}
        return fleet(
            engine("a", aliases={"fast": "model-a"}, revision="1"),
            policies=load_policies(self.policies),
            policies_file=self.policies,
            options={"read_settings": self.read},
            **given,
        )


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


class Engine:
    """Answers with the prompt; one that begins with `span` waits until told to go on."""

    def __init__(self) -> None:
        self.go_on: dict[str, asyncio.Event] = {}

    def __call__(self, request: UpstreamRequest) -> ScriptedReply:
        assert isinstance(request.body, bytes)
        payload = orjson.loads(request.body)
        prompt = payload["messages"][0]["content"]
        if not payload.get("stream"):
            return ScriptedReply(answer(prompt))
        parts = stream_of(prompt)
        event = self.go_on.get(prompt)
        return ScriptedReply([*parts[:1], *([event] if event else []), *parts[1:]])


@pytest.mark.anyio
@pytest.mark.real_loop
async def test_two_thousand_requests_and_twenty_reloads_two_of_them_broken(files, caplog):
    async with files.fleet() as f:
        served = Engine()
        f.engines["a"].script(served)
        prompts = [f"prompt {n}" for n in range(50)]
        for prompt in prompts:
            await f.ask(chat(prompt, model="fast"), key="sk-acme-one")
        filled = f.calls
        reloads = iter(range(1, RELOADS + 1))
        clients = [asyncio.create_task(client(f, prompts, served, reloads, files)) for _ in range(20)]
        fates = [fate for fates in await asyncio.gather(*clients) for fate in fates]
        assert len(fates) == REQUESTS
        # Not one entry was lost to a changed TTL or threshold: all were hits, but for each reload's own flight.
        assert fates.count("hit") == REQUESTS - 2 * RELOADS
        assert fates.count("miss") == fates.count("collapsed") == RELOADS
        assert f.calls == filled + RELOADS
        assert metric(f, "askonce_reloads_total", result="ok") == RELOADS - len(BROKEN)
        assert metric(f, "askonce_reloads_total", result="refused") == len(BROKEN)
        assert "policies.yaml:2: " in caplog.text
        assert "proxy.yaml:1: upstreams[0].url: must be given" in caplog.text

        files.write(ALIAS="model-b")
        assert await f.app.reloader.reload()
        assert fate(await f.ask(chat(prompts[0], model="fast"), key="sk-acme-one")) == "miss"
        files.write(ALIAS="model-a")
        assert await f.app.reloader.reload()
        assert fate(await f.ask(chat(prompts[0], model="fast"), key="sk-acme-one")) == "hit"
        files.write(REVISION="2")
        assert await f.app.reloader.reload()
        assert fate(await f.ask(chat(prompts[0], model="fast"), key="sk-acme-one")) == "miss"
        files.write(KEY="sk-acme-new")
        assert await f.app.reloader.reload()
        assert (await f.ask(key="sk-acme-one")).status_code == 401
        assert (await f.ask(key="sk-acme-new")).status_code == 200


async def client(f: Fleet, prompts: list[str], served: Engine, reloads: Any, files: Files) -> list[str]:
    """A hundred requests; as long as there are reloads left to make, each of its rounds makes one."""
    fates: list[str] = []
    while len(fates) < REQUESTS // 20:
        if (number := next(reloads, None)) is not None:
            fates += await over_a_reload(f, served, number, files)
        for _ in range(8):
            prompt = prompts[len(fates) % len(prompts)]
            reply = await f.ask(chat(prompt, model="fast", stream=len(fates) % 2 == 0), key="sk-acme-one")
            assert (reply.status_code, text_of(reply)) == (200, prompt)
            fates.append(fate(reply))
            if len(fates) == REQUESTS // 20:
                break
    return fates


async def over_a_reload(f: Fleet, served: Engine, number: int, files: Files) -> list[str]:
    """Two clients share a flight that begins before a reload and ends after it."""
    prompt = f"span {number}"
    served.go_on[prompt] = asyncio.Event()
    body = chat(prompt, model="fast", stream=True)
    both = [asyncio.create_task(f.ask(body, key="sk-acme-one")) for _ in range(2)]
    async with EDITING:
        files.write(TTL=3600 + number, THRESHOLD=0.85 + number / 1000)
        if BROKEN.get(number) == "policies":
            files.write(TTL="soon")
        elif BROKEN.get(number) == "settings":
            files.settings.write_text("upstreams: [{name: a}]\n")
        assert await f.app.reloader.reload() is (number not in BROKEN)
        files.write(TTL=3600)
    served.go_on[prompt].set()
    replies = await asyncio.gather(*both)
    assert [text_of(reply) for reply in replies] == [prompt] * 2
    return [fate(reply) for reply in replies]


EDITING = asyncio.Lock()
"""One edits the files at a time."""


def metric(f: Fleet, name: str, **labels: str) -> float:
    return f.app.metrics.registry.get_sample_value(name, labels) or 0.0


@pytest.mark.anyio
async def test_a_shorter_ttl_counts_for_what_is_stored_already():
    async with fleet(policies=policy_set(exact={"ttl_s": 3600})) as f:
        await f.ask()
        await asyncio.sleep(100)
        f.reload(policy_set(exact={"ttl_s": 50}), upstreams=[engine("a")])
        assert fate(await f.ask()) == "miss"
        await asyncio.sleep(60)
        f.reload(policy_set(exact={"ttl_s": 3600}), upstreams=[engine("a")])
        assert fate(await f.ask()) == "hit"


@pytest.mark.anyio
async def test_an_upstream_that_stays_keeps_its_connections_and_its_health():
    async with fleet(engine("a"), engine("b")) as f:
        before = f.app.pool.upstreams
        before[0].health.unreachable()
        f.reload(upstreams=[engine("a", revision="2"), engine("b", url="http://c.test")])
        after = f.app.pool.upstreams
        assert after[0].client is before[0].client
        assert not after[0].health.may_be_asked()
        assert after[1].client is not before[1].client


@pytest.mark.anyio
@pytest.mark.real_loop
async def test_what_needs_a_restart_is_said_and_the_rest_is_done(files, caplog):
    async with files.fleet() as f:
        files.settings.write_text(files.settings.read_text() + "port: 9999\nadmin_hosts: [x.internal]\n")
        with caplog.at_level(logging.WARNING):
            assert await f.app.reloader.reload()
        assert "changed, but needs a restart: port, admin_hosts" in caplog.text


@pytest.mark.anyio
@pytest.mark.real_loop
async def test_a_fault_of_our_own_ends_neither_the_watch_nor_what_is_in_force(files, caplog):
    async with files.fleet() as f:
        f.app.reloader._read_settings = lambda: 1 / 0
        assert not await f.app.reloader.reload()
        assert "ZeroDivisionError" in caplog.text
        f.app.reloader._read_settings = files.read
        assert await f.app.reloader.reload()


@pytest.mark.anyio
@pytest.mark.real_loop
async def test_a_configmap_whose_links_are_moved_is_read_again(tmp_path):
    """Kubernetes changes neither the file nor its link, but the link of the folder between."""

    def version(number: int) -> None:
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "policies.yaml").write_text(f"version: 1  # {number}\n")
        (tmp_path / "next").symlink_to(folder)
        (tmp_path / "next").rename(tmp_path / "data")

    version(0)
    (tmp_path / "policies.yaml").symlink_to("data/policies.yaml")
    async with fleet(options={"files": (tmp_path / "policies.yaml",)}) as f:
        read = asyncio.Event()
        f.app.reloader._apply = lambda settings, policies: read.set()
        f.app.reloader.watch()
        for number in range(1, 30):
            # Again and again: the watch may not have begun when the first one is moved.
            version(number)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(read.wait(), 1)
                break
        assert read.is_set()


@pytest.mark.anyio
@pytest.mark.real_loop
async def test_SIGHUP_and_a_changed_file_reload_a_running_proxy_and_a_broken_one_does_not(tmp_path):
    policies, settings = tmp_path / "policies.yaml", tmp_path / "proxy.yaml"
    policies.write_text("version: 1\n")
    async with StubUpstream() as stub:
        settings.write_text(
            f"host: 127.0.0.1\nport: 0\nupstream: {stub.url}\naccess_log: 'off'\npolicies: policies.yaml\n"
        )
        async with proxy_child("--config", str(settings)) as child, httpx.AsyncClient(trust_env=False) as http:
            url = (await child.says("askonce on")).split()[2]

            async def ask() -> httpx.Response:
                return await http.post(f"{url}/chat/completions", json=chat(temperature=..., model="stub"))

            assert [outcome(await ask()) for _ in range(2)] == ["fwd=bypass; detail=temperature-missing"] * 2
            policies.write_text("version: 1\ndefaults: {when_temperature_missing: greedy}\n")
            child.signal(signal.SIGHUP)
            await child.says("reloaded")
            assert [fate(await ask()) for _ in range(2)] == ["miss", "hit"]
            policies.write_text("version: 1\ndefaults: {when_temperature_missing: often}\n")
            await child.says("policies.yaml:2: ")
            assert fate(await ask()) == "hit"
            policies.write_text("version: 1\ndefaults: {when_temperature_missing: sampled}\n")
            await child.says("INFO askonce.reload: reloaded", times=2)
            assert fate(await ask()) == "bypass"
            child.signal(signal.SIGTERM)
            assert await child.ended() == 0


@pytest.mark.anyio
@pytest.mark.real_loop
async def test_SIGHUP_goes_on_in_a_new_access_log_where_the_old_one_was_moved_away(tmp_path, caplog):
    path, moved = tmp_path / "access.log", tmp_path / "access.log.1"
    async with fleet(engine("a"), access_log=str(path)) as f:
        await f.ask()
        path.rename(moved)
        await f.ask()
        f.app.reload()
        await f.ask()
        f.app.flush_log()
        assert (len(moved.read_bytes().splitlines()), len(path.read_bytes().splitlines())) == (2, 1)
        path.unlink()
        path.mkdir()  # no file can be made there
        f.app.reload()
        await f.ask()
        f.app.flush_log()
        assert "the old file is kept" in caplog.text


def test_every_setting_is_either_reloaded_or_said_to_need_a_restart():
    assert set(NOT_RELOADED) | set(RELOADED) == set(Settings.model_fields)
    assert not set(NOT_RELOADED) & set(RELOADED)
