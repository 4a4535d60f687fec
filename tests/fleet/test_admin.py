"""What is an administrator's: the token, and which calls no page of another site can make."""

from typing import Any

import pytest

from tests.builders import chat
from tests.fleet.builders import engine, fate, fleet

pytestmark = pytest.mark.anyio

TOKEN = "an-admin-token-of-length"
BEARER = {"authorization": f"Bearer {TOKEN}"}


def with_headers(**headers: str) -> dict[str, Any]:
    """A purge with the token, and these headers, given with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"content": b'{"all": true}', "headers": {**BEARER, "content-type": "application/json", **named}}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/admin/purge"),
        ("POST", "/admin/explain"),
        ("GET", "/upstream/a/metrics"),
        ("POST", "/upstream/a/v1/load_lora_adapter"),
    ],
)
@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer wrong"}, {"x-askonce-admin-token": ""}])
async def test_without_the_token_nothing_is_said_or_done(method, path, headers):
    async with fleet(admin_token=TOKEN) as f:
        reply = await f.client.request(method, path, json={}, headers=headers)
        assert (reply.status_code, reply.json()["error"]["type"]) == (401, "authentication_error")
        assert f.calls == 0


async def test_no_address_is_trusted_for_it():
    async with fleet(admin_token=TOKEN, peer="127.0.0.1") as f:
        assert (await f.client.post("/admin/purge", json={"all": True})).status_code == 401


async def test_an_unset_token_is_made_anew_for_each_start():
    async with fleet() as f, fleet() as g:
        assert f.app.admin_token != g.app.admin_token
        assert len(f.app.admin_token) >= 32


async def test_a_family_that_does_not_exist_is_not_purged_in_silence():
    async with fleet(admin_token=TOKEN) as f:
        reply = await f.client.post("/admin/purge", json={"family": "defualt"}, headers=BEARER)
        assert reply.status_code == 400
        assert "default" in reply.json()["error"]["message"]
        assert (f.app.cache.purges, f.app.hit_lane.generation) == (0, 0), "and nothing was done"


@pytest.mark.parametrize("header", ["authorization", "x-askonce-admin-token"])
async def test_with_the_token_answers_are_dropped(header):
    async with fleet(admin_token=TOKEN) as f:
        await f.ask()
        fields = {header: f"Bearer {TOKEN}" if header == "authorization" else TOKEN}
        reply = await f.client.post("/admin/purge", json={"family": "default"}, headers=fields)
        assert (reply.status_code, reply.json()) == (200, {"dropped": 1})
        assert fate(await f.ask()) == "miss"


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"origin": "https://evil.example"}, "foreign_origin"),
        ({"origin": "null"}, "foreign_origin"),
        ({"origin": "http://localhost:9999"}, "foreign_origin"),
        ({"host": "evil.example"}, "unexpected_host"),
        ({"host": "evil.example", "origin": "http://evil.example"}, "unexpected_host"),
        ({"host": "localhost.evil.example"}, "unexpected_host"),
        ({"host": "127.0.0.1.evil.example"}, "unexpected_host"),
        ({"host": ""}, "unexpected_host"),
    ],
)
async def test_a_change_is_not_taken_from_another_site_nor_under_a_name_that_is_not_ours(headers, code):
    async with fleet(admin_token=TOKEN) as f:
        await f.ask()
        reply = await f.client.post("/admin/purge", **with_headers(**headers))
        assert (reply.status_code, reply.json()["error"]["code"]) == (403, code)
        assert fate(await f.ask()) == "hit"
        reply = await f.client.post("/upstream/a/sleep", **with_headers(**headers))
        assert (reply.status_code, f.calls) == (403, 1)


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8080", "127.0.0.1:8080", "192.0.2.7", "[::1]:8080", "cache.internal:80", "Cache.Internal"],
)
async def test_an_address_localhost_and_the_configured_names_are_ours(host):
    async with fleet(admin_token=TOKEN, admin_hosts=["cache.internal"]) as f:
        same_site = with_headers(host=host, origin=f"http://{host}")
        assert (await f.client.post("/admin/purge", **same_site)).status_code == 200


async def test_the_name_it_listens_under_is_ours():
    async with fleet(admin_token=TOKEN, host="proxy.lan") as f:
        assert (await f.client.post("/admin/purge", **with_headers(host="proxy.lan:8080"))).status_code == 200


async def test_a_change_is_json_and_nothing_a_form_could_send():
    async with fleet(admin_token=TOKEN) as f:
        for content_type in ("text/plain", "application/x-www-form-urlencoded", ""):
            reply = await f.client.post("/admin/purge", **with_headers(content_type=content_type))
            assert (reply.status_code, reply.json()["error"]["code"]) == (400, "not_json")


async def test_one_upstream_by_its_name_gets_the_path_as_it_is_and_neither_token():
    tenants = [{"name": "acme", "api_keys": ["sk-acme-one"]}]
    async with fleet(engine("a"), engine("b"), admin_token=TOKEN, tenants=tenants) as f:
        reply = await f.client.post("/upstream/b/slots/0%2F1?action=save", json={"x": 1}, headers=BEARER)
        assert reply.status_code == 200
        own = {"x-askonce-admin-token": TOKEN, "authorization": "Bearer sk-engine"}
        await f.client.get("/upstream/b/metrics", headers=own)
        first, second = f.engines["b"].requests
        assert (first.method, first.target, first.body) == ("POST", b"/slots/0%2F1?action=save", b'{"x":1}')
        assert b"authorization" not in dict(first.headers)
        assert dict(second.headers)[b"authorization"] == b"Bearer sk-engine"
        assert all(TOKEN.encode() not in value for request in (first, second) for _, value in request.headers)
        assert f.calls_of("a") == 0
        assert (await f.client.get("/upstream/nobody/metrics", headers=BEARER)).status_code == 404


@pytest.mark.parametrize(("public", "status"), [(True, 200), (False, 401)])
async def test_metrics_are_open_unless_the_settings_say_otherwise(public, status):
    async with fleet(admin_token=TOKEN, metrics={"public": public}) as f:
        assert (await f.client.get("/metrics")).status_code == status
        assert (await f.client.get("/metrics", headers=BEARER)).status_code == 200


async def test_management_of_an_engine_needs_the_token_or_a_setting():
    async with fleet(admin_token=TOKEN) as f:
        refused = await f.ask({}, path="/sleep")
        assert (refused.status_code, "pass_through: all" in refused.text) == (403, True)
        assert (await f.client.post("/upstream/a/sleep", headers=BEARER)).status_code == 200
    async with fleet(pass_through="all") as f:
        assert (await f.ask({}, path="/sleep")).status_code == 200


async def test_the_admin_token_is_no_tenants_key():
    tenants = [{"name": "acme", "api_keys": ["sk-acme-one"]}]
    async with fleet(admin_token=TOKEN, tenants=tenants) as f:
        assert (await f.ask(chat(), key=TOKEN)).status_code == 401
