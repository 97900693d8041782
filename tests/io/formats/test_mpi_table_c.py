"""C programs that compute their partners from a table, compiled and run by as many processes as there are routers."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from pavane.io.exports import EXPORTS, Options
from pavane.judge.result import Result
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.tables import solve_by_table
from tests.io.formats.mpi_runs import WARNINGS, compiler, run

CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "alltoall by clocks": ("torus:4x4", "alltoall", {}),
    "alltoall without clocks": ("hypercube:3", "alltoall", {}),
    "alltoall hop by hop": ("torus:4x4", "alltoall", {"switching": "store-and-forward"}),
    "alltoall of one port": ("torus:3x3", "alltoall", {"switching": "store-and-forward", "ports": 1}),
    "allgather": ("torus:3x4", "allgather", {}),
    "reduce-scatter": ("circulant:9,1,2", "reduce-scatter", {"switching": "store-and-forward"}),
    "allreduce": ("hypercube:3", "allreduce", {}),
}


def by_table(text: str, kind: str, rules: dict[str, Any]) -> Result:
    """Return the result of a table."""
    result = solve_by_table(Problem(network(text), kind, Rules(**rules)))
    assert result is not None
    return result


def program(result: Result) -> str:
    """Return the C program of a table."""
    form = EXPORTS["mpi-c"].of_table(result)
    assert form is not None
    (content,) = form.write(result, Options(size=40)).values()
    return content.decode()


@pytest.mark.parametrize("name", CASES)
def test_the_program_of_a_table_delivers_everything(name: str, tmp_path: Path) -> None:
    """Compiled without a warning and run, every process has what the collective gives it."""
    result = by_table(*CASES[name])
    (tmp_path / "it.c").write_text(program(result))
    command = [compiler(), *WARNINGS, "-DPAVANE_MAIN", str(tmp_path / "it.c"), "-o", str(tmp_path / "it")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")
    done = run(result, tmp_path / "it")
    count = result.problem.network.num_processors
    assert (done.returncode, done.stdout) == (0, f"0 of {count} processes have wrong data: all is right\n"), done.stderr


def test_the_program_lists_no_partners() -> None:
    """A program for 16,384 processes is as large as its table."""
    text = program(by_table("torus:128x128", "alltoall", {}))
    assert len(text) < 2_000_000
    assert "int pavane_aas(const void *send, void *recv, size_t bytes, MPI_Comm comm)" in text


def test_other_tables_are_written_out() -> None:
    """Without a grid of translations, or with pieces, the program lists the moves of each process."""
    rules = Rules("store-and-forward")
    mesh = solve_by_table(Problem(network("mesh:4x4"), "alltoall", rules))
    assert mesh is not None
    assert EXPORTS["mpi-c"].of_table(mesh) is None
    assert "struct move" in mesh.export("mpi-c")
