"""Asks each upstream, again and again, whether it is well, and what it says of its models."""

import asyncio
import hashlib
import logging
import ssl
from collections.abc import Callable
from typing import Any

import httpx
import orjson

from proxy.upstream.pool import Pool, Upstream

IDENTITY = ("root", "parent", "meta", "digest")
"""Members of an entry of `/v1/models` that change with the weights: `root` of vLLM and SGLang, `meta` of llama.cpp."""

logger = logging.getLogger("askonce.probe")


class Probe:
    """One task per upstream, owned here; a doubt about one makes its next probe come at once."""

    def __init__(
        self,
        pool: Pool,
        *,
        interval_s: float,
        timeout_s: float,
        transport: Callable[[], httpx.AsyncBaseTransport | None] = lambda: None,
    ) -> None:
        self._pool = pool
        self._interval_s = interval_s
        self._timeout_s = timeout_s
        self._connect_s = 0.9 * timeout_s
        """Less than the whole, so that who takes no connection is told from who takes it and is silent."""
        self._transport = transport
        self._client: httpx.AsyncClient | None = None
        self._tasks: dict[Upstream, asyncio.Task[None]] = {}
        self._doubts: dict[Upstream, asyncio.Event] = {}
        self._started: set[Upstream] = set()
        """Probed by `start` already."""

    async def start(self) -> None:
        """Probe every upstream once, then go on in the background."""
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(self._timeout_s, connect=self._connect_s),
            transport=self._transport(),
            follow_redirects=False,
            trust_env=False,
            limits=httpx.Limits(max_keepalive_connections=0),  # an idle connection takes a thread of some servers
            verify=ssl.create_default_context(),  # the system's authorities, as requests have, not httpx's own list
        )
        upstreams = self._pool.upstreams
        await asyncio.gather(*(self.probe(upstream) for upstream in upstreams))
        self._started.update(upstreams)
        self.follow()

    def follow(self) -> None:
        """Probe exactly the pool's upstreams from now on; called after a reload too."""
        if self._client is None:
            return
        wanted = set(self._pool.upstreams)
        for upstream in self._tasks.keys() - wanted:
            self._tasks.pop(upstream).cancel()
            del self._doubts[upstream]
        for upstream in wanted - self._tasks.keys():
            doubt = self._doubts[upstream] = asyncio.Event()
            upstream.health.on_doubt = doubt.set
            known = upstream in self._started
            if known and upstream.health.in_doubt:
                doubt.set()
            self._tasks[upstream] = asyncio.get_running_loop().create_task(self._repeat(upstream, doubt, known=known))
        self._started.clear()

    async def aclose(self) -> None:
        """Stop all probes."""
        tasks = [*self._tasks.values()]
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    async def _repeat(self, upstream: Upstream, doubt: asyncio.Event, *, known: bool) -> None:
        if not known:
            await self.probe(upstream)
        loop = asyncio.get_running_loop()
        turn_s = loop.time() + self._interval_s
        while True:
            try:
                async with asyncio.timeout_at(turn_s):
                    await doubt.wait()
            except TimeoutError:
                pass
            doubt.clear()
            in_turn = loop.time() >= turn_s
            await self.probe(upstream, in_turn=in_turn)
            if upstream.health.in_doubt:
                doubt.set()
            if in_turn:
                turn_s = loop.time() + self._interval_s

    async def probe(self, upstream: Upstream, *, in_turn: bool = True) -> None:
        """One probe: `/health`, which says whether the engine is well, then `/v1/models`, which says what it serves.

        vLLM lists its models even when its engine is dead, and Ollama has no `/health`, so both are asked.
        """
        failure: str | None = None
        final, connected = False, True
        try:
            # httpx's own limit is for each read; an answer that comes byte by byte would never end.
            async with asyncio.timeout(self._timeout_s):
                failure = await self._ask(upstream)
            final = failure is not None
        except httpx.ConnectError:
            failure, final, connected = "no connection", True, False
        except httpx.ConnectTimeout:
            failure, connected = f"no connection within {self._connect_s:g} s", False
        except (httpx.TimeoutException, TimeoutError):
            failure = f"no answer within {self._timeout_s:g} s"
        except Exception as error:  # whatever an engine says, the probe goes on
            failure = f"broken answer ({type(error).__name__})"
        at_work = upstream.gate.in_flight > 0
        if upstream.health.probed(failure, connected=connected, final=final, in_turn=in_turn, at_work=at_work):
            state = f"is {upstream.health.verdict}" + (f": {failure}" if failure else "")
            logger.warning("upstream %s %s", upstream.name, state)

    async def _ask(self, upstream: Upstream) -> str | None:
        """What an engine that answers says is wrong with it."""
        health = await self._get(upstream, "/health")
        if _is_ill(health):
            return f"/health says {health.status_code}"
        models = await self._get(upstream, "/v1/models")
        if _is_ill(models):
            return f"/v1/models says {models.status_code}"
        if models.status_code == 200:
            self._learn(upstream, fingerprints(models.content))
        if health.status_code == 404:
            # Perhaps Ollama, which tells the digests of its models only here.
            tags = await self._get(upstream, "/api/tags")
            if tags.status_code == 200:
                self._learn(upstream, ollama_fingerprints(tags.content))
        return None

    async def _get(self, upstream: Upstream, path: str) -> httpx.Response:
        assert self._client is not None
        headers = {} if not upstream.api_key else {"authorization": f"Bearer {upstream.api_key}"}
        return await self._client.get(upstream.url.rstrip("/") + path, headers=headers)

    def _learn(self, upstream: Upstream, said: dict[str, str]) -> None:
        """Take over what identifies the weights behind each name; a change is a new revision."""
        changed = [name for name, value in said.items() if upstream.fingerprints.get(name, value) != value]
        if said.items() <= upstream.fingerprints.items():
            return
        upstream.fingerprints = {**upstream.fingerprints, **said}
        self._pool.forget_routes()
        for name in changed:
            logger.warning(
                "upstream %s: the weights behind %s have changed, so its answers start afresh", upstream.name, name
            )


def _is_ill(reply: httpx.Response) -> bool:
    """Whether a server says that something is wrong with it; 501 says only that it has no such path, or no GET."""
    return reply.status_code >= 500 and reply.status_code != 501


def fingerprints(body: bytes) -> dict[str, str]:
    """By model, a digest of what `/v1/models` says identifies its weights; one that tells nothing is left out."""
    said = {}
    for model in _models(body, "data"):
        if isinstance(model.get("id"), str):
            identity = {name: model[name] for name in IDENTITY if model.get(name) is not None}
            if identity:
                dumped = orjson.dumps(identity, option=orjson.OPT_SORT_KEYS)
                said[model["id"]] = hashlib.sha256(dumped).hexdigest()
    return said


def ollama_fingerprints(body: bytes) -> dict[str, str]:
    """By model, the digest that Ollama's `/api/tags` tells; `:latest` may be left out of a name."""
    said = {}
    for model in _models(body, "models"):
        name, digest = model.get("name"), model.get("digest")
        if isinstance(name, str) and isinstance(digest, str) and digest:
            said[name] = said[name.removesuffix(":latest")] = digest
    return said


def _models(body: bytes, member: str) -> list[dict[str, Any]]:
    """The models in a list of them; none if it is no such list."""
    try:
        models = orjson.loads(body)[member]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return []
    return [model for model in models if isinstance(model, dict)] if isinstance(models, list) else []
