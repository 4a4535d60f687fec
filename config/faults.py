"""What pydantic says of a wrong value, put so that it names the setting and what to write instead."""

import difflib
from collections.abc import Iterable, Iterator
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from config.document import Location

_PLAIN_WORDS = {
    "missing": "must be given",
    "bool_parsing": "write true or false",
    "bool_type": "write true or false",
    "dict_type": "write a section: `key: value`",
    "float_parsing": "write a number",
    "float_type": "write a number",
    "int_from_float": "write a whole number",
    "int_parsing": "write a whole number",
    "int_type": "write a whole number",
    "model_type": "write a section: `key: value`",
    "string_type": "write text, in quotes if it looks like a number",
    "tuple_type": "write a list: `[one, another]`",
}


def faults(exc: ValidationError, model: type[BaseModel]) -> list[tuple[Location, str]]:
    """Each error of validating `model`: its place, and a sentence that names the setting and the cure.

    A value is repeated only where it is a word of ours misspelt, because any other may be a secret.
    """
    found: list[tuple[Location, str]] = []
    for error in exc.errors(include_url=False):
        context = error.get("ctx", {})
        where = (*error["loc"], *context.get("at", ()))
        if error["type"] == "extra_forbidden":
            said = _unknown_key(model, where)
        else:
            text = _PLAIN_WORDS.get(error["type"]) or error["msg"].removeprefix("Value error, ")
            said = f"{spell(where)}: " if where else ""
            said += text.replace("Input should be", "must be")
            if error["type"] == "literal_error" and isinstance(error["input"], str):
                words = [word.strip(" '") for word in context["expected"].replace(" or ", ", ").split(", ")]
                if meant := nearest(error["input"], words):
                    said += f"; did you mean {meant}?"
        found.append((where, said))
    return found


def keys_of(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, type[BaseModel]]]:
    """Full name and owner of every setting under `model`, depth first: `server.drain_s`, `upstreams[].url`."""
    for name, field in model.model_fields.items():
        yield prefix + name, model
        inner, many = section_of(field.annotation)
        if inner is not None:
            yield from keys_of(inner, f"{prefix}{name}{'[]' if many else ''}.")


def _unknown_key(model: type[BaseModel], where: Location) -> str:
    owner = model
    for part in where[:-1]:
        if isinstance(part, str):
            inner, _ = section_of(owner.model_fields[part].annotation)
            assert inner is not None, "only a section of settings forbids keys"
            owner = inner
    key = str(where[-1])
    said = f"unknown key `{spell(where)}`"
    elsewhere = [full for full, _ in keys_of(model) if full.rpartition(".")[2] == key]
    if elsewhere:
        return f"{said}: `{key}` belongs at `{elsewhere[0]}`"
    if meant := nearest(key, owner.model_fields):
        return f"{said}: did you mean `{meant}`?"
    return f"{said}: write one of {', '.join(sorted(owner.model_fields))}"


def section_of(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """The section a field holds, if it holds one, and whether it holds a list of them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, False
    for argument in get_args(annotation):
        inner, many = section_of(argument)
        if inner is not None:
            return inner, many or get_origin(annotation) is tuple
    return None, False


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` was most likely meant to be, if any comes close."""
    close = difflib.get_close_matches(word.lower(), sorted(known), n=1, cutoff=0.6)
    return close[0] if close else None


def spell(where: Location) -> str:
    """`("upstreams", 0, "url")` as `upstreams[0].url`."""
    spelt = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in where)
    return spelt.removeprefix(".")
