"""Which requests belong to a family: what the file says of it, and the form in which requests are asked."""

import fnmatch
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import re2
from pydantic import field_validator

from config.fields import Section


class MatchPolicy(Section):
    """Every key given must agree; within a list one is enough. Nothing given matches everything."""

    prompt_regex: str | None = None
    """RE2 expression found in the last user message, or in the prompt."""

    system_regex: str | None = None
    """RE2 expression found in the system and developer messages."""

    models: tuple[str, ...] = ()
    """Model names as the client gave them, or globs."""

    paths: tuple[str, ...] = ()
    """Request paths, such as /v1/chat/completions."""

    tenants: tuple[str, ...] = ()
    """Names under `tenants:` in the settings."""

    header: str | None = None
    """Value of `x-askonce-family` with which a client chooses this family itself."""

    @field_validator("prompt_regex", "system_regex")
    @classmethod
    def _linear(cls, pattern: str | None) -> str | None:
        if pattern is not None:
            try:
                re2.compile(pattern, _options())
            except re2.error as exc:
                raise ValueError(_regex_fault(exc.args[0].decode("utf-8", "replace"))) from exc
        return pattern

    @field_validator("paths")
    @classmethod
    def _rooted(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        for path in paths:
            if not path.startswith("/"):
                raise ValueError(f"a path starts with a slash: write /{path}")
        return paths

    def is_everything(self) -> bool:
        return self.covers(MatchPolicy())

    def covers(self, other: "MatchPolicy") -> bool:
        """Whether surely nothing matches `other` that doesn't match this. An unclear case says no."""
        return (
            self.prompt_regex in (None, "", other.prompt_regex)
            and self.system_regex in (None, "", other.system_regex)
            and self.header in (None, other.header)
            and (not self.paths or (bool(other.paths) and set(other.paths) <= set(self.paths)))
            and (not self.tenants or (bool(other.tenants) and set(other.tenants) <= set(self.tenants)))
            and (
                not self.models or "*" in self.models or (bool(other.models) and set(other.models) <= set(self.models))
            )
        )


@dataclass(frozen=True, slots=True)
class _Conditions:
    """One family's, without its expressions; None agrees with everything."""

    paths: frozenset[str] | None
    tenants: frozenset[str] | None
    header: str | None
    models: re.Pattern[str] | None
    prompt: int | None
    """Position of its expression in the set of all."""
    system: int | None


class Matchers:
    """All families' conditions, compiled. All expressions run over a text in one pass, and only if a family asks."""

    __slots__ = ("_all_ask_prompt", "_conditions", "_prompts", "_systems")

    def __init__(self, matches: Sequence[MatchPolicy]) -> None:
        self._prompts, self._systems = _Expressions(), _Expressions()
        self._conditions = tuple(
            _Conditions(
                paths=frozenset(match.paths) or None,
                tenants=frozenset(match.tenants) or None,
                header=match.header,
                models=_globs(match.models),
                prompt=self._prompts.add(match.prompt_regex),
                system=self._systems.add(match.system_regex),
            )
            for match in matches
        )
        self._all_ask_prompt = bool(matches) and all(conditions.prompt is not None for conditions in self._conditions)
        """Where no expression is found in the prompt, no family matches."""
        self._prompts.compile()
        self._systems.compile()

    def first(
        self,
        path: str,
        model: str,
        tenant: str | None,
        header: str | None,
        prompt_text: Callable[[], str],
        system_text: Callable[[], str],
    ) -> int | None:
        """Position of the first family that matches. Each text is asked for at most once."""
        in_prompt: Collection[int] | None = None
        if self._all_ask_prompt:
            in_prompt = self._prompts.found_in(prompt_text())
            if not in_prompt:
                return None
        in_system: Collection[int] | None = None
        for position, conditions in enumerate(self._conditions):
            if (
                (conditions.paths is not None and path not in conditions.paths)
                or (conditions.header is not None and header != conditions.header)
                or (conditions.tenants is not None and tenant not in conditions.tenants)
                or (conditions.models is not None and conditions.models.match(model) is None)
            ):
                continue
            if conditions.prompt is not None:
                if in_prompt is None:
                    in_prompt = self._prompts.found_in(prompt_text())
                if conditions.prompt not in in_prompt:
                    continue
            if conditions.system is not None:
                if in_system is None:
                    in_system = self._systems.found_in(system_text())
                if conditions.system not in in_system:
                    continue
            return position
        return None


class _Expressions:
    """A set of RE2 expressions, searched together."""

    __slots__ = ("_count", "_set")

    def __init__(self) -> None:
        self._set = re2.Set.SearchSet(_options())
        self._count = 0

    def add(self, pattern: str | None) -> int | None:
        if pattern is None:
            return None
        self._count += 1
        return int(self._set.Add(pattern))

    def compile(self) -> None:
        if self._count:
            self._set.Compile()

    def found_in(self, text: str) -> Collection[int]:
        # A lone surrogate has no UTF-8 form; as its three bytes it just never matches.
        return self._set.Match(text.encode("utf-8", "surrogatepass")) or ()


def _globs(patterns: Sequence[str]) -> re.Pattern[str] | None:
    if not patterns or "*" in patterns:
        return None
    return re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns))


def _options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False  # to standard error, as if from somewhere else; we say it ourselves
    options.max_mem = 64 << 20  # for all expressions of a file together
    return options


_LACKING = {
    "(?=": "lookahead (?=…)",
    "(?!": "negative lookahead (?!…)",
    "(?<": "lookbehind (?<=…) or (?<!…)",
    "(?>": "atomic groups (?>…)",
}


def _regex_fault(said: str) -> str:
    """RE2's complaint, put so that one knows what to change."""
    kind, _, part = said.partition(": ")
    feature = _LACKING.get(part[:3]) if kind == "invalid perl operator" else None
    if kind == "invalid escape sequence" and part[1:2].isdigit():
        feature = f"backreferences such as {part}"
    if kind == "bad repetition operator" and part[-1:] == "+":
        feature = f"possessive repetition {part}"
    if feature:
        return f"RE2, whose time grows no faster than the prompt, has no {feature}: write it without"
    return f"not an RE2 expression: {said}"
