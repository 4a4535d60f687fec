"""A cache that never hits says why, and what to write."""

import asyncio
import logging

import pytest

from policies.match import MatchPolicy
from policies.model import FamilyPolicy, PolicySet
from tests.builders import chat, policy_set
from tests.fleet.builders import fleet

pytestmark = pytest.mark.anyio

SECRET = "what is my diagnosis"


@pytest.fixture
def said(caplog):
    caplog.set_level(logging.INFO, logger="askonce.bypass")
    return lambda: [record.getMessage() for record in caplog.records if record.name == "askonce.bypass"]


async def test_a_bypass_names_the_setting_once_a_minute_and_no_prompt(said):
    async with fleet() as f:
        for _ in range(50):
            await f.ask(chat(SECRET, temperature=...))
        assert len(said()) == 1
        assert "when_temperature_missing: greedy" in said()[0]
        await asyncio.sleep(60)
        await f.ask(chat(SECRET, temperature=...))
        assert len(said()) == 2
        assert "family default bypasses the cache (temperature-missing, 50 since" in said()[1]
        assert SECRET not in " ".join(said())


@pytest.mark.parametrize(
    ("policies", "fields", "cure"),
    [
        (policy_set(), {"temperature": None}, "when_temperature_missing: greedy"),
        (policy_set(), {"temperature": 0.7}, "coalesce: always"),
        (policy_set(exact={"enabled": False}), {}, "exact: {enabled: true}"),
    ],
)
async def test_each_cure_works(said, policies, fields, cure):
    async with fleet(policies=policies) as f:
        await f.ask(chat(**fields))
        assert cure in said()[0]


async def test_what_a_client_asked_for_itself_needs_no_cure(said):
    async with fleet() as f:
        await f.ask(cache_control="no-cache")
        await f.ask(x_askonce_bypass="all")
        await f.ask(chat(store=True))
        assert said() == []


async def test_the_most_frequent_family_is_named(said):
    often = FamilyPolicy(name="often", match=MatchPolicy(paths=("/v1/completions",)))
    async with fleet(policies=PolicySet(families=(often,))) as f:
        await f.ask(chat(temperature=1))
        for _ in range(3):
            await f.ask({"model": "m", "prompt": "x"}, path="/v1/completions")
        await asyncio.sleep(60)
        await f.ask(chat(temperature=1))
        assert said()[1].startswith("family often bypasses the cache (temperature-missing, 3 since")
