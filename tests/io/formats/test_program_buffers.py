"""Programs of several collectives at once, run by MPI processes and by the interpreter of MSCCL++ plans."""

from __future__ import annotations

import pytest

from pavane.errors import InputError
from pavane.io.formats.program_buffers import ProgramBuffers
from pavane.io.levels import OrderedResult
from pavane.model.collectives import allgather, alltoall, broadcast, in_pieces, pairs
from pavane.model.messages import Collective
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.ui.notebook.exporting import export


def test_a_collective_has_a_communicator_of_its_processes() -> None:
    """Members, and those that pass messages on, have their ranks in the order of processors."""
    line = Problem(network("line:4"), (pairs([(0, 2)]), alltoall([1, 3])), Rules("store-and-forward"))
    buffers = ProgramBuffers.of(OrderedResult(solve(line)))
    assert buffers.groups == [[0, 1, 2], [1, 2, 3]]
    ranks = {(move.peer, *buffers.ends(move)) for p in buffers.programs for move in p.moves}
    assert ranks == {(0, 0, 0), (1, 1, 0), (2, 2, 0), (1, 0, 1), (2, 1, 1), (3, 2, 1)}


TWO = (allgather([0, 1]), allgather([1, 2]))


@pytest.mark.parametrize(
    ("to", "spec", "collectives", "rules", "said"),
    [
        ("csv", "ring:4", TWO, Rules(), "csv carries one collective, and this schedule has several"),
        ("msccl-xml", "ring:4", TWO, Rules(), "choose mpi-c, mpi-python, mscclpp or pavane"),
        ("mpi-c", "ring:4", (in_pieces(TWO[0], 2), TWO[1]), Rules(), "different numbers of pieces"),
        ("mpi-python", "ring:4", (in_pieces(TWO[0], 1, [(0, 2)]), TWO[1]), Rules(), "blocks of one size"),
        ("mpi-c", "dgx-h100:1", TWO, Rules("store-and-forward"), "rest at the pure switch"),
        ("mscclpp", "line:4", (pairs([(0, 2)]), TWO[0]), Rules(), "GPUs do not route for others"),
        ("mscclpp", "star:4", (broadcast([0, 1, 2]), TWO[0]), Rules(multicast=True), "no switch channels"),
    ],
)
def test_what_is_refused(to: str, spec: str, collectives: tuple[Collective, ...], rules: Rules, said: str) -> None:
    """What a format cannot express is refused in one line."""
    result = solve(Problem(network(spec), collectives, rules), SearchOptions(evaluations=10))
    with pytest.raises(InputError, match=said):
        export(result, to)
