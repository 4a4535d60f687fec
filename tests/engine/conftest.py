"""One llama.cpp server for the session, and the engine that `--engine-url` names."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.engine.tiny_model import build


@pytest.fixture(scope="session")
def llamacpp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a real llama.cpp server with the tiny model, named `tiny`."""
    pytest.importorskip("xllamacpp")
    model = tmp_path_factory.mktemp("engine") / "tiny.gguf"
    build(model)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.engine.serve", str(model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        try:
            said = next((line for line in server.stdout if line.startswith("listening ")), None)
            assert said is not None, "the engine did not start: run python -m tests.engine.serve to see why"
            yield said.split()[1]
        finally:
            server.kill()


@pytest.fixture
def engine_url(request: pytest.FixtureRequest) -> str:
    """The engine the user named."""
    url = request.config.getoption("--engine-url")
    if not url:
        pytest.skip("needs --engine-url, such as http://127.0.0.1:8000")
    return str(url)
