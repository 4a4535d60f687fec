"""The documentation names what there is, and its examples work."""

import ast
import re
from pathlib import Path

import pytest
import yaml

from config.describe import settings_table
from config.settings import Settings
from policies.load import load_policies
from policies.model import FamilyPolicy
from proxy.context import Outcome
from proxy.metric_table import METRICS, metrics_table
from proxy.permit import Directives
from proxy.reload import RELOADED

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def sources() -> list[str]:
    return [path.read_text("utf-8") for path in sorted((ROOT / "proxy").rglob("*.py"))]


def test_the_settings_page_has_the_table_as_it_is_now():
    assert settings_table() in page("settings.md"), "write the output of `python -m config.describe` into it"


def test_the_settings_page_names_what_a_reload_changes():
    assert ", ".join(f"`{name}`" for name in RELOADED) in page("settings.md")


def test_the_metrics_page_has_the_table_as_it_is_now():
    assert metrics_table() in page("metrics.md"), "write the output of `python -m proxy.metric_table` into it"
    for metric in METRICS:
        assert f"`{metric.name}" in page("metrics.md")


def test_every_header_that_is_ours_is_named():
    ours = set(re.findall(r'b"(x-(?:askonce-[a-z-]+[a-z]|tenant|api-key|request-id))"', "\n".join(sources())))
    assert len(ours) > 5
    for name in ours:
        assert f"`{name}" in page("headers.md"), name


def test_every_outcome_and_directive_is_named():
    for outcome in Outcome:
        assert f"| `{outcome}` |" in page("headers.md")
    for name in Directives.__dataclass_fields__:
        word = {"max_age_s": "max-age=N", "bypass_cache": "cache", "bypass_share": "share"}.get(name, name)
        assert f"{word.replace('_', '-')}`" in page("headers.md")


def test_every_reason_of_a_bypass_is_named():
    tree = ast.parse((ROOT / "proxy/permit.py").read_text("utf-8"))
    deciding = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    words = {
        node.value
        for function in deciding
        if function.name in ("decide", "_sampled", "_server_state")
        for node in ast.walk(function)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"[a-z]+(-[a-z]+)+", node.value)
    }
    assert "temperature-missing" in words
    for reason in words:
        assert f"`{reason}`" in page("headers.md"), reason


def test_every_error_code_is_named():
    codes = set(re.findall(r'\bcode(?:: str \| None)? ?= ?"([a-z_]+)"', "\n".join(sources())))
    assert "queue_full" in codes
    for code in codes:
        assert f"`{code}`" in page("headers.md"), code


def blocks(name: str) -> list[str]:
    return re.findall(r"^```yaml\n(.*?)^```", page(name), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(blocks("policies.md"))))
def test_each_example_of_a_policy_is_one(number, tmp_path):
    path = tmp_path / "policies.yaml"
    path.write_text(blocks("policies.md")[number])
    load_policies(path)


def test_the_policies_page_names_every_setting_of_a_family():
    text = page("policies.md")
    for name in set(FamilyPolicy.model_fields) - {"name"}:
        assert f"{name}:" in text or f"`{name}`" in text, name


@pytest.mark.parametrize("number", range(len(blocks("tenants.md"))))
def test_each_example_of_tenants_is_one(number):
    Settings(**yaml.safe_load(blocks("tenants.md")[number]))
