"""The commands as a user runs them: what they write, say and exit with. The embedder is a small one."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evaluation import evidence, sets
from evaluation.__main__ import COMMANDS, main
from evaluation.commands import check, study
from evaluation.embedders import HashedWords
from policies.load import PolicyError, load_policies
from tests.evaluation.made import cached, conversation, lookup, pair, say

SHA256 = "81" * 32


class Small(HashedWords):
    weights_sha256 = SHA256

    def __init__(self) -> None:
        super().__init__(pairs=True)


@pytest.fixture(autouse=True, scope="module")
def patched(tmp_path_factory):
    """One shipped set and a small embedder for all commands, so that a study takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("COLUMNS", "120")
        for command in ("score", "study", "calibrate", "compare", "replay"):
            patch.setattr(f"evaluation.commands.{command}.load_embedder", lambda name: Small())
        patch.setattr(evidence, "SPLITS", 5)
        patch.setattr(study, "SHIPPED", ("seed_shaped",))
        patch.setattr(check, "QUICK", ("seed_shaped",))
        yield


def write(path: Path, *written: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in written))
    return str(path)


@pytest.fixture
def labels(tmp_path):
    """Three families: g proves little, f enough, and each row of f is about another stored prompt."""
    hits = [pair(f"how tall is tower {n}", f"how tall is tower {n}?", 1, family="f") for n in range(20)]
    misses = [pair(f"how tall is tower {n}", f"how tall is tower {n + 1}", 0, family="f") for n in range(700)]
    few = [pair("how tall is K2", "how tall is K3", 0, family="g")]
    return write(tmp_path / "labels.jsonl", *hits, *misses, *few)


def test_every_command_has_a_help_with_an_example(capsys):
    for command in COMMANDS:
        with pytest.raises(SystemExit) as ended:
            main([command.NAME, "--help"])
        assert ended.value.code == 0
        assert re.search(r"python -m\s+evaluation", capsys.readouterr().out)


def test_bad_usage_is_one_line_and_status_2(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["score", "--no-such-option"])
    assert ended.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_score_writes_what_scripts_rely_on(tmp_path, capsys):
    data = tmp_path / "data"
    data.mkdir()
    write(
        data / "seed.jsonl",
        cached(0, "convert 5 km to miles", "unit_conversion"),
        lookup("5 km to miles convert", "hit", 0, "unit_conversion"),
        lookup("convert 7 km to miles", "miss", 1, "unit_conversion"),
    )
    write(data / "talk.jsonl", conversation([say("user", "x")], [say("system", "s"), say("user", "x")], 0))
    policies = tmp_path / "policies.yaml"
    policies.write_text("")
    thresholds = tmp_path / "thresholds.json"
    thresholds.write_text('{"unit_conversion": 0.5}')
    out = tmp_path / "scored.json"
    status = main(
        ["score", "--policies", str(policies), "--data", str(data), "--thresholds", str(thresholds), "--json", str(out)]
    )
    assert status == 0
    told = json.loads(out.read_text())
    keys = {"n_hit", "hits", "n_miss", "wrong", "false_hit_upper95", "refused_by"}
    assert keys <= told["all"].keys()
    assert all(keys <= one.keys() for one in told["families"].values())
    assert told["families"]["unit_conversion"]["threshold"] == 0.5
    assert (told["all"]["n_hit"], told["all"]["n_miss"], len(told["lookups"])) == (1, 2, 3)
    assert told["families"]["default"]["refused_by"] == {"empty": 1}
    assert "unit_conversion" in capsys.readouterr().out


def test_thresholds_chosen_here_can_be_scored_there(tmp_path, capsys):
    here = write(
        tmp_path / "here.jsonl",
        pair("turn the big red lamp on", "turn the big red lamp on now", 1, family="f"),
        pair("x", "x!", 0, family="g"),
    )
    chosen = tmp_path / "thresholds.json"
    assert main(["score", "--data", here, "--guards", "none", "--write-thresholds", str(chosen)]) == 0
    assert json.loads(chosen.read_text()) == {"f": 0.8, "g": 2.0}
    assert main(["score", "--data", here, "--guards", "none", "--thresholds", str(chosen), "--json", "-"]) == 0
    told = capsys.readouterr().out
    assert json.loads(told[told.index("{\n") :])["all"]["wrong"] == 0


def test_score_prints_json_alone(tmp_path, capsys):
    assert main(["score", "--data", write(tmp_path / "rows.jsonl", pair("a", "b", 0)), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["all"]["n_miss"] == 1


def test_a_bad_row_stops_unless_it_is_skipped(tmp_path, capsys):
    data = write(tmp_path / "rows.jsonl", pair("a", "b", 0), pair("a", "b", "perhaps"))
    assert main(["score", "--data", data]) == 2
    assert f"{data}:2: `same`: write 1 or 0" in capsys.readouterr().err
    assert main(["score", "--data", data, "--skip-bad"]) == 0
    assert "1 bad row left out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--data", "absent.jsonl"], "absent.jsonl: there is no such file"),
        (["--guards", "tens"], "unknown guard `tens`"),
        (["--thresholds", "absent.json"], "absent.json: No such file"),
        (["--thresholds", "BAD"], "`f`: write a number"),
        (["--policies", "absent.yaml"], "absent.yaml"),
    ],
)
def test_bad_input_says_what_to_write_and_exits_2(tmp_path, capsys, arguments, said):
    bad = tmp_path / "bad.json"
    bad.write_text('{"f": "0.9"}')
    given = [str(bad) if word == "BAD" else word for word in arguments]
    data = [] if "--data" in arguments else ["--data", write(tmp_path / "rows.jsonl", pair("a", "b", 0))]
    assert main(["score", *data, *given]) == 2
    assert said in capsys.readouterr().err


