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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from simulation.request import Request, WorkloadError, reason_against

RUN_HASH_TOKENS = 16
MOONCAKE_HASH_TOKENS = 512
_MOST = 10**12


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
            problem = reason_against(request.arrival_s, request.prompt_tokens, request.output_tokens, before)
            if problem:
                raise ValueError(problem)
        except ValueError as error:
            raise TraceError(f"{path}, row {row}: {error}") from None
        before = request.arrival_s
        requests.append(replace(request, arrival_s=request.arrival_s - start) if start else request)
        rows.append(row)
    if not requests:
        raise TraceError(f"{path}: no requests in it")
    if hash_tokens is not None and hash_tokens < 1:
        raise TraceError(f"{path}: hash ids of {hash_tokens} tokens; it must be 1 or more")
    return Trace(str(path), tuple(requests), tuple(rows), hash_tokens or found)


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
    reader = csv.DictReader(lines, strict=True)
    try:
        for fields in reader:
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
            None if identity in (None, "") else count(fields, "identity"),
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
    if isinstance(value, str):
        value = [int(part) if part.isdigit() else part for part in value.split()]
    if not isinstance(value, list | tuple) or not all(type(name) is int and name >= 0 for name in value):
        raise ValueError("hash_ids must be whole numbers of 0 or more (in a .csv, separated by spaces)")
    return tuple(value)


def _moment(text: str) -> float:
    # Seven decimals in the original; datetime reads six.
    whole, _, decimals = text.strip().partition(".")
    zone = ""
    for sign in "+-":
        decimals, mark, rest = decimals.partition(sign)
        zone = zone or mark + rest
    try:
        moment = datetime.fromisoformat(whole + (zone or ("" if whole[-6:-5] in "+-" else "+00:00")))
        return moment.timestamp() + (float(f"0.{decimals}") if decimals else 0.0)
    except ValueError:
        raise ValueError(f"TIMESTAMP is {text!r}; it must be a date and a time") from None
