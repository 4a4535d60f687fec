"""What `python -m proxy` refuses to start with, and what it says instead."""

import asyncio
from pathlib import Path

import pytest

from config.settings import Settings, load_settings
from policies.load import load_policies
from proxy.__main__ import main
from proxy.app import create_app


@pytest.fixture
def settings(tmp_path):
    def write(text: str) -> list[str]:
        path = tmp_path / "proxy.yaml"
        path.write_text(text)
        return ["--config", str(path)]

    return write


def test_an_open_bind_in_front_of_our_own_key_is_refused_with_what_to_write(settings, capsys):
    arguments = settings("upstreams:\n  - {name: cloud, url: 'https://api.example.com', api_key_env: CLOUD_KEY}\n")
    assert main([*arguments, "--host", "0.0.0.0"]) == 2
    said = capsys.readouterr().err
    assert "--host: host: on 0.0.0.0 anyone who reaches the port could spend the API key of upstream cloud" in said
    assert "write `tenants:`" in said
    assert "open: true" in said


def test_an_access_log_that_can_not_be_written_is_refused_with_its_name(tmp_path, capsys):
    missing = tmp_path / "missing" / "access.log"
    assert main(["--access-log", str(missing)]) == 2
    assert capsys.readouterr().err == f"access_log: {missing}: can't be written: No such file or directory\n"


def test_a_reload_may_not_open_what_the_start_refused(settings):
    closed = "  - {name: acme, api_keys: [sk-acme-one]}\n"
    text = "host: 0.0.0.0\nupstreams:\n  - {name: cloud, url: 'http://127.0.0.1:9', api_key_env: CLOUD_KEY}\n"
    _, path = settings(text + "tenants:\n" + closed)

    def read() -> Settings:
        return load_settings(Path(path), {})

    async def scenario() -> None:
        app = create_app(read(), load_policies(None), read_settings=read, environment={"CLOUD_KEY": "sk-cloud"})
        # By its own words it would listen to this machine only; but we do listen to all.
        settings(text.replace("0.0.0.0", "127.0.0.1"))
        assert not await app.reloader.reload()
        assert app.tenants.enter({b"authorization": b"Bearer sk-acme-one"}, None).label == "acme"
        await app.aclose()

    asyncio.run(scenario())
