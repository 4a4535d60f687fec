"""Reading recorded workloads: every format, and every way in which a file can be wrong."""

import json
from importlib import resources
from pathlib import Path

import pytest

from simulation.cost import CostModel
from simulation.engine import simulate
from simulation.recorded import read_run
from simulation.request import Request, WorkloadError
from simulation.settings import EngineSettings
from simulation.traces import TraceError, block_hit_rate, read_trace

DATA = Path(str(resources.files("simulation") / "data"))


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_azure_2023_as_shared():
    trace = read_trace(DATA / "azure2023_conv.csv")
    assert len(trace.requests) == 2000
    assert trace.requests[0] == Request(0.0, 374, 44)
    assert trace.rows[:2] == (2, 3)


def test_azure_2023_as_published(tmp_path):
    """Seven decimals of a second, and the clock starts with the first request."""
    path = written(
        tmp_path,
        "azure.csv",
        "TIMESTAMP,ContextTokens,GeneratedTokens\n"
        "2023-11-16 18:15:46.6805900,374,44\n"
        "2023-11-16 18:15:50.9951690,396,109\n",
    )
    first, second = read_trace(path).requests
    assert (first.arrival_s, first.prompt_tokens, first.output_tokens) == (0.0, 374, 44)
    assert second.arrival_s == pytest.approx(4.314579, abs=1e-6)


def test_a_time_zone_is_understood(tmp_path):
    path = written(
        tmp_path,
        "azure.csv",
        "TIMESTAMP,ContextTokens,GeneratedTokens\n"
        "2024-05-10 00:00:00.009930+00:00,1,1\n"
        "2024-05-10 02:00:01+02:00,1,1\n",
    )
    assert read_trace(path).requests[1].arrival_s == pytest.approx(0.99007)


def test_mooncake_counts_milliseconds_and_hashes_512_tokens():
    trace = read_trace(DATA / "mooncake_conversation.jsonl")
    assert trace.hash_tokens == 512
    assert trace.requests[0].prompt_tokens == 6758
    assert len(trace.requests[0].hash_ids) == 14
    last = json.loads((DATA / "mooncake_conversation.jsonl").read_text().splitlines()[-1])
    assert trace.requests[-1].arrival_s == last["timestamp"] / 1000


@pytest.mark.parametrize("name", ["mooncake_conversation.jsonl", "mooncake_synthetic.jsonl"])
def test_an_endless_cache_finds_every_block_seen_before(name: str):
    """On the whole shared traces the same count is 35.2 and 45.9 %."""
    rows = [json.loads(line) for line in (DATA / name).read_text().splitlines()]
    blocks = [block for row in rows for block in row["hash_ids"]]
    trace = read_trace(DATA / name)
    assert block_hit_rate(trace.requests) == pytest.approx(1 - len(set(blocks)) / len(blocks), abs=1e-12)
    # The engine finds them too, but for each prompt's last, incomplete block and token.
    engine = simulate(
        trace.requests, CostModel("x", "", 1e-3), EngineSettings(block_tokens=512), hash_tokens=trace.hash_tokens
    )
    found = sum(engine.cached_tokens) / 512 / len(blocks)
    assert block_hit_rate(trace.requests) - 0.01 < found <= block_hit_rate(trace.requests)


def test_an_engines_record_is_a_trace():
    trace = read_trace(DATA / "vllm_runs" / "rtxpro6000_llama31_8b_tp1.jsonl")
    assert (len(trace.requests), trace.hash_tokens) == (300, 16)


def test_your_own_csv_may_have_hashes_and_identities(tmp_path):
    path = written(
        tmp_path,
        "own.csv",
        "arrival_s,prompt_tokens,output_tokens,hash_ids,identity\n5.5,40,3,7 8,1\n6,10,2,,\n",
    )
    trace = read_trace(path, hash_tokens=20)
    assert trace.requests == (Request(0.0, 40, 3, (7, 8), 1), Request(0.5, 10, 2))
    assert trace.hash_tokens == 20


def test_your_own_jsonl_with_blank_lines_and_a_byte_order_mark(tmp_path):
    path = written(
        tmp_path,
        "own.jsonl",
        '\ufeff{"arrival_s": 0, "prompt_tokens": 5, "output_tokens": 1}\n\n'
        '{"arrival_s": 2, "prompt_tokens": "6", "output_tokens": 1.0, "hash_ids": [3]}\n',
    )
    trace = read_trace(path)
    assert trace.requests[1] == Request(2.0, 6, 1, (3,))
    assert trace.rows == (1, 3)


def test_time_can_be_scaled():
    trace = read_trace(DATA / "azure2023_conv.csv").first(100)
    assert trace.faster(2).requests[-1].arrival_s == pytest.approx(trace.requests[-1].arrival_s / 2)
    assert trace.at_rate(7).rate_per_s == pytest.approx(7)
    assert [r.prompt_tokens for r in trace.at_rate(7).requests] == [r.prompt_tokens for r in trace.requests]


