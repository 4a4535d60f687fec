"""A policies file to a PolicySet. What can't be right is an error that names its line and the cure."""

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from config.document import ConfigError, Document, Location, read_document, read_file
from config.faults import faults
from config.fields import Section
from policies.evidence import check_evidence
from policies.model import DEFAULT_FAMILY, FamilyPolicy, PolicySet, PolicyWarning

_RESERVED = (DEFAULT_FAMILY, "other")
"""`other` is what metrics call a family they have no label for."""


class PolicyError(ValueError):
    """The policies can't be used. The text has one line for each fault, with file and line."""


class _File(Section):
    """The top of the file. Families are checked one by one, so that each fault keeps its place."""

    version: Literal[1] = 1
    defaults: dict[str, Any] = Field(default_factory=dict)
    families: tuple[dict[str, Any], ...] = ()


def load_policies(path: Path | None, *, strict_evidence: bool = False, embedder_sha256: str | None = None) -> PolicySet:
    """Read and check a policies file; without a path the packaged one.

    Args:
        strict_evidence: refuse a family that is on without evidence that fits it, instead of warning.
        embedder_sha256: of the model file in use, which evidence must be about; None leaves that unchecked.

    Raises:
        PolicyError: with all faults found.
    """
    try:
        if path is None:
            packaged = resources.files("config").joinpath("policies.yaml")
            document = read_document(packaged.read_text("utf-8"), "config/policies.yaml")
        else:
            document = read_file(path)
    except ConfigError as exc:
        raise PolicyError(str(exc)) from exc
    return _Reader(document, path, strict_evidence, embedder_sha256).read()


class _Reader:
    """One reading of one file: collects what is wrong with it, so that all is said at once."""

    def __init__(
        self, document: Document, path: Path | None, strict_evidence: bool, embedder_sha256: str | None
    ) -> None:
        self._document = document
        self._path = path
        self._strict_evidence = strict_evidence
        self._embedder_sha256 = embedder_sha256
        self._faults: list[str] = []
        self._warnings: list[PolicyWarning] = []

    def read(self) -> PolicySet:
        try:
            file = _File(**self._document.data)
        except ValidationError as exc:
            said = [f"{self._document.place(at)}: {text}" for at, text in faults(exc, _File)]
            raise PolicyError("\n".join(said)) from None
        defaults = self._defaults(file.defaults)
        if self._faults:  # each family would repeat them
            raise PolicyError("\n".join(self._faults))
        families: list[tuple[int, FamilyPolicy]] = []
        for position, written in enumerate(file.families):
            family = self._family(position, _below(file.defaults, written))
            if family is not None:
                self._reachable(position, family, families)
                self._justified(position, family)
                families.append((position, family))
        if self._faults:
            raise PolicyError("\n".join(self._faults))
        return PolicySet(tuple(family for _, family in families), defaults, tuple(self._warnings), self._document.name)

    def _defaults(self, written: dict[str, Any]) -> FamilyPolicy:
        for key in ("name", "match"):
            if key in written:
                self._wrong(("defaults", key), f"`{key}` belongs to one family: write it under families")
                return FamilyPolicy()
        family = self._validate(written, ("defaults",)) or FamilyPolicy()
        for key, unset in (("mode", "off"), ("evidence", None)):
            if getattr(family.semantic, key) != unset:
                self._wrong(
                    ("defaults", "semantic", key),
                    f"a family is matched by meaning on its own evidence: write {key} in the family",
                )
        return family

    def _family(self, position: int, merged: dict[str, Any]) -> FamilyPolicy | None:
        where = ("families", position)
        if "name" not in merged:
            self._wrong(where, "a family needs a name")
            return None
        family = self._validate(merged, where)
        if family is not None and family.name in _RESERVED:
            cure = "write its settings under `defaults:`" if family.name == DEFAULT_FAMILY else "write another name"
            self._wrong((*where, "name"), f"`{family.name}` is what matches no family: {cure}")
            return None
        return family

    def _validate(self, written: dict[str, Any], where: Location) -> FamilyPolicy | None:
        try:
            return FamilyPolicy(**written)
        except ValidationError as exc:
            for at, said in faults(exc, FamilyPolicy):
                # What a family has from `defaults:` is not in its own lines.
                inherited = where[0] == "families" and (*where, *at) not in self._document.lines
                place = ("defaults", *at) if inherited and ("defaults", *at) in self._document.lines else (*where, *at)
                self._wrong(place, said, written.get("name"))
            return None

    def _reachable(self, position: int, family: FamilyPolicy, earlier: list[tuple[int, FamilyPolicy]]) -> None:
        for at, other in earlier:
            line = self._document.line(("families", at))
            if other.name == family.name:
                self._wrong(("families", position, "name"), f"`{family.name}` is given twice (first on line {line})")
            elif other.match.covers(family.match):
                what = "everything" if other.match.is_everything() else "all that it would"
                said = f"`{family.name}` is never reached: `{other.name}` on line {line} matches {what}"
                self._wrong(("families", position), f"{said}; move it up, or narrow the other")
            else:
                continue
            return

    def _justified(self, position: int, family: FamilyPolicy) -> None:
        semantic = family.semantic
        if semantic.evidence is None:
            if semantic.mode != "on":
                return
            at: Location = ("families", position, "semantic", "mode")
            wrong = "mode: on without evidence: write evidence: FILE, from `python -m evaluation`, or mode: shadow"
        else:
            at = ("families", position, "semantic", "evidence")
            said = check_evidence(family, self._find(semantic.evidence), self._embedder_sha256)
            if said is None:
                return
            wrong = f"evidence {semantic.evidence}: {said}"
        if self._strict_evidence and semantic.mode == "on":
            self._wrong(at, f"{wrong} (strict_evidence is on)", family.name)
        else:
            self._warnings.append(PolicyWarning(family.name, self._document.place(at), wrong))

    def _find(self, evidence: str) -> Path:
        """Beside the policies file, beside its folder (`config/` beside `results/`), or where we were started."""
        folder = Path(str(resources.files("config"))) if self._path is None else self._path.parent
        candidates = [beside / evidence for beside in (folder, folder.parent, Path())]
        return next((path for path in candidates if path.is_file()), candidates[-1])

    def _wrong(self, where: Location, said: str, family: object = None) -> None:
        named = f"{family}: " if isinstance(family, str) else ""
        self._faults.append(f"{self._document.place(where)}: {named}{said}")


def _below(defaults: Mapping[str, Any], family: Mapping[str, Any]) -> dict[str, Any]:
    """The family's settings over the defaults: sections merge, anything else is replaced."""
    merged = dict(defaults)
    for key, value in family.items():
        under = merged.get(key)
        merged[key] = _below(under, value) if isinstance(under, dict) and isinstance(value, dict) else value
    return merged
