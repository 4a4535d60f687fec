"""The process ends with its status, whatever a daemon thread is doing."""

import subprocess
import sys

HANGING = """
import threading
from proxy.__main__ import leave
threading.Thread(target=threading.Event().wait, daemon=True).start()
"""


def test_a_thread_that_hangs_changes_neither_the_status_nor_what_was_printed():
    done = subprocess.run(
        [sys.executable, "-c", HANGING + "print('said')\nleave(3)"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "said\n", "")


def test_without_such_a_thread_python_ends_as_usual():
    script = "import atexit\nfrom proxy.__main__ import leave\natexit.register(print, 'last')\nleave(0)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "last\n")
