"""Upstream clients: one interface, two implementations, one function that chooses."""

import ssl
import time
from collections.abc import Callable
from typing import Literal

from proxy.upstream.client import UpstreamClient
from proxy.upstream.http1_client import Http1Client
from proxy.upstream.origin import Origin


def make_client(
    url: str,
    kind: Literal["auto", "http1", "aiohttp"] = "auto",
    *,
    stale_window_s: float = 0.05,
    keepalive_s: float = 3.0,
    max_idle: int = 256,
    tls: ssl.SSLContext | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> UpstreamClient:
    """A client of the origin of `url`, whose path does not count.

    Connections are opened in the running loop, the first one by the first request.

    Args:
        kind: `auto` takes the own client for http and aiohttp's for https.
        keepalive_s: idle connections older than this are not used again. Engines close theirs at 5 s.
        max_idle: of the own client; aiohttp keeps all until they expire.
        tls: for https; None trusts the system's authorities.
        clock: monotonic seconds.

    Raises:
        ValueError: `url` is not an http(s) URL, or `kind` is http1 and `url` is https.
    """
    origin = Origin.parse(url)
    if kind == "http1" and origin.scheme != "http":
        raise ValueError("upstream_client http1 speaks plain http only: write auto or aiohttp for an https upstream")
    if kind == "http1" or (kind == "auto" and origin.scheme == "http"):
        return Http1Client(
            origin, stale_window_s=stale_window_s, keepalive_s=keepalive_s, max_idle=max_idle, clock=clock
        )
    # Loaded only where it is needed: it takes 20 MB, and most engines speak plain http.
    from proxy.upstream.aiohttp_client import AiohttpClient

    return AiohttpClient(origin, stale_window_s=stale_window_s, keepalive_s=keepalive_s, tls=tls, clock=clock)
