"""Rarest first through switches: capacities up and down are kept, bottlenecks are entered once, compiled as plain."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from pavane.jit import compiled
from pavane.model.network import Network
from pavane.solvers.broadcast.kernels.rarest_first import Turn
from pavane.solvers.broadcast.kernels.rarest_first_switched import (
    RECEIVER,
    SENDER,
    MessageDemand,
    SwitchedStep,
    match_through_switches,
)
from pavane.solvers.broadcast.switch_ways import ways_in
from tests.problems import problem_of
from tests.solvers.broadcast.kernels.test_rarest_first import Longs
from tests.solvers.broadcast.kernels.test_rarest_first import Step as State

BOTH = pytest.mark.parametrize(
    "kernel", [match_through_switches, compiled(match_through_switches)], ids=["plain", "compiled"]
)

Kernel = Callable[[SwitchedStep], int]


def boxes() -> Network:
    """Two boxes of four processors, each on a switch with capacity 2, and all on a third switch with capacity 1."""
    links = [(processor, 8 + processor // 4) for processor in range(8)] + [(processor, 10) for processor in range(8)]
    capacities = [2] * 8 + [1] * 8
    return Network(
        "boxes",
        11,
        [*links, *((head, tail) for tail, head in links)],
        list(range(8)),
        capacities=[*capacities, *capacities],
    )


def a_step(seed: int, is_strict: bool, ports: int = 1000) -> tuple[State, SwitchedStep]:
    """Return a step with random holders, as the kernels of neighbours and of switches have it."""
    net, rng = boxes(), np.random.default_rng(seed)
    sets = np.zeros((2, 11), dtype=bool)
    sets[0, :4] = sets[1, 4:8] = True
    before = State(net, rng.random((8, 10)) < 0.3, ports)
    ways = ways_in(problem_of(net, "AAB", routing="any"), sets)
    step = SwitchedStep(
        Turn(0, rng.permutation(8), rng.random(8), False),
        is_strict,
        MessageDemand((~before.held).sum(axis=0), rng.random(10)),
        before.wiring.locations,
        ways,
        before.wiring.channels.units,
        before.arrived,
        before.room,
        np.stack([before.held[:4].any(axis=0), before.held[4:].any(axis=0)]).astype(np.int64),
        np.zeros((81, 4), dtype=np.int64),
    )
    return before, step


def moves(kernel: Kernel, step: SwitchedStep) -> list[tuple[int, ...]]:
    """Return what the kernel makes of a step."""
    num = kernel(step)
    assert (step.demand.missing == (step.arrived > 0).sum(axis=0)).all()
    return [tuple(row) for row in step.moves[:num].tolist()]


def loads(step: SwitchedStep, made: Sequence[tuple[int, ...]]) -> Longs:
    """Count how often each channel is on the way of a move."""
    offsets = step.ways.path_offsets
    paths = [step.ways.path[offsets[way] : offsets[way + 1]] for *_, way in made]
    return np.bincount(np.concatenate(paths), minlength=32)


@BOTH
@pytest.mark.parametrize("ports", [1, 1000])
def test_capacities_up_and_down_are_kept(kernel: Kernel, ports: int) -> None:
    """No channel and no port carries more than its capacity, and messages go from who has them to who lacks them."""
    for seed in range(10):
        before, step = a_step(seed, False, ports)
        made = moves(kernel, step)
        assert made
        assert (step.room.carry >= 0).all()
        assert (loads(step, made) + step.room.carry == before.net.capacity).all()
        for column, left in ((SENDER, step.room.inject), (RECEIVER, step.room.eject)):
            assert (np.bincount([move[column] for move in made], minlength=8) + left == ports).all()
            assert (left >= 0).all()
        assert all(
            before.held[sender, message] and not before.held[receiver, message] for sender, receiver, message, _ in made
        )
        assert len({(receiver, message) for _, receiver, message, _ in made}) == len(made)


@BOTH
def test_a_strict_turn_lets_nothing_into_a_bottleneck_twice(kernel: Kernel) -> None:
    """What comes from the other box nobody in this one has, and it comes once, also where others were asked to move."""
    for seed in range(10):
        before, step = a_step(seed, True)
        crossing = [
            (receiver // 4, message)
            for sender, receiver, message, _ in moves(kernel, step)
            if sender // 4 != receiver // 4
        ]
        assert len(set(crossing)) == len(crossing)
        assert not any(before.held[4 * box : 4 * box + 4, message].any() for box, message in crossing)


def test_compiled_equals_uncompiled() -> None:
    """Machine code decides as plain Python does."""
    for seed in range(5):
        plain = moves(match_through_switches, a_step(seed, seed % 2 == 0)[1])
        assert plain == moves(compiled(match_through_switches), a_step(seed, seed % 2 == 0)[1])
