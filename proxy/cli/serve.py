"""`python -m proxy`: serve."""

import argparse
import asyncio
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from socket import socket
from typing import Any

from config.settings import ConfigError, Settings, load_settings, startup_warnings, with_secrets
from policies.load import PolicyError, load_policies
from proxy.access_log import AccessLog
from proxy.app import App, create_app
from proxy.cache.embedder import weights_sha256
from proxy.server import ServerLimits, serve
from proxy.workers import listen, supervise

HELP = "Serve."

logger = logging.getLogger("askonce.workers")


def configure(parser: argparse.ArgumentParser) -> None:
    """Flags win over environment (ASKONCE_*), which wins over the file."""
    parser.add_argument("--upstream", metavar="URL", help="root of the engine, with or without /v1")
    parser.add_argument("--config", metavar="FILE", type=Path, help="settings (default: the packaged proxy.yaml)")
    parser.add_argument("--policies", metavar="FILE", type=Path, help="families (default: the packaged policies.yaml)")
    parser.add_argument("--host", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, help="port to listen on (default: 8080)")
    parser.add_argument("--workers", type=int, help="processes; each has its own cache (default: 1)")
    parser.add_argument("--access-log", metavar="FILE", help="a JSON line a request; - is standard error, off is none")
    parser.add_argument("--demo", action="store_true", help="start a stub engine and a client, show what happens, end")


def run(arguments: argparse.Namespace) -> int:
    """Serve until told to stop."""
    if arguments.demo:
        from proxy.cli.demo import demo

        return demo()
    try:
        settings = load_settings(arguments.config, overrides(arguments))
        policies = load_policies(
            settings.policies,
            strict_evidence=settings.strict_evidence,
            embedder_sha256=weights_sha256(settings.embedder.provider, settings.embedder.sha256),
        )
    except (ConfigError, PolicyError) as error:
        print(error, file=sys.stderr)
        return 2
    try:
        AccessLog(None if settings.access_log == "off" else settings.access_log).close()
    except OSError as error:
        print(f"access_log: {settings.access_log}: can't be written: {error.strerror}", file=sys.stderr)
        return 2
    for warning in [*startup_warnings(settings, os.environ), *policies.warnings]:
        print(f"warning: {warning}", file=sys.stderr)
    files = tuple(path for path in (arguments.config, settings.policies) if path is not None)
    process = " [%(process)d]" if settings.workers > 1 else ""
    form = f"%(asctime)s{process} %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(format=form, level=logging.INFO, stream=sys.stderr)
    for chatty in ("httpx", "watchfiles", "faiss.loader"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    token_was_made = settings.admin_token is None
    settings = with_secrets(settings)

    def new_app() -> App:
        return create_app(
            settings,
            policies,
            read_settings=lambda: with_secrets(load_settings(arguments.config, overrides(arguments)), settings),
            files=files,
        )

    def announce(port: int) -> None:
        say_where(settings, port, token_was_made=token_was_made)

    if settings.workers == 1:
        return serve_app(new_app(), on_listening=announce)
    try:
        sockets = listen(settings.host, settings.port)
    except OSError as error:
        print(f"cannot listen on {settings.host}:{settings.port} ({error.strerror})", file=sys.stderr)
        return 1
    announce(sockets[0].getsockname()[1])

    def work(orphaned: int, again: bool) -> int:
        app = new_app()

        def begin(_: int) -> None:
            logger.info("worker serves")
            if again:
                app.reload()
            loop = asyncio.get_running_loop()

            def stop() -> None:
                loop.remove_reader(orphaned)
                os.kill(os.getpid(), signal.SIGTERM)

            loop.add_reader(orphaned, stop)

        return serve_app(app, on_listening=begin, sockets=sockets)

    return supervise(settings.workers, work)


def overrides(arguments: argparse.Namespace) -> dict[str, Any]:
    """The flags that were given."""
    names = ("upstream", "policies", "host", "port", "workers", "access_log")
    return {name: value for name in names if (value := getattr(arguments, name)) is not None}


def serve_app(app: App, *, on_listening: Callable[[int], None], sockets: list[socket] | None = None) -> int:
    """Run the server around `app`; returns the exit status."""
    settings = app.settings
    limits = settings.server
    spare_the_collector()
    return serve(
        app,
        host=settings.host,
        port=settings.port,
        limits=ServerLimits(
            drain_s=limits.drain_s,
            grace_s=limits.grace_s,
            head_timeout_s=limits.head_timeout_s,
            body_timeout_s=limits.body_timeout_s,
            idle_timeout_s=limits.idle_timeout_s,
            send_timeout_s=limits.send_timeout_s,
            max_head_bytes=limits.max_head_bytes,
            max_header_lines=limits.max_header_lines,
        ),
        on_drain=app.drain,
        on_reload=app.reload,
        on_listening=on_listening,
        sockets=sockets,
        lane=app.hit_lane if limits.hit_lane else None,
        direct=app.edge.direct,
    )


def spare_the_collector() -> None:
    """Let Python's cycle collector look seldom, and never at what lives as long as the process.

    A request makes hundreds of short-lived objects and no cycles, while stored answers are many and live long. With the
    default thresholds a miss cost a tenth more (bench/micro.py, 4,000 misses).
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def say_where(settings: Settings, port: int, *, token_was_made: bool) -> None:
    """Say where to point a client, and, to a terminal only, the admin token if it was made for this start."""
    names = ", ".join(f"{upstream.name} ({upstream.url})" for upstream in settings.upstreams)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    print(f"askonce on http://{host}:{port}/v1 in front of {names}", file=sys.stderr)
    if token_was_made and settings.admin_token is not None and sys.stderr.isatty():
        token = settings.admin_token.get_secret_value()
        print(f"admin token for this start (set ASKONCE_ADMIN_TOKEN to choose one): {token}", file=sys.stderr)
