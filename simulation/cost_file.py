"""Cost models as JSON, in microseconds, and their names on the command line.

    {"name": "my-gpu", "provenance": "who measured what",
     "a": 11077, "b": 18.8, "c": 0.0915, "d": 32.1, "e": 0.0024,
     "overhead": {"step": 2150, "sequence": 11, "prompt_token": 0}}

Optional beside them: "mixed_c", "knee_tokens", "prefill_floor", "sequence_table" and "token_table" ([[count, us],
...]), "seen" ({"sequences", "kv_tokens", "prompt_tokens"}: the largest step that was measured). What is left out is 0.
"""

import difflib
import json
import math
import re
from dataclasses import replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from simulation.cost import PRESETS, CostError, CostModel, Points, Seen
from simulation.json_file import parse_json
from simulation.request import WorkloadError

_NUMBERS = {
    "a": "step_s",
    "b": "sequence_s",
    "c": "kv_token_s",
    "d": "prompt_token_s",
    "e": "chunk_context_s",
    "mixed_c": "mixed_kv_token_s",
    "prefill_floor": "prefill_floor_s",
}
_TABLES = ("sequence_table", "token_table")
_OVERHEAD = {
    "step": "overhead_step_s",
    "sequence": "overhead_sequence_s",
    "prompt_token": "overhead_prompt_token_s",
}
_SEEN = ("sequences", "kv_tokens", "prompt_tokens")
_KEYS = ("name", "provenance", *_NUMBERS, "knee_tokens", *_TABLES, "overhead", "seen")
# Terms that a fit may bring out slightly below zero; a whole step may not be.
_SIGNED = ("a", "b", "d")
_MOST = 1e12
_MAKERS = frozenset(("nvidia", "geforce", "meta", "on"))
# Of steps that must take time.
_SIZES = [2**power for power in range(1, 18)]


def load_cost(name_or_path: str) -> CostModel:
    """A preset by name, spelled as anybody would (`RTX 4090, Llama-3.1-8B`), or a JSON file by path.

    Raises:
        CostError: neither; or the file is not a cost model.
    """
    wanted = _spelled(name_or_path)
    for preset in PRESETS.values():
        if _spelled(preset.name) == wanted:
            return preset
    for entry in _shipped():
        if _spelled(entry.name.removesuffix(".json")) == wanted:
            return parse_cost(entry.read_text(encoding="utf-8"), entry.name)
    path = Path(name_or_path)
    if path.is_file():
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise CostError(f"{path}: cannot be read ({error})") from None
        return parse_cost(text, str(path))
    names = preset_names()
    near = difflib.get_close_matches(name_or_path.lower(), names, 1, 0.4)
    hint = f"did you mean {near[0]}? " if near else ""
    raise CostError(f"{name_or_path}: no such file and no preset; {hint}presets are {', '.join(names)}")


def preset_names() -> list[str]:
    return [*PRESETS, *sorted(entry.name.removesuffix(".json") for entry in _shipped())]


def parse_cost(text: str, where: str) -> CostModel:
    """Read a cost model; `where` names the file in messages.

    Raises:
        CostError: not JSON, an unknown key, or a value that no engine can have.
    """
    try:
        data = parse_json(text, where)
    except WorkloadError as error:
        raise CostError(error.reason) from None
    if not isinstance(data, dict):
        raise CostError(f"{where}: must be an object with a, b, c, d, e (microseconds)")
    _known(data, _KEYS, where)
    values: dict[str, Any] = {
        "name": str(data.get("name", Path(where).stem)),
        "provenance": str(data.get("provenance", "")),
        "knee_tokens": int(_number(data, "knee_tokens", where)),
    }
    for key, field in _NUMBERS.items():
        values[field] = _number(data, key, where, signed=key in _SIGNED) * 1e-6
    for key in _TABLES:
        values[key] = _table(data.get(key, []), key, where)
    overhead = _object(data, "overhead", where)
    _known(overhead, tuple(_OVERHEAD), f"{where}, overhead")
    for key, field in _OVERHEAD.items():
        values[field] = _number(overhead, key, where) * 1e-6
    seen = _object(data, "seen", where)
    _known(seen, _SEEN, f"{where}, seen")
    values["seen"] = Seen(**{key: _number(seen, key, where) for key in seen})
    cost = CostModel(**values)
    if cost.step(1, 1) <= 0 or cost.step(0, 0, 1, 1, 1) <= 0:
        raise CostError(f"{where}: a step of one token takes no time; give at least a, or a table")
    for tokens in _SIZES:
        if cost.step(tokens, 0) <= 0 or cost.step(0, 0, 1, tokens, tokens) <= 0:
            raise CostError(f"{where}: a step of {tokens} tokens takes no time; b or d is too far below 0")
    return cost


