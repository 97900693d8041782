"""The plan of the house: names lead where they say, and the tests stand where their files do."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import pavane

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "pavane"
MODULES = sorted(module.name for module in pkgutil.walk_packages(pavane.__path__, "pavane.") if "." in module.name)
PACKAGES = [name for name in MODULES if (ROOT / "src" / Path(*name.split(".")) / "__init__.py").exists()]

ACROSS = {
    ".": {
        "closer_looks",
        "clusters",
        "docs",
        "docstrings",
        "external",
        "fuzz",
        "joint_optimum",
        "kills",
        "optimum",
        "packaging",
        "records",
        "rules_off",
        "site",
        "timed_optimum",
        "stored",
        "structure",
        "without",
        "wrong_types",
    },
    "io": {"round_trips"},
    "bounds": {"paper_bounds"},
    "solvers/exact": {"slots"},
    "ui/cli": {
        "start",
        "allreduce",
        "bad_input",
        "completion",
        "forgeries",
        "help",
        "hostile_files",
        "imports",
        "interrupt",
        "promises",
        "slots",
        "tables",
    },
    "io/formats": {"conformance", "hostile", "machines", "networkx_files", "refusals", "samples", "timed_exports"},
    "networks": {"catalogue", "gecco08_tables"},
    "ui/player": {"browser", "drawing", "player"},
    "solvers": {"conformance"},
    "papers/open_questions": {"answers"},
    "papers": {"tables"},
    "ui/web": {"browser"},
}
"""Tests of what the files of a room do together."""


def test_every_public_name_is_there() -> None:
    """What the stub lists can be had from the package, and is listed once."""
    names = [name for name in pavane.__all__ if name != "__version__"]
    assert len(names) == len(set(names)) > 40
    for name in names:
        assert getattr(pavane, name) is not None
    assert set(pavane.__all__) <= set(dir(pavane))
    with pytest.raises(AttributeError, match="module 'pavane' has no attribute 'nonsense'"):
        _ = pavane.nonsense  # type: ignore[attr-defined]


def test_rooms_that_texts_name_need_no_import() -> None:
    """After `import pavane` the rooms of the stub are there, as `pavane.networks.FAMILIES` in an error says."""
    code = "import pavane; print('ring' in pavane.networks.FAMILIES, 'greedy' in pavane.solvers.SOLVERS, pavane.plot)"
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert said.startswith("True True <module 'pavane.ui.plot'")
    assert "notebook" in dir(pavane)
    assert "notebook" not in pavane.__all__


ASKING = {
    "model/network.py",
    "model/problem.py",
    "model/schedule.py",
    "judge/result.py",
    "networks/__init__.py",
    "campaign/solver_study.py",
    "campaign/comparison.py",
}
"""Files with methods whose work is done in rooms above: they ask the package for it when they are called."""


def test_few_files_ask_the_package() -> None:
    """Below the package nobody imports it, but for methods of values, inside of them (docs/design.md, Methods)."""
    for path in SOURCES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not re.search(r"\bimport\b.*\bpavane\b", text):
            continue
        tree = ast.parse(text)
        asking = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Import) and any(alias.name == "pavane" for alias in node.names)
        ]
        assert not asking or path.relative_to(SOURCES).as_posix() in ASKING, path
        assert not set(asking) & set(tree.body), f"{path}: the package is asked inside of functions"


def test_public_names_do_not_hide_modules() -> None:
    """`import pavane.networks` and friends are modules, whatever was imported before."""
    code = (
        "import pavane, types; [getattr(pavane, name) for name in pavane.__all__]; "
        "import pavane.networks, pavane.judge.rules, pavane.search.synthesis, pavane.timing; "
        "assert all(isinstance(it, types.ModuleType) for it in (pavane.networks, pavane.judge.rules)); "
        "assert callable(pavane.network) and callable(pavane.verify) and callable(pavane.pareto_front)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_function_has_the_name_of_its_module() -> None:
    """A module can always be told from what it holds."""
    for path in SOURCES.rglob("*.py"):
        own = path.parent.name if path.stem == "__init__" else path.stem
        assert not re.search(rf"^def {own}\b", path.read_text(), re.MULTILINE), path


@cache
def parsed(path: Path) -> ast.Module:
    """Return what a source says."""
    return ast.parse(path.read_text(encoding="utf-8"))


def test_no_two_classes_share_a_name() -> None:
    """One name, one meaning: a reader who searches for a public class finds one."""
    names = Counter(
        node.name
        for path in SOURCES.rglob("*.py")
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_imports_have_no_circles() -> None:
    """No module imports one that imports it, for types or within a function either."""
    imports = {name: _imported(name) - {name} for name in MODULES}
    assert sum(map(len, imports.values())) > 1_000
    list(TopologicalSorter(imports).static_order())  # CycleError names a circle


def _imported(module: str) -> set[str]:
    """Return the modules of the package that a module imports anywhere."""
    path = ROOT / "src" / Path(*module.split("."))
    nodes = list(ast.walk(parsed(path / "__init__.py" if path.is_dir() else path.with_suffix(".py"))))
    froms = [
        (str(node.module), alias.name) for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    names = {f"{source}.{name}" if f"{source}.{name}" in MODULES else source for source, name in froms}
    names |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return names & set(MODULES)


def test_public_functions_have_at_most_seven_parameters() -> None:
    """What takes more is grouped into a value; kernels take the arrays that they need."""
    wide = [
        f"{path.relative_to(SOURCES)}: {node.name}"
        for path in SOURCES.rglob("*.py")
        if "kernels" not in path.parts
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if len([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]) - _is_method(node) > 7
    ]
    assert wide == []


def _is_method(function: ast.FunctionDef) -> bool:
    first = next(iter(function.args.args), None)
    return first is not None and first.arg in ("self", "cls")


@pytest.mark.parametrize("package", PACKAGES)
def test_no_name_hides_a_module(package: str) -> None:
    """A package's names never hide its modules: importing them in any order gives the same."""
    inside = importlib.import_module(package)
    for module in pkgutil.iter_modules(inside.__path__):
        found = importlib.import_module(f"{package}.{module.name}")
        assert getattr(inside, module.name) is found, f"{package}.{module.name} is hidden"


