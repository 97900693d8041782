"""The broadcast encoding."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.model.collectives import many_to_many_broadcast
from pavane.model.network import Network
from pavane.model.problem import Collective, Problem, Rules
from pavane.networks import network
from pavane.solvers.evolution import broadcast
from tests.solvers.evolution.cases import encoding, problem


@pytest.mark.parametrize(("spec", "kind", "num_steps"), [("petersen", "OAB", 4), ("ring:8", "AAB", 6)])
def test_restoration_yields_trees(spec: str, kind: str, num_steps: int) -> None:
    """Whatever the genes say, after restoration every destination hears from one that was informed before."""
    code, rng = encoding(spec, kind, num_steps), np.random.default_rng(1)
    tables = code.tables
    population = rng.integers(0, code.cardinalities, size=(30, code.num_items)).astype(np.int32)
    code.repair(population, rng)
    for row in population:
        source, _, step = row.reshape(-1, 3).T
        senders = tables.source_of[tables.first_source[:-1] + source]
        informed = {(m, int(p)): -1 for m, p in enumerate(tables.origin_of)}
        arrivals = zip(code.message_of.tolist(), code.target_of.tolist(), step.tolist(), strict=True)
        informed |= {(message, target): when for message, target, when in arrivals}
        for message, sender, when in zip(code.message_of.tolist(), senders.tolist(), step.tolist(), strict=True):
            if when < num_steps:
                assert informed[message, sender] < when


def test_transfers_without_an_informed_source_are_postponed() -> None:
    """On a line everyone waits for the one before; who would wait beyond the last step is counted."""
    code, rng = encoding("line:6", "AAB", 3), np.random.default_rng(1)
    single = broadcast.encoded(problem("line:6", "OAB"), 3, rng, radius=1)
    population = single.random(4, rng)
    assert (population[:, 2::3] == 0).all()
    single.repair(population, rng)
    assert (population[:, 2::3] == [0, 1, 2, 3, 3]).all()
    assert single.fitness(population).tolist() == [2, 2, 2, 2]
    assert code.num_genes == 30


def test_sources_lie_within_the_radius() -> None:
    """A possible source is the origin or a receiver, and no farther from its target than the radius."""
    asked = problem("hypercube:4", "AAB")
    for radius in (1, 2):
        code = broadcast.encoded(asked, 5, np.random.default_rng(0), radius=radius)
        targets = np.repeat(code.target_of, np.diff(code.tables.first_source))
        apart = asked.network.distances[code.tables.source_of, targets]
        assert (apart.min(), apart.max()) == (1, radius)


def test_the_radius_suits_the_problem() -> None:
    """AAB floods; OAB reaches half the diameter, or all of it where every port counts; floods end in time."""
    assert broadcast.chosen_radius(problem("heawood", "AAB"), 5) == 1
    assert broadcast.chosen_radius(problem("levi", "OAB"), 3) == 2
    assert broadcast.chosen_radius(problem("ring:8", "OAB"), 2) == 4
    assert broadcast.chosen_radius(problem("spidergon:16", "OAB"), 2) == 4
    assert broadcast.chosen_radius(problem("line:9", "AAB"), 4) == 2


def test_the_radius_reaches_everyone() -> None:
    """However small a radius is asked for, receivers that lie farther apart can be informed."""
    hub = Network("hub", 4, [(0, r) for r in range(1, 4)] + [(r, 0) for r in range(1, 4)], [1, 2, 3])
    every = tuple(range(3))
    assert broadcast.least_radius(Problem(hub, Collective("AAB", every, every))) == 2
    far = Problem(network("ring:8"), many_to_many_broadcast((0,), (3, 5)))
    assert broadcast.least_radius(far) == 3
    code = broadcast.encoded(far, 2, np.random.default_rng(0), radius=1)
    assert (np.diff(code.tables.first_source) > 0).all()


def test_what_is_supported() -> None:
    """Broadcasts and reductions, not combined; under store-and-forward where receivers are neighbours."""
    stored = Rules(switching="store-and-forward")
    hub = Network("hub", 4, [(0, r) for r in range(1, 4)] + [(r, 0) for r in range(1, 4)], [1, 2, 3])
    every = tuple(range(3))
    assert broadcast.supports(problem("ring:4", "AAR"))
    assert broadcast.supports(problem("ring:4", "OAB", stored))
    assert not broadcast.supports(problem("ring:4", "AAB", Rules(combining=True)))
    assert not broadcast.supports(problem("ring:4", "AAS"))
    assert not broadcast.supports(Problem(hub, Collective("AAB", every, every), stored))
