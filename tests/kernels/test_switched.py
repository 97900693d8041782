"""Rarest first through switches: capacities up and down are kept, bottlenecks are entered once, compiled as plain."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pavane.kernels import compiled
from pavane.kernels.rarest import Turn
from pavane.kernels.switched import Demand, Fabric, match_through_switches
from pavane.model.network import Network
from pavane.solvers.broadcast.switch_ways import ways_in
from tests.kernels.test_rarest import Step
from tests.problems import problem_of

BOTH = pytest.mark.parametrize(
    "kernel", [match_through_switches, compiled(match_through_switches)], ids=["plain", "compiled"]
)


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


def transfers(kernel: Callable[..., int], seed: int, is_strict: bool) -> tuple[Step, list[tuple[int, ...]]]:
    """Return a step with random holders, and what the kernel makes of it."""
    net, rng = boxes(), np.random.default_rng(seed)
    sets = np.zeros((2, 11), dtype=bool)
    sets[0, :4] = sets[1, 4:8] = True
    step = Step(net, rng.random((8, 10)) < 0.3)
    inside = np.stack([step.held[:4].any(axis=0), step.held[4:].any(axis=0)])
    fabric = Fabric(step.wiring, ways_in(problem_of(net, "AAB", routing="any"), sets))
    demand = Demand(np.arange(10), (~step.held).sum(axis=0), rng.random(10))
    turn = Turn(0, rng.permutation(8), rng.random(8), False)
    num = kernel(turn, is_strict, demand, fabric, step.state._replace(inside=inside), 0)
    assert (demand.missing == (step.arrived > 0).sum(axis=0)).all()
    return step, [tuple(row) for row in step.log.transfers[:num, 1:].tolist()]


@BOTH
def test_capacities_up_and_down_are_kept(kernel: Callable[..., int]) -> None:
    """No channel carries more than its capacity, and messages go from who has them to who lacks them."""
    for seed in range(10):
        step, made = transfers(kernel, seed, is_strict=False)
        assert made
        assert (step.room.carry >= 0).all()
        used = np.bincount(step.log.path_channels[: step.log.path_ends[len(made)]], minlength=32)
        assert (used + step.room.carry == step.net.capacity).all()
        assert all(
            step.held[sender, message] and not step.held[receiver, message] for sender, receiver, message in made
        )
        assert len({(receiver, message) for _, receiver, message in made}) == len(made)


@BOTH
def test_a_strict_turn_lets_nothing_into_a_bottleneck_twice(kernel: Callable[..., int]) -> None:
    """What comes from the other box nobody in this one has, and it comes once."""
    for seed in range(10):
        step, made = transfers(kernel, seed, is_strict=True)
        crossing = [(receiver // 4, message) for sender, receiver, message in made if sender // 4 != receiver // 4]
        assert len(set(crossing)) == len(crossing)
        assert not any(step.held[4 * box : 4 * box + 4, message].any() for box, message in crossing)


def test_compiled_equals_uncompiled() -> None:
    """Machine code decides as plain Python does."""
    for seed in range(5):
        plain = transfers(match_through_switches, seed, is_strict=seed % 2 == 0)[1]
        assert plain == transfers(compiled(match_through_switches), seed, is_strict=seed % 2 == 0)[1]
