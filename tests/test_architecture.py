"""The house plan holds: who imports whom, and where each library is known (style, sections 2 and 3.2).

Reads the syntax trees, so that an import inside a function counts like any other.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("bench", "config", "evaluation", "policies", "proxy", "simulation", "tests")

SHARED_WITH_BENCH = ("simulation.intervals", "simulation.traces", "simulation.request")
"""Leaves of the simulation that the load test reads its arrivals with, and its confidence intervals."""

IN_PROCESS = {"bench.micro", "bench.micro_cases", "bench.in_process"}
"""Measure single stages and the whole app in process, so they may import any of it."""

ARROWS = {
    "bench": ("bench", "proxy.upstream", "proxy.errors", "proxy.sse", "config", *SHARED_WITH_BENCH),
    "simulation": ("simulation",),
    "evaluation": ("evaluation", "proxy", "policies", "config"),
    "proxy": ("proxy", "config", "policies"),
    "policies": ("policies", "config.document", "config.faults", "config.fields"),
    "config": ("config",),
    "tests": PACKAGES,
}
"""What each package may import of ours. `bench` runs the upstream client, whose errors and event reader come along;
`policies` reads its file by the same three modules as the settings."""

LAYERS = (
    ("proxy.__main__", "proxy.cli.*", "proxy.workers"),
    ("proxy.app", "proxy.server"),
    ("proxy.admin", "proxy.edge", "proxy.passthrough", "proxy.models", "proxy.chain", "proxy.probe", "proxy.reload"),
    ("proxy.middleware.*",),
    ("proxy.flight", "proxy.batcher", "proxy.gate", "proxy.cache.*", "proxy.upstream.*"),
    ("proxy.sse", "proxy.openai", "proxy.fold", "proxy.keys", "proxy.context", "proxy.errors", "proxy.tenants"),
)
"""Inside proxy, from the outside in: a module imports of its own layer and of those below. Modules that stand in no
layer only must not close a circle."""

LIBRARIES = {
    "starlette": ("proxy.app", "proxy.admin"),
    "uvicorn": ("proxy.server", "proxy.connection", "proxy.direct", "proxy.refusal", "bench.*"),
    "uvloop": ("proxy.server", "bench.*"),
    "aiohttp": ("proxy.upstream.*", "bench.*"),
    "httptools": ("proxy.upstream.*", "proxy.connection", "bench.*"),
    "httpx": (
        "proxy.probe",
        "proxy.cache.embedder*",
        "proxy.cli.*",
        "proxy.judge",
        "bench.demo",
        "bench.*",
        "evaluation.*",
    ),
    "faiss": ("proxy.cache.index",),
    "fastembed": ("proxy.cache.embedder*",),
    "onnx": ("proxy.cache.embedder_repack",),
    "onnxruntime": ("proxy.cache.embedder*",),
    "cachetools": ("proxy.cache.*", "proxy.upstream.health", "proxy.models"),
    "pydantic": ("config.*", "policies.*", "proxy.app"),
    "pydantic_settings": ("config.*",),
    "yaml": ("config.*", "policies.*", "evaluation.evidence"),
    "re2": ("policies.*",),
    "prometheus_client": ("proxy.metrics", "proxy.metric_*", "proxy.tally", "proxy.readings"),
    "limits": ("proxy.tenants",),
    "watchfiles": ("proxy.reload",),
    "numpy": ("proxy.cache.*", "simulation.*", "evaluation.*", "bench.*"),
    "matplotlib": ("simulation.*", "evaluation.*", "bench.*"),
    "rich": ("proxy.cli.*", "simulation.*", "evaluation.*", "bench.*"),
    "redis": ("proxy.store.*",),
    "openai": (),
    "requests": (),
}
"""By library: the places that know it. Tests may know any."""

INSIDE_FUNCTIONS = {
    *("proxy.app", "proxy.cache.build", "proxy.cache.embedder*", "proxy.upstream"),
    *("proxy.cli.*", "proxy.__main__"),
}
"""Who may import of ours inside a function: the builders of optional parts, and commands that start at once."""


@dataclass(frozen=True, slots=True)
class Import:
    module: str
    imported: str
    line: int
    inside_function: bool
    for_types: bool
    """Under `if TYPE_CHECKING`: not there when it runs."""

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.imported}"


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for package in PACKAGES for path in (ROOT / package).rglob("*.py")}


def imports_of(module: str) -> Iterator[Import]:
    tree = ast.parse(MODULES[module].read_text("utf-8"))

    def walk(node: ast.AST, inside: bool, types: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield Import(module, alias.name, child.lineno, inside, types)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{module}:{child.lineno} is relative: write the whole name"
                for alias in child.names:
                    whole = f"{child.module}.{alias.name}"
                    yield Import(module, whole if whole in MODULES else str(child.module), child.lineno, inside, types)
            else:
                function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                guarded = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
                yield from walk(child, inside or function, types or guarded)

    yield from walk(tree, False, False)


IMPORTS = [one for module in MODULES for one in imports_of(module)]
OURS = [one for one in IMPORTS if one.imported.split(".")[0] in PACKAGES]


def matches(module: str, places: "tuple[str, ...] | set[str]") -> bool:
    return any(fnmatchcase(module, place) or module == place.removesuffix(".*") for place in places)


def test_there_is_something_to_read():
    assert len(MODULES) > 100
    assert len(OURS) > 500


@pytest.mark.parametrize("package", PACKAGES)
def test_arrows_between_packages_point_one_way(package):
    allowed = ARROWS[package]
    wrong = [
        str(one)
        for one in OURS
        if one.module.split(".")[0] == package
        and one.module not in IN_PROCESS
        and not any(one.imported == place or one.imported.startswith(place + ".") for place in allowed)
    ]
    assert wrong == []


def layer_of(module: str) -> int | None:
    return next((depth for depth, places in enumerate(LAYERS) if matches(module, places)), None)


def test_arrows_inside_the_proxy_point_inwards():
    wrong = []
    for one in OURS:
        above, below = layer_of(one.module), layer_of(one.imported)
        if above is not None and below is not None and below < above and not one.for_types:
            wrong.append(str(one))
    assert wrong == []


def test_no_arrow_turns_back():
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for one in OURS:
        if not one.for_types and one.imported in graph and one.imported != one.module:
            graph[one.module].add(one.imported)
    circles = set()
    state: dict[str, int] = {}

    def visit(module: str, path: list[str]) -> None:
        state[module] = 1
        for imported in sorted(graph[module]):
            if state.get(imported) == 1:
                round_trip = [*path, module]
                circles.add(" -> ".join([*round_trip[round_trip.index(imported) :], imported]))
            elif imported not in state:
                visit(imported, [*path, module])
        state[module] = 2

    for module in sorted(graph):
        if module not in state:
            visit(module, [])
    assert circles == set()


@pytest.mark.parametrize("library", sorted(LIBRARIES))
def test_a_library_is_known_to_its_one_place(library):
    places = LIBRARIES[library]
    wrong = [
        str(one)
        for one in IMPORTS
        if one.imported.split(".")[0] == library
        and not one.module.startswith("tests.")
        and not matches(one.module, places)
    ]
    assert wrong == []


def test_the_app_takes_only_one_word_of_pydantic():
    named = {
        alias.name
        for node in ast.walk(ast.parse(MODULES["proxy.app"].read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "pydantic"
        for alias in node.names
    }
    assert named <= {"SecretStr"}


def test_nothing_of_ours_is_imported_inside_a_function_but_optional_parts():
    wrong = [
        str(one)
        for one in OURS
        if one.inside_function and one.module.startswith("proxy") and not matches(one.module, INSIDE_FUNCTIONS)
    ]
    assert wrong == []


def test_no_file_is_called_for_what_it_is_not():
    vague = {"utils", "helpers", "common", "base", "manager", "misc"}
    assert [module for module in MODULES if module.rsplit(".", 1)[-1] in vague] == []
