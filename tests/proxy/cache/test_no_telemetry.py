"""The embedder reports to nobody."""

import subprocess
import sys

SCRIPT = """
import os
os.environ.pop("ORT_DISABLE_TELEMETRY", None)
import proxy.cache.embedder_fastembed
print(os.environ["ORT_DISABLE_TELEMETRY"])
"""


def test_onnxruntime_is_told_before_it_is_loaded():
    told = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "1"
