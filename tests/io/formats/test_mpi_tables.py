"""Programs that compute their partners from a table, run by as many processes as there are routers."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pavane.io.exports import EXPORTS, Options
from pavane.judge.result import Result
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.tables import solve_by_table
from tests.io.formats.mpi_runs import WARNINGS, all_is_right, compiler, run, run_in_turn

CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "alltoall by a clock": ("torus:2x4", "alltoall", {}),
    "alltoall by clocks": ("torus:4x4", "alltoall", {}),
    "alltoall by several clocks": ("torus:4x6", "alltoall", {}),
    "alltoall without clocks": ("hypercube:3", "alltoall", {}),
    "alltoall in slots": ("torus:3x3", "alltoall", {"switching": "tdm"}),
    "alltoall hop by hop": ("torus:2x4", "alltoall", {"switching": "store-and-forward"}),
    "alltoall of one port": ("torus:3x3", "alltoall", {"switching": "store-and-forward", "ports": 1}),
    "allgather": ("torus:2x4", "allgather", {}),
    "reduce-scatter": ("circulant:9,1,2", "reduce-scatter", {"switching": "store-and-forward"}),
    "allreduce": ("hypercube:3", "allreduce", {}),
}

MOST_PYTHON_PROCESSES = 9
"""Every process imports numpy, so the larger cases are run in C only; their partners in Python are compared below."""


def by_table(text: str, kind: str, rules: dict[str, Any]) -> Result:
    """Return the result of a table."""
    result = solve_by_table(Problem(network(text), kind, Rules(**rules)))
    assert result is not None
    return result


def program(result: Result, export: str = "mpi-c") -> str:
    """Return the program of a table."""
    form = EXPORTS[export].of_table(result)
    assert form is not None
    (content,) = form.write(result, Options(size=40)).values()
    return content.decode()


def runs_well(result: Result, *command: str | Path) -> None:
    """Run a program, which checks its data, by as many processes as there are routers."""
    done, count = run(result, *command), result.problem.network.num_processors
    assert (done.returncode, done.stdout) == (0, f"0 of {count} processes have wrong data: all is right\n"), done.stderr


@pytest.mark.parametrize("name", [name for name in CASES if name != "alltoall by a clock"])
def test_the_program_of_a_table_delivers_everything(name: str, tmp_path: Path) -> None:
    """Compiled without a warning and run, every process has what the collective gives it."""
    result = by_table(*CASES[name])
    (tmp_path / "it.c").write_text(program(result))
    command = [compiler(), *WARNINGS, "-DPAVANE_MAIN", str(tmp_path / "it.c"), "-o", str(tmp_path / "it")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")
    runs_well(result, tmp_path / "it")


def test_the_python_programs_of_tables_deliver_everything(tmp_path: Path) -> None:
    """Run by mpiexec, every process has what the collective gives it."""
    results = {name: by_table(*case) for name, case in CASES.items()}
    counts = {name: result.problem.network.num_processors for name, result in results.items()}
    small = [name for name, count in counts.items() if count <= MOST_PYTHON_PROCESSES]
    printed = run_in_turn(tmp_path, [(counts[name], program(results[name], "mpi-python")) for name in small])
    assert len(small) == len(CASES) - 2
    assert dict(zip(small, printed, strict=True)) == {name: all_is_right(counts[name]) for name in small}


@pytest.mark.parametrize("name", CASES)
def test_partners_are_those_of_the_schedule(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In each step the Python program finds the senders and receivers of the schedule that is written out."""
    monkeypatch.setitem(sys.modules, "mpi4py", SimpleNamespace(MPI=SimpleNamespace(COMM_WORLD=None, SUM=None)))
    result = by_table(*CASES[name])
    module: dict[str, Any] = {"__name__": "module"}
    exec(program(result, "mpi-python"), module)
    schedule, heads = result.expanded().schedule, result.problem.network.heads
    assert schedule is not None
    for step in range(schedule.num_steps):
        transfers = [schedule.transfer(number) for number in schedule.of_step(step)]
        expected = Counter((each.sender, each.receiver) for each in transfers)
        pairs, paths = {True: Counter[tuple[int, int]](), False: Counter[tuple[int, int]]()}, Counter[tuple[int, ...]]()
        for me in range(result.problem.network.num_routers):
            for receives, found in pairs.items():
                rows, origins, peers = (part.tolist() for part in module["partners"](step, me, receives))
                found.update((peer, me) if receives else (me, peer) for peer in peers)
                if not receives:
                    paths.update(tuple(module["path"](*each).tolist()) for each in zip(rows, origins, strict=True))
        assert pairs[True] == pairs[False] == expected
        if result.problem.rules.runs_whole_paths and result.problem.pattern == "private":
            assert paths == Counter((each.sender, *heads[list(each.path)].tolist()) for each in transfers)


def test_the_program_lists_no_partners() -> None:
    """A program for 4,096 processes is as large as its table."""
    result = by_table("torus:64x64", "alltoall", {})
    text = program(result)
    assert len(text) < 500_000
    assert "int pavane_aas(const void *send, void *recv, size_t bytes, MPI_Comm comm)" in text
    assert len(program(result, "mpi-python")) < 500_000


@pytest.mark.parametrize(("export", "word"), [("mpi-c", "struct move"), ("mpi-python", "MOVES = [")])
def test_other_tables_are_written_out(export: str, word: str) -> None:
    """Without a grid of translations, or with pieces, the program lists the moves of each process."""
    rules = Rules("store-and-forward")
    mesh = solve_by_table(Problem(network("mesh:4x4"), "alltoall", rules))
    assert mesh is not None
    assert EXPORTS[export].of_table(mesh) is None
    assert word in mesh.export(export)