def test_guards_of_the_command_replace_the_policys(tmp_path, capsys):
    data = write(tmp_path / "rows.jsonl", pair("is 5 prime or not?", "is 7 prime or not?", 0))
    low = tmp_path / "low.json"
    low.write_text('{"default": 0.1}')
    wrong = {}
    for guards in ("none", "numbers", "quotes"):
        main(["score", "--data", data, "--guards", guards, "--thresholds", str(low), "--json", "-"])
        wrong[guards] = json.loads(capsys.readouterr().out)["all"]["wrong"]
    assert (wrong["none"], wrong["numbers"]) == (1, 0)


def test_calibrate_writes_evidence_that_the_loader_takes(tmp_path, labels, capsys):
    policies = tmp_path / "policies.yaml"
    policies.write_text("families: [{name: f, match: {prompt_regex: tower}}]")
    out = tmp_path / "results"
    arguments = ["calibrate", labels, "--policies", str(policies), "--family", "f", "--results", str(out)]
    assert main(arguments) == 0
    told = capsys.readouterr().out
    assert "-  semantic: {mode: 'off', threshold: null}" in told
    assert "of 5 " in told
    assert "families:" in (out / "evaluation" / "policies.yaml").read_text()
    path = out / "evaluation" / "f.json"
    said = json.loads(path.read_text())["families"]["f"]
    assert (said["threshold"], said["embedder_sha256"]) == (0.8, SHA256)
    assert said["false_hit_bound"] <= 0.01
    assert said["chosen_on"]["n_miss"] + said["held_out"]["n_miss"] == 700
    calibrated = (
        "families: [{name: f, match: {prompt_regex: tower}, semantic: {mode: on, threshold: %s, evidence: %s}}]"
    )
    policies.write_text(calibrated % (0.8, path))
    assert load_policies(policies, strict_evidence=True, embedder_sha256=SHA256).warnings == ()

    policies.write_text(calibrated % (0.9, path))
    with pytest.raises(PolicyError, match="is for a threshold of"):
        load_policies(policies, strict_evidence=True)
    policies.write_text(calibrated % (0.8, path))
    with pytest.raises(PolicyError, match="is for the embedder"):
        load_policies(policies, strict_evidence=True, embedder_sha256="00" * 32)
    said["false_hit_bound"] = 0.02
    path.write_text(json.dumps({"families": {"f": said}}))
    with pytest.raises(PolicyError, match="promises"):
        load_policies(policies, strict_evidence=True)


def test_calibrate_refuses_a_family_with_too_few_labels(tmp_path, labels, capsys):
    out = tmp_path / "results"
    assert main(["calibrate", labels, "--results", str(out), "--json", str(tmp_path / "told.json")]) == 1
    f, g = json.loads((tmp_path / "told.json").read_text())["families"]
    assert (f["accepted"], g["accepted"]) == (True, False)
    assert "label 3" in g["reason"]
    assert not (out / "evaluation" / "g.json").exists()
    assert "f is not in config/policies.yaml: write its match there" in capsys.readouterr().err


def test_calibrate_chooses_among_sets_of_guards_at_a_stricter_level(tmp_path, labels):
    arguments = ["calibrate", labels, "--family", "f", "--results", str(tmp_path), "--guards", "numbers"]
    assert main([*arguments, "--guards", "numbers,units,order"]) == 0
    said = json.loads((tmp_path / "evaluation" / "f.json").read_text())["families"]["f"]
    assert said["level"] == pytest.approx(0.025)
    assert "numbers" in said["guards"]


def test_calibrate_without_a_family_says_what_to_write(tmp_path, capsys):
    assert main(["calibrate", write(tmp_path / "rows.jsonl", pair("a", "b", 0))]) == 2
    assert "write a `family` into the rows" in capsys.readouterr().err


def test_compare_puts_all_ways_beside_each_other(tmp_path, capsys):
    written = conversation([say("system", "s"), say("user", "x")], [say("system", "t"), say("user", "x")], 0)
    out = tmp_path / "compared.json"
    assert main(["compare", "--data", write(tmp_path / "rows.jsonl", written), "--json", str(out)]) == 0
    told = json.loads(out.read_text())
    assert {way: one["all"]["wrong"] for way, one in told.items()} == {
        "one threshold, 0.80": 0,
        "one threshold, 0.90": 0,
        "last message only, 0.90": 1,
        "verified per entry, δ 0.01": 0,
        "this policy": 0,
    }


