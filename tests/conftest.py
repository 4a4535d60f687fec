"""Async tests run on the virtual loop, or on uvloop when marked `real_loop` (see `tests/virtual_time.py`)."""

from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.virtual_time import VirtualTimeLoop

# No test judges how fast this machine is, hypothesis included.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine-url", help="root of an OpenAI-compatible engine for the tests marked engine_url")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "real_loop: an async test with sockets, processes or threads; runs on uvloop")


@pytest.fixture
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    """Per test. A module with wider async fixtures overrides it with a fixture of their scope."""
    if request.node.get_closest_marker("real_loop"):
        return "asyncio", {"use_uvloop": True}
    return "asyncio", {"loop_factory": VirtualTimeLoop}
