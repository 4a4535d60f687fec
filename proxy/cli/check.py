"""`python -m proxy check`: are settings and policies right, and what does each family do?"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from config.settings import ConfigError, Settings, load_settings, startup_warnings
from policies.load import PolicyError, load_policies
from policies.match import MatchPolicy
from policies.model import FamilyPolicy, PolicySet
from proxy.cache.embedder import weights_sha256

HELP = "Validate settings and policies, and say what each family does."

EPILOG = """\
examples:
  python -m proxy check --config proxy.yaml --policies policies.yaml
  python -m proxy check --json | jq .families

exit status: 0 good, 1 something is wrong, 2 a file can't be read
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's flags."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("--config", metavar="FILE", type=Path, help="settings (default: the packaged proxy.yaml)")
    parser.add_argument("--policies", metavar="FILE", type=Path, help="families (default: the packaged policies.yaml)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Check both files; print what was found; the exit status."""
    for path in (arguments.config, arguments.policies):
        if path is not None and not path.is_file():
            print(f"{path}: there is no such file", file=sys.stderr)
            return 2
    found = _check(arguments.config, arguments.policies)
    if arguments.json:
        print(json.dumps(_as_json(found), indent=2))
    else:
        _print(found)
    return 1 if found.errors else 0


@dataclass(frozen=True, slots=True)
class _Found:
    settings: Settings | None
    policies: PolicySet | None
    errors: tuple[str, ...]
    warnings: tuple[str, ...]


def _check(config: Path | None, policies_path: Path | None) -> _Found:
    errors: list[str] = []
    settings: Settings | None = None
    policies: PolicySet | None = None
    try:
        settings = load_settings(config, {"policies": policies_path} if policies_path else {})
    except ConfigError as exc:
        errors += str(exc).splitlines()
    try:
        # With broken settings too: better two errors at once than one after the other.
        path = settings.policies if settings else policies_path
        policies = load_policies(
            path,
            strict_evidence=settings.strict_evidence if settings else False,
            embedder_sha256=weights_sha256(settings.embedder.provider, settings.embedder.sha256) if settings else None,
        )
    except PolicyError as exc:
        errors += str(exc).splitlines()
    warnings = startup_warnings(settings, os.environ) if settings else []
    warnings += map(str, policies.warnings) if policies else ()
    if settings and policies:
        warnings += _out_of_step(settings, policies)
    return _Found(settings, policies, tuple(errors), tuple(warnings))


def _out_of_step(settings: Settings, policies: PolicySet) -> Iterator[str]:
    """What each file allows, and together can't be."""
    tenants = {tenant.name for tenant in settings.tenants}
    served = [glob for upstream in settings.upstreams for glob in (*upstream.models, *upstream.aliases)]
    for family in policies.families:
        for name in family.match.tenants:
            if name not in tenants and not settings.trust_tenant_header:
                yield f"{policies.source}: {family.name}: no tenant of the settings is called {name}"
        for model in family.match.models:
            # Two globs may meet in ways that are hard to tell; only a plain name is surely not served.
            if not set(model) & set("*?[") and not any(fnmatchcase(model, glob) for glob in served):
                yield f"{policies.source}: {family.name}: no upstream of the settings serves {model}"


def _print(found: _Found) -> None:
    out = Console()
    errors = Console(stderr=True, soft_wrap=True, highlight=False, markup=False)
    if found.settings and not found.errors:
        out.print(_upstreams(found.settings))
    if found.policies and not found.errors:
        out.print(_families(found.policies))
    for warning in found.warnings:
        errors.print(f"warning: {warning}")
    for error in found.errors:
        errors.print(f"error: {error}")
    if not found.errors:
        errors.print(f"good; {_many(len(found.warnings), 'warning')}")


def _many(number: int, thing: str) -> str:
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"


def _upstreams(settings: Settings) -> Table:
    table = Table("upstream", "url", "models", "its key", title_justify="left")
    table.title = f"{settings.host}:{settings.port}"
    for upstream in settings.upstreams:
        models = [*upstream.models, *(f"{alias} → {model}" for alias, model in upstream.aliases.items())]
        key = f"${upstream.api_key_env}" if upstream.api_key_env else "the client's own"
        _row(table, upstream.name, upstream.url, ", ".join(models), key)
    return table


def _families(policies: PolicySet) -> Table:
    table = Table("family", title=policies.source, title_justify="left", expand=True)
    table.add_column("matches", overflow="fold", ratio=3)
    table.add_column("equal requests", ratio=2)
    table.add_column("same question", ratio=2)
    for family in (*policies.families, policies.defaults):
        matches = _matches(family.match) if family is not policies.defaults else "whatever is left"
        _row(table, family.name, matches, _exact(family), _semantic(family))
    return table


def _row(table: Table, *cells: str) -> None:
    table.add_row(*map(Text, cells))  # as Text, because the brackets of an expression would be taken for markup


def _matches(match: MatchPolicy) -> str:
    said = []
    for name, value in match.model_dump(exclude_defaults=True).items():
        text = value if isinstance(value, str) else ", ".join(value)
        said.append(f"{name} {text}")
    return "\n".join(said) or "everything"


def _exact(family: FamilyPolicy) -> str:
    exact = family.exact
    said = []
    if not exact.enabled:
        said.append("not kept")
    elif exact.max_age_s is None:
        said.append(f"kept {_duration(exact.ttl_s)}")
    else:
        said.append(f"kept {_duration(exact.ttl_s)} after the last hit, {_duration(exact.max_age_s)} at most")
    if exact.stale_while_revalidate_s:
        said.append(f"{_duration(exact.stale_while_revalidate_s)} more while renewed")
    if exact.stale_if_error_s:
        said.append(f"{_duration(exact.stale_if_error_s)} more if the engine fails")
    if family.when_temperature_missing == "greedy":
        said.append("without a temperature too")
    if family.seeded == "reuse":
        said.append("with a seed too")
    if family.normalize:
        said.append(f"equal but for {', '.join(family.normalize)}")
    if family.coalesce == "always":
        said.append("samples shared at the same moment")
    elif family.coalesce == "never":
        said.append("never shared at the same moment")
    return "\n".join(said)


def _semantic(family: FamilyPolicy) -> str:
    semantic = family.semantic
    if semantic.mode == "off":
        return "asked again"
    verb = "answered" if semantic.mode == "on" else "compared only,"
    return f"{verb} from {semantic.threshold:g}\nguards: {', '.join(semantic.guards) or 'none'}"


def _duration(seconds: float) -> str:
    for unit_s, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= unit_s and seconds % unit_s == 0:
            return f"{seconds / unit_s:g} {unit}"
    return f"{seconds:g} s"


def _as_json(found: _Found) -> dict[str, Any]:
    families = (*found.policies.families, found.policies.defaults) if found.policies else ()
    hidden = {"tenants": {"__all__": {"api_keys"}}}
    return {
        "good": not found.errors,
        "errors": found.errors,
        "warnings": found.warnings,
        "settings": found.settings.model_dump(mode="json", exclude=hidden) if found.settings else None,
        "families": [family.model_dump(mode="json") for family in families],
    }
