"""Reload on SIGHUP and on a change of the files: checked first, and the old ones stay in force if the new are wrong."""

import asyncio
import hashlib
import logging
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path

from watchfiles import awatch

from config.settings import ConfigError, Settings, exposed_key
from policies.load import PolicyError, load_policies
from policies.model import PolicySet
from proxy.cache.embedder import weights_sha256
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
    "admin_hosts",
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
"""Settings that need a restart. The rest, `RELOADED`, and the contents of the policies file change without one."""

RELOADED = ("upstream", "upstreams", "tenants", "open", "strict_evidence")

logger = logging.getLogger("askonce.reload")


class Reloader:
    """Reads settings and policies again and hands them on; one reload at a time, owned here."""

    def __init__(
        self,
        settings: Settings,
        read_settings: Callable[[], Settings],
        apply: Callable[[Settings, PolicySet], None],
        after: Callable[[], Awaitable[None]],
        metrics: Metrics,
        files: tuple[Path, ...],
    ) -> None:
        """`apply` takes over what was read, on the loop and without suspending; `after` may take its time."""
        self._settings = settings
        self._read_settings = read_settings
        self._apply = apply
        self._after = after
        self._metrics = metrics
        self._files = files
        self._read_last: list[bytes | None] = []
        """What the files held when they were read last; written by the one reload under way and by the watch."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._lock = asyncio.Lock()

    def soon(self) -> None:
        """Begin a reload; for a signal's callback."""
        self._own(self.reload())

    def watch(self) -> None:
        """Reload whenever one of the files changes, until `aclose`."""
        if self._files:
            self._read_last = self._contents()
            self._own(self._watch())

    async def reload(self) -> bool:
        """Read both files; whether they were taken over. What is wrong is logged with file and line."""
        async with self._lock:
            try:
                # In a thread: reading and checking YAML takes long enough to be felt by every open stream.
                settings, policies = await asyncio.to_thread(self._read)
                self._apply(settings, policies)
                await self._after()
            except (ConfigError, PolicyError) as error:
                logger.error("not reloaded, what was in force stays:\n%s", error)
                self._metrics.reloaded("refused")
                return False
            except Exception as error:
                # A fault of ours; it must end neither the watch nor what is in force. Its message may hold a secret.
                frames = "".join(traceback.format_tb(error.__traceback__))
                logger.error("not reloaded, it failed with %s:\n%s", type(error).__name__, frames)
                self._metrics.reloaded("refused")
                return False
            ignored = [name for name in NOT_RELOADED if getattr(settings, name) != getattr(self._settings, name)]
            if ignored:
                logger.warning("changed, but needs a restart: %s", ", ".join(ignored))
            for warning in policies.warnings:
                logger.warning("%s", warning)
            logger.info("reloaded")
            self._metrics.reloaded("ok")
            return True

    def _read(self) -> tuple[Settings, PolicySet]:
        self._read_last = self._contents()
        settings = self._read_settings()
        # The address we listen at stays, whatever the file says now.
        if exposed := exposed_key(settings, self._settings.host):
            raise ConfigError(exposed)
        # The embedder stays as it was started, whatever the file says now.
        embedder = self._settings.embedder
        return settings, load_policies(
            self._settings.policies,
            strict_evidence=settings.strict_evidence,
            embedder_sha256=weights_sha256(embedder.provider, embedder.sha256),
        )

    async def _watch(self) -> None:
        # The folders, not the files: an editor that replaces a file would leave us watching the old one. Both that of
        # the name and that of the file itself: a ConfigMap's files are links to links, and only those are replaced.
        folders = {folder for path in self._files for folder in (path.absolute().parent, path.resolve().parent)}
        async for _ in awatch(*folders, recursive=False, watch_filter=None):
            if await asyncio.to_thread(self._contents) != self._read_last:
                await self.reload()

    def _contents(self) -> list[bytes | None]:
        return [_digest(path) for path in self._files]

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


def _digest(path: Path) -> bytes | None:
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return None
