"""`python -m proxy explain` asks a running proxy and says what it was told."""

import json

import httpx
import pytest
import respx

from proxy.__main__ import main

TOLD = {
    "family": "geography",
    "tenant": "abc",
    "model": {"asked": "m", "upstream": "m", "revision": ""},
    "upstreams": ["local"],
    "key": "00ff",
    "key_parts": {"path": "/v1/chat/completions", "normalize": [], "ignored": []},
    "permits": {"look_up": True, "share": True, "store": True, "reason": None},
    "exact": {"entry": False},
    "semantic": {
        "mode": "on",
        "verdict": "miss",
        "reason": "entity",
        "candidates": [
            {
                "text": "What is the capital of Canada?",
                "similarity": 0.91,
                "refused": "entity",
                "conflict": {"cached": "canada", "asked": "kenya"},
                "key": "00ff",
            }
        ],
    },
}


@pytest.fixture
def request_file(tmp_path):
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}]}))
    return str(path)


@respx.mock
def test_it_sends_the_request_as_that_client_and_prints_candidates_and_reasons(request_file, capsys):
    route = respx.post("http://proxy.test/admin/explain").mock(httpx.Response(200, json=TOLD))
    status = main(["explain", request_file, "--proxy", "http://proxy.test/", "--token", "t", "--key", "sk-a"])
    sent = json.loads(route.calls.last.request.content)
    printed = capsys.readouterr().out
    assert status == 0
    assert sent["headers"] == {"authorization": "Bearer sk-a"}
    assert sent["body"]["model"] == "m"
    assert "geography" in printed
    assert "entity" in printed
    assert "canada / kenya" in printed


@respx.mock
def test_json_is_passed_on_as_it_is(request_file, capsys):
    respx.post("http://127.0.0.1:8080/admin/explain").mock(httpx.Response(200, json=TOLD))
    assert main(["explain", request_file, "--token", "t", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == TOLD


@respx.mock
def test_a_refusal_is_said_and_the_status_is_1(request_file, capsys):
    error = {"error": {"message": "This path needs the admin token."}}
    respx.post("http://127.0.0.1:8080/admin/explain").mock(httpx.Response(401, json=error))
    assert main(["explain", request_file, "--token", "wrong"]) == 1
    assert "admin token" in capsys.readouterr().err


@respx.mock
def test_a_proxy_that_is_not_there_is_one_line_and_status_2(request_file, capsys):
    respx.post("http://127.0.0.1:8080/admin/explain").mock(side_effect=httpx.ConnectError("refused"))
    assert main(["explain", request_file, "--token", "t"]) == 2
    assert "nothing answers" in capsys.readouterr().err


def test_no_token_and_no_file_say_what_to_write(request_file, capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("ASKONCE_ADMIN_TOKEN", raising=False)
    assert main(["explain", request_file]) == 2
    assert "ASKONCE_ADMIN_TOKEN" in capsys.readouterr().err
    assert main(["explain", str(tmp_path / "none.json"), "--token", "t"]) == 2
    assert "none.json" in capsys.readouterr().err
