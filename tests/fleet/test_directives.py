"""What a client may ask of the cache: `Cache-Control` (RFC 9111) and `x-askonce-bypass`."""

import asyncio

import pytest

from tests.builders import chat, outcome, text_of
from tests.fleet.builders import counted, fate, fleet

pytestmark = pytest.mark.anyio


async def test_no_cache_asks_anew_and_stores_what_it_gets():
    async with fleet() as f:
        f.upstream.script(counted())
        await f.ask()
        reply = await f.ask(cache_control="no-cache")
        assert (text_of(reply), "detail=no-cache" in outcome(reply)) == ("g2", True)
        assert text_of(await f.ask()) == "g2"


async def test_no_cache_shares_only_a_flight_begun_after_it():
    async with fleet() as f:
        f.upstream.script(counted(1.0))
        together = await asyncio.gather(f.ask(), f.ask(cache_control="no-cache"), f.ask())
        assert [text_of(reply) for reply in together] == ["g1", "g2", "g2"]


async def test_no_store_neither_reads_shares_nor_stores():
    async with fleet() as f:
        f.upstream.script(counted(1.0))
        together = await asyncio.gather(*(f.ask(cache_control="no-store") for _ in range(3)))
        assert len({text_of(reply) for reply in together}) == 3
        assert fate(await f.ask()) == "miss"


async def test_max_age_takes_only_what_is_younger():
    async with fleet() as f:
        f.upstream.script(counted())
        await f.ask()
        await asyncio.sleep(30)
        assert fate(await f.ask(cache_control="max-age=31")) == "hit"
        assert fate(await f.ask(cache_control="max-age=31, max-age=30")) == "miss"
        assert fate(await f.ask(cache_control="max-age=nonsense")) == "miss"


async def test_only_if_cached_never_asks_the_engine():
    async with fleet() as f:
        refused = await f.ask(cache_control="only-if-cached")
        assert (refused.status_code, refused.json()["error"]["code"], f.calls) == (504, "not_cached", 0)
        await f.ask()
        assert fate(await f.ask(cache_control="only-if-cached")) == "hit"
        sampled = await f.ask(chat(temperature=1), cache_control="only-if-cached")
        assert (sampled.status_code, f.calls) == (504, 1)


@pytest.mark.parametrize(
    ("bypass", "texts"),
    [
        ("cache", ["g2", "g3"]),  # a flight may look up, too: only one begun for it will do
        ("share", ["g1", "g1"]),  # the stored one is served to both
        ("all", ["g2", "g3"]),
        ("true", ["g2", "g3"]),
        (" CACHE , share", ["g2", "g3"]),
    ],
)
async def test_bypass_takes_away_what_it_names_and_all_where_it_names_what_we_do_not_know(bypass, texts):
    async with fleet() as f:
        f.upstream.script(counted())
        await f.ask()
        together = await asyncio.gather(*(f.ask(x_askonce_bypass=bypass) for _ in range(2)))
        assert [text_of(reply) for reply in together] == texts
        assert text_of(await f.ask()) == "g1"


async def test_bypass_share_asks_for_each():
    async with fleet() as f:
        f.upstream.script(counted(1.0))
        together = await asyncio.gather(*(f.ask(x_askonce_bypass="share") for _ in range(3)))
        assert len({text_of(reply) for reply in together}) == 3


async def test_directives_can_only_tighten():
    async with fleet() as f:
        f.upstream.script(counted())
        for _ in range(2):
            reply = await f.ask(chat(temperature=1), cache_control="public, max-age=3600, max-stale")
            assert fate(reply) == "bypass"
        assert f.calls == 2
