"""Labelled rows: the three forms, in JSONL and CSV, and what is said of a row that can't be used."""

import json

import pytest

from evaluation.dataset import DataError, load
from tests.evaluation.made import cached, conversation, lookup, pair, rows, say


@pytest.fixture
def path(tmp_path):
    return tmp_path / "rows.jsonl"


@pytest.mark.parametrize(
    ("same", "expected"), [(1, "a"), (True, "a"), ("1", "a"), (0, None), (False, None), ("false", None)]
)
def test_a_pair_says_whether_one_answer_serves_both(path, same, expected):
    (one,) = rows(path, pair("x", "y", same, id="p", kind="number", family="f"))
    assert one.messages == (say("user", "y"),)
    assert [stored.messages for stored in one.stored] == [(say("user", "x"),)]
    assert (one.id, one.expected, one.kind, one.family) == ("p", expected, "number", "f")


def test_lookups_share_what_their_family_has_stored(path):
    one, two, other = rows(
        path,
        cached(0, "x"),
        lookup("y", "hit", 0),
        cached(1, "z"),
        lookup("w", "miss", 99),
        cached(0, "another family's", family="g"),
        lookup("y", "hit", 0, family="g"),
    )
    assert [stored.key for stored in one.stored] == ["0", "1"]
    assert one.stored is two.stored
    assert (one.expected, two.expected) == ("0", None)
    assert [stored.messages[0]["content"] for stored in other.stored] == ["another family's"]


def test_numbers_and_texts_name_the_same_entry(path):
    (one,) = rows(path, cached(7, "x"), lookup("y", "hit", "7"))
    assert one.expected == "7"


def test_a_conversation_is_taken_as_it_is(path):
    parts = say("user", [{"type": "text", "text": "y"}])
    called = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
    (one,) = rows(path, conversation([say("system", "s"), say("user", "x")], [called, parts], 0))
    assert one.messages == (called, parts)
    assert one.stored[0].messages == (say("system", "s"), say("user", "x"))


def test_a_row_without_an_id_is_named_by_its_line(path):
    assert [one.id for one in rows(path, pair("a", "b", 1), pair("c", "d", 1))] == ["rows:1", "rows:2"]


def test_a_folder_means_all_its_files(tmp_path):
    rows(tmp_path / "b.jsonl", pair("a", "b", 1))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.csv").write_text('a,b,same\nx,"y, z",0\n')
    (tmp_path / "NOTES.md").write_text("not data")
    found, _ = load([tmp_path])
    assert [(one.source, one.messages[0]["content"]) for one in found] == [
        (f"{tmp_path.name}/b.jsonl", "b"),
        ("deep/a.csv", "y, z"),
    ]


def test_csv_holds_every_form(tmp_path):
    path = tmp_path / "rows.csv"
    messages = json.dumps([say("user", "x")]).replace('"', '""')
    path.write_text(
        "\ufeffrole,family,key,prompt,expect,cached_messages,probe_messages,same\n"
        "cached,f,0,x,,,,\n"
        "lookup,f,0,y,hit,,,\n"
        f',,,,,"{messages}","{messages}",1\n'
    )
    looked_up, conversed = load([path])[0]
    assert conversed.messages == (say("user", "x"),)
    assert looked_up.expected == "0"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        ({"text": "x"}, "write a/b/same, role, or cached_messages/probe_messages/same"),
        (pair("", "y", 1), "`a`: write a text that is not empty"),
        (pair("x", 5, 1), "`b`: write a text"),
        (pair("x", "y", 2), "`same`: write 1 or 0"),
        (lookup("y", "maybe"), "`expect`: write hit or miss"),
        (lookup("y", "hit", 3), "`key`: no cached row of this family has the key '3'"),
        (lookup("y", "hit"), "`key`: write the key of a stored prompt"),
        (cached(0, "again"), "`key`: '0' is stored twice"),
        (conversation([], [say("user", "x")], 1), "`cached_messages`: write a list of chat messages"),
        (conversation([say("user", "x")], [{"role": "user"}], 1), "`probe_messages`: each message needs a role"),
    ],
)
def test_a_bad_row_names_file_line_and_field(path, row, said):
    written = row if isinstance(row, str) else json.dumps(row)
    path.write_text(json.dumps(cached(0, "x")) + "\n\n" + written + "\n" + json.dumps(pair("a", "b", 1)) + "\n")
    with pytest.raises(DataError) as caught:
        load([path])
    assert str(caught.value).startswith(f"{path}:3: ")
    assert said in str(caught.value)
    found, skipped = load([path], skip_bad=True)
    assert [one.messages[0]["content"] for one in found] == ["b"]
    assert skipped == [str(caught.value)]


def test_a_path_without_data_is_an_error(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        load([tmp_path / "absent.jsonl"])
    with pytest.raises(DataError, match=r"no \.jsonl or \.csv file"):
        load([tmp_path])
