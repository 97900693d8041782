"""Slot tables that all routers have alike, packed by a search."""

import pytest

from pavane.model.problem import Rules
from pavane.search.tables import solve_by_table
from pavane.solvers.ejection.slot_table import MOST_ROUTERS, packed_slots
from pavane.symmetry.cayley import cayley_of
from tests.checker import judge
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("spec", "rules", "slots"),
    [
        ("torus:3x3", Rules("tdm", ports=1), 9),
        ("torus:4x4", Rules("tdm", ports=1), 16),
        ("torus:3x3", Rules("tdm", ports=1, wrap=False), 11),
        ("ring:5", Rules("tdm", ports=1), 5),
    ],
)
def test_one_port_tables_meet_the_bound_on_small_tori(spec: str, rules: Rules, slots: int) -> None:
    """Both judges accept the table written out, and the modular bound or the flights prove that it is the shortest."""
    problem = problem_of(spec, "AAS", rules)
    result = solve_by_table(problem)
    assert result is not None
    assert result.table is not None
    assert (result.num_steps, result.status) == (slots, "optimal")
    assert not judge(problem, result.table.expand(problem))


def test_long_packets_and_slow_routers_have_tables() -> None:
    """Argo's parameters, router delay 3 and packets of 3 slots, on a small torus."""
    problem = problem_of("torus:3x3", "AAS", Rules("tdm", ports=1, router_delay=3, packet_slots=3))
    result = solve_by_table(problem)
    assert result is not None
    assert result.table is not None
    assert not judge(problem, result.table.expand(problem))


def test_large_networks_and_other_rules_are_left_out() -> None:
    """No search is begun for more routers than it can pack, nor without slots."""
    for spec, rules in (("torus:13x13", Rules("tdm", ports=1)), ("torus:4x4", Rules("store-and-forward"))):
        problem = problem_of(spec, "AAS", rules)
        cayley = cayley_of(problem.network)
        assert cayley is not None
        assert packed_slots(problem, cayley, 1) is None
    assert MOST_ROUTERS < 13 * 13
