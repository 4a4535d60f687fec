"""`python -m proxy check`: its exit status, and what it says on which stream."""

import argparse
import json

import pytest

from proxy.cli import check

POLICIES = """
defaults:
  exact: {ttl_s: 7200}
families:
  - name: capitals
    match: {prompt_regex: '(?i)capital [a-z]+', models: [qwen-1]}
    exact: {ttl_s: 60, stale_if_error_s: 86400}
    semantic: {mode: shadow, threshold: 0.9, guards: [numbers]}
"""


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Run the command on these texts; what it returned and printed."""
    monkeypatch.setenv("COLUMNS", "160")

    def run(config: str | None = None, policies: str | None = None, *flags: str) -> tuple[int, str, str]:
        given = list(flags)
        for name, text in (("config", config), ("policies", policies)):
            if text is not None:
                path = tmp_path / f"{name}.yaml"
                path.write_text(text)
                given += [f"--{name}", str(path)]
        parser = argparse.ArgumentParser()
        check.configure(parser)
        status = check.run(parser.parse_args(given))
        printed = capsys.readouterr()
        return status, printed.out, printed.err.replace(f"{tmp_path}/", "")

    return run


def test_the_packaged_files_are_good(run):
    status, out, err = run()
    assert status == 0
    assert all(name in out for name in ("unit_conversion", "translation", "geography", "code", "diet", "default"))
    assert err == "good; no warnings\n"


def test_it_says_what_each_family_does(run):
    _, out, _ = run(None, POLICIES)
    for said in (
        "kept 1 min",
        "1 d more if the engine fails",
        "compared only, from 0.9",
        "guards: numbers",
        "kept 2 h",
    ):
        assert said in out
    assert "(?i)capital [a-z]+" in out, "brackets are no markup"


def test_the_faults_of_both_files_are_said_at_once(run):
    status, out, err = run("prot: 1\n", "families:\n- name: a\n  exakt: {}\n")
    assert (status, out) == (1, "")
    assert err == (
        "error: config.yaml:1: unknown key `prot`: did you mean `port`?\n"
        "error: policies.yaml:3: a: unknown key `exakt`: did you mean `exact`?\n"
    )


def test_a_file_that_is_not_there_is_bad_usage(run, tmp_path):
    status, _, err = run(None, None, "--config", str(tmp_path / "nowhere.yaml"))
    assert (status, err) == (2, "nowhere.yaml: there is no such file\n")


def test_what_the_two_files_make_impossible_together_is_a_warning(run):
    config = "upstreams: [{name: a, url: 'http://a', models: ['llama*'], aliases: {fast: llama-3}}]\n"
    match = "families:\n- name: f\n  match: {models: [llama-3, fast, 'q*', qwen-1], tenants: [acme]}\n"
    status, _, err = run(config, match)
    assert status == 0
    assert err == (
        "warning: policies.yaml: f: no tenant of the settings is called acme\n"
        "warning: policies.yaml: f: no upstream of the settings serves qwen-1\n"
        "good; 2 warnings\n"
    )


def test_strict_evidence_of_the_settings_counts(run):
    policies = "families:\n- name: a\n  semantic: {mode: on, threshold: 0.9}\n"
    assert run(None, policies)[0] == 0
    status, _, err = run("strict_evidence: true\n", policies)
    assert status == 1
    assert "error: policies.yaml:3: a: mode: on without evidence" in err


def test_the_settings_may_name_the_policies(run, tmp_path):
    (tmp_path / "mine.yaml").write_text("families: [{name: mine, match: {models: [x]}}]\n")
    _, out, _ = run("policies: mine.yaml\n")
    assert "mine" in out
    assert "translation" not in out


def test_json_says_the_same_and_no_secret(run):
    config = "admin_token: a-token-nobody-may-see\ntenants: [{name: acme, api_keys: [sk-key-of-acme]}]\n"
    status, out, _ = run(config, POLICIES, "--json")
    said = json.loads(out)
    assert (status, said["good"], said["errors"]) == (0, True, [])
    assert [family["name"] for family in said["families"]] == ["capitals", "default"]
    assert said["settings"]["tenants"][0]["name"] == "acme"
    assert "nobody-may-see" not in out
    assert "sha256" not in json.dumps(said["settings"]["tenants"])
    status, out, _ = run("prot: 1\n", None, "--json")
    assert (status, json.loads(out)["good"], json.loads(out)["settings"]) == (1, False, None)