def test_replay_says_what_a_policy_would_save(tmp_path, capsys):
    body = {"model": "m", "temperature": 0, "messages": [{"role": "user", "content": "x"}]}
    trace = write(tmp_path / "trace.jsonl", {"t": 0, "body": body, "upstream_s": 1}, {"t": 2, "body": body})
    out = tmp_path / "replayed.json"
    assert main(["replay", trace, "--show", "--json", str(out)]) == 0
    told = json.loads(out.read_text())
    assert told["by_how"] == {"generated": 1, "exact": 1}
    assert told["families"] == {"default": {"generated": 1, "exact": 1}}
    assert "exact hits" in capsys.readouterr().out


@pytest.fixture(scope="module")
def results(patched, tmp_path_factory):
    """A study of one shipped set and one given."""
    folder = tmp_path_factory.mktemp("study")
    given = write(folder / "mine.jsonl", pair("a secret prompt", "a secret prompt!", 0))
    assert main(["--data", given, "--results", str(folder / "results")]) == 0
    return folder / "results"


def test_the_study_writes_result_page_and_pictures(results, capsys):
    told = json.loads((results / "evaluation.json").read_text())
    assert list(told["rows"]) == [
        "hashed unigrams",
        "hashed uni+bigrams",
        "MiniLM",
        "MiniLM + literal guard",
        "MiniLM + typed guard",
    ]
    cell = told["rows"]["hashed unigrams"]["seed_shaped"]
    assert (cell["n_hit"], cell["n_miss"], cell["at_096"]["hits"], cell["at_096"]["wrong"]) == (111, 156, 0, 8)
    assert told["rows"]["hashed uni+bigrams"]["seed_shaped"]["at_096"]["wrong"] == 0
    page = (results / "evaluation.html").read_text()
    assert page.count("data:image/png;base64,") == 3
    assert not re.search(r"(src|href)=.?(https?:|//)", page)
    assert "why they differ" in page
    for name in ("hits-against-false-hits", "similarity", "families"):
        assert (results / "evaluation" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_texts_of_sets_given_by_path_are_kept_nowhere(results):
    told = (results / "evaluation.json").read_text()
    assert "mine.jsonl" in told
    assert "secret" not in told
    assert "secret" not in (results / "evaluation.html").read_text()


def test_check_finds_every_count_the_same(results, monkeypatch, capsys):
    monkeypatch.setattr(check, "unproven", lambda sha256: [])
    assert main(["check", "--against", str(results / "evaluation.json")]) == 0
    assert "seed_shaped is the same" in capsys.readouterr().out


def test_check_names_each_count_that_differs(results, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(check, "unproven", lambda sha256: ["f: no evidence"])
    told = json.loads((results / "evaluation.json").read_text())
    path = tmp_path / "changed.json"
    told["rows"]["MiniLM"]["seed_shaped"]["families"]["hits"] += 1
    path.write_text(json.dumps(told))
    assert main(["check", "--against", str(path)]) == 1
    said = capsys.readouterr().out
    assert "MiniLM, seed_shaped, families.hits: recorded" in said
    assert "f: no evidence" in said


def test_another_machine_may_differ_by_two_lookups_and_only_in_vectors_of_a_model(results):
    recorded = json.loads((results / "evaluation.json").read_text())
    computed = json.loads((results / "evaluation.json").read_text())
    computed["rows"]["MiniLM"]["seed_shaped"]["families"]["hits"] += 2
    assert list(check.differences(recorded, computed, tolerance=2)) == []
    computed["rows"]["MiniLM"]["seed_shaped"]["families"]["hits"] += 1
    assert len(list(check.differences(recorded, computed, tolerance=2))) == 1
    recorded["rows"]["hashed unigrams"]["seed_shaped"]["at_096"]["wrong"] += 1
    assert len(list(check.differences(recorded, computed, tolerance=2))) == 2


def test_check_without_a_result_says_how_to_make_one(tmp_path, capsys):
    assert main(["check", "--against", str(tmp_path / "absent.json")]) == 2
    assert "write it with `python -m evaluation`" in capsys.readouterr().err


def test_an_interruption_says_what_is_kept(tmp_path, monkeypatch, capsys):
    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("evaluation.commands.score.score_all", interrupted)
    assert main(["score", "--data", write(tmp_path / "rows.jsonl", pair("a", "b", 0))]) == 130
    assert "vectors made so far are kept" in capsys.readouterr().err


def test_nothing_that_may_only_be_evaluated_ships():
    folder = sets.shipped_path("seed_shaped").parent
    names = {path.name for path in folder.iterdir()} - {"SOURCES.md"}
    sources = (folder / "SOURCES.md").read_text()
    assert {f"{name}.jsonl" for name in (*sets.SHIPPED, "conversations")} <= names
    assert [name for name in names if f"`{name}`" not in sources] == []
    assert not re.search("qqp|medical|sick|mrpc", " ".join(names), re.IGNORECASE)
    for credit in ("Mabon ap Gwyn", "CC BY 4.0", "Google LLC", "Marco Tulio Correia Ribeiro"):
        assert credit in sources
