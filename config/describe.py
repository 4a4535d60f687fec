"""The table of every setting, generated, so that the documentation can't fall behind: `python -m config.describe`."""

import json
from typing import Any

from pydantic import BaseModel, SecretStr

from config.environment import PREFIX
from config.faults import section_of
from config.settings import Settings


def settings_table() -> str:
    """Markdown: name, default and meaning of each setting, and the variable that sets it (lists are one JSON value)."""
    rows = ["| Setting | Default | Variable | |", "|---|---|---|---|", *_rows(Settings, "", PREFIX)]
    return "\n".join(rows) + "\n"


def _rows(model: type[BaseModel], prefix: str, variable: str | None) -> list[str]:
    rows = []
    for name, field in model.model_fields.items():
        section, many = section_of(field.annotation)
        own = variable + name.upper() if variable else None
        if section is None or many:
            default = "" if field.is_required() else f"`{_spelt(field.get_default(call_default_factory=True))}`"
            rows.append(f"| `{prefix}{name}` | {default} | {f'`{own}`' if own else ''} | {_cell(field.description)} |")
        if section is not None:
            inside = f"{own}__" if own and not many else None
            rows += _rows(section, f"{prefix}{name}{'[]' if many else ''}.", inside)
    return rows


def _spelt(value: Any) -> str:
    """A default as one would write it in YAML."""
    if isinstance(value, tuple) and value and isinstance(value[0], BaseModel):
        return f"one, {value[0].model_dump()['url']}"
    if isinstance(value, SecretStr):
        raise TypeError("a secret has no default")
    return value if isinstance(value, str) and value else json.dumps(value)


def _cell(text: str | None) -> str:
    return (text or "").replace("\n", " ").replace("|", "\\|")


if __name__ == "__main__":
    print(settings_table(), end="")
