"""A replayed trace: what the proxy would have served, shared, generated and saved, on the record's own clock."""

import json
from typing import Any

import pytest

from evaluation.dataset import DataError
from evaluation.replay import Replay, read_trace
from evaluation.vectors import Vectors
from tests.evaluation.made import Angles, policies

ASK, REWORDED, OTHER = "what is the capital of Peru?", "Peru's capital", "what is the capital of Chile?"
POLICY = "families: [{name: f, exact: {ttl_s: 100}, semantic: {mode: on, threshold: 0.9}}]"


def request(t: float, text: Any = ASK, **changed: Any) -> dict[str, Any]:
    body = {"model": "m", "temperature": 0, "messages": [{"role": "user", "content": text}], **changed.pop("body", {})}
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    return {"t": t, "body": body, "upstream_s": 2.0, "usage": usage, **changed}


@pytest.fixture
def replay(tmp_path):
    def replay(*written, policy=POLICY):
        path = tmp_path / "trace.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in written))
        trace, _ = read_trace(path)
        vectors = Vectors(Angles({ASK: 0.0, REWORDED: 20.0, OTHER: 10.0}))
        under = Replay(policies(tmp_path, policy), vectors)
        vectors.make(under.texts(trace))
        saved, rows = under.run(trace)
        return saved, [row.how for row in rows]

    return replay


def test_an_equal_request_after_the_answer_is_an_exact_hit(replay):
    assert replay(request(0), request(2.0))[1] == ["generated", "exact"]


def test_an_equal_request_meanwhile_shares_the_generation(replay):
    assert replay(request(0), request(1.9))[1] == ["generated", "shared"]


def test_an_answer_ends_with_its_family_s_lifetime(replay):
    assert replay(request(0), request(101.9), request(102.1))[1] == ["generated", "exact", "generated"]


def test_a_paraphrase_is_a_semantic_hit_and_not_stored_again(replay):
    assert replay(request(0), request(3, REWORDED), request(102.1, REWORDED))[1] == [
        "generated",
        "semantic",
        "generated",
    ]


def test_what_only_looks_alike_is_generated(replay):
    assert replay(request(0), request(3, OTHER))[1] == ["generated", "generated"]


def test_a_family_that_is_not_on_is_never_similar(replay):
    assert replay(request(0), request(3, REWORDED), policy="")[1] == ["generated", "generated"]


@pytest.mark.parametrize(
    "changed",
    [{"body": {"max_tokens": 5}}, {"body": {"model": "n"}}, {"tenant": "other"}, {"path": "/v1/chat/completions2"}],
)
def test_another_request_tenant_or_path_is_another_question(replay, changed):
    how = replay(request(0), request(3, **changed), request(3, REWORDED, **changed))[1]
    assert "exact" not in how
    assert how[1] in ("generated", "other")


def test_what_is_sampled_is_neither_looked_up_nor_stored(replay):
    sampled = {"body": {"temperature": 1}}
    saved, how = replay(request(0, **sampled), request(1, **sampled), request(9, **sampled))
    assert how == ["generated"] * 3
    assert saved.saved_upstream_s == 0


def test_directives_of_the_client_hold(replay):
    fresh = {"headers": {"Cache-Control": "no-cache"}}
    assert replay(request(0), request(3, **fresh), request(9))[1] == ["generated", "generated", "exact"]


def test_saved_is_what_was_not_generated(replay):
    saved, _ = replay(request(0), request(1), request(3), request(4, REWORDED), request(9, OTHER))
    assert (saved.requests, saved.by_how) == (5, {"generated": 2, "shared": 1, "exact": 1, "semantic": 1})
    assert (saved.saved_prompt_tokens, saved.saved_completion_tokens, saved.saved_upstream_s) == (30, 15, 6.0)
    assert (saved.prompt_tokens, saved.upstream_s) == (50, 10.0)


def test_requests_come_in_order_of_time(replay):
    assert replay(request(5), request(0))[1] == ["generated", "exact"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "not JSON"),
        ({"body": {}}, "`body`: Missing required parameter"),
        ({"t": -1, "body": {"messages": []}}, "`t`: write a number"),
        ({"t": 0}, "`body`: write the request's JSON object"),
        ({"t": 0, "path": "x", "body": {}}, "`path`: write a request path"),
        ({"t": 0, "body": {"messages": []}, "usage": 5}, "`usage`: write a JSON object"),
        ({"t": 0, "body": {"messages": []}, "usage": {"prompt_tokens": "5"}}, "`prompt_tokens`: write a number"),
    ],
)
def test_a_bad_row_names_file_line_and_field(tmp_path, row, said):
    path = tmp_path / "trace.jsonl"
    path.write_text(json.dumps(request(0)) + "\n\n" + (row if isinstance(row, str) else json.dumps(row)) + "\n")
    with pytest.raises(DataError) as caught:
        read_trace(path)
    assert str(caught.value).startswith(f"{path}:3: {said}")
    found, skipped = read_trace(path, skip_bad=True)
    assert (len(found), skipped) == (1, [str(caught.value)])