HEAD = "arrival_s,prompt_tokens,output_tokens\n"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", HEAD + "0,5,5\n1,-3,5\n", "row 3: prompt_tokens is -3; it must be a whole number, not below 0"),
        ("a.csv", HEAD + "0,5,5\n1,3,0\n", "row 3: 3 prompt and 0 output tokens; both must be 1 or more"),
        ("a.csv", HEAD + "0,5,5\n1,1e30,2\n", "row 3: prompt_tokens is 1e+30; it must be 1,000,000,000,000 at most"),
        (
            "a.csv",
            HEAD + "0,5,5\n1,1e10,2\n",
            "row 3: 10000000000 prompt and 2 output tokens; both must be 1,000,000,000",
        ),
        ("a.jsonl", "[" * 100_000, "row 1: not JSON"),
        ("a.csv", HEAD + "0,5,5\n1,3.5,2\n", "row 3: prompt_tokens is 3.5"),
        ("a.csv", HEAD + "0,5,5\n1,many,2\n", "row 3: prompt_tokens is 'many'; it must be a number"),
        ("a.csv", HEAD + "0,5,5\nnan,3,2\n", "row 3: arrival_s is 'nan'"),
        ("a.csv", HEAD + "5,5,5\n1,3,2\n", "row 3: arrives at 1 s, before the one ahead of it (5 s); sort by arrival"),
        ("a.csv", HEAD + "0,5\n", "row 2: not 3 fields"),
        ("a.csv", HEAD + "0,5,5,5\n", "row 2: not 3 fields"),
        ("a.csv", HEAD + '0,"5,5\n', "row 2: unexpected end of data"),
        ("a.csv", HEAD, "no requests in it"),
        ("a.csv", "", "no requests in it"),
        ("a.csv", "when,prompt,output\n0,5,5\n", "row 2: no clock; needed are arrival_s"),
        ("a.csv", "arrival_s,prompt\n0,5\n", "row 2: prompt_tokens is missing"),
        ("a.csv", HEAD.strip() + ",hash_ids\n0,5,5,a b\n", "row 2: hash_ids must be whole numbers"),
        ("a.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\nnoon,5,5\n", "row 2: TIMESTAMP is 'noon'"),
        ("a.csv", HEAD.strip() + ",identity\n0,5,5,1e17\n", "row 2: identity must be a whole number of 0 or more"),
        ("a.csv", HEAD.strip() + ",hash_ids\n0,50,5,²\n", "row 2: hash_ids must be whole numbers of 0 or more"),
        ("a.jsonl", '{"arrival_s": 0,\n', "row 1: not JSON"),
        ("a.jsonl", "[1, 2]\n", "row 1: must be an object"),
        ("a.jsonl", '{"arrival_s": null, "prompt_tokens": 1, "output_tokens": 1}', "row 1: arrival_s is None"),
        ("a.jsonl", '{"arrival_s": true, "prompt_tokens": 1, "output_tokens": 1}', "row 1: arrival_s is True"),
        ("a.jsonl", '{"timestamp": 5, "input_length": 1}', "row 1: output_length is missing"),
        (
            "a.jsonl",
            '{"arrival_s": 0, "prompt_tokens": 1, "output_tokens": 1, "hash_ids": [-1]}',
            "row 1: hash_ids must be whole numbers of 0 or more",
        ),
        ("a.parquet", "", "traces are .csv or .jsonl files"),
    ],
)
def test_what_is_wrong_is_one_line_with_file_and_row(tmp_path, name: str, text: str, said: str):
    path = written(tmp_path, name, text)
    with pytest.raises(TraceError) as caught:
        read_trace(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert said in str(caught.value)


def test_a_missing_or_binary_file_is_named(tmp_path):
    with pytest.raises(TraceError, match=r"none\.csv: No such file"):
        read_trace(tmp_path / "none.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TraceError, match="not a text file"):
        read_trace(tmp_path / "binary.csv")


def test_an_engines_error_is_located_in_the_file(tmp_path):
    trace = read_trace(written(tmp_path, "a.csv", HEAD + "0,5,5\n0,500,5\n"))
    with pytest.raises(WorkloadError) as caught:
        simulate(trace.requests, CostModel("x", "", 1.0), EngineSettings(blocks=10))
    said = str(trace.located(caught.value))
    assert said.startswith(f"{tmp_path}/a.csv, row 3: 500 prompt and 5 output tokens need 32 blocks")


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_a_rate_must_be_above_0(rate: float):
    trace = read_trace(DATA / "azure2023_conv.csv")
    with pytest.raises(WorkloadError, match="must be above 0"):
        trace.at_rate(rate)
    with pytest.raises(WorkloadError, match="must be above 0"):
        trace.faster(rate)


def test_requests_that_come_at_once_have_no_rate_to_change(tmp_path):
    with pytest.raises(WorkloadError, match="arrive at once"):
        read_trace(written(tmp_path, "a.csv", HEAD + "0,5,5\n0,5,5\n")).at_rate(2)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2023-11-16 18:15:46.6805900", "2023-11-16 18:15:47.6805900"),
        ("2023-11-16T18:15:46Z", "2023-11-16T18:15:47.000Z"),
        ("2023-11-16T18:15:46.25z", "2023-11-16 18:15:47.25 UTC"),
        ("2023-11-16T18:15:46,5", "2023-11-16T18:15:47.5+00:00"),
        ("2023-11-16T18:15:46+00", "2023-11-16T20:15:47+0200"),
        ("20231116T181546Z", "20231116T131547-05:00"),
    ],
)
def test_a_moment_with_or_without_zone_in_any_form_of_iso_8601(tmp_path, first: str, second: str):
    rows = "".join(f'"{moment}",5,5\n' for moment in (first, second))
    trace = read_trace(written(tmp_path, "a.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n" + rows))
    assert [request.arrival_s for request in trace.requests] == pytest.approx([0, 1], abs=1e-6)


