"""Payloads on trees: loads agree with a recount, and machine code does what the source says."""

from collections import Counter

import numpy as np
import pytest

from pavane.jit import compiled
from pavane.model.problem import Rules
from pavane.solvers.combining.kernels.trees import NEVER, anneal_trees
from pavane.solvers.combining.payloads import TreePayloads
from pavane.symmetry.groups import free_groups
from tests.jit.pushed_sets import CASES, WARM, check_books, each_case, filled


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


def test_machine_code_anneals_as_the_source_does() -> None:
    """Compiled and uncompiled, the same generator makes the same trees."""
    both = []
    for kernel in (anneal_trees, compiled(anneal_trees)):
        layout, sets = filled("ring:6", "AAB", CASES[0][1], 4)
        found, rng = TreePayloads(layout, sets, (), 4.0), np.random.default_rng(2)
        list(found.start(layout.work(sets), rng))
        made = kernel(layout.work(sets), found.routes, found.best, WARM._replace(moves=10), rng)
        both.append((made, found.tco, sets.sender.tolist(), found.routes.inlet.tolist()))
    assert both[0] == both[1]
