"""A policies file: what is inherited, what is refused and how, and what only earns a warning."""

import json
from importlib import resources
from typing import Any

import pytest

from config.document import read_document
from policies.guards import DEFAULT_GUARDS
from policies.load import PolicyError, load_policies
from policies.model import FamilyPolicy, PolicySet


def family(**written: Any) -> FamilyPolicy:
    return FamilyPolicy.model_validate(written)


@pytest.fixture
def load(tmp_path):
    def load(text, **options):
        path = tmp_path / "policies.yaml"
        path.write_text(text)
        return load_policies(path, **options)

    return load


@pytest.fixture
def refusal(load, tmp_path):
    def refusal(text, **options):
        with pytest.raises(PolicyError) as caught:
            load(text, **options)
        return str(caught.value).replace(f"{tmp_path}/", "")

    return refusal


def test_the_packaged_file_ships_five_families_with_evidence():
    policies = load_policies(None)
    assert [family.name for family in policies.families] == [
        "code",
        "translation",
        "unit_conversion",
        "geography",
        "diet",
    ]
    assert {family.semantic.mode for family in policies.families} == {"on"}
    assert all(family.semantic.evidence for family in policies.families)
    assert policies.warnings == ()


def test_the_packaged_file_shows_every_setting_at_its_default():
    written = read_document(resources.files("config").joinpath("policies.yaml").read_text(), "policies.yaml").data
    shown = {
        key: value for key, value in FamilyPolicy().model_dump(mode="json").items() if key not in ("name", "match")
    }
    assert written["defaults"] == shown


def test_an_empty_file_leaves_the_default_family(load):
    policies = load("")
    assert policies.families == ()
    assert policies.defaults == FamilyPolicy()


def test_a_family_inherits_what_it_does_not_write(load):
    policies = load(
        """
        defaults:
          exact: {ttl_s: 60, store_refusals: true}
          semantic: {threshold: 0.9, guards: [numbers]}
          coalesce: never
        families:
          - name: a
            match: {models: [a]}
            exact: {ttl_s: 5}
            semantic: {mode: shadow}
          - name: b
        """
    )
    a, b = policies.families
    assert (a.exact.ttl_s, a.exact.store_refusals, a.coalesce) == (5, True, "never")
    assert (a.semantic.mode, a.semantic.threshold, a.semantic.guards) == ("shadow", 0.9, ("numbers",))
    assert (b.exact.ttl_s, b.semantic.mode) == (60, "off")
    assert policies.defaults.exact.ttl_s == 60
    assert policies.defaults.name == "default"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("familys: []\n", "policies.yaml:1: unknown key `familys`: did you mean `families`?"),
        ("version: 2\n", "policies.yaml:1: version: must be 1"),
        ("families:\n- a\n", "policies.yaml:2: families[0]: write a section: `key: value`"),
        ("families:\n- match: {}\n", "policies.yaml:2: a family needs a name"),
        (
            "families:\n- name: a\n  match: {promt_regex: x}\n",
            "policies.yaml:3: a: unknown key `match.promt_regex`: did you mean `prompt_regex`?",
        ),
        (
            "families:\n- name: a\n  ttl_s: 5\n",
            "policies.yaml:3: a: unknown key `ttl_s`: `ttl_s` belongs at `exact.ttl_s`",
        ),
        (
            "families:\n- name: a\n  semantic: {mode: onn}\n",
            "policies.yaml:3: a: semantic.mode: must be 'on', 'shadow' or 'off'; did you mean on?",
        ),
        (
            "families:\n- name: a\n  semantic:\n    guards:\n    - numbers\n    - nubmers\n",
            "policies.yaml:6: a: semantic.guards[1]: unknown guard `nubmers`: did you mean numbers?",
        ),
        (
            "families:\n- name: a\n  match: {paths: [v1/completions]}\n",
            "policies.yaml:3: a: match.paths: a path starts with a slash: write /v1/completions",
        ),
        (
            "families:\n- name: a\n  exact: {ttl_s: 0}\n",
            "policies.yaml:3: a: exact.ttl_s: must be greater than 0",
        ),
        (
            "families:\n- name: a\n  exact: {sliding: true}\n",
            "policies.yaml:3: a: exact.sliding: an answer asked for often would never end: write max_age_s beside it",
        ),
        (
            "families:\n- name: a\n  exact: {max_age_s: 5}\n",
            "policies.yaml:3: a: exact.max_age_s: is the end of a sliding life: write sliding: true, or ttl_s alone",
        ),
        (
            "families:\n- name: a\n  exact: {sliding: true, ttl_s: 9, max_age_s: 5}\n",
            "policies.yaml:3: a: exact.max_age_s: must be at least ttl_s",
        ),
        (
            "families:\n- name: a\n  exact: {finish_reasons: []}\n",
            "policies.yaml:3: a: exact.finish_reasons: nothing could be stored: write [stop, tool_calls], "
            "or exact: {enabled: false}",
        ),
        (
            "families:\n- name: default\n",
            "policies.yaml:2: `default` is what matches no family: write its settings under `defaults:`",
        ),
        ("families:\n- name: other\n", "policies.yaml:2: `other` is what matches no family: write another name"),
        ("defaults: {name: x}\n", "policies.yaml:1: `name` belongs to one family: write it under families"),
        (
            "defaults:\n  semantic: {mode: on, threshold: 0.9}\n",
            "policies.yaml:2: a family is matched by meaning on its own evidence: write mode in the family",
        ),
        (
            "families:\n- name: a\n  match: {models: [x]}\n- name: a\n  match: {models: [y]}\n",
            "policies.yaml:4: `a` is given twice (first on line 2)",
        ),
        ("a: [\n", "policies.yaml:2: not valid YAML: expected the node content, but found '<stream end>'"),
    ],
)
def test_a_wrong_file_is_refused_with_line_and_cure(refusal, text, said):
    assert refusal(text) == said


