"""Labelled prompts, read from JSONL or CSV: the three forms of row, each to lookups that can be scored.

    pair          {"id": "p1", "a": "stored prompt", "b": "asked prompt", "same": 1}
    lookup        {"role": "cached", "key": "k1", "family": "f", "prompt": "…"} and
                  {"role": "lookup", "id": "l1", "family": "f", "prompt": "…", "expect": "hit", "key": "k1"}
    conversation  {"id": "c1", "cached_messages": [{"role": "user", "content": "…"}], "probe_messages": […], "same": 0}

`same` = 1 says that the answer to the first may be served for the second. `family` and `kind` are optional everywhere.
A pair or a conversation is its own world: its stored prompt is the only candidate. The stored prompts of a file's
lookups are all candidates of its family's lookups, and served by another than `key` is wrong. In CSV the first line
names the columns, and messages are JSON in a cell.
"""

import codecs
import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

Messages = tuple[dict[str, Any], ...]
"""Chat messages as a request holds them."""


class DataError(ValueError):
    """A row that can't be used: names file, line and field, and what to write."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A prompt that was answered."""

    key: str
    messages: Messages


@dataclass(frozen=True, slots=True)
class Lookup:
    """One asked prompt, what is stored when it comes, and what should happen."""

    id: str
    messages: Messages
    stored: tuple[Stored, ...]
    """Shared between the lookups of one world."""
    expected: str | None
    """Key of the stored prompt that answers it; None: it should miss."""
    family: str | None
    """As the row names it; None: the policy's match rules decide."""
    kind: str | None
    source: str
    """The file's name."""


def load(paths: Iterable[Path], *, skip_bad: bool = False) -> tuple[list[Lookup], list[str]]:
    """Every lookup of these files and folders, and a line for each bad row that was skipped.

    Raises:
        DataError: at the first bad row, unless they are skipped; for a path with no data.
    """
    lookups: list[Lookup] = []
    skipped: list[str] = []
    for path in paths:
        if not path.exists():
            raise DataError(f"{path}: there is no such file or folder")
        files = sorted([*path.rglob("*.jsonl"), *path.rglob("*.csv")]) if path.is_dir() else [path]
        if not files:
            raise DataError(f"{path}: no .jsonl or .csv file in this folder")
        for file in files:
            lookups += _Reader(file, skip_bad, skipped).read()
    return lookups, skipped


