"""Recorded workloads: who reads which file, and what is wrong with it.

| format | file | clock | hashes |
|---|---|---|---|
| plain | .csv or .jsonl with arrival_s, prompt_tokens, output_tokens (hash_ids, identity) | seconds | `hash_tokens` |
| azure | .csv with TIMESTAMP, ContextTokens, GeneratedTokens (AzurePublicDataset, 2023) | date and time | none |
| mooncake | .jsonl with timestamp, input_length, output_length, hash_ids | milliseconds | 512 tokens |
| run | plain .jsonl with first_token_s and last_token_s too: an engine's own record | seconds | 16 tokens |

ServeGen's clients are distributions, not recordings: `simulation.servegen` draws from them. The format is told by the
names of the fields. The clock starts at the first request.
"""

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from simulation.request import LATEST_S, Request, WorkloadError, reason_against

RUN_HASH_TOKENS = 16
MOONCAKE_HASH_TOKENS = 512
_MOST = 10**12
# Requests that reach an engine together may be noted in any order; a clock that jumps further back is broken.
TOGETHER_S = 1.0
# What one field of a .csv may hold, in characters: the hashes of a long prompt.
_LONGEST_FIELD = 1 << 27

_MOMENT = re.compile(
    r"(\d{4}-?\d\d-?\d\d[T ]\d\d:?\d\d(?::?\d\d)?)(?:[.,](\d+))?\s*(Z|UTC|[+-]\d\d(?::?\d\d){0,2})?", re.I
)


class TraceError(WorkloadError):
    """A trace that cannot be read; the message names file and row."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Requests in order of arrival, and the row of the file each came from (the first row is 1)."""

    path: str
    requests: tuple[Request, ...]
    rows: tuple[int, ...]
    hash_tokens: int = RUN_HASH_TOKENS

    def located(self, error: WorkloadError) -> WorkloadError:
        """The same error, with file and row if it is about one request."""
        if error.index is None or isinstance(error, TraceError):
            return error
        return TraceError(f"{self.path}, row {self.rows[error.index]}: {error.reason}")

    def faster(self, speed: float) -> "Trace":
        """The same requests, `speed` times as fast."""
        if not (math.isfinite(speed) and speed > 0):
            raise WorkloadError(f"speed is {speed}; it must be above 0")
        length_s = self.requests[-1].arrival_s / speed
        if not length_s <= LATEST_S:
            raise WorkloadError(f"{self.path}: would last {length_s:g} s; use {LATEST_S:,.0f} s at most")
        requests = tuple(replace(request, arrival_s=request.arrival_s / speed) for request in self.requests)
        return replace(self, requests=requests)

    def at_rate(self, requests_per_s: float) -> "Trace":
        """The same requests at this mean rate, with the gaps in proportion."""
        if not (math.isfinite(requests_per_s) and requests_per_s > 0):
            raise WorkloadError(f"rate is {requests_per_s}; it must be above 0 requests per second")
        length_s = self.requests[-1].arrival_s
        if len(self.requests) < 2 or not length_s:
            raise WorkloadError(f"{self.path}: all requests arrive at once, so they have no rate to change")
        return self.faster(requests_per_s * length_s / (len(self.requests) - 1))

    def first(self, count: int) -> "Trace":
        if count < 1:
            raise WorkloadError(f"the number of requests is {count}; it must be 1 or more")
        return replace(self, requests=self.requests[:count], rows=self.rows[:count])

    @property
    def rate_per_s(self) -> float:
        length_s = self.requests[-1].arrival_s
        return (len(self.requests) - 1) / length_s if length_s else math.inf


def read_trace(path: Path, hash_tokens: int | None = None) -> Trace:
    """Read a recorded workload; hash_tokens overrides how many tokens a hash id stands for.

    Rows must be in order of arrival. An engine's own record need not be, within TOGETHER_S.

    Raises:
        TraceError: one line naming the file and, where there is one, the row.
    """
    requests: list[Request] = []
    rows: list[int] = []
    found = RUN_HASH_TOKENS
    start = before = 0.0
    for row, fields in records(path):
        try:
            request, found = request_of(fields)
            if not requests:
                start = before = request.arrival_s
            if "first_token_s" in fields and before - TOGETHER_S <= request.arrival_s < before:
                before = request.arrival_s
            problem = reason_against(request.arrival_s, request.prompt_tokens, request.output_tokens, before, start)
            if problem:
                raise ValueError(problem)
        except ValueError as error:
            raise TraceError(f"{path}, row {row}: {error}") from None
        before = request.arrival_s
        requests.append(request)
        rows.append(row)
    if not requests:
        raise TraceError(f"{path}: no requests in it")
    if hash_tokens is not None and hash_tokens < 1:
        raise TraceError(f"{path}: hash ids of {hash_tokens} tokens; it must be 1 or more")
    order = sorted(range(len(rows)), key=lambda at: requests[at].arrival_s)
    start = requests[order[0]].arrival_s
    moved = [replace(request, arrival_s=request.arrival_s - start) for request in requests] if start else requests
    return Trace(
        str(path),
        tuple(moved[at] for at in order),
        tuple(rows[at] for at in order),
        hash_tokens or found,
    )


