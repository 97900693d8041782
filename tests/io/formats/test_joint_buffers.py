"""Programs of several collectives at once, run by MPI processes and by the interpreter of MSCCL++ plans."""

from __future__ import annotations

import random
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from pavane.errors import InputError
from pavane.io.formats.joint_buffers import JointBuffers
from pavane.judge.joint_result import JointResult
from pavane.model.collectives import (
    allgather,
    allreduce,
    alltoall,
    broadcast,
    gather,
    in_pieces,
    pairs,
    reduce,
    reduce_scatter,
    scatter,
)
from pavane.model.joint import JointProblem
from pavane.model.messages import Collective
from pavane.model.problem import Rules
from pavane.networks import network
from pavane.search.joint import solve_joint
from pavane.search.options import SearchOptions
from pavane.ui.notebook.exporting import export
from tests.io.formats.mpi_runs import WARNINGS, all_is_right, compiler, run_in_turn, tool
from tests.io.formats.mscclpp_interpreter import Plan, PlanRun
from tests.io.formats.schedules import in_one_box
from tests.io.formats.watched_memory import Bytes, Cell, WatchedMemory

STORED = Rules("store-and-forward", switches="pass")
EVERY_KIND = (
    allgather([0, 1, 2]),
    alltoall([2, 3, 4]),
    allreduce([0, 2, 4]),
    reduce_scatter([1, 3]),
    broadcast([4, 0, 1], root=4),
    reduce([1, 2, 3], root=3),
    scatter([0, 3], root=0),
    gather([2, 4], root=2),
    pairs([(0, 3), (1, 4)]),
)
GROUPS = tuple(allreduce([2 * group, 2 * group + 1]) for group in range(2)) + tuple(
    make([rail, rail + 2]) for rail in range(2) for make in (reduce_scatter, alltoall)
)
PROBLEMS = {
    "every kind": (network("ring:5"), EVERY_KIND),
    "every kind in 2": (network("complete:5"), tuple(in_pieces(each, 2) for each in EVERY_KIND)),
    "groups on rails": (in_one_box("rails:2,2"), GROUPS),
    "sums only": (network("complete:4"), (allreduce(range(4)), allreduce([0, 1]))),
}


