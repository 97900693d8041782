"""The combining kernels: their books agree with a recount, and machine code does what the source says."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from pavane.kernels import combining as plain
from pavane.kernels import compiled
from pavane.kernels.combining import Sets
from pavane.kernels.combining_trees import NEVER
from pavane.model.collectives import many_to_many_broadcast, named
from pavane.model.problem import Problem, Rules
from pavane.model.symmetry import Symmetry
from pavane.networks import network
from pavane.solvers.combining.combining import _wishes
from pavane.solvers.combining.groups import free_groups
from pavane.solvers.combining.payloads import Arborescences, Paths
from pavane.solvers.combining.state import Places

CASES = [
    ("ring:6", Rules(ports=1, combining=True)),
    ("mesh:3x3", Rules(ports=1, routing="any", combining=True)),
    ("octagon", Rules(ports="all", combining=True)),
    ("fat-octagon:2", Rules(ports=2, duplex="half", combining=True)),
    ("mesh:3x3", Rules(ports=1, routing="dimension-order", combining=True)),
    ("fat-tree:4", Rules(switching="store-and-forward", combining=True)),
]

each_case = pytest.mark.parametrize(("spec", "rules"), CASES, ids=[f"{s} {r.ports} {r.routing}" for s, r in CASES])


def filled(spec: str, kind: str, rules: Rules, num_steps: int, *, symmetric: bool = False) -> tuple[Places, Sets]:
    """Make sets that have been pushed about."""
    made = network(spec)
    problem = Problem(made, named(kind, made), rules)
    group: tuple[Symmetry, ...] = free_groups(problem)[0] if symmetric else ()
    assert bool(group) == symmetric
    places = Places.of(problem, group)
    sets, scratch, rng = places.sets(num_steps), places.scratch(), np.random.default_rng(1)
    for step in range(num_steps):
        compiled(plain.fill)(places.fabric, sets, scratch, step, rng)
    for number in range(300):
        step = number % num_steps
        if not compiled(plain.push)(places.fabric, sets, scratch, step, 4, rng):
            compiled(plain.restore)(sets, scratch, step)
    return places, sets


def check_books(places: Places, sets: Sets) -> None:
    """Count senders and units anew."""
    fabric = places.fabric
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
    places, sets = filled(spec, "AAS", rules, 3)
    assert (sets.sender >= 0).any()
    check_books(places, sets)


def test_images_come_and_go_together() -> None:
    """With symmetries a step is its own image."""
    places, sets = filled("mesh:4x4", "AAS", CASES[1][1], 4, symmetric=True)
    check_books(places, sets)
    fabric = places.fabric
    for number in range(len(fabric.image_inlet)):
        for step, inlet in np.argwhere(sets.sender >= 0).tolist():
            image = fabric.image_inlet[number, inlet]
            assert sets.sender[step, image] == fabric.image_place[number, sets.sender[step, inlet]]


def test_machine_code_moves_as_the_source_does() -> None:
    """Compiled and uncompiled, the same generator makes the same moves."""
    places, _ = filled("ring:6", "AAS", CASES[0][1], 2)
    both = []
    for push, fill in ((plain.push, plain.fill), (compiled(plain.push), compiled(plain.fill))):
        sets, scratch, rng = places.sets(2), places.scratch(), np.random.default_rng(5)
        fill(places.fabric, sets, scratch, 0, rng)
        fill(places.fabric, sets, scratch, 1, rng)
        for number in range(20):
            push(places.fabric, sets, scratch, number % 2, 4, rng)
        both.append(sets)
    assert all(np.array_equal(a, b) for a, b in zip(*both, strict=True))


@each_case
def test_what_is_missing_is_what_nobody_told(spec: str, rules: Rules) -> None:
    """The reach of the sets is that of sets of origins, handed on step by step."""
    places, sets = filled(spec, "AAS", rules, 2)
    heard, wanted = _wishes(places, 2)
    compiled(plain.hear)(places.fabric, sets, heard, 0)
    told = [{place} if place < places.problem.network.num_processors else set() for place in range(len(wanted))]
    for step in range(2):
        before = [set(origins) for origins in told]
        for inlet in np.flatnonzero(sets.sender[step] >= 0).tolist():
            told[places.fabric.place_of[inlet]] |= before[sets.sender[step, inlet]]
    missing = sum(origin not in told[target] for origin, target in places.problem.labels.tolist())
    assert compiled(plain.num_missing)(wanted, heard) == missing


@each_case
@pytest.mark.parametrize("symmetric", [False, True])
def test_loads_of_paths(spec: str, rules: Rules, symmetric: bool) -> None:
    """After annealing every transfer's load is the number of messages that move along it."""
    if symmetric:
        spec, rules = "ring:6", Rules(ports=rules.ports, combining=True)
    places, sets = filled(spec, "AAS", rules, 5, symmetric=symmetric)
    group = free_groups(places.problem)[0] if symmetric else ()
    found, rng = Paths(places, sets, group, 4.0), np.random.default_rng(2)
    list(found.start(sets, rng))
    found.anneal(sets, places.scratch(), 0, np.array([0.5, 0.1, 0.0, 0.01, 5.0]), 60, rng)
    ways = found.ways
    counted: Counter[tuple[int, int]] = Counter()
    for step, message in np.argwhere(ways.inlet >= 0).tolist():
        inlet = int(ways.inlet[step, message])
        assert sets.sender[step, inlet] >= 0
        counted[step, inlet] += 1
        for number in range(len(group)):
            counted[step, int(places.fabric.image_inlet[number, inlet])] += 1
    assert counted == {(s, i): int(ways.load[s, i]) for s, i in np.argwhere(ways.load > 0).tolist()}
    assert ways.powers == pytest.approx((ways.load.astype(float) ** 4).sum(axis=1))
    check_books(places, sets)


