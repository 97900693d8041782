"""C programs, compiled and run by as many processes as there are processors."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pavane.judge.result import Result
from tests.io.formats.mpi_runs import RESULTS, WARNINGS, compiler, run
from tests.io.formats.schedules import around_a_switch, refused, written


def compiled(result: Result, folder: Path, *flags: str, text: str | None = None) -> Path:
    """Compile the C program of a schedule, warnings being errors."""
    source = folder / "it.c"
    source.write_text(written("mpi-c", result, 40) if text is None else text)
    program = folder / "it"
    done = subprocess.run(
        [compiler(), *WARNINGS, *flags, str(source), "-o", str(program)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return program


def test_the_c_function_stands_alone(tmp_path: Path) -> None:
    """Without its main it is a function of MPI's signature, with and without barriers between the steps."""
    buffers = "const void *send, void *recv, size_t bytes"
    for name, signature in (
        ("aas", f"int pavane_aas({buffers}, MPI_Comm comm)\n{{"),
        ("aar", f"int pavane_aar({buffers}, MPI_Datatype type, MPI_Op op, MPI_Comm comm)\n{{"),
        ("reduce-broadcast", f"int pavane_allreduce({buffers}, MPI_Datatype type, MPI_Op op, MPI_Comm comm)\n{{"),
    ):
        assert signature in written("mpi-c", RESULTS[name]())
        for flags in (("-c",), ("-c", "-DPAVANE_BARRIER")):
            compiled(RESULTS[name](), tmp_path, *flags)


def test_the_c_function_tells_counts_and_displacements(tmp_path: Path) -> None:
    """With sizes the buffers are those of MPI's collectives with counts, and a function tells both."""
    result = RESULTS["aas of sizes"]()
    text = written("mpi-c", result, 40)
    text += """
#include <assert.h>
int main(void)
{
    int counts[4][PROCESSORS];
    pavane_aas_layout(1, counts[0], counts[1], counts[2], counts[3]);
    for (int t = 0, before = 0; t < PROCESSORS; before += counts[0][t++])
        assert(counts[0][t] == (t == 1 ? 1 : (1 + 2 * t) % 4) && counts[1][t] == before);
    for (int s = 0, before = 0; s < PROCESSORS; before += counts[2][s++])
        assert(counts[2][s] == (s == 1 ? 1 : (s + 2) % 4) && counts[3][s] == before);
    return 0;
}
"""
    assert subprocess.run([compiled(result, tmp_path, text=text)], check=False).returncode == 0


def test_the_main_function_notices_wrong_data(tmp_path: Path) -> None:
    """A program that puts a message into another place than it should is found out."""
    result = RESULTS["aab"]()
    text = written("mpi-c", result, 40)
    broken = text.replace("(size_t)(place / 3) * bytes", "(size_t)(place / 3 * (place % 3 != 1)) * bytes")
    assert broken != text
    done = run(4, compiled(result, tmp_path, "-DPAVANE_MAIN", text=broken))
    assert done.returncode != 0
    assert "4 of 4 processes have wrong data\n" in done.stdout


def test_the_c_program_needs_its_number_of_processes(tmp_path: Path) -> None:
    """With another number of processes it says so and fails."""
    program = compiled(RESULTS["aab"](), tmp_path, "-DPAVANE_MAIN")
    done = run(3, program)
    assert done.returncode != 0
    assert "3 processes run, and the schedule has 4 processors" in done.stderr


@pytest.mark.parametrize("name", ["mpi-c", "mpi-python"])
def test_no_process_runs_at_a_switch(name: str) -> None:
    """Messages that rest at a pure switch are refused in words."""
    reason = refused(name, around_a_switch("store-and-forward"))
    said = "messages rest at the pure switch r3 (router hub), and MPI processes run on processors only"
    assert reason == f"{said}; solve with `switches='pass'`"
