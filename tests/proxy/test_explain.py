"""`explain` says what would happen, without doing it."""

import pytest

from tests.builders import chat, stack
from tests.proxy.test_semantic_chain import OTHER, PARAPHRASE, QUESTION, family, filled, with_semantics

pytestmark = pytest.mark.anyio


async def explained(s, body, **headers):
    described = {"path": "/v1/chat/completions", "body": body, "headers": {"authorization": "Bearer sk-a", **headers}}
    reply = await s.client.post(
        "/admin/explain", json=described, headers={"authorization": f"Bearer {s.app.admin_token}"}
    )
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_it_names_family_permits_and_why():
    async with stack() as s:
        told = await explained(s, chat(temperature=...))
        assert told["family"] == "default"
        assert told["permits"] == {"look_up": False, "share": False, "store": False, "reason": "temperature-missing"}
        assert s.upstream.calls == 0


async def test_it_finds_the_entry_of_the_same_client_only():
    async with stack() as s:
        await s.ask(chat())
        assert (await explained(s, chat()))["exact"]["verdict"] == "fresh"
        assert (await explained(s, chat(), authorization="Bearer sk-b"))["exact"] == {"entry": False}


async def test_it_lists_candidates_with_similarity_and_verdict():
    async with stack(family()) as s:
        await with_semantics(s)
        await s.ask(chat(QUESTION))
        await filled(s)
        served, refused = await explained(s, chat(PARAPHRASE)), await explained(s, chat(OTHER))
        assert served["semantic"]["verdict"] == "hit"
        assert served["semantic"]["candidates"][0]["text"] == QUESTION
        assert refused["semantic"]["verdict"] == "miss"
        assert refused["semantic"]["candidates"][0]["conflict"]
        assert s.upstream.calls == 1


async def test_it_needs_the_admin_token():
    async with stack() as s:
        reply = await s.client.post("/admin/explain", json={"body": chat()}, headers={"authorization": "Bearer sk-a"})
        assert reply.status_code == 401


async def test_a_wrong_description_says_what_to_write():
    async with stack() as s:
        headers = {"authorization": f"Bearer {s.app.admin_token}"}
        reply = await s.client.post("/admin/explain", json=chat(), headers=headers)
        assert reply.status_code == 400
        assert '"body"' in reply.json()["error"]["message"]
