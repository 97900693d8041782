"""Lower bounds of the papers in tables that are too long for the tests; tests/papers/test_tables.py has the others."""

from __future__ import annotations

import numpy as np
import pytest
from papers.problems import KINDS

from papers import gecco07, gecco08, gecco08_bounds
from pavane.bounds import counted_bounds
from pavane.bounds.prices import CertificatePrices, bought, priced, sold_per_step
from pavane.model.collectives import many_to_many_broadcast, many_to_many_scatter, named
from pavane.model.problem import Problem, Rules
from pavane.networks import network

ALL_PORT = Rules()
ONE_PORT = Rules(ports=1)


def bounds_of(problem: Problem) -> dict[str, int]:
    """Return the steps of each argument."""
    return {bound.argument: bound.figure for bound in counted_bounds(problem)}


def best_of(text: str, kind: str, rules: Rules) -> int:
    """Return the highest bound of a collective on a network."""
    made = network(text)
    return counted_bounds(Problem(made, named(kind, made), rules))[0].figure


# -- gecco07


@pytest.mark.parametrize("senders", gecco07.READINGS.values(), ids=gecco07.READINGS)
def test_gecco07_table_5(senders: tuple[int, ...]) -> None:
    """On the fat octagon every reading of the 8 senders has at least the bounds of gecco07 Table 5 by ports."""
    fat = network("fat-octagon:2")
    others = tuple(p for p in range(16) if p not in senders)
    for receivers, mnb, mns in ((senders, 7, 7), (others, 8, 8), (range(16), 8, 15)):
        broadcast = Problem(fat, many_to_many_broadcast(senders, receivers), ONE_PORT)
        assert counted_bounds(broadcast)[0].figure == mnb
        private = bounds_of(Problem(fat, many_to_many_scatter(senders, receivers), ONE_PORT))
        # The table has 11 in the last row, but one port sends 15 messages in no less than 15 steps.
        assert private["injection"] == mns
        assert max(private.values()) == mns


def test_gecco07_table_5_cut_of_four_routers() -> None:
    """Only senders on four adjacent routers give the table's 11: 64 messages over 6 channels; then 10 is too few."""
    fat = network("fat-octagon:2")
    inside = fat.router_of[list(gecco07.READINGS["four whole routers"])]
    for receivers in (range(8, 16), range(16)):
        problem = Problem(fat, many_to_many_scatter(range(8), receivers), ONE_PORT)
        leaving = np.isin(fat.tails, inside) & ~np.isin(fat.heads, inside)
        prices = CertificatePrices.of(problem, np.flatnonzero(leaving))
        assert sold_per_step(problem, prices) == 6
        assert bought(problem, prices) >= 64
        assert priced(problem, prices, "cut").figure >= 11


def test_gecco07_table_5_all_to_all() -> None:
    """All 16 to all 16 on the fat octagon: the table's 15 both times, and 16 for AAS by its narrowest cut."""
    assert best_of("fat-octagon:2", "AAB", ONE_PORT) == 15
    fat = network("fat-octagon:2")
    steps = bounds_of(Problem(fat, named("AAS", fat), ONE_PORT))
    assert (steps["injection"], steps["sum-of-distances"], steps["bisection"]) == (15, 15, 16)


# -- gecco08


@pytest.mark.parametrize("name", [name for name in gecco08.STEPS if name != "Ring 8, degree 1"])
def test_gecco08_table_6(name: str) -> None:
    """The bounds of gecco08 Table 6 come out, and for AAS never less; its sum of distances gives its figure."""
    oab, aab, oas, aas = (bound for bound, _ in gecco08.STEPS[name][:4])
    text = gecco08_bounds.SPECS[name]
    assert tuple(best_of(text, kind, ALL_PORT) for kind in KINDS[:3]) == (oab, aab, oas)
    made = network(text)
    steps = bounds_of(Problem(made, named("AAS", made)))
    assert steps["sum-of-distances"] == aas
    assert max(steps.values()) >= aas


# -- noc


@pytest.mark.parametrize(("text", "logarithm"), [("ring:8", 3), ("mesh:4x4", 4), ("hierarchical-rings:4,4", 4)])
def test_noc_combining(text: str, logarithm: int) -> None:
    """Under combining a one-port processor informs all others, or hears from all, in log2 P steps at best (noc 3.1)."""
    for kind, names in (("OAB", {"growth", "gathering"}), ("AAS", {"growth", "gathering"}), ("AAB", {"growth"})):
        made = network(text)
        steps = bounds_of(Problem(made, named(kind, made), Rules(ports=1, combining=True)))
        assert steps["growth"] == max(steps.values()) == logarithm
        assert names <= set(steps) <= {"growth", "gathering"}