def format_cost(cost: CostModel) -> str:
    """The JSON text that parse_cost reads back."""
    data: dict[str, Any] = {"name": cost.name, "provenance": cost.provenance}
    for key, field in _NUMBERS.items():
        data[key] = _microseconds(getattr(cost, field))
    if cost.knee_tokens:
        data["knee_tokens"] = cost.knee_tokens
    for key in _TABLES:
        if getattr(cost, key):
            data[key] = [[count, _microseconds(value)] for count, value in getattr(cost, key)]
    data["overhead"] = {key: _microseconds(getattr(cost, field)) for key, field in _OVERHEAD.items()}
    seen = {key: getattr(cost.seen, key) for key in _SEEN if math.isfinite(getattr(cost.seen, key))}
    if seen:
        data["seen"] = seen
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in data.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def renamed(cost: CostModel, name: str, provenance: str) -> CostModel:
    return replace(cost, name=name, provenance=provenance)


def _shipped() -> list[Traversable]:
    folder = resources.files("simulation") / "data" / "costs"
    return [entry for entry in folder.iterdir() if entry.name.endswith(".json")] if folder.is_dir() else []


def _spelled(name: str) -> tuple[int, list[str]]:
    """What a name says, however it is written: how many GPUs (`x2`, `2x` and `tp2` are the same), and its words."""
    gpus = 1
    kept: list[str] = []
    for word in re.split(r"[^a-z0-9]+", name.lower()):
        if found := re.fullmatch(r"(?:tp|x)(\d+)|(\d+)x", word):
            gpus = int(found[1] or found[2])
        elif found := re.fullmatch(r"(.*\d)x(\d+)", word):
            kept.append(found[1])
            gpus = int(found[2])
        elif found := re.fullmatch(r"(\d+)x(.+)", word):
            gpus = int(found[1])
            kept.append(found[2])
        elif word not in _MAKERS:
            kept.append(word)
    # 3.1-8b and 31-8b are the same, as are rtxpro and rtx-pro; a word that is said twice counts once.
    text = re.sub(r"(?<=\d) (?=\d)", "", " ".join(kept)).replace("rtx", "rtx ")
    return gpus, sorted(set(re.findall(r"[a-z]+|\d+", text)))


def _microseconds(seconds: float) -> float:
    return float(f"{seconds * 1e6:.6g}")


def _known(data: dict[str, Any], allowed: tuple[str, ...], where: str) -> None:
    for key in data:
        if key not in allowed:
            near = difflib.get_close_matches(key, allowed, 1, 0.5)
            hint = f"write {near[0]}" if near else f"one of {', '.join(allowed)}"
            raise CostError(f"{where}: unknown key {key!r}; {hint}")


def _object(data: dict[str, Any], key: str, where: str) -> dict[str, Any]:
    value = data.get(key, {})
    if not isinstance(value, dict):
        raise CostError(f"{where}: {key} must be an object")
    return value


def _number(data: dict[str, Any], key: str, where: str, *, signed: bool = False) -> float:
    value = data.get(key, 0)
    if not _plausible(value):
        raise CostError(f"{where}: {key} is {value!r:.40}; it must be a number of microseconds or tokens")
    if value < 0 and not signed:
        raise CostError(f"{where}: {key} is {value}; it must be 0 or more")
    return float(value)


def _plausible(value: Any) -> bool:
    """A number, and not one that is longer than a fortnight in microseconds."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _MOST


def _table(value: Any, key: str, where: str) -> Points:
    problem = CostError(f"{where}: {key} must be a list of [count, microseconds] with rising counts")
    if not isinstance(value, list):
        raise problem
    points: list[tuple[float, float]] = []
    for point in value:
        if not (isinstance(point, list) and len(point) == 2 and all(map(_plausible, point))):
            raise problem
        if points and point[0] <= points[-1][0]:
            raise problem
        points.append((float(point[0]), point[1] * 1e-6))
    return tuple(points)