class _Reader:
    """One file."""

    def __init__(self, path: Path, skip_bad: bool, skipped: list[str]) -> None:
        self._path = path
        self._skip_bad = skip_bad
        self._skipped = skipped

    def read(self) -> list[Lookup]:
        worlds: dict[str, dict[str, Stored]] = {}
        waiting: list[tuple[int, dict[str, Any]]] = []
        lookups: list[tuple[int, Lookup]] = []
        for line, row in self._rows():
            try:
                if isinstance(row, DataError):
                    raise row
                match _form(row):
                    case "pair":
                        lookups.append((line, self._pair(line, row)))
                    case "conversation":
                        lookups.append((line, self._conversation(line, row)))
                    case "cached":
                        key = self._key(line, row)
                        world = worlds.setdefault(_family(row) or "", {})
                        if key in world:
                            raise self._wrong(line, "key", f"{key!r} is stored twice")
                        world[key] = Stored(key, asked(self._text(line, row, "prompt")))
                    case "lookup":
                        waiting.append((line, row))
                    case _:
                        raise self._wrong(line, "", "write a/b/same, role, or cached_messages/probe_messages/same")
            except DataError as error:
                if not self._skip_bad:
                    raise
                self._skipped.append(str(error))
        stored = {family: tuple(world.values()) for family, world in worlds.items()}
        for line, row in waiting:
            try:
                lookups.append((line, self._lookup(line, row, stored.get(_family(row) or "", ()), worlds)))
            except DataError as error:
                if not self._skip_bad:
                    raise
                self._skipped.append(str(error))
        return [lookup for _, lookup in sorted(lookups, key=lambda one: one[0])]

    def _rows(self) -> "Iterator[tuple[int, dict[str, Any] | DataError]]":
        try:
            if self._path.suffix == ".csv":
                with self._path.open(encoding="utf-8-sig", newline="") as file:
                    reader = csv.DictReader(file)
                    for row in reader:
                        yield reader.line_num, {name: value for name, value in row.items() if name and value}
                return
            with self._path.open("rb") as file:
                for number, line in enumerate(file, 1):
                    if number == 1:
                        line = line.removeprefix(codecs.BOM_UTF8)
                    if line.strip():
                        yield number, self._object(number, line)
        except OSError as error:
            raise DataError(f"{self._path}: {error.strerror}") from None
        except (UnicodeDecodeError, csv.Error) as error:
            raise DataError(f"{self._path}: {error}") from None

    def _object(self, number: int, line: bytes) -> "dict[str, Any] | DataError":
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            return self._wrong(number, "", f"not JSON ({error.msg})")
        return row if isinstance(row, dict) else self._wrong(number, "", "not a JSON object")

    def _pair(self, line: int, row: dict[str, Any]) -> Lookup:
        stored = Stored("a", asked(self._text(line, row, "a")))
        return self._made(line, row, asked(self._text(line, row, "b")), (stored,), self._same(line, row))

    def _conversation(self, line: int, row: dict[str, Any]) -> Lookup:
        stored = Stored("a", self._messages(line, row, "cached_messages"))
        return self._made(line, row, self._messages(line, row, "probe_messages"), (stored,), self._same(line, row))

    def _lookup(
        self, line: int, row: dict[str, Any], stored: tuple[Stored, ...], worlds: dict[str, dict[str, Stored]]
    ) -> Lookup:
        expected = None
        if row.get("expect") == "hit":
            expected = self._key(line, row)
            if expected not in worlds.get(_family(row) or "", {}):
                raise self._wrong(line, "key", f"no cached row of this family has the key {expected!r}")
        elif row.get("expect") != "miss":
            raise self._wrong(line, "expect", "write hit or miss")
        return self._made(line, row, asked(self._text(line, row, "prompt")), stored, expected)

    def _made(
        self, line: int, row: dict[str, Any], messages: Messages, stored: tuple[Stored, ...], expected: str | None
    ) -> Lookup:
        kind = row.get("kind")
        return Lookup(
            id=str(row.get("id", f"{self._path.stem}:{line}")),
            messages=messages,
            stored=stored,
            expected=expected,
            family=_family(row),
            kind=None if kind is None else str(kind),
            source=f"{self._path.parent.name}/{self._path.name}",
        )

    def _text(self, line: int, row: dict[str, Any], field: str) -> str:
        value = row.get(field)
        if not isinstance(value, str) or not value.strip():
            raise self._wrong(line, field, "write a text that is not empty")
        return value

    def _key(self, line: int, row: dict[str, Any]) -> str:
        value = row.get("key")
        if not isinstance(value, str | int) or isinstance(value, bool) or value == "":
            raise self._wrong(line, "key", "write the key of a stored prompt, a text or a number")
        return str(value)

    def _same(self, line: int, row: dict[str, Any]) -> str | None:
        value = row.get("same")
        match str(value).lower():
            case "1" | "1.0" | "true":
                return "a"
            case "0" | "0.0" | "false":
                return None
        raise self._wrong(line, "same", "write 1 or 0")

    def _messages(self, line: int, row: dict[str, Any], field: str) -> Messages:
        value = row.get(field)
        if isinstance(value, str):  # a CSV cell
            try:
                value = orjson.loads(value)
            except orjson.JSONDecodeError:
                value = None
        if not isinstance(value, list) or not value:
            raise self._wrong(line, field, "write a list of chat messages")
        for message in value:
            if not isinstance(message, dict) or not isinstance(message.get("role"), str) or "content" not in message:
                raise self._wrong(line, field, "each message needs a role and a content")
        return tuple(value)

    def _wrong(self, line: int, field: str, what: str) -> DataError:
        return DataError(f"{self._path}:{line}: {f'`{field}`: ' if field else ''}{what}")


def asked(text: str) -> Messages:
    """A conversation of one message, the user's."""
    return ({"role": "user", "content": text},)


def pair(a: str, b: str) -> Lookup:
    """`b` is asked where `a` is stored, with an answer that serves both."""
    return Lookup(f"{a} | {b}", asked(b), (Stored("a", asked(a)),), "a", None, None, "")


def _form(row: dict[str, Any]) -> str | None:
    if row.get("role") in ("cached", "lookup"):
        return str(row["role"])
    if "cached_messages" in row or "probe_messages" in row:
        return "conversation"
    return "pair" if "a" in row or "b" in row else None


def _family(row: dict[str, Any]) -> str | None:
    family = row.get("family")
    return None if family is None else str(family)
