"""The `ASKONCE_*` variables, nested like the settings file."""

import os
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsError

from config.document import ConfigError, Location
from config.faults import nearest

PREFIX = "ASKONCE_"

# Kubernetes sets these for a Service called "askonce"; they are none of ours.
_SERVICE_LINK = re.compile(r"ASKONCE_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)")


def read_environment(model: type[BaseSettings]) -> dict[str, Any]:
    """The settings given in the environment; sections by `__`, lists as JSON.

    Raises:
        ConfigError: a variable of ours that no setting has, or that can't be read.
    """
    for name, value in os.environ.items():
        if name == "ASKONCE_PORT" and value.startswith("tcp://"):
            raise ConfigError(
                "ASKONCE_PORT was set by Kubernetes for a Service called askonce: write enableServiceLinks: false "
                "in the pod, or give the Service another name"
            )
        if name.startswith(PREFIX) and not _SERVICE_LINK.fullmatch(name):
            _must_be_known(name, model)
    try:
        return EnvSettingsSource(model)()
    except SettingsError as exc:
        field = re.search(r'field "(\w+)"', str(exc))
        name = PREFIX + (field[1].upper() if field else "*")
        raise ConfigError(f'{name}: write JSON, such as \'[{{"name": "local"}}]\'') from exc


def variable(where: Location, environment: Mapping[str, Any]) -> str | None:
    """The variable that gave the value at `where`, if one did."""
    names: list[str] = []
    value: Any = environment
    for part in where:
        if not isinstance(value, Mapping) or part not in value:
            break
        names.append(str(part))
        value = value[part]
    return PREFIX + "__".join(names).upper() if names else None


def _must_be_known(name: str, model: type[BaseModel]) -> None:
    owner: type[BaseModel] | None = model
    parts = name.removeprefix(PREFIX).lower().split("__")
    for position, part in enumerate(parts):
        known = owner.model_fields if owner else {}
        if part not in known:
            before = PREFIX + "".join(f"{step.upper()}__" for step in parts[:position])
            meant = nearest(part, known)
            cure = f"did you mean {before}{meant.upper()}?" if meant else "no setting is called so"
            raise ConfigError(f"{name}: unknown setting in the environment: {cure}")
        annotation = known[part].annotation
        owner = annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None