@cache
def solved(name: str) -> JointResult:
    """Return a schedule of several collectives for GPUs, which do not route for others; no good one is needed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pavane.search.joint.MOST_MOVES", 4)
        return solve_joint(JointProblem(*PROBLEMS[name], STORED), SearchOptions(evaluations=10))


def run(result: JointResult, *program: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program with a process per processor."""
    count = str(result.problem.network.num_processors)
    return subprocess.run(
        [tool("mpiexec"), "-n", count, *map(str, program)], capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_c_program_delivers_everything(name: str, tmp_path: Path) -> None:
    """Each process has what all collectives give it, and nothing else."""
    result, file = solved(name), tmp_path / "it.c"
    export(result, "mpi-c", file, size=40)
    done = subprocess.run(
        [compiler(), *WARNINGS, "-DPAVANE_MAIN", str(file), "-o", str(tmp_path / "it")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    done = run(result, tmp_path / "it")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("processes have wrong data: all is right\n")


def test_the_python_programs_deliver_everything(tmp_path: Path) -> None:
    """The same by mpi4py; sums that are left out are noticed."""
    programs, expected = [], []
    for name in PROBLEMS:
        result, file = solved(name), tmp_path / "it.py"
        export(result, "mpi-python", file, size=40)
        text, count = file.read_text(), result.problem.network.num_processors
        programs.append((count, text))
        expected.append(all_is_right(count))
    programs.append((count, text.replace("op.Reduce_local", "(lambda *_: None)")))
    *printed, broken = run_in_turn(tmp_path, programs)
    assert printed == expected
    assert broken.splitlines()[-1] == "exit 1"


def test_a_collective_has_a_communicator_of_its_processes() -> None:
    """Members, and those that pass messages on, have their ranks in the order of processors."""
    line = JointProblem(network("line:4"), (pairs([(0, 2)]), alltoall([1, 3])), Rules("store-and-forward"))
    buffers = JointBuffers.of(solve_joint(line))
    assert buffers.groups == [[0, 1, 2], [1, 2, 3]]
    ranks = {
        (buffers.group_of[move.transfer], move.peer): buffers.rank(move) for p in buffers.programs for move in p.moves
    }
    assert ranks == {(0, 0): 0, (0, 1): 1, (0, 2): 2, (1, 1): 0, (1, 2): 1, (1, 3): 2}


def wanted_outputs(memory: WatchedMemory, collectives: tuple[Collective, ...], size: int) -> dict[Cell, Bytes]:
    """Return what must be in the outputs, by the definition of each collective, and in which chunk."""
    wanted: dict[Cell, Bytes] = {}
    first_input = first_output = 0

    def came(origin: int, block: int, piece: int, pieces: int) -> Bytes:
        return memory.inputs[Cell(origin, "i", (first_input + block) * pieces + piece)]

    for each in collectives:
        kind, parts = each.kind, sorted(each.receivers)
        num_inputs = {"AAB": 1, "OAB": 1, "AOG": 1, "AOR": 1, "ALLREDUCE": len(parts)}.get(kind, size)
        num_outputs = {"AAR": 1, "OAB": 1, "OAS": 1, "AOR": 1, "ALLREDUCE": len(parts)}.get(kind, size)
        ends = each.pairs or [(origin, target) for origin in each.senders for target in each.receivers]
        for piece in range(each.pieces):
            if kind in ("AAR", "AOR", "ALLREDUCE"):
                targets = each.senders if kind == "ALLREDUCE" else each.receivers
                blocks = {target: [target if kind == "AAR" else 0] for target in targets}
                if kind == "ALLREDUCE":
                    blocks = {target: list(range(len(parts))) for target in targets}
                for target in targets:
                    for block in blocks[target]:
                        terms = [came(origin, block, piece, each.pieces) for origin in each.senders]
                        at = first_output + (block if kind == "ALLREDUCE" else 0)
                        total: Bytes = np.sum(np.stack(terms), axis=0, dtype=np.uint8)
                        wanted[Cell(target, "o", at * each.pieces + piece)] = total
                continue
            for origin, target in ends:
                at = first_output + (origin if num_outputs > 1 else 0)
                block = target if num_inputs > 1 else 0
                wanted[Cell(target, "o", at * each.pieces + piece)] = came(origin, block, piece, each.pieces)
        first_input, first_output = first_input + num_inputs, first_output + num_outputs
    return wanted


@pytest.mark.parametrize("name", ["every kind in 2", "groups on rails", "sums only"])
def test_a_plan_fills_the_outputs_of_all_collectives(name: str) -> None:
    """However fast thread blocks run, every GPU has the data and sums of all collectives, and nothing else."""
    result = solved(name)
    plan = Plan(str(export(result, "mscclpp")))
    assert plan.kind == "SEVERAL"
    for seed in range(3):
        memory = PlanRun(plan, seed).run(random.Random(seed) if seed else None)
        got = {cell: data for cell, data in memory.content.items() if cell.buffer == "o"}
        wanted = wanted_outputs(memory, result.problem.collectives, len(plan.gpus))
        assert got.keys() == wanted.keys()
        assert all((got[cell] == wanted[cell]).all() for cell in wanted)


TWO = (allgather([0, 1]), allgather([1, 2]))


@pytest.mark.parametrize(
    ("to", "spec", "collectives", "rules", "said"),
    [
        ("csv", "ring:4", TWO, Rules(), "csv carries one collective, and this schedule has several"),
        ("msccl-xml", "ring:4", TWO, Rules(), "choose mpi-c, mpi-python or mscclpp"),
        ("mpi-c", "ring:4", (in_pieces(TWO[0], 2), TWO[1]), Rules(), "different numbers of pieces"),
        ("mpi-python", "ring:4", (in_pieces(TWO[0], 1, [(0, 2)]), TWO[1]), Rules(), "blocks of one size"),
        ("mpi-c", "dgx-h100:1", TWO, Rules("store-and-forward"), "rest at the pure switch"),
        ("mscclpp", "line:4", (pairs([(0, 2)]), TWO[0]), Rules(), "GPUs do not route for others"),
        ("mscclpp", "star:4", (broadcast([0, 1, 2]), TWO[0]), Rules(multicast=True), "no switch channels"),
    ],
)
def test_what_is_refused(to: str, spec: str, collectives: tuple[Collective, ...], rules: Rules, said: str) -> None:
    """What a format cannot express is refused in one line."""
    result = solve_joint(JointProblem(network(spec), collectives, rules), SearchOptions(evaluations=10))
    with pytest.raises(InputError, match=said):
        export(result, to)
