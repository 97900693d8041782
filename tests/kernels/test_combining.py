"""The combining kernels: their books agree with a recount, and machine code does what the source says."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from pavane.kernels import combining as plain
from pavane.kernels import compiled
from pavane.kernels.combining import Annealing, Sets
from pavane.kernels.combining_trees import NEVER
from pavane.model.collectives import many_to_many_broadcast, named
from pavane.model.problem import Problem, Rules
from pavane.model.symmetry import Symmetry
from pavane.networks import network
from pavane.solvers.combining.groups import free_groups
from pavane.solvers.combining.layout import Layout
from pavane.solvers.combining.payloads import Arborescences, Paths

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


def filled(spec: str, kind: str, rules: Rules, num_steps: int, *, symmetric: bool = False) -> tuple[Layout, Sets]:
    """Make sets that have been pushed about."""
    made = network(spec)
    problem = Problem(made, named(kind, made), rules)
    group: tuple[Symmetry, ...] = free_groups(problem)[0] if symmetric else ()
    assert bool(group) == symmetric
    layout = Layout.of(problem, group)
    sets, scratch, rng = layout.sets(num_steps), layout.scratch(), np.random.default_rng(1)
    for step in range(num_steps):
        compiled(plain.fill)(layout.fabric, sets, scratch, step, rng)
    for number in range(300):
        step = number % num_steps
        if not compiled(plain.push)(layout.fabric, sets, scratch, step, rng):
            compiled(plain.restore)(sets, scratch, step)
    return layout, sets


def check_books(layout: Layout, sets: Sets) -> None:
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


@each_case
def test_sets_keep_their_books(spec: str, rules: Rules) -> None:
    """After many moves units and ports are held by the transfers that use them, and by one each."""
    layout, sets = filled(spec, "AAS", rules, 3)
    assert (sets.sender >= 0).any()
    check_books(layout, sets)


def test_images_come_and_go_together() -> None:
    """With symmetries a step is its own image."""
    layout, sets = filled("mesh:4x4", "AAS", CASES[1][1], 4, symmetric=True)
    check_books(layout, sets)
    fabric = layout.fabric
    for number in range(len(fabric.image_inlet)):
        for step, inlet in np.argwhere(sets.sender >= 0).tolist():
            image = fabric.image_inlet[number, inlet]
            assert sets.sender[step, image] == fabric.image_location[number, sets.sender[step, inlet]]


def test_machine_code_moves_as_the_source_does() -> None:
    """Compiled and uncompiled, the same generator makes the same moves."""
    layout, _ = filled("ring:6", "AAS", CASES[0][1], 2)
    both = []
    for push, fill in ((plain.push, plain.fill), (compiled(plain.push), compiled(plain.fill))):
        sets, scratch, rng = layout.sets(2), layout.scratch(), np.random.default_rng(5)
        fill(layout.fabric, sets, scratch, 0, rng)
        fill(layout.fabric, sets, scratch, 1, rng)
        for number in range(20):
            push(layout.fabric, sets, scratch, number % 2, rng)
        both.append(sets)
    assert all(np.array_equal(a, b) for a, b in zip(*both, strict=True))


@each_case
def test_what_is_missing_is_what_nobody_told(spec: str, rules: Rules) -> None:
    """The reach of the sets is that of sets of origins, handed on step by step."""
    layout, sets = filled(spec, "AAS", rules, 2)
    reach = layout.reach(2)
    compiled(plain.hear)(layout.fabric, sets, reach.heard, 0)
    told = [
        {location} if location < layout.problem.network.num_processors else set()
        for location in range(len(reach.wanted))
    ]
    for step in range(2):
        before = [set(origins) for origins in told]
        for inlet in np.flatnonzero(sets.sender[step] >= 0).tolist():
            told[layout.fabric.location_of[inlet]] |= before[sets.sender[step, inlet]]
    missing = sum(origin not in told[target] for origin, target in layout.problem.labels.tolist())
    assert compiled(plain.num_missing)(reach) == missing


@each_case
@pytest.mark.parametrize("symmetric", [False, True])
def test_loads_of_paths(spec: str, rules: Rules, symmetric: bool) -> None:
    """After annealing every transfer's load is the number of messages that move along it."""
    if symmetric:
        spec, rules = "ring:6", Rules(ports=rules.ports, combining=True)
    layout, sets = filled(spec, "AAS", rules, 5, symmetric=symmetric)
    group = free_groups(layout.problem)[0] if symmetric else ()
    found, rng = Paths(layout, sets, group, 4.0), np.random.default_rng(2)
    list(found.start(sets, rng))
    found.anneal(sets, layout.scratch(), WARM, rng)
    ways = found.ways
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
    found, rng = Arborescences(layout, sets, group, 4.0), np.random.default_rng(2)
    list(found.start(sets, rng))
    found.anneal(sets, layout.scratch(), WARM, rng)
    trees = found.trees
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


def test_relays_serve_somebody() -> None:
    """A processor that wants nothing gets a message only to send it on."""
    made = network("mesh:3x3")
    problem = Problem(made, many_to_many_broadcast((0, 8), (2, 6)), CASES[0][1])
    layout = Layout.of(problem)
    sets, scratch, rng = layout.sets(4), layout.scratch(), np.random.default_rng(3)
    for step in range(4):
        compiled(plain.fill)(layout.fabric, sets, scratch, step, rng)
    found = Arborescences(layout, sets, (), 4.0)
    list(found.start(sets, rng))
    found.anneal(sets, scratch, WARM._replace(moves=200), rng)
    sent = {(t.sender, m) for t in found.schedule() for m in t.messages}
    for transfer in found.schedule():
        assert transfer.receiver in (2, 6) or all((transfer.receiver, m) in sent for m in transfer.messages)
