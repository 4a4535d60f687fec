"""Settings: the order of the sources, the limits, and what each error tells its reader to write."""

import hashlib
import os
from collections.abc import Iterator
from importlib import resources
from ipaddress import IPv4Network, ip_address
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from config.describe import settings_table
from config.document import read_document
from config.faults import section_of
from config.settings import ConfigError, Settings, UpstreamSettings, key_from, load_settings, startup_warnings

KEY = "sk-client-key-of-acme"


@pytest.fixture(autouse=True)
def _no_variables_of_ours(monkeypatch):
    for name in [name for name in os.environ if name.startswith("ASKONCE_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "proxy.yaml"
        path.write_text(text)
        return path

    return write


def refusal(path: Path | None, **flags: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        load_settings(path, flags)
    return str(caught.value).replace(str(path), "proxy.yaml")


def test_the_packaged_file_equals_the_defaults_and_names_every_setting():
    assert load_settings(None, {}) == Settings()
    document = read_document(resources.files("config").joinpath("proxy.yaml").read_text(), "proxy.yaml")
    missing = [name for name in names_of(Settings) if not named(document.data, name)]
    assert missing == ["tenants[].name", "tenants[].api_keys", "tenants[].models", "tenants[].requests_per_minute"]


def test_the_image_listens_to_the_outside(monkeypatch):
    with resources.as_file(resources.files("config").joinpath("docker.yaml")) as path:
        monkeypatch.setenv("ASKONCE_UPSTREAM", "http://engine:9000/v1")
        settings = load_settings(path, {})
    assert settings.host == "0.0.0.0"
    assert [upstream.url for upstream in settings.upstreams] == ["http://engine:9000"]


def test_flags_win_over_the_environment_over_the_file_over_the_defaults(write, monkeypatch):
    path = write("port: 1001\nserver: {drain_s: 1001, grace_s: 1001}\nmax_body_bytes: 1001\n")
    monkeypatch.setenv("ASKONCE_PORT", "1002")
    monkeypatch.setenv("ASKONCE_SERVER__DRAIN_S", "1002")
    settings = load_settings(path, {"port": 1003})
    assert settings.port == 1003
    assert settings.server.drain_s == 1002
    assert settings.server.grace_s == 1001
    assert settings.max_body_bytes == 1001
    assert settings.server.head_timeout_s == Settings().server.head_timeout_s


def test_one_upstream_replaces_a_lower_sources_list_and_the_other_way_round(write, monkeypatch):
    path = write("upstreams: [{name: a, url: 'http://a'}, {name: b, url: 'http://b'}]\n")
    assert [u.url for u in load_settings(path, {"upstream": "http://flag:1/v1/"}).upstreams] == ["http://flag:1"]
    path = write("upstream: http://file\n")
    monkeypatch.setenv("ASKONCE_UPSTREAMS", '[{"name": "json", "url": "http://env"}]')
    assert [u.name for u in load_settings(path, {}).upstreams] == ["json"]


def test_one_source_may_not_name_upstreams_in_both_ways(write):
    path = write("upstream: http://a\nupstreams: [{name: b, url: 'http://b'}]\n")
    assert refusal(path) == "proxy.yaml:1: upstream: write either `upstream` or `upstreams`, not both"


def test_constructing_settings_reads_neither_file_nor_environment(monkeypatch):
    monkeypatch.setenv("ASKONCE_PORT", "1")
    assert Settings().port == 8080


def test_an_empty_variable_is_an_unset_one(monkeypatch):
    monkeypatch.setenv("ASKONCE_ADMIN_TOKEN", "")
    assert load_settings(None, {}).admin_token is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\nprot: 1\n", "proxy.yaml:2: unknown key `prot`: did you mean `port`?"),
        ("drain_s: 1\n", "proxy.yaml:1: unknown key `drain_s`: `drain_s` belongs at `server.drain_s`"),
        (
            "upstreams:\n- name: a\n  url: http://a\n  modles: []\n",
            "proxy.yaml:4: unknown key `upstreams[0].modles`: did you mean `models`?",
        ),
        ("metrics: {zzzzz: 1}\n", "proxy.yaml:1: unknown key `metrics.zzzzz`: write one of public"),
        ("port: 70000\n", "proxy.yaml:1: port: must be less than or equal to 65535"),
        ("port: true\n", "proxy.yaml:1: port: write a number"),
        ("port: eighty\n", "proxy.yaml:1: port: write a whole number"),
        ("server: {grace_s: -1}\n", "proxy.yaml:1: server.grace_s: must be greater than or equal to 0"),
        ("server: {drain_s: .inf}\n", "proxy.yaml:1: server.drain_s: must be a finite number"),
        ("server: 5\n", "proxy.yaml:1: server: write a section: `key: value`"),
        ("upstreams: a\n", "proxy.yaml:1: upstreams: write a list: `[one, another]`"),
        ("upstreams: []\n", "proxy.yaml:1: upstreams: write at least one server"),
        ("upstreams: [{url: 'http://a'}]\n", "proxy.yaml:1: upstreams[0].name: must be given"),
        ("open: maybe\n", "proxy.yaml:1: open: write true or false"),
        ("pass_through: al\n", "proxy.yaml:1: pass_through: must be 'inference' or 'all'; did you mean all?"),
        ("store: {kind: redis}\n", "proxy.yaml:1: store.kind: the redis store is not built yet: write kind: memory"),
        (
            "store: {kind: embedded}\n",
            "proxy.yaml:1: store.kind: the embedded store is not built yet: write kind: memory",
        ),
        (
            "store: {max_bytes: 10}\n",
            "proxy.yaml:1: store.max_entry_bytes: one entry may not be larger than max_bytes, the whole store",
        ),
        (
            "trusted_proxies:\n- 10.0.0.1/8\n",
            "proxy.yaml:1: trusted_proxies: 10.0.0.1/8 has host bits set: "
            "write addresses or networks such as 10.0.0.7 or 10.0.0.0/8",
        ),
        (
            "trust_tenant_header: true\n",
            "proxy.yaml:1: trust_tenant_header: needs trusted_proxies: write the addresses whose x-tenant counts",
        ),
        (
            "embedder: {provider: openai}\n",
            "proxy.yaml:1: embedder.url: provider: openai needs the root of an embeddings server, "
            "such as http://127.0.0.1:8001",
        ),
        (
            "upstreams:\n- {name: a, url: 'http://a'}\n- {name: a, url: 'http://b'}\n",
            "proxy.yaml:3: upstreams[1].name: `a` is given twice",
        ),
        (
            "upstreams: [{name: 'a/b', url: 'http://a'}]\n",
            "proxy.yaml:1: upstreams[0].name: a name is up to 64 letters, digits, dots, dashes or underscores, "
            "with a letter or digit first",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_line_and_cure(write, text, said):
    assert refusal(write(text)) == said


def test_all_faults_are_said_at_once(write):
    assert len(refusal(write("prot: 1\nserver:\n  dran_s: 1\n")).splitlines()) == 2


def test_a_file_that_can_not_be_read_is_said(tmp_path, write):
    assert refusal(tmp_path / "missing.yaml") == "proxy.yaml: can't be read: No such file or directory"
    path = write("")
    path.write_bytes(b"\xff\xfe\x00")
    assert refusal(path) == "proxy.yaml: not UTF-8 text"


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("ASKONCE_PROT", "1", "ASKONCE_PROT: unknown setting in the environment: did you mean ASKONCE_PORT?"),
        (
            "ASKONCE_SERVER__DRAN_S",
            "1",
            "ASKONCE_SERVER__DRAN_S: unknown setting in the environment: did you mean ASKONCE_SERVER__DRAIN_S?",
        ),
        ("ASKONCE_SERVER__DRAIN_S", "x", "ASKONCE_SERVER__DRAIN_S: server.drain_s: write a number"),
        ("ASKONCE_UPSTREAMS", "[x", 'ASKONCE_UPSTREAMS: write JSON, such as \'[{"name": "local"}]\''),
        (
            "ASKONCE_UPSTREAM",
            "engine:8000",
            "ASKONCE_UPSTREAM: upstream: write the engine's root with its scheme, such as http://127.0.0.1:8000",
        ),
        (
            "ASKONCE_PORT",
            "tcp://10.0.0.1:80",
            "ASKONCE_PORT was set by Kubernetes for a Service called askonce: write enableServiceLinks: false "
            "in the pod, or give the Service another name",
        ),
    ],
)
def test_a_wrong_variable_is_named(monkeypatch, variable, value, said):
    monkeypatch.setenv(variable, value)
    assert refusal(None) == said


def test_what_kubernetes_says_of_a_service_of_our_name_is_not_ours(monkeypatch):
    monkeypatch.setenv("ASKONCE_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("ASKONCE_SERVICE_PORT_HTTP", "80")
    monkeypatch.setenv("ASKONCE_PORT_80_TCP_ADDR", "10.0.0.1")
    assert load_settings(None, {}) == Settings()


def test_a_wrong_flag_is_named():
    assert refusal(None, port=-1) == "--port: port: must be greater than or equal to 0"
    assert refusal(None, upstream="ftp://x").startswith("--upstream: upstream: write the engine's root")
    assert refusal(None, upstream="http://x/é").startswith("--upstream: upstream: percent-encode the path")


@pytest.mark.parametrize(
    ("written", "root"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000"),
        ("https://gateway.example/team/v1/", "https://gateway.example/team"),
        ("http://[::1]:8000/v1", "http://[::1]:8000"),
    ],
)
def test_an_upstreams_url_may_end_in_v1(written, root):
    assert UpstreamSettings(name="a", url=written).url == root


@pytest.mark.parametrize(
    ("written", "cure"),
    [
        ("127.0.0.1:8000", "with its scheme"),
        ("ftp://a", "with its scheme"),
        ("http://", "with its scheme"),
        ("http://a:99999", "the port must be a number"),
        ("http://user:secret@a", "write no credentials here"),
        ("http://a/v1?x=1", "without ? or #"),
        ("http://a/v1/chat/completions", "up to and including /v1 at most"),
    ],
)
def test_an_upstreams_url_that_can_not_work_is_refused(written, cure):
    with pytest.raises(ValidationError, match=cure.replace("?", r"\?")):
        UpstreamSettings(name="a", url=written)


def keyed(**more: Any) -> dict[str, Any]:
    return {"upstreams": [{"name": "a", "url": "http://a", "api_key_env": "ENGINE_KEY"}], **more}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "proxy.example"])
def test_nobody_unknown_may_spend_our_key(host):
    said = refusal(None, **keyed(host=host))
    assert said == (
        f"--host: host: on {host} anyone who reaches the port could spend the API key of upstream a: write `tenants:` "
        "with the keys of those who may, or host: 127.0.0.1, or open: true to allow everyone"
    )


@pytest.mark.parametrize(
    "more",
    [
        {"host": "127.0.0.1"},
        {"host": "127.8.8.8"},
        {"host": "::1"},
        {"host": "localhost"},
        {"host": "0.0.0.0", "open": True},
        {"host": "0.0.0.0", "tenants": [{"name": "acme", "api_keys": [KEY]}]},
    ],
)
def test_our_key_may_be_spent_by_those_who_are_known_or_let_in(more):
    assert load_settings(None, keyed(**more)).upstreams[0].api_key_env == "ENGINE_KEY"


def test_tenants_keys_are_kept_as_digests_only():
    digest = hashlib.sha256(KEY.encode()).hexdigest()
    settings = load_settings(None, {"tenants": [{"name": "acme", "api_keys": [KEY, f"sha256:{'AB' * 32}"]}]})
    assert settings.tenants[0].api_keys == (f"sha256:{digest}", f"sha256:{'ab' * 32}")
    assert digest not in repr(settings)


@pytest.mark.parametrize(
    ("keys", "cure"),
    [([], "write at least one key"), (["short"], "at least 8 characters"), (["sha256:12"], "64 hex digits")],
)
def test_keys_that_protect_nothing_are_refused(keys, cure):
    assert cure in refusal(None, tenants=[{"name": "acme", "api_keys": keys}])


def test_two_tenants_may_not_have_one_key(write):
    path = write(f"tenants:\n- {{name: acme, api_keys: [{KEY}]}}\n- {{name: other, api_keys: ['{KEY}']}}\n")
    assert refusal(path) == "proxy.yaml:3: tenants[1].api_keys: one of these keys is also given for acme"


SECRET = "a-secret-nobody-may-read"


@pytest.mark.parametrize(
    "text",
    [
        f"tenant_secret: [{SECRET}]\n",
        f"admin_token: {{x: {SECRET}}}\n",
        "admin_token: secret\n",
        f"tenants: [{{name: a, api_keys: {SECRET}}}]\n",
        f"tenants: [{{name: a, api_keys: [[{SECRET}]]}}]\n",
        f"upstreams: [{{name: a, url: 'http://a', api_key_env: {SECRET}}}]\n",
        f"upstreams: [{{name: a, url: 'http://u:{SECRET}@a'}}]\n",
        f"upstreams: [{{name: a, url: 'http://a', api_key_env: {{x: {SECRET}}}}}]\n",
    ],
)
def test_an_error_never_repeats_a_secret(write, text):
    path = write(text)
    with pytest.raises(ConfigError) as caught:
        load_settings(path, {})
    assert "secret" not in str(caught.value).replace(str(path), "").replace("tenant_secret", "")
    assert caught.value.__suppress_context__


def test_secrets_do_not_show():
    settings = load_settings(None, {"admin_token": SECRET, "tenant_secret": SECRET})
    assert SECRET not in repr(settings)
    assert settings.admin_token is not None
    assert settings.admin_token.get_secret_value() == SECRET


def test_trusted_proxies_are_networks():
    settings = load_settings(None, {"trusted_proxies": ["10.0.0.7", "10.1.0.0/16", "fd00::/8"]})
    assert settings.trusted_proxies[0] == IPv4Network("10.0.0.7/32")
    assert any(ip_address("10.1.2.3") in network for network in settings.trusted_proxies)


@pytest.mark.parametrize(
    ("written", "kept"), [("off", "off"), ("false", "off"), ("'-'", "-"), ("log.jsonl", "log.jsonl")]
)
def test_the_access_log_is_a_file_standard_error_or_off(write, written, kept):
    assert load_settings(write(f"access_log: {written}\n"), {}).access_log == kept


def test_a_policies_file_is_looked_for_beside_the_file_that_names_it(write, tmp_path):
    assert load_settings(write("policies: mine.yaml\n"), {}).policies == tmp_path / "mine.yaml"


def test_what_is_allowed_yet_odd_is_worth_a_warning():
    settings = load_settings(None, keyed(host="0.0.0.0", open=True, workers=2))
    assert len(startup_warnings(settings, {})) == 3
    assert len(startup_warnings(settings, {"ENGINE_KEY": "x"})) == 2
    assert startup_warnings(Settings(), {}) == []


def test_a_key_in_the_environment_is_without_what_surrounds_it_and_an_unusable_one_is_none():
    assert key_from({"KEY": "sk-engine\r\n"}, "KEY") == "sk-engine"
    assert key_from({}, None) is None
    settings = load_settings(None, keyed())
    for unusable, why in (("", "is not set"), (" \n", "is not set"), ("sk\n1", "character"), ("sk\u200b", "character")):
        assert key_from({"ENGINE_KEY": unusable}, "ENGINE_KEY") == ""
        assert why in startup_warnings(settings, {"ENGINE_KEY": unusable})[0]
    assert key_from({}, "ENGINE_KEY") == ""


def test_a_token_that_was_a_file_is_without_its_lines_end(monkeypatch):
    monkeypatch.setenv("ASKONCE_ADMIN_TOKEN", "0123456789abcdef\n")
    token = load_settings(None, {}).admin_token
    assert token is not None
    assert token.get_secret_value() == "0123456789abcdef"


def test_settings_are_frozen():
    with pytest.raises(ValidationError, match="frozen"):
        Settings().port = 1


def test_every_setting_says_what_it_is_for_and_stands_in_the_table():
    table = settings_table()
    for name in names_of(Settings):
        assert f"| `{name}` |" in table
    assert all(not row.endswith("|  |") for row in table.splitlines()[2:]), "a setting without a description"


def names_of(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        section, many = section_of(field.annotation)
        if section is None:
            yield prefix + name
        else:
            yield from names_of(section, f"{prefix}{name}{'[]' if many else ''}.")


def named(data: Any, name: str) -> bool:
    for part in name.replace("[]", ".[]").split("."):
        if part == "[]":
            data = data[0] if data else {}
        elif part in data:
            data = data[part]
        else:
            return False
    return True
