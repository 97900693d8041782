"""Payloads on paths and trees: loads agree with a recount, machine code does what the source says, relays serve."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from pavane.jit import compiled
from pavane.model.collectives import many_to_many_broadcast
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers.combining.kernels import transfer_sets as plain
from pavane.solvers.combining.kernels.paths import anneal_paths
from pavane.solvers.combining.kernels.trees import NEVER, anneal_trees
from pavane.solvers.combining.layout import CombiningLayout
from pavane.solvers.combining.payloads import PathPayloads, TreePayloads
from pavane.symmetry.groups import free_groups
from tests.jit.pushed_sets import CASES, WARM, check_books, each_case, filled


@each_case
@pytest.mark.parametrize("symmetric", [False, True])
def test_loads_of_paths(spec: str, rules: Rules, symmetric: bool) -> None:
    """After annealing every transfer's load is the number of messages that move along it."""
    if symmetric:
        spec, rules = "ring:6", Rules(ports=rules.ports, combining=True)
    layout, sets = filled(spec, "AAS", rules, 5, symmetric=symmetric)
    group = free_groups(layout.problem)[0] if symmetric else ()
    found, rng = PathPayloads(layout, sets, group, 4.0), np.random.default_rng(2)
    list(found.start(layout.work(sets), rng))
    found.anneal(layout.work(sets), WARM, rng)
    ways = found.routes
    counted: Counter[tuple[int, int]] = Counter()
    for step, message in np.argwhere(ways.inlet >= 0).tolist():
        inlet = int(ways.inlet[step, message])
        assert sets.sender[step, inlet] >= 0
        counted[step, inlet] += 1
        for number in range(len(group)):
            counted[step, int(layout.fabric.image_inlet[number, inlet])] += 1
    assert counted == {(s, i): int(ways.load[s, i]) for s, i in np.argwhere(ways.load > 0).tolist()}
    assert ways.powers == pytest.approx((ways.load.astype(float) ** 4).sum(axis=1))
    check_books(layout, sets)


@each_case
@pytest.mark.parametrize("symmetric", [False, True])
def test_loads_of_trees(spec: str, rules: Rules, symmetric: bool) -> None:
    """After annealing every transfer's load is the number of messages that come by it, from where they were before."""
    if symmetric:
        spec, rules = "ring:6", Rules(ports=rules.ports, combining=True)
    layout, sets = filled(spec, "AAB", rules, 5, symmetric=symmetric)
    group = free_groups(layout.problem)[0] if symmetric else ()
    found, rng = TreePayloads(layout, sets, group, 4.0), np.random.default_rng(2)
    list(found.start(layout.work(sets), rng))
    found.anneal(layout.work(sets), WARM, rng)
    trees = found.routes
    counted: Counter[tuple[int, int]] = Counter()
    for message, location in np.argwhere((trees.step >= 0) & (trees.step < NEVER)).tolist():
        step, inlet = int(trees.step[message, location]), int(trees.inlet[message, location])
        assert layout.fabric.location_of[inlet] == location
        assert trees.step[message, sets.sender[step, inlet]] < step
        counted[step, inlet] += 1
        for number in range(len(group)):
            counted[step, int(layout.fabric.image_inlet[number, inlet])] += 1
    assert counted == {(s, i): int(trees.load[s, i]) for s, i in np.argwhere(trees.load > 0).tolist()}
    check_books(layout, sets)


@pytest.mark.parametrize(
    ("payloads", "kernel", "kind"), [(PathPayloads, anneal_paths, "AAS"), (TreePayloads, anneal_trees, "AAB")]
)
def test_machine_code_anneals_as_the_source_does(payloads: Any, kernel: Any, kind: str) -> None:
    """Compiled and uncompiled, the same generator makes the same ways and trees."""
    both = []
    for anneal in (kernel, compiled(kernel)):
        layout, sets = filled("ring:6", kind, CASES[0][1], 4)
        found, rng = payloads(layout, sets, (), 4.0), np.random.default_rng(2)
        list(found.start(layout.work(sets), rng))
        made = anneal(layout.work(sets), found.routes, found.best, WARM._replace(moves=10), rng)
        both.append((made, found.tco, sets.sender.tolist(), found.routes.inlet.tolist()))
    assert both[0] == both[1]


def test_annealing_ends_at_its_goal() -> None:
    """Once the best is as good as was asked for, no further move is made."""
    layout, sets = filled("ring:6", "AAS", CASES[0][1], 8)
    found, rng = PathPayloads(layout, sets, (), 4.0), np.random.default_rng(2)
    list(found.start(layout.work(sets), rng))
    easy = WARM._replace(goal=10**6, moves=200)
    made = anneal_paths(layout.work(sets), found.routes, found.best, easy, rng)
    assert made < 200
    assert found.tco <= 10**6


def test_relays_serve_somebody() -> None:
    """A processor that wants nothing gets a message only to send it on."""
    made = network("mesh:3x3")
    problem = Problem(made, many_to_many_broadcast((0, 8), (2, 6)), CASES[0][1])
    layout = CombiningLayout.of(problem)
    work, rng = layout.work(layout.sets(4)), np.random.default_rng(3)
    for step in range(4):
        compiled(plain.fill)(work, step, np.arange(0), rng)
    found = TreePayloads(layout, work.sets, (), 4.0)
    list(found.start(work, rng))
    found.anneal(work, WARM._replace(moves=200), rng)
    sent = {(t.sender, m) for t in found.schedule() for m in t.messages}
    for transfer in found.schedule():
        assert transfer.receiver in (2, 6) or all((transfer.receiver, m) in sent for m in transfer.messages)
