"""Replicas embed the same text and reach the same verdict: nothing hangs on the order of a set."""

import os
import subprocess
import sys
from pathlib import Path

ROWS = Path(__file__).parents[3] / "evaluation" / "data"

SCRIPT = """
import json, sys
from policies.guards import DEFAULT_GUARDS, compare, parse
from policies.guards.as_embedded import as_embedded

for path in sys.argv[1:]:
    for line in open(path, encoding="utf-8"):
        row = json.loads(line)
        found = compare(parse(row["a"]), parse(row["b"]), frozenset(DEFAULT_GUARDS))
        print(as_embedded(row["a"]), as_embedded(row["b"]), found and found.reason, sep="|")
for slip in ("5 kilometrs to miles", "a prenuptials agreement", "2 milliltrs", "thier recomendation", "a fotball mach"):
    print(as_embedded(slip))
"""


def test_the_order_of_sets_changes_nothing():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(ROWS / "near_miss.jsonl")],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for seed in ("0", "1")
    ]
    assert len(outputs[0]) > 500
    for rows in zip(*outputs, strict=True):
        assert len(set(rows)) == 1
