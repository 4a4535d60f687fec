"""Evidence is accepted for the very family it was made for, and refused with the reason for any other."""

import json
from typing import Any

import pytest

from policies.evidence import check_evidence, policy_digest
from policies.load import PolicyError, load_policies
from policies.model import FamilyPolicy

SEMANTIC = {"mode": "on", "threshold": 0.85, "guards": ["numbers", "units"], "evidence": "results/a.json"}
SHA256 = "8199" * 16


def family(**semantic: Any) -> FamilyPolicy:
    return FamilyPolicy.model_validate(
        {"name": "a", "match": {"prompt_regex": "x"}, "semantic": {**SEMANTIC, **semantic}}
    )


def said(**changed: Any) -> dict[str, Any]:
    return {
        "policy": policy_digest(family()),
        "threshold": 0.85,
        "embedder_sha256": SHA256,
        "max_false_hit": 0.01,
        "false_hit_bound": 0.0099,
        **changed,
    }


@pytest.fixture
def evidence(tmp_path):
    def evidence(content):
        path = tmp_path / "a.json"
        path.write_text(json.dumps(content))
        return path

    return evidence


def test_evidence_for_the_family_as_it_is_has_nothing_wrong(evidence):
    path = evidence({"families": {"a": said()}})
    assert check_evidence(family(), path) is None
    assert check_evidence(family(), path, SHA256) is None


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"threshold": 0.8}, "is for a threshold of 0.85, not 0.8"),
        ({"guards": ["numbers"]}, "is for other floor, guards"),
        ({"floor": 0.5}, "is for other floor"),
        ({"lexicon": {"synonyms": [["invoice", "bill"]]}}, "is for other floor, guards, lexicon"),
        ({"multi_turn": True}, "is for other"),
        ({"top_k": 50}, "is for other"),
    ],
)
def test_evidence_for_another_policy_is_refused(evidence, changed, what):
    assert str(check_evidence(family(**changed), evidence({"families": {"a": said()}}))).startswith(what)


def test_evidence_for_other_prompts_is_refused(evidence):
    wider = family().model_copy(update={"match": FamilyPolicy().match})
    assert "match" in str(check_evidence(wider, evidence({"families": {"a": said()}})))


@pytest.mark.parametrize("changed", [{"mode": "shadow"}, {"shadow_rate": 0.5}, {"evidence": "moved.json"}])
def test_what_decides_no_hit_may_change(evidence, changed):
    path = evidence({"families": {"a": said()}})
    assert check_evidence(family(**changed), path) is None
    assert check_evidence(family().model_copy(update={"coalesce": "never"}), path) is None


def test_the_order_of_guards_is_no_other_policy(evidence):
    assert check_evidence(family(guards=["units", "numbers"]), evidence({"families": {"a": said()}})) is None


def test_evidence_for_another_model_file_is_refused(evidence):
    path = evidence({"families": {"a": said()}})
    assert str(check_evidence(family(), path, "0123" * 16)).startswith(
        f"is for the embedder {SHA256[:16]}, in use is 0123"
    )


def test_a_bound_above_its_budget_is_refused(evidence):
    path = evidence({"families": {"a": said(false_hit_bound=0.0123)}})
    assert "at most 1.23%, and promises 1.00%" in str(check_evidence(family(), path))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ({"families": {"a": {}}}, "proves no bound"),
        ({"families": {"a": said(false_hit_bound=None)}}, "proves no bound"),
        ({"families": {"a": said(max_false_hit=True)}}, "proves no bound"),
        ({"families": {"a": said(false_hit_bound=float("nan"))}}, "proves no bound"),
        ({"families": ["a"]}, "says nothing of family a"),
        ({"families": {"b": said()}}, "says nothing of family a"),
        ([], "says nothing of family a"),
    ],
)
def test_a_file_that_proves_nothing_is_refused(evidence, content, what):
    assert str(check_evidence(family(), evidence(content))).startswith(what)


POLICIES = """
families:
- name: a
  match: {prompt_regex: x}
  semantic: {mode: on, threshold: 0.85, guards: [numbers, units], evidence: results/a.json}
"""


@pytest.fixture
def installed(tmp_path):
    """`config/policies.yaml` beside `results/`."""

    def installed(**changed):
        for folder in ("config", "results"):
            (tmp_path / folder).mkdir()
        (tmp_path / "results" / "a.json").write_text(json.dumps({"families": {"a": said(**changed)}}))
        path = tmp_path / "config" / "policies.yaml"
        path.write_text(POLICIES)
        return path

    return installed


def test_the_loader_takes_evidence_that_fits(installed):
    assert load_policies(installed(), strict_evidence=True, embedder_sha256=SHA256).warnings == ()


def test_the_loader_warns_of_evidence_that_does_not_fit_and_strictly_refuses(installed):
    path = installed(policy="0" * 64)
    (warning,) = load_policies(path).warnings
    assert warning.text.startswith("evidence results/a.json: is for other")
    with pytest.raises(PolicyError, match="strict_evidence is on"):
        load_policies(path, strict_evidence=True)


def test_the_loader_knows_the_embedder_if_it_is_told(installed):
    path = installed()
    assert load_policies(path).warnings == ()
    (warning,) = load_policies(path, embedder_sha256="0123" * 16).warnings
    assert "is for the embedder" in warning.text