def test_ids_of_any_size_keep_every_digit(tmp_path):
    csv_rows = f"{HEAD.strip()},hash_ids,identity\n0,40,5,{2**64} {2**64 + 1},{2**64}\n1,5,5,,{2**64 + 1}\n2,5,5,,7.0\n"
    first, second, third = read_trace(written(tmp_path, "a.csv", csv_rows)).requests
    assert first.hash_ids == (2**64, 2**64 + 1)
    assert (first.identity, second.identity, third.identity) == (2**64, 2**64 + 1, 7)
    (only,) = read_trace(
        written(
            tmp_path,
            "a.jsonl",
            f'{{"arrival_s": 0, "prompt_tokens": 1, "output_tokens": 1, "identity": {2**64 + 1}}}',
        )
    ).requests
    assert only.identity == 2**64 + 1


def test_a_prompt_may_have_more_hashes_than_a_csv_field_usually_holds(tmp_path):
    names = [10**18 + block for block in range(12_000)]
    rows = f"{HEAD.strip()},hash_ids\n0,192000,5,{' '.join(map(str, names))}\n"
    assert read_trace(written(tmp_path, "a.csv", rows)).requests[0].hash_ids == tuple(names)


def test_a_csv_as_spreadsheets_and_data_frames_write_it(tmp_path):
    text = (
        '\r\n arrival_s , prompt_tokens, output_tokens ,hash_ids\r\n0, 40, 5,"[1, 2]"\r\n   \r\n,,,\r\n1, 8,5,\r\n\r\n'
    )
    trace = read_trace(written(tmp_path, "a.csv", text))
    assert [(request.prompt_tokens, request.hash_ids) for request in trace.requests] == [(40, (1, 2)), (8, ())]


def test_an_engines_record_is_replayed_as_it_is_validated_though_rows_changed_places(tmp_path):
    row = '{{"arrival_s": {}, "prompt_tokens": {}, "output_tokens": 2, "first_token_s": 9, "last_token_s": 10}}\n'
    path = written(tmp_path, "a.jsonl", row.format(5.2, 7) + row.format(5.0, 8) + row.format(6.0, 9))
    trace = read_trace(path)
    assert [request.prompt_tokens for request in trace.requests] == [8, 7, 9]
    assert [request.arrival_s for request in trace.requests] == pytest.approx([0, 0.2, 1.0])
    assert trace.rows == (2, 1, 3)
    assert trace.requests == read_run(path).trace.requests
    with pytest.raises(TraceError, match="row 2: arrives at 5 s, before the one ahead of it"):
        read_trace(written(tmp_path, "b.jsonl", row.format(6.2, 7) + row.format(5.0, 8)))


def test_a_clock_beyond_what_a_simulation_can_count_is_refused_and_not_walked(tmp_path):
    with pytest.raises(
        TraceError, match=r"row 3: arrives 1e\+300 s after the start; it must be 1,000,000,000 s at most"
    ):
        read_trace(written(tmp_path, "a.csv", HEAD + "0,5,5\n1e300,5,5\n"))
    trace = read_trace(written(tmp_path, "b.csv", HEAD + "1700000000.25,5,5\n1700000001.5,5,5\n"))
    assert trace.requests[1].arrival_s == 1.25
    with pytest.raises(WorkloadError, match=r"b\.csv: would last 1\.25e\+300 s"):
        trace.faster(1e-300)
    with pytest.raises(WorkloadError, match="after the start"):
        simulate([Request(0.0, 5, 5), Request(1e12, 5, 5)], CostModel("x", "", 1.0))