def test_all_faults_are_said_at_once(refusal):
    said = refusal("families:\n- name: a\n  match: {model: [x]}\n  exakt: {}\n- name: b\n  batch: {max_wait: 1}\n")
    assert [line.split(":")[1] for line in said.splitlines()] == ["3", "4", "6"]


def test_a_fault_of_the_defaults_is_placed_there_even_if_a_family_brings_it_out(refusal):
    said = refusal("defaults:\n  semantic: {threshold: 0.85}\nfamilies:\n- name: a\n  semantic: {floor: 0.9}\n")
    assert said.startswith("policies.yaml:2: a: semantic.threshold: 0.85 is below the floor of 0.9")


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(PolicyError, match="can't be read: No such file"):
        load_policies(tmp_path / "missing.yaml")


@pytest.mark.parametrize(
    ("pattern", "lacks"),
    [
        ("(?=a)", "lookahead"),
        ("(?!a)", "negative lookahead"),
        ("(?<=a)b", "lookbehind"),
        ("(?<!a)b", "lookbehind"),
        (r"(a)\1", r"backreferences such as \1"),
        ("a++", "possessive repetition"),
        ("(?>a)", "atomic groups"),
    ],
)
def test_the_loader_says_what_re2_lacks(refusal, capfd, pattern, lacks):
    said = refusal(f"families:\n- name: a\n  match:\n    prompt_regex: '{pattern}'\n")
    assert said.startswith(
        "policies.yaml:4: a: match.prompt_regex: RE2, whose time grows no faster than the prompt, has no"
    )
    assert lacks in said
    assert capfd.readouterr().err == "", "RE2's own log line on standard error"


def test_another_wrong_expression_is_quoted(refusal):
    said = refusal("families:\n- name: a\n  match: {system_regex: '[a'}\n")
    assert said == "policies.yaml:3: a: match.system_regex: not an RE2 expression: missing ]: [a"


@pytest.mark.parametrize("threshold", ["0.8", "0.86", "1", "1.0", "null", "9e-1"])
def test_M04_a_threshold_from_the_floor_to_one_is_accepted(load, threshold):
    policies = load(f"families:\n- name: a\n  semantic: {{threshold: {threshold}}}\n")
    assert policies.families[0].semantic.threshold == (None if threshold == "null" else float(threshold))


@pytest.mark.parametrize("threshold", ["0", "0.0", "-1", "-1.0", "0.5", "0.7999"])
def test_M04_a_threshold_below_the_floor_needs_a_floor(load, refusal, threshold):
    family = f"families:\n- name: a\n  semantic: {{mode: shadow, threshold: {threshold}"
    shown = f"{float(threshold):g}"
    assert refusal(family + "}\n") == (
        f"policies.yaml:3: a: semantic.threshold: {shown} is below the floor of 0.8; if an evaluation allows it, "
        f"write floor: {shown} beside it"
    )
    assert load(family + f", floor: {threshold}}}\n").families[0].semantic.threshold == float(threshold)


@pytest.mark.parametrize(
    ("threshold", "said"),
    [
        ("2", "a cosine similarity is from -1 to 1, where 1 is the same direction; got 2"),
        ("-1.01", "a cosine similarity is from -1 to 1, where 1 is the same direction; got -1.01"),
        (".nan", "a cosine similarity is from -1 to 1, where 1 is the same direction; got not a number"),
        (".inf", "a cosine similarity is from -1 to 1, where 1 is the same direction; got inf"),
        ('"0.9"', "a cosine similarity is a number from -1 to 1, written without quotes"),
        ("true", "a cosine similarity is a number from -1 to 1, written without quotes"),
        ("[0.9]", "write a number"),
    ],
)
def test_M04_what_is_no_cosine_is_refused(refusal, threshold, said):
    line = refusal(f"families:\n- name: a\n  semantic: {{threshold: {threshold}}}\n")
    assert line == f"policies.yaml:3: a: semantic.threshold: {said}"


