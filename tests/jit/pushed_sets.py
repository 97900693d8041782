"""Sets of transfers that have been pushed about, for tests of the combining kernels."""

import numpy as np
import pytest

from pavane.jit import compiled
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers.combining.kernels import transfer_sets as plain
from pavane.solvers.combining.kernels.transfer_sets import Annealing, TransferSets
from pavane.solvers.combining.layout import CombiningLayout
from pavane.symmetry.groups import free_groups
from pavane.symmetry.involutions import Symmetry

CASES = [
    ("ring:6", Rules(ports=1, combining=True)),
    ("mesh:3x3", Rules(ports=1, routing="any", combining=True)),
    ("octagon", Rules(ports="all", combining=True)),
    ("fat-octagon:2", Rules(ports=2, duplex="half", combining=True)),
    ("mesh:3x3", Rules(ports=1, routing="dimension-order", combining=True)),
    ("fat-tree:4", Rules(switching="store-and-forward", combining=True)),
]

WARM = Annealing(moves=60, goal=0, fine=5.0, hot=0.5, cold=0.1, progress=0.0, pace=0.01)

each_case = pytest.mark.parametrize(("spec", "rules"), CASES, ids=[f"{s} {r.ports} {r.routing}" for s, r in CASES])


def filled(
    spec: str, kind: str, rules: Rules, num_steps: int, *, symmetric: bool = False
) -> tuple[CombiningLayout, TransferSets]:
    """Make sets that have been pushed about."""
    made = network(spec)
    problem = Problem(made, named(kind, made), rules)
    group: tuple[Symmetry, ...] = free_groups(problem)[0] if symmetric else ()
    assert bool(group) == symmetric
    layout = CombiningLayout.of(problem, group)
    work, rng = layout.work(layout.sets(num_steps)), np.random.default_rng(1)
    for step in range(num_steps):
        compiled(plain.fill)(work, step, np.arange(0), rng)
    # Uncompiled: a part of kernels, which nothing else calls alone, would take longer to compile.
    for number in range(60):
        step = number % num_steps
        if not plain.push(work, step, rng):
            plain.restore(work.sets, work.scratch, step)
    return layout, work.sets


def check_books(layout: CombiningLayout, sets: TransferSets) -> None:
    """Count senders and units anew."""
    fabric = layout.fabric
    for step in range(len(sets.sender)):
        held, sending = np.full_like(sets.holder[step], -1), np.zeros_like(sets.sending[step])
        for inlet in np.flatnonzero(sets.sender[step] >= 0).tolist():
            sending[sets.sender[step, inlet]] += 1
            for channel in sets.path[step, inlet, : sets.hops[step, inlet]].tolist():
                assert held[fabric.unit_of[channel]] == -1
                held[fabric.unit_of[channel]] = inlet
        assert np.array_equal(held, sets.holder[step])
        assert np.array_equal(sending, sets.sending[step])
        assert (sending <= fabric.injection).all()
