"""Scores go through the proxy's own lookup code: what it would serve, right or wrong, and why it would not."""

import pytest

from evaluation.score import Scorer
from evaluation.scored import report, summarise
from evaluation.vectors import Vectors
from policies.guards import REASONS
from tests.evaluation.made import Angles, cached, conversation, lookup, pair, policies, rows, say, scored

ASK = "what is the capital of Peru?"
REWORDED = "Peru's capital"
OTHER = "what is the capital of Chile?"
DEGREES = {ASK: 0.0, REWORDED: 20.0, OTHER: 10.0}  # cosines 0.94 and 0.98


@pytest.fixture
def score(tmp_path):
    def score(*written, policy="", degrees=DEGREES, **options):
        vectors = Vectors(Angles(degrees))
        scorer = Scorer(policies(tmp_path, policy), vectors, **options)
        return scored(rows(tmp_path / "rows.jsonl", *written), scorer, vectors)

    return score


def test_a_paraphrase_above_the_threshold_is_a_hit(score):
    (one,) = score(pair(ASK, REWORDED, 1))
    assert one.hit
    assert not one.wrong
    assert one.similarity == pytest.approx(0.9397, abs=1e-4)


def test_a_paraphrase_below_the_threshold_says_so_and_what_would_serve_it(score):
    (one,) = score(pair(ASK, REWORDED, 1), thresholds={"default": 0.95})
    assert (one.served, one.reason) == (None, "threshold")
    assert (one.servable, one.servable_similarity) == ("a", pytest.approx(0.9397, abs=1e-4))


def test_what_only_looks_alike_is_refused_by_the_guard(score):
    (one,) = score(pair(ASK, OTHER, 0))
    assert (one.served, one.servable) == (None, None)
    assert one.reason in REASONS
    assert one.similarity == pytest.approx(0.9848, abs=1e-4)


def test_without_guard_similarity_decides(score):
    (one,) = score(pair(ASK, OTHER, 0), guarded=False)
    assert one.wrong


def test_guards_can_be_replaced(score):
    (one,) = score(
        pair("is 5 a prime?", "is 7 a prime?", 0), degrees={}, guards=["numbers"], thresholds={"default": -1}
    )
    assert one.reason == "number"


def test_an_equal_request_is_the_exact_caches_whatever_the_threshold(score):
    (right, wrong) = score(pair(ASK, ASK, 1), pair(ASK, ASK, 0), thresholds={"default": 2})
    assert (right.hit, right.reason, right.similarity) == (True, "exact", 1.0)
    assert wrong.wrong


def test_normalize_of_the_family_makes_requests_equal(score):
    policy = "families: [{name: f, normalize: [casefold]}]"
    assert score(pair(ASK, ASK.upper(), 1, family="f"), policy=policy)[0].reason == "exact"
    assert score(pair(ASK, ASK.upper(), 1, family="g"), policy=policy)[0].reason != "exact"


def test_the_nearest_allowed_entry_serves_and_another_than_labelled_is_wrong(score):
    one, two = score(cached(1, ASK), cached(0, OTHER), lookup(REWORDED, "hit", 1), lookup(REWORDED, "hit", 0))
    assert one.hit
    assert (two.served, two.wrong, two.hit) == ("1", True, False)


def test_keys_of_one_character_are_different_entries(score):
    written = [cached(key, f"prompt number {key}") for key in range(10)]
    found = score(*written, lookup("prompt number 4", "hit", 4), lookup("prompt number 5", "hit", 5))
    assert [one.served for one in found] == ["4", "5"]


def test_a_families_threshold_is_its_own_then_the_given_one(score, tmp_path):
    policy = "families: [{name: f, semantic: {threshold: 0.97}}]"
    assert score(pair(ASK, REWORDED, 1, family="f"), policy=policy)[0].reason == "threshold"
    assert score(pair(ASK, REWORDED, 1, family="f"), policy=policy, thresholds={"f": 0.9})[0].hit


def test_a_family_that_is_not_configured_is_scored_under_its_name(score):
    (one,) = score(pair(ASK, REWORDED, 1, family="unheard-of"))
    assert (one.family, one.hit) == ("unheard-of", True)


def test_without_a_family_the_match_rules_choose(score):
    policy = "families: [{name: capitals, match: {prompt_regex: capital}}]"
    assert [one.family for one in score(pair(ASK, REWORDED, 1), pair("x", "y", 0), policy=policy)] == [
        "capitals",
        "default",
    ]