def test_importing_is_quick() -> None:
    """The package and the command line are imported without the heavy libraries."""
    heavy = ("numba", "ortools", "matplotlib", "scipy", "fastapi", "networkx")
    code = f"import sys, pavane, pavane.ui.cli; print([name for name in {heavy!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert found.strip() == "[]"


HEAVY = {"numba", "ortools", "matplotlib", "scipy", "fastapi", "networkx", "yaml", "jsonschema", "rich"}
"""Libraries that take long to import, and that a small problem does without."""


@pytest.mark.parametrize(
    ("words", "others"),
    [
        ("--help", {"pydantic", "pavane.io.formats", "pavane.search", "pavane.io.exports", "pavane.campaign"}),
        ("solve octagon aas", {"pydantic", "pavane.io.formats", "pavane.search.pareto_search", "pavane.ui.cli.study"}),
        ("bounds octagon aas", {"pydantic", "pavane.io.formats", "pavane.search", "pavane.solvers"}),
        ("verify schedule.json", {"pavane.search", "pavane.solvers", "pavane.io.exports"}),
    ],
)
def test_commands_import_what_they_use(words: str, others: set[str], tmp_path: Path) -> None:
    """A command on a small problem waits neither for heavy libraries nor for parts that it does not need."""
    network = pavane.network("octagon")
    found = pavane.solve(pavane.Problem(network, pavane.alltoall(network)))
    pavane.write_schedule(tmp_path / "schedule.json", found)
    code = f"import sys, pavane.ui.cli; code = pavane.ui.cli.run({words.split()!r}); print(code, *sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    code_and_modules = said.splitlines()[-1].split()
    assert code_and_modules[0] == "0", said
    assert (HEAVY | others) & set(code_and_modules) == set()


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("test_*.py")), ids=lambda path: path.stem)
def test_tests_stand_where_their_files_do(path: Path) -> None:
    """tests/judge/test_rules.py tests src/pavane/judge/rules.py; the others are listed."""
    room = path.relative_to(ROOT / "tests").parent
    name = path.stem.removeprefix("test_")
    mirrored = (ROOT if room.parts[:1] == ("papers",) else SOURCES) / room / f"{name}.py"
    assert mirrored.exists() or name in ACROSS.get(room.as_posix(), ()), f"{room}/{path.name} mirrors no file"


def test_tests_across_files_are_there() -> None:
    """The list of them names no test that has gone."""
    for room, names in ACROSS.items():
        assert [name for name in names if not (ROOT / "tests" / room / f"test_{name}.py").exists()] == []


def test_no_source_names_its_workplace() -> None:
    """The project speaks of itself alone: no file tells of a machine's folders."""
    for path in SOURCES.rglob("*.py"):
        assert not re.search(r"[\"' ](?:/home/|/root/|/work/)", path.read_text(encoding="utf-8")), path
