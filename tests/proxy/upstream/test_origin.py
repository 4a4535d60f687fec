"""What of a URL counts, and which client speaks to it."""

import pytest

from proxy.upstream import make_client
from proxy.upstream.aiohttp_client import AiohttpClient
from proxy.upstream.http1_client import Http1Client
from proxy.upstream.origin import Origin


@pytest.mark.parametrize(
    ("url", "origin", "authority"),
    [
        ("http://127.0.0.1:8000", Origin("http", "127.0.0.1", 8000), "127.0.0.1:8000"),
        ("http://engine/v1/", Origin("http", "engine", 80), "engine"),
        ("HTTP://Engine:80", Origin("http", "engine", 80), "engine"),
        ("https://engine", Origin("https", "engine", 443), "engine"),
        ("https://engine:80/", Origin("https", "engine", 80), "engine:80"),
        ("http://[::1]:8000", Origin("http", "::1", 8000), "[::1]:8000"),
        ("http://bücher.example", Origin("http", "xn--bcher-kva.example", 80), "xn--bcher-kva.example"),
    ],
)
def test_scheme_host_and_port_count(url: str, origin: Origin, authority: str):
    assert Origin.parse(url) == origin
    assert origin.authority == authority


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:8000", "ftp://engine", "http://", "http://user:secret@engine", "http://engine:99999"]
)
def test_anything_else_is_refused_without_being_repeated(url: str):
    with pytest.raises(ValueError) as refused:  # noqa: PT011  # the library's own words for a bad port
        Origin.parse(url)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "kind", "client"),
    [
        ("http://engine", "auto", Http1Client),
        ("https://engine", "auto", AiohttpClient),
        ("http://engine", "aiohttp", AiohttpClient),
        ("http://engine", "http1", Http1Client),
    ],
)
def test_auto_takes_the_own_client_for_http(url, kind, client):
    assert isinstance(make_client(url, kind), client)


def test_own_client_refuses_https():
    with pytest.raises(ValueError, match="write auto or aiohttp"):
        make_client("https://engine", "http1")
