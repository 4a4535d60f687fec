"""A YAML file as plain data, with the line of every key, so that an error can name its place.

Scalars follow YAML 1.2's core schema, not PyYAML's 1.1: `off` and `on` are words, `010` is ten, `1e3` is a number and
`12:30` is text. A key written twice is an error; YAML parsers usually let the last one win without a word.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

Location = tuple[str | int, ...]
"""Keys and list positions from the top of a file down to a value."""


class ConfigError(ValueError):
    """What is configured can't be used. One line for each fault, with its file and line, or the variable's name."""


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    """The file as the user named it."""

    data: dict[str, Any]
    lines: Mapping[Location, int]
    """Line (from 1) of each key and list item; `()` is the top."""

    def line(self, where: Location) -> int:
        """Line of the value at `where`, or of the nearest thing around it that the file does hold."""
        while where not in self.lines:
            where = where[:-1]
        return self.lines[where]

    def place(self, where: Location) -> str:
        return f"{self.name}:{self.line(where)}"


def read_document(text: str, name: str) -> Document:
    """Parse YAML text whose top level is a mapping (or nothing at all).

    Raises:
        ConfigError: not YAML, not a mapping, a key given twice, or an alias that contains itself.
    """
    try:
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as exc:
        line = exc.problem_mark.line + 1 if exc.problem_mark else 1
        raise ConfigError(f"{name}:{line}: not valid YAML: {exc.problem or exc.context}") from exc
    except yaml.YAMLError as exc:
        raise ConfigError(f"{name}:1: not valid YAML: {exc}") from exc
    except RecursionError:
        raise ConfigError(f"{name}:1: nested too deeply to be read") from None
    lines: dict[Location, int] = {(): 1}
    if root is None:
        return Document(name, {}, lines)
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f"{name}:{_line(root)}: the file must hold keys and values, `key: value`")
    return Document(name, _plain(root, (), lines, name, frozenset()), lines)


def read_file(path: Path) -> Document:
    """`read_document` of a file, which may also be missing or no text: a `ConfigError` too."""
    try:
        return read_document(path.read_text("utf-8"), str(path))
    except OSError as exc:
        raise ConfigError(f"{path}: can't be read: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        raise ConfigError(f"{path}: not UTF-8 text") from exc


class _Loader(yaml.SafeLoader):
    """Composes nodes only; its resolvers are YAML 1.2's core schema."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 PyYAML's own spelling


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"null|Null|NULL|~|", "nN~"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", "-+."),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), [*_first])
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^$"), [""])


def _plain(node: yaml.Node, where: Location, lines: dict[Location, int], name: str, around: frozenset[int]) -> Any:
    if id(node) in around:
        raise ConfigError(f"{name}:{_line(node)}: this alias contains itself")
    around |= {id(node)}
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key is None:
                raise ConfigError(f"{name}:{_line(key_node)}: a key must be a word")
            if key in mapping:
                first = lines[(*where, key)]
                raise ConfigError(f"{name}:{_line(key_node)}: `{key}` is given twice (first on line {first})")
            lines[(*where, key)] = _line(key_node)
            mapping[key] = _plain(value_node, (*where, key), lines, name, around)
        return mapping
    if isinstance(node, yaml.SequenceNode):
        items = []
        for position, item in enumerate(node.value):
            lines[(*where, position)] = _line(item)
            items.append(_plain(item, (*where, position), lines, name, around))
        return items
    return _scalar(node.tag.removeprefix("tag:yaml.org,2002:"), node.value)


def _scalar(tag: str, text: str) -> str | int | float | bool | None:
    match tag:
        case "null":
            return None
        case "bool":
            return text.lower() == "true"
        case "int":
            return int(text, 0) if text[:2] in ("0x", "0o") else int(text)
        case "float":
            return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
        case _:
            return text


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
