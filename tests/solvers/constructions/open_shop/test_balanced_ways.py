"""Ways of displacements that load all kinds of channels alike."""

import numpy as np
import pytest

from pavane.model.network import Network
from pavane.solvers.constructions.open_shop.balanced_ways import WayChoice, hop_counts_between
from pavane.solvers.machines import Machines
from pavane.symmetry.translation_groups import TranslationGroup
from tests.problems import problem_of


def circulant(size: int, *jumps: int) -> Network:
    """Return a ring with links from each router to those some routers on."""
    return Network("circulant", size, [(r, (r + way) % size) for r in range(size) for j in jumps for way in (j, -j)])


def choice(where: str | Network) -> WayChoice:
    """Return how the displacements of an all-to-all scatter choose, with all ports."""
    problem = problem_of(where, switching="store-and-forward")
    group = TranslationGroup.of(problem)
    assert group is not None
    machines = Machines.of(problem, group.channels)
    assert machines is not None
    return WayChoice(group, machines, np.random.default_rng(0))


@pytest.mark.parametrize("extra", [0, 1, 2])
def test_ways_lead_where_they_should(extra: int) -> None:
    """Hops add up to the displacement, and no way is listed twice or longer than it may be."""
    group = choice(circulant(16, 1, 6)).group
    for target, ways in enumerate(hop_counts_between(group, extra)):
        lengths = ways.sum(axis=1)
        assert (ways @ group.hops % 16 == target).all()
        assert len(np.unique(ways, axis=0)) == len(ways)
        if target:
            distance = int(group.network.distances[0, target])
            assert lengths.min() == distance
            assert lengths.max(initial=0) <= distance + extra


def test_no_part_of_a_way_leads_nowhere() -> None:
    """In whatever order its hops come, a way with detours meets no router twice."""
    group = choice(circulant(6, 1, 3)).group
    for ways in hop_counts_between(group, 2):
        for way in ways.tolist():
            assert not (way[0] and way[3])  # one router up and one down
            assert max(way[1], way[2]) < 2  # across and back


def test_ties_are_drawn_until_all_kinds_are_alike() -> None:
    """On a folded hypercube ten displacements have two ways, and only some choices make all loads eleven."""
    chosen = choice("folded-hypercube:5")
    ways = chosen.best(np.arange(1, 32))
    assert ways.sum(axis=0).tolist() == [11] * 6


def test_detours_relieve_the_busiest_kind() -> None:
    """Jumps of two are shorter, so shortest ways leave single steps idle; with detours both are used."""
    chosen = choice(circulant(16, 1, 2))
    displacements = np.arange(1, 16)
    shortest, best = chosen.best(displacements), chosen.best(displacements, 2)
    assert best.sum() > shortest.sum()
    assert chosen.machines.num_beats(best) < chosen.machines.num_beats(shortest)