def records(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Row number and fields of each record of a .csv or .jsonl file, empty lines left out."""
    readers: dict[str, Callable[[Path, Iterable[str]], Iterator[tuple[int, Mapping[str, Any]]]]] = {
        ".csv": _csv_records,
        ".jsonl": _json_records,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise TraceError(f"{path}: traces are .csv or .jsonl files")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from reader(path, file)
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise TraceError(f"{path}: not a text file in UTF-8") from None


def block_hit_rate(requests: Iterable[Request]) -> float:
    """Of all prompt blocks, those seen before: what a prefix cache without end could find."""
    seen: set[int] = set()
    hits = blocks = 0
    for request in requests:
        hits += sum(name in seen for name in request.hash_ids)
        blocks += len(request.hash_ids)
        seen.update(request.hash_ids)
    return hits / blocks if blocks else 0.0


def _csv_records(path: Path, lines: Iterable[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.DictReader(lines, strict=True, skipinitialspace=True)
    try:
        names = reader.fieldnames
        while names is not None and not any(map(str.strip, names)):
            names = next(reader.reader, None)
        reader.fieldnames = [name.strip() for name in names or ()]
        for fields in reader:
            if not any(not isinstance(value, str) or value.strip() for value in fields.values() if value):
                continue  # an empty line, or one of commas only
            if None in fields or None in fields.values():
                raise TraceError(
                    f"{path}, row {reader.line_num}: not {len(reader.fieldnames or ())} fields, as the first row has"
                )
            yield reader.line_num, fields
    except csv.Error as error:
        # The row that could not be read is not counted yet.
        raise TraceError(f"{path}, row {reader.line_num + 1}: {error}") from None


def _json_records(path: Path, lines: Iterable[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for row, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError):
            raise TraceError(f"{path}, row {row}: not JSON") from None
        if not isinstance(fields, dict):
            raise TraceError(f"{path}, row {row}: must be an object, one a line")
        yield row, fields


def request_of(fields: Mapping[str, Any]) -> tuple[Request, int]:
    """A request and the tokens its hash ids stand for; ValueError says what is wrong."""
    if "arrival_s" in fields:
        identity = fields.get("identity")
        return Request(
            number(fields, "arrival_s"),
            count(fields, "prompt_tokens"),
            count(fields, "output_tokens"),
            _hashes(fields),
            None if identity in (None, "") else _name(identity, "identity must be a whole number of 0 or more"),
        ), RUN_HASH_TOKENS
    if "timestamp" in fields:
        return Request(
            number(fields, "timestamp") / 1e3,
            count(fields, "input_length"),
            count(fields, "output_length"),
            _hashes(fields),
        ), MOONCAKE_HASH_TOKENS
    if "TIMESTAMP" in fields:
        return Request(
            _moment(str(fields["TIMESTAMP"])), count(fields, "ContextTokens"), count(fields, "GeneratedTokens")
        ), RUN_HASH_TOKENS
    raise ValueError(
        "no clock; needed are arrival_s (seconds), prompt_tokens and output_tokens, or the fields of an Azure 2023 or "
        "Mooncake trace"
    )


def number(fields: Mapping[str, Any], name: str) -> float:
    """A finite number, or the text of one."""
    if name not in fields:
        raise ValueError(f"{name} is missing")
    value = fields[name]
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise ValueError(f"{name} is {value!r}; it must be a number")
    return found


def count(fields: Mapping[str, Any], name: str) -> int:
    """A whole number of 0 or more, or the text of one."""
    found = number(fields, name)
    if found < 0 or found != int(found):
        raise ValueError(f"{name} is {fields[name]}; it must be a whole number, not below 0")
    if found > _MOST:
        raise ValueError(f"{name} is {found:g}; it must be {_MOST:,} at most")
    return int(found)


def _hashes(fields: Mapping[str, Any]) -> tuple[int, ...]:
    value = fields.get("hash_ids") or ()
    problem = "hash_ids must be whole numbers of 0 or more (in a .csv, separated by spaces)"
    if isinstance(value, str):
        value = value.strip("[] ").replace(",", " ").split()
    if not isinstance(value, list | tuple):
        raise ValueError(problem)
    return tuple([name if type(name) is int and name >= 0 else _name(name, problem) for name in value])


def _name(value: Any, problem: str) -> int:
    """A whole number that only names something: any size, and not one digit may be lost."""
    if isinstance(value, str) and value.isascii() and value.strip().isdigit():
        value = int(value)
    elif isinstance(value, str | float):
        try:
            rounded = float(value)
        except ValueError:
            raise ValueError(problem) from None
        # What pandas makes of whole numbers in a column with gaps; beyond 2**53 they are not what they were.
        value = int(rounded) if rounded.is_integer() and rounded < 2**53 else None
    if type(value) is not int or value < 0:
        raise ValueError(problem)
    return value


def _moment(text: str) -> float:
    """Seconds since 1970; a time without a zone is in UTC."""
    found = _MOMENT.fullmatch(text.strip())
    try:
        if not found:
            raise ValueError
        whole, decimals, zone = found.groups()
        # Seven decimals in the original; datetime reads six.
        moment = datetime.fromisoformat(whole + (zone if zone and zone[0] in "+-" else ""))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.timestamp() + (float(f"0.{decimals}") if decimals else 0.0)
    except ValueError:
        raise ValueError(f"TIMESTAMP is {text!r:.60}; it must be a date and a time") from None
