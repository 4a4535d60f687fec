"""An engine's `Location`: its own address becomes a path here, and no path ever becomes another host."""

from types import SimpleNamespace
from typing import cast

import pytest

from proxy.upstream.pool import Upstream


def own_path(url: str, location: bytes) -> bytes:
    path = url.partition("://")[2].partition("/")[2].rstrip("/")
    upstream = SimpleNamespace(url=url, base_path=f"/{path}".encode() if path else b"")
    return Upstream.own_path(cast(Upstream, upstream), location)


@pytest.mark.parametrize(
    ("url", "location", "path"),
    [
        ("http://h:8000", b"http://h:8000/v1/x", b"/v1/x"),
        ("http://h:8000", b"http://h:8000", b"/"),
        ("http://h:8000", b"http://h:8000?x=1", b"/?x=1"),
        ("http://h:8000/", b"http://h:8000/x", b"/x"),
        ("http://[::1]:8000", b"http://[::1]:8000/x", b"/x"),
        ("http://u:p@h:8000", b"http://h:8000/x", b"/x"),
        ("http://H:8000", b"HTTP://h:8000/x", b"/x"),
        ("http://h:8000/api", b"http://h:8000/api/v1/x", b"/v1/x"),
        ("http://h:8000/api", b"/api/v1/x", b"/v1/x"),
        ("http://h:8000/api", b"http://h:8000/api?x=1", b"/?x=1"),
        ("http://h:8000/api", b"/apiary/x", b"/apiary/x"),
    ],
)
def test_the_engines_own_address_becomes_a_path(url, location, path):
    assert own_path(url, location) == path


@pytest.mark.parametrize(
    "location", [b"", b"?x", b"v1/x", b"//other/x", b"http://h:80001/x", b"http://h:8000@other/x", b"https://other/x"]
)
def test_what_is_not_on_the_engine_stays_as_it_is(location):
    assert own_path("http://h:8000", location) == location


@pytest.mark.parametrize("rest", [b"//other/x", b"/\\other/x", b"///other/x"])
@pytest.mark.parametrize("url", ["http://h:8000", "http://h:8000/api"])
def test_a_path_never_begins_like_another_host(url, rest):
    path = own_path(url, url.encode() + rest)
    assert path == b"/other/x"
