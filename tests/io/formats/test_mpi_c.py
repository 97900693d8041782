"""C programs, compiled and run by as many processes as there are processors."""

from __future__ import annotations

import subprocess
from pathlib import Path

from pavane.judge.result import Result
from tests.io.formats.allreduces import ALLREDUCES
from tests.io.formats.mpi_runs import WARNINGS, compiler, run
from tests.io.formats.pieced import cut, uneven
from tests.io.formats.schedules import solved, written


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
    for result, signature in (
        (solved("kautz:2,2", "aas"), f"int pavane_aas({buffers}, MPI_Comm comm)\n{{"),
        (solved("ring:4", "aar"), f"int pavane_aar({buffers}, MPI_Datatype type, MPI_Op op, MPI_Comm comm)\n{{"),
        (
            ALLREDUCES["reduce-broadcast"](),
            f"int pavane_allreduce({buffers}, MPI_Datatype type, MPI_Op op, MPI_Comm comm)\n{{",
        ),
    ):
        assert signature in written("mpi-c", result)
        for flags in (("-c",), ("-c", "-DPAVANE_BARRIER")):
            compiled(result, tmp_path, *flags)


def test_the_c_function_tells_counts_and_displacements(tmp_path: Path) -> None:
    """With sizes the buffers are those of MPI's collectives with counts, and a function tells both."""
    result = cut("ring:4", "aas", 1, uneven("aas", 4))
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
    result = solved("ring:4", "aab")
    text = written("mpi-c", result, 40)
    broken = text.replace("(size_t)(place / 3) * bytes", "(size_t)(place / 3 * (place % 3 != 1)) * bytes")
    assert broken != text
    done = run(4, compiled(result, tmp_path, "-DPAVANE_MAIN", text=broken))
    assert done.returncode != 0
    assert "4 of 4 processes have wrong data\n" in done.stdout


def test_the_c_program_needs_its_number_of_processes(tmp_path: Path) -> None:
    """With another number of processes it says so and fails."""
    program = compiled(solved("ring:4", "aab"), tmp_path, "-DPAVANE_MAIN")
    done = run(3, program)
    assert done.returncode != 0
    assert "3 processes run, and the schedule has 4 processors" in done.stderr
