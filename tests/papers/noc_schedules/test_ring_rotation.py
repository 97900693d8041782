"""Rotation on rings: noc Table 2."""

import pytest
from papers.noc_schedules.ring_rotation import ring_rotation

from pavane.model.problem import Rules
from pavane.networks import network
from tests.papers.noc_schedules.judged import COMBINING, PLAIN, declines, figures, problem, renamed, with_link
from tests.solvers.constructions.judged import shuffled

SIZES = range(2, 18)
SOLVER = ring_rotation


@pytest.mark.parametrize("size", SIZES)
def test_figures_of_the_paper(size: int) -> None:
    """AAB takes P - 1 start-ups and TCO P - 1, AAS P - 1 and P(P - 1)/2, on two-way and one-way rings."""
    for suffix in ("", ",oneway"):
        ring = f"ring:{size}{suffix}"
        assert figures(SOLVER, problem(ring, "AAB")) == (size - 1, size - 1)
        assert figures(SOLVER, problem(ring, "AAS")) == (size - 1, size * (size - 1) // 2)


def test_all_rules_that_single_channels_obey() -> None:
    """AAB needs no combining; half duplex, store-and-forward and more ports are as good."""
    for rules in (
        PLAIN,
        Rules(),
        Rules(ports=2, routing="any"),
        Rules(ports=1, duplex="half"),
        Rules(ports=1, switching="store-and-forward", duplex="half", combining=True),
    ):
        assert figures(SOLVER, problem("ring:6", "AAB", rules)) == (5, 5)
    assert figures(SOLVER, problem("torus:6", "AAB", Rules(ports=1, routing="dimension-order"))) == (5, 5)


def test_a_ring_is_known_by_its_channels() -> None:
    """Numbers and names of routers do not matter: a shuffled ring and a mesh of 2x2 are rings."""
    for seed in range(5):
        for text in ("ring:9", "ring:9,oneway"):
            assert figures(SOLVER, problem(shuffled(network(text), seed), "AAS")) == (8, 36)
    assert figures(SOLVER, problem("mesh:2x2", "AAS")) == (3, 6)


def test_declines() -> None:
    """Near misses of rings, whatever their name, private messages without combining, and missing members are not."""
    ring = network("ring:8")
    for made in (
        with_link(ring, 0, 4),
        with_link(ring, 0, 1),
        ring.without(links=[(0, 7)]),
        ring.without(channels=[3]),
        ring.with_processors(2),
        renamed(network("mesh:2x4"), "ring:8"),
    ):
        assert declines(SOLVER, problem(made, "AAB"))
    assert declines(SOLVER, problem("ring:8", "AAS", PLAIN))
    assert declines(SOLVER, problem("ring:8", "OAB"))
    assert declines(SOLVER, problem(ring.without(processors=[2]), "AAB"))
    assert declines(SOLVER, problem("ring:2", "AAB", Rules(ports=1, duplex="half")))
    assert not declines(SOLVER, problem("ring:8", "AAB", COMBINING))
