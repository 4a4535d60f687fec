"""Reload on SIGHUP and on a change of the files: checked first, and the old ones stay in force if the new are wrong."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from watchfiles import Change, awatch

from config.settings import ConfigError, Settings
from policies.load import PolicyError, load_policies
from policies.model import PolicySet
from proxy.metrics import Metrics

NOT_RELOADED = (
    "host",
    "port",
    "workers",
    "store",
    "flights",
    "server",
    "access_log",
    "admin_token",
    "tenant_secret",
    "embedder",
    "metrics",
    "upstream_client",
    "max_body_bytes",
    "forward_authorization",
    "pass_through",
    "auth_ttl_s",
    "probe_s",
    "trust_tenant_header",
    "trusted_proxies",
    "policies",
)
"""Settings that need a restart. The rest, upstreams and tenants, and all of the policies, change without one."""

logger = logging.getLogger("askonce.reload")


class Reloader:
    """Reads settings and policies again and hands them on; one reload at a time, owned here."""

    def __init__(
        self,
        settings: Settings,
        read_settings: Callable[[], Settings],
        apply: Callable[[Settings, PolicySet], None],
        metrics: Metrics,
        files: tuple[Path, ...],
    ) -> None:
        """`apply` takes over what was read, on the loop and without suspending."""
        self._settings = settings
        self._read_settings = read_settings
        self._apply = apply
        self._metrics = metrics
        self._files = {path.resolve() for path in files}
        self._tasks: set[asyncio.Task[None]] = set()
        self._lock = asyncio.Lock()

    def soon(self) -> None:
        """Begin a reload; for a signal's callback."""
        self._own(self.reload())

    def watch(self) -> None:
        """Reload whenever one of the files changes, until `aclose`."""
        if self._files:
            self._own(self._watch())

    async def reload(self) -> bool:
        """Read both files; whether they were taken over. What is wrong is logged with file and line."""
        async with self._lock:
            try:
                # In a thread: reading and checking YAML takes long enough to be felt by every open stream.
                settings, policies = await asyncio.to_thread(self._read)
            except (ConfigError, PolicyError) as error:
                logger.error("not reloaded, what was in force stays:\n%s", error)
                self._metrics.reloaded("refused")
                return False
            self._apply(settings, policies)
            ignored = [name for name in NOT_RELOADED if getattr(settings, name) != getattr(self._settings, name)]
            if ignored:
                logger.warning("changed, but needs a restart: %s", ", ".join(ignored))
            for warning in policies.warnings:
                logger.warning("%s", warning)
            logger.info("reloaded")
            self._metrics.reloaded("ok")
            return True

    def _read(self) -> tuple[Settings, PolicySet]:
        settings = self._read_settings()
        return settings, load_policies(settings.policies, strict_evidence=settings.strict_evidence)

    async def _watch(self) -> None:
        # The folders, not the files: an editor that replaces a file would leave us watching the old one.
        folders = {path.parent for path in self._files}
        async for _ in awatch(*folders, recursive=False, watch_filter=self._is_ours):
            await self.reload()

    def _is_ours(self, _: Change, path: str) -> bool:
        return Path(path).resolve() in self._files

    def _own(self, coroutine: "asyncio._CoroutineLike[object]") -> None:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(coroutine)  # type: ignore[arg-type]
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        """Stop watching; a reload under way is given up."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
