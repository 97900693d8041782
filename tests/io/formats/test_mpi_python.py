"""Python programs, run by as many processes as there are processors."""

from __future__ import annotations

import ast

import pytest

from tests.io.formats.mpi_runs import RESULTS
from tests.io.formats.schedules import written


@pytest.mark.parametrize("name", RESULTS)
def test_the_python_module_has_a_function_of_its_name(name: str) -> None:
    """Python reads the module, and it has a documented function named after the collective."""
    result = RESULTS[name]()
    module = ast.parse(written("mpi-python", result))
    functions = {part.name: part for part in module.body if isinstance(part, ast.FunctionDef)}
    assert ast.get_docstring(functions[f"pavane_{result.problem.collective.kind.lower()}"])
    assert ast.get_docstring(module)
