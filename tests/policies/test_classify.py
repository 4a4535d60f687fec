"""Which family a request belongs to, and that no text is read which no family asks about."""

from typing import Any

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from policies.classify import classify
from policies.load import load_policies
from policies.match import Matchers, MatchPolicy
from policies.model import FamilyPolicy, PolicySet

CHAT = "/v1/chat/completions"


def policies(**matches: Any) -> PolicySet:
    return PolicySet(
        tuple(FamilyPolicy.model_validate({"name": name, "match": match}) for name, match in matches.items())
    )


def family(
    policies: PolicySet,
    prompt: str = "",
    system: str = "",
    *,
    path: str = CHAT,
    model: str = "m",
    tenant: str | None = None,
    header: str | None = None,
) -> str:
    return classify(
        policies,
        path=path,
        model=model,
        tenant=tenant,
        header=header,
        prompt_text=lambda: prompt,
        system_text=lambda: system,
    ).name


def unread() -> str:
    raise AssertionError("a text was read that no family asks about")


def test_the_first_family_that_matches_wins():
    both = policies(a={"prompt_regex": "x"}, b={"prompt_regex": "xy"}, c={})
    assert [family(both, prompt) for prompt in ("xy", "x", "y")] == ["a", "a", "c"]


def test_what_matches_nothing_belongs_to_the_default_family():
    assert family(policies(a={"models": ["x"]})) == "default"
    assert family(PolicySet()) == "default"


@pytest.mark.parametrize(
    ("match", "request_", "agrees"),
    [
        ({"prompt_regex": r"(?i)\bcapital of\b"}, {"prompt": "The CAPITAL of France?"}, True),
        ({"prompt_regex": "^capital"}, {"prompt": "the capital"}, False),
        ({"prompt_regex": "grün|é"}, {"prompt": "caf\u00e9"}, True),
        ({"prompt_regex": "x"}, {"prompt": "\ud800x"}, True),
        ({"prompt_regex": "x"}, {"system": "x"}, False),
        ({"system_regex": "assistant"}, {"system": "You are a programming assistant"}, True),
        ({"models": ["qwen*", "llama-3"]}, {"model": "qwen2.5-1.5b"}, True),
        ({"models": ["qwen*", "llama-3"]}, {"model": "llama-3-8b"}, False),
        ({"models": ["qwen*"]}, {"model": "Qwen"}, False),
        ({"paths": ["/v1/completions"]}, {"path": "/v1/completions"}, True),
        ({"paths": ["/v1/completions"]}, {}, False),
        ({"tenants": ["acme"]}, {"tenant": "acme"}, True),
        ({"tenants": ["acme"]}, {"tenant": None}, False),
        ({"header": "h"}, {"header": "h"}, True),
        ({"header": "h"}, {"header": None}, False),
        ({}, {"header": "h"}, True),
        ({"models": ["m"], "prompt_regex": "x"}, {"prompt": "y"}, False),
    ],
)
def test_every_key_given_must_agree(match, request_, agrees):
    assert family(policies(a=match), **request_) == ("a" if agrees else "default")


def test_a_text_is_read_only_if_the_family_could_still_match():
    needs_text = policies(
        a={"models": ["x"], "prompt_regex": "x"}, b={"paths": ["/v1/completions"], "system_regex": "x"}
    )
    found = classify(needs_text, path=CHAT, model="m", tenant=None, header=None, prompt_text=unread, system_text=unread)
    assert found is needs_text.defaults


def test_each_text_is_read_once():
    reads = []
    many = policies(**{f"f{n}": {"prompt_regex": f"x{n}y", "system_regex": f"z{n}"} for n in range(5)})

    def prompt() -> str:
        reads.append("prompt")
        return "x2y x3y"

    def system() -> str:
        reads.append("system")
        return "z3"

    found = classify(many, path=CHAT, model="m", tenant=None, header=None, prompt_text=prompt, system_text=system)
    assert found.name == "f3"
    assert reads == ["prompt", "system"]


PATTERNS = ["a", "ab?", "^b", r"\bab\b", "(?i)A+B", "c|ä", "[^a]$", "", r"\d{2}", "a.*b"]


@given(st.text("abcäAB 09\n", max_size=30))
def test_searching_all_expressions_at_once_finds_what_each_alone_finds(text):
    matchers = [Matchers([MatchPolicy(prompt_regex=pattern)]) for pattern in PATTERNS]
    together = Matchers([MatchPolicy(prompt_regex=pattern, models=(f"m{n}",)) for n, pattern in enumerate(PATTERNS)])
    for n, (pattern, alone) in enumerate(zip(PATTERNS, matchers, strict=True)):
        expected = re2.search(pattern, text) is not None
        assert (alone.first(CHAT, "m", None, None, lambda: text, unread) is not None) == expected
        assert (together.first(CHAT, f"m{n}", None, None, lambda: text, unread) == n) == expected


@pytest.mark.parametrize(
    ("name", "prompt"),
    [
        ("code", "C++: how to reverse a list"),
        ("code", "how do I convert 3 columns to rows in SQL"),
        ("translation", "translate 'good morning' to Korean"),
        ("translation", "give me 'thank you very much' in Dutch"),
        ("unit_conversion", "convert 5 km to miles"),
        ("unit_conversion", "how many hectares is 50 acres"),
        ("unit_conversion", "30 celsius expressed in fahrenheit"),
        ("geography", "Kenya's capital"),
        ("geography", "tell me the population of Ghana"),
        ("diet", "name starch-free vegetables"),
        ("diet", "is it okay to eat raw eggs while pregnant?"),
        ("code", "Go: how to reverse a list"),
        ("default", "Where should we go this summer?"),
        ("default", "Hello there"),
        ("default", "Write a haiku about the sea"),
    ],
)
def test_the_packaged_families_know_their_prompts_and_leave_others_alone(name, prompt):
    assert family(load_policies(None), prompt) == name
