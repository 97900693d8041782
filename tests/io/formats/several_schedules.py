"""Several collectives at once, and what must be in the outputs of their programs."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from pavane.judge.result import Result
from pavane.model.collectives import (
    allgather,
    allreduce,
    alltoall,
    broadcast,
    gather,
    pairs,
    reduce,
    reduce_scatter,
    scatter,
)
from pavane.model.messages import Collective
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
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
PROBLEMS = {"every kind": (network("ring:5"), EVERY_KIND), "groups on rails": (in_one_box("rails:2,2"), GROUPS)}


@cache
def solved(name: str) -> Result:
    """Return a schedule of several collectives for GPUs, which do not route for others; no good one is needed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pavane.search.several.MOST_MOVES", 4)
        return solve(Problem(*PROBLEMS[name], STORED), SearchOptions(evaluations=10))


def wanted_outputs(memory: WatchedMemory, collectives: tuple[Collective, ...], size: int) -> dict[Cell, Bytes]:
    """Return what must be in the outputs, by the definition of each collective, and in which chunk."""
    wanted: dict[Cell, Bytes] = {}
    first_input = first_output = 0

    def came(origin: int, block: int, piece: int, pieces: int) -> Bytes:
        return memory.inputs[Cell(origin, "i", (first_input + block) * pieces + piece)]

    for each in collectives:
        kind, parts = each.kind, sorted(each.receivers)
        num_inputs = {"AAB": 1, "MNB": 1, "OAB": 1, "AOG": 1, "AOR": 1, "ALLREDUCE": len(parts)}.get(kind, size)
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