def test_prompts_of_different_families_never_meet(score):
    policy = "families: [{name: capitals, match: {prompt_regex: what}}]"
    (one,) = score(pair(ASK, REWORDED, 1), policy=policy)
    assert (one.family, one.reason) == ("default", "empty")


def test_a_text_over_the_window_takes_no_part(score):
    long = "word " * 60
    over, unknown = score(pair(ASK, long, 0), pair(ASK, "🜚", 0))
    assert (over.served, over.reason) == (None, "embedder-over-window")
    assert unknown.reason == "embedder-unknown-tokens"


SYSTEM = say("system", "answer briefly")
EARLIER = [say("user", "hello"), say("assistant", "hello!")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([SYSTEM], [say("system", "answer like a pirate")]),
        ([SYSTEM], []),
        (EARLIER, [say("user", "hello"), say("assistant", "what now?")]),
        ([], EARLIER),
    ],
)
@pytest.mark.parametrize("asked", [ASK, REWORDED])
@pytest.mark.parametrize("multi_turn", ["true", "false"])
def test_another_system_prompt_or_earlier_turn_is_another_question(score, before, after, asked, multi_turn):
    policy = f"families: [{{name: all, semantic: {{multi_turn: {multi_turn}}}}}]"
    written = conversation([*before, say("user", ASK)], [*after, say("user", asked)], 0)
    (one,) = score(written, policy=policy)
    assert one.served is None
    assert one.reason in ("empty", "no-part")


def test_a_reworded_last_turn_hits_under_the_same_system_prompt(score):
    (one,) = score(conversation([SYSTEM, say("user", ASK)], [SYSTEM, say("user", REWORDED)], 1))
    assert one.hit


def test_a_reworded_last_turn_hits_after_equal_turns_where_the_family_allows_it(score):
    written = conversation([*EARLIER, say("user", ASK)], [*EARLIER, say("user", REWORDED)], 1)
    assert score(written)[0].reason == "no-part"
    (one,) = score(written, policy="families: [{name: all, semantic: {multi_turn: true}}]")
    assert one.hit


def test_an_equal_conversation_hits_exactly(score):
    (one,) = score(conversation([*EARLIER, say("user", ASK)], [*EARLIER, say("user", ASK)], 1))
    assert one.reason == "exact"


def test_a_last_message_that_is_not_the_users_takes_no_part(score):
    tool = {"role": "tool", "tool_call_id": "1", "content": "42"}
    (one,) = score(conversation([say("user", ASK), tool], [say("user", REWORDED), tool], 1))
    assert one.reason == "no-part"


def test_the_two_kinds_of_wrong_answer_are_counted_apart(score):
    found = score(
        cached(0, OTHER),
        cached(1, ASK),
        lookup(REWORDED, "hit", 0),
        lookup(REWORDED, "miss"),
        lookup(ASK, "hit", 1),
        lookup("how tall is it", "miss"),
    )
    summary = summarise(found)
    assert (summary.n_hit, summary.hits, summary.n_miss, summary.wrong) == (2, 1, 2, 2)
    assert (summary.wrong_entry, summary.false_hits) == (1, 1)
    assert summary.false_hit_upper95 == pytest.approx(0.975, abs=1e-3)  # the 95 % bound of 1 in 2
    assert sum(summary.refused_by.values()) == 1


def test_the_report_counts_by_family_source_and_kind(tmp_path):
    vectors = Vectors(Angles(DEGREES))
    scorer = Scorer(policies(tmp_path), vectors, {"f": 0.9})
    found = scored(
        rows(tmp_path / "rows.jsonl", pair(ASK, REWORDED, 1, family="f"), pair(ASK, OTHER, 0, kind="place")),
        scorer,
        vectors,
    )
    told = report(found, scorer.threshold)
    assert {name: (one["n_hit"], one["n_miss"], one["threshold"]) for name, one in told["families"].items()} == {
        "f": (1, 0, 0.9),
        "default": (0, 1, 0.8),
    }
    assert told["kinds"]["place"]["refused_by"] == {found[1].reason: 1}
    assert told["all"]["hits"] == 1
    assert [(row["hit"], row["wrong"]) for row in told["lookups"]] == [(True, False), (False, False)]
