"""Kinds of values that settings and policies share, each refusing what it can't be with what to write instead."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError


def a_number(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("write a number")
    return value


Seconds = Annotated[float, BeforeValidator(a_number), Field(ge=0, allow_inf_nan=False)]
PositiveSeconds = Annotated[float, BeforeValidator(a_number), Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, BeforeValidator(a_number), Field(ge=0)]
PositiveCount = Annotated[int, BeforeValidator(a_number), Field(gt=0)]


def _a_name(value: Any) -> Any:
    if isinstance(value, str) and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", value):
        raise ValueError(
            "a name is up to 64 letters, digits, dots, dashes or underscores, with a letter or digit first"
        )
    return value


Name = Annotated[str, BeforeValidator(_a_name)]
"""Used in paths, labels and logs."""


def fault(at: tuple[str | int, ...], text: str) -> PydanticCustomError:
    """An error about a part of what a model-wide check looks at; `at` says which, so that its line can be named."""
    return PydanticCustomError("value_error", "{text}", {"text": text, "at": at})


class Section(BaseModel):
    """A group of settings: frozen, no unknown keys, described by the strings under its fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)
