"""Python programs, run by as many processes as there are processors."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.io.formats.mpi_runs import RESULTS, all_is_right, run_in_turn
from tests.io.formats.schedules import written

WHOLE = ["aas", "aab", "aar", "aas packed", "aor along a line", "pairs", "aas in slots", "aar in slots"]
IN_PIECES = [
    "aab in 3",
    "aar in 3, packed",
    "aas of sizes in 2",
    "aar of sizes in 2",
    "aog of sizes in 2",
]
ADDED_FOR_ALL = ["recursive doubling in 2", "sums replaced", "allreduce of sizes in 2"]


def test_the_python_programs_deliver_everything(tmp_path: Path) -> None:
    """Run by mpiexec, every process has what the collective gives it and nothing else."""
    names = [*WHOLE, *IN_PIECES, *ADDED_FOR_ALL]
    results = [RESULTS[name]() for name in names]
    counts = [result.problem.network.num_processors for result in results]
    texts = [written("mpi-python", result, 40) for result in results]
    printed = run_in_turn(tmp_path, list(zip(counts, texts, strict=True)))
    assert dict(zip(names, printed, strict=True)) == dict(zip(names, map(all_is_right, counts), strict=True))


@pytest.mark.parametrize("name", RESULTS)
def test_the_python_module_has_a_function_of_its_name(name: str) -> None:
    """Python reads the module, and it has a documented function named after the collective."""
    result = RESULTS[name]()
    module = ast.parse(written("mpi-python", result))
    functions = {part.name: part for part in module.body if isinstance(part, ast.FunctionDef)}
    assert ast.get_docstring(functions[f"pavane_{result.problem.collective.kind.lower()}"])
    assert ast.get_docstring(module)
