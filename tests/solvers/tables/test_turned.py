"""Tables of turned packets are valid in slots and steps, and no channel is idle where nothing is left over."""

from dataclasses import replace

import pytest

from pavane.model.problem import Rules
from pavane.solvers.tables.registry import TABLE_MAKERS
from pavane.symmetry.cayley import cayley_of
from tests.problems import problem_of
from tests.solvers.tables.judged import judged_table

SLOTS = Rules("tdm")
FULL = {
    "torus:3x3": 3,
    "torus:5x5": 15,
    "torus:7x7": 42,
    "torus:6x6": 27,
    "torus:8x8": 64,
    "torus:4x4x4": 32,
    "hypercube:3": 4,
    "hypercube:6": 32,
    "gaussian:3,2": 5,
    "gaussian:4,2": 11,
    "eisenstein:3,2": 5,
    "star-graph:4": 21,
    "complete:5": 1,
    "ring:7": 6,
    "ring:5,oneway": 10,
}
"""Networks with a turn, with the hops that each of their kinds must make."""


@pytest.mark.parametrize(("spec", "slots"), FULL.items())
def test_tables_have_no_idle_slot(spec: str, slots: int) -> None:
    """A table that repeats has as many slots as each kind of channel has hops."""
    assert judged_table("turned-orbits", problem_of(spec, "AAS", SLOTS)).num_steps == slots


@pytest.mark.parametrize("spec", ["torus:6x6", "star-graph:4"])
@pytest.mark.parametrize("pieces", [1, 3])
def test_without_wrap_there_are_two_slots_more(spec: str, pieces: int) -> None:
    """The first injection and the last ejection have slots of their own, however many pieces messages have."""
    problem = problem_of(spec, "AAS", replace(SLOTS, wrap=False))
    problem = replace(problem, collectives=(replace(problem.collective, pieces=pieces),))
    assert judged_table("turned-orbits", problem).num_steps == pieces * FULL[spec] + 2


def test_hops_that_do_not_commute_need_no_waiting() -> None:
    """On star graphs the same table is one for store-and-forward."""
    problem = problem_of("star-graph:4", "AAS", Rules("store-and-forward"))
    assert judged_table("turned-orbits", problem).num_steps == FULL["star-graph:4"]


@pytest.mark.parametrize("spec", ["torus:8x8x8", "torus:10x10x10", "star-graph:6"])
def test_windows_have_few_idle_slots(spec: str) -> None:
    """Where displacements are left over, fewer than one slot in a hundred is idle."""
    problem = problem_of(spec, "AAS", SLOTS)
    cayley = cayley_of(problem.network)
    assert cayley is not None
    table = TABLE_MAKERS["turned-orbits"](problem, cayley)
    assert table is not None
    hops = int(cayley.kinds.shortest_paths[0].sum())
    assert table.num_steps <= 1.01 * hops / cayley.kinds.num_kinds