@each_case
@pytest.mark.parametrize("symmetric", [False, True])
def test_loads_of_trees(spec: str, rules: Rules, symmetric: bool) -> None:
    """After annealing every transfer's load is the number of messages that come by it, from where they were before."""
    if symmetric:
        spec, rules = "ring:6", Rules(ports=rules.ports, combining=True)
    places, sets = filled(spec, "AAB", rules, 5, symmetric=symmetric)
    group = free_groups(places.problem)[0] if symmetric else ()
    found, rng = Arborescences(places, sets, group, 4.0), np.random.default_rng(2)
    list(found.start(sets, rng))
    found.anneal(sets, places.scratch(), 0, np.array([0.5, 0.1, 0.0, 0.01, 5.0]), 60, rng)
    trees = found.trees
    counted: Counter[tuple[int, int]] = Counter()
    for message, place in np.argwhere((trees.step >= 0) & (trees.step < NEVER)).tolist():
        step, inlet = int(trees.step[message, place]), int(trees.inlet[message, place])
        assert places.fabric.place_of[inlet] == place
        assert trees.step[message, sets.sender[step, inlet]] < step
        counted[step, inlet] += 1
        for number in range(len(group)):
            counted[step, int(places.fabric.image_inlet[number, inlet])] += 1
    assert counted == {(s, i): int(trees.load[s, i]) for s, i in np.argwhere(trees.load > 0).tolist()}
    check_books(places, sets)


def test_relays_serve_somebody() -> None:
    """A processor that wants nothing gets a message only to send it on."""
    made = network("mesh:3x3")
    problem = Problem(made, many_to_many_broadcast((0, 8), (2, 6)), CASES[0][1])
    places = Places.of(problem)
    sets, scratch, rng = places.sets(4), places.scratch(), np.random.default_rng(3)
    for step in range(4):
        compiled(plain.fill)(places.fabric, sets, scratch, step, rng)
    found = Arborescences(places, sets, (), 4.0)
    list(found.start(sets, rng))
    found.anneal(sets, scratch, 0, np.array([0.5, 0.1, 0.0, 0.01, 5.0]), 200, rng)
    sent = {(t.sender, m) for t in found.schedule() for m in t.messages}
    for transfer in found.schedule():
        assert transfer.receiver in (2, 6) or all((transfer.receiver, m) in sent for m in transfer.messages)
