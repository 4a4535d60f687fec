"""Asks each upstream, again and again, whether it is well, and what it says of its models."""

import asyncio
import hashlib
import logging
from collections.abc import Callable
from typing import Any

import httpx
import orjson

from proxy.upstream.pool import Pool, Upstream

IDENTITY = ("root", "parent", "meta", "digest")
"""Members of an entry of `/v1/models` that change with the weights: vLLM's `root`, llama.cpp's `meta`."""

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
        self._transport = transport
        self._client: httpx.AsyncClient | None = None
        self._tasks: dict[Upstream, asyncio.Task[None]] = {}
        self._doubts: dict[Upstream, asyncio.Event] = {}

    async def start(self) -> None:
        """Probe every upstream once, then go on in the background."""
        self._client = httpx.AsyncClient(
            timeout=self._timeout_s, transport=self._transport(), follow_redirects=False, trust_env=False
        )
        await asyncio.gather(*(self.probe(upstream) for upstream in self._pool.upstreams))
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
            self._tasks[upstream] = asyncio.get_running_loop().create_task(self._repeat(upstream, doubt))

    async def aclose(self) -> None:
        """Stop all probes."""
        tasks = [*self._tasks.values()]
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    async def _repeat(self, upstream: Upstream, doubt: asyncio.Event) -> None:
        while True:
            try:
                async with asyncio.timeout(self._interval_s):
                    await doubt.wait()
            except TimeoutError:
                pass
            doubt.clear()
            await self.probe(upstream)

    async def probe(self, upstream: Upstream) -> None:
        """One probe: `/health`, which says whether the engine is well, then `/v1/models`, which says what it serves.

        vLLM lists its models even when its engine is dead, and Ollama has no `/health`, so both are asked.
        """
        failure: str | None = None
        final = False
        try:
            health = await self._get(upstream, "/health")
            if health.status_code >= 500:
                failure, final = f"/health says {health.status_code}", True
            else:
                models = await self._get(upstream, "/v1/models")
                if models.status_code >= 500:
                    failure, final = f"/v1/models says {models.status_code}", True
                elif models.status_code == 200:
                    self._learn(upstream, models.content)
        except httpx.ConnectError:
            failure, final = "no connection", True
        except httpx.TimeoutException:
            failure = f"no answer within {self._timeout_s:g} s"
        except httpx.HTTPError as error:
            failure = f"broken answer ({type(error).__name__})"
        if upstream.health.probed(failure, final=final):
            state = f"is {upstream.health.verdict}" + (f": {failure}" if failure else "")
            logger.warning("upstream %s %s", upstream.name, state)

    async def _get(self, upstream: Upstream, path: str) -> httpx.Response:
        assert self._client is not None
        headers = {} if upstream.api_key is None else {"authorization": f"Bearer {upstream.api_key}"}
        return await self._client.get(upstream.url.rstrip("/") + path, headers=headers)

    def _learn(self, upstream: Upstream, body: bytes) -> None:
        """Take over what identifies the weights behind each name; a change is a new revision."""
        said = fingerprints(body)
        if said is None:
            return
        changed = [name for name, value in said.items() if upstream.fingerprints.get(name, value) != value]
        if said.items() <= upstream.fingerprints.items():
            return
        upstream.fingerprints = {**upstream.fingerprints, **said}
        self._pool.forget_routes()
        for name in changed:
            logger.warning(
                "upstream %s: the weights behind %s have changed, so its answers start afresh", upstream.name, name
            )


def fingerprints(body: bytes) -> dict[str, str] | None:
    """By model, a digest of what identifies its weights; a model that tells nothing is left out. None: not a list."""
    try:
        data: Any = orjson.loads(body)["data"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    if not isinstance(data, list):
        return None
    said = {}
    for model in data:
        if isinstance(model, dict) and isinstance(model.get("id"), str):
            identity = {name: model[name] for name in IDENTITY if model.get(name) is not None}
            if identity:
                dumped = orjson.dumps(identity, option=orjson.OPT_SORT_KEYS)
                said[model["id"]] = hashlib.sha256(dumped).hexdigest()
    return said
