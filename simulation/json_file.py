"""JSON that somebody else wrote."""

import json
from pathlib import Path
from typing import Any

from simulation.request import WorkloadError


def read_json(path: Path) -> Any:
    """What the file holds; a byte order mark does not matter.

    Raises:
        WorkloadError: one line that names the file, and the line of it that is not JSON.
    """
    try:
        return parse_json(path.read_text(encoding="utf-8-sig"), str(path))
    except OSError as error:
        raise WorkloadError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise WorkloadError(f"{path}: not a text file in UTF-8") from None


def parse_json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise WorkloadError(f"{where}, line {error.lineno}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError):
        raise WorkloadError(f"{where}: not JSON that can be read (a number too long, or lists too deep)") from None