@pytest.mark.parametrize("mode", ["on", "shadow"])
def test_M04_a_missing_threshold_is_not_zero(refusal, mode):
    said = refusal(f"families:\n- name: a\n  semantic: {{mode: {mode}}}\n")
    assert (
        said
        == f"policies.yaml:3: a: semantic.mode: {mode} needs a threshold: write the one `python -m evaluation` found"
    )


def test_a_lexicon_takes_words_and_lists_of_words(load):
    policies = load(
        "families:\n- name: a\n  semantic:\n    lexicon: {contrasts: [[inbound, outbound], [[arm, armed], disarm]]}\n"
    )
    assert policies.families[0].semantic.lexicon.contrasts == (
        (("inbound",), ("outbound",)),
        (("arm", "armed"), ("disarm",)),
    )


def test_modes_are_words_even_if_another_reader_took_them_for_truth_values(load):
    assert load("families:\n- name: a\n  semantic: {mode: off}\n").families[0].semantic.mode == "off"
    assert family(semantic={"mode": True, "threshold": 0.9}).semantic.mode == "on"


SEMANTIC = "families:\n- name: a\n  semantic: {mode: on, threshold: 0.9%s}\n"


@pytest.fixture
def evidence(tmp_path):
    def evidence(content):
        (tmp_path / "a.json").write_text(content)

    return evidence


def test_a_family_without_evidence_earns_a_warning_and_strictly_a_refusal(load, refusal):
    (warning,) = load(SEMANTIC % "").warnings
    assert (warning.family, warning.place.rpartition("/")[2]) == ("a", "policies.yaml:3")
    assert "mode: on without evidence" in warning.text
    assert "strict_evidence is on" in refusal(SEMANTIC % "", strict_evidence=True)


def test_a_shadow_family_needs_no_evidence(load):
    assert load(SEMANTIC.replace("on", "shadow") % "", strict_evidence=True).warnings == ()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no such file"),
        ("{", "not JSON"),
        ("[]", "says nothing of family a"),
        (json.dumps({"families": {"b": {}}}), "says nothing of family a"),
    ],
)
def test_evidence_that_proves_nothing_is_no_evidence(load, refusal, evidence, content, said):
    if content is not None:
        evidence(content)
    (warning,) = load(SEMANTIC % ", evidence: a.json").warnings
    assert warning.text.startswith(f"evidence a.json: {said}")
    assert said in refusal(SEMANTIC % ", evidence: a.json", strict_evidence=True)


@pytest.mark.parametrize(
    ("earlier", "later", "what"),
    [
        ("{}", "{models: [x]}", "everything"),
        ("{models: ['*']}", "{prompt_regex: x}", "everything"),
        ("{prompt_regex: ''}", "{}", "everything"),
        ("{models: [x]}", "{models: [x]}", "all that it would"),
        ("{models: [x, y]}", "{models: [y], paths: [/v1/completions]}", "all that it would"),
        ("{prompt_regex: a}", "{prompt_regex: a, tenants: [acme]}", "all that it would"),
        ("{header: h}", "{header: h, system_regex: s}", "all that it would"),
    ],
)
def test_a_family_that_is_never_reached_is_refused(refusal, earlier, later, what):
    said = refusal(f"families:\n- name: a\n  match: {earlier}\n- name: b\n  match: {later}\n")
    assert said == (
        f"policies.yaml:4: `b` is never reached: `a` on line 2 matches {what}; move it up, or narrow the other"
    )


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("{models: [x]}", "{}"),
        ("{models: [x]}", "{models: ['*']}"),
        ("{models: [x]}", "{models: [x, y]}"),
        ("{prompt_regex: a}", "{prompt_regex: b}"),
        ("{paths: [/v1/completions]}", "{models: [x]}"),
        ("{header: h}", "{header: i}"),
    ],
)
def test_a_family_that_can_be_reached_is_kept(load, earlier, later):
    assert len(load(f"families:\n- name: a\n  match: {earlier}\n- name: b\n  match: {later}\n").families) == 2


def test_K06_meaning_changes_only_with_what_changes_what_a_stored_answer_means():
    plain = family(name="a")
    same = family(
        name="b",
        exact={"ttl_s": 1, "replay": "verbatim"},
        semantic={"threshold": 0.99, "guards": ["numbers"], "mode": "shadow"},
        coalesce="always",
        timeouts={"total_s": 1},
    )
    assert plain.meaning == same.meaning
    others = [
        family(normalize=["casefold"]),
        family(normalize=["casefold", "whitespace"]),
        family(ignore_user=False),
        family(exact={"finish_reasons": ["stop", "tool_calls", "length"]}),
        family(exact={"store_refusals": True}),
    ]
    assert len({plain.meaning, *(other.meaning for other in others)}) == 6
    assert plain.meaning == family(exact={"finish_reasons": ["tool_calls", "stop"]}).meaning
    assert family(normalize=["nfc", "casefold"]).meaning == family(normalize=["casefold", "nfc"]).meaning


def test_a_policy_set_can_be_built_without_a_file():
    assert set(PolicySet((FamilyPolicy(name="a"),)).families[0].semantic.guards) == set(DEFAULT_GUARDS)
