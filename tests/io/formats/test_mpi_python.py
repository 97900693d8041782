"""Python programs, run by as many processes as there are processors."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.io.formats.mpi_runs import RESULTS, run
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


@pytest.mark.parametrize("name", [*WHOLE, *IN_PIECES, *ADDED_FOR_ALL])
def test_the_python_program_delivers_everything(name: str, tmp_path: Path) -> None:
    """Run by mpiexec, every process has what the collective gives it and nothing else."""
    pytest.importorskip("mpi4py", reason="pip install '.[mpi]' brings mpi4py")
    result = RESULTS[name]()
    file = tmp_path / "it.py"
    file.write_text(written("mpi-python", result, 40))
    done = run(result, sys.executable, file)
    count = result.problem.network.num_processors
    assert (done.returncode, done.stdout) == (0, f"0 of {count} processes have wrong data: all is right\n"), done.stderr


@pytest.mark.parametrize("name", RESULTS)
def test_the_python_module_has_a_function_of_its_name(name: str) -> None:
    """Python reads the module, and it has a documented function named after the collective."""
    result = RESULTS[name]()
    module = ast.parse(written("mpi-python", result))
    functions = {part.name: part for part in module.body if isinstance(part, ast.FunctionDef)}
    assert ast.get_docstring(functions[f"pavane_{result.problem.collective.kind.lower()}"])
    assert ast.get_docstring(module)
