"""Products: rows and columns together make valid schedules of the whole, with the figures that follow from theirs."""

from __future__ import annotations

import pytest

from pavane.model.collectives import many_to_many_scatter, named
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.products import (
    Product,
    as_product,
    both_at_once,
    factors,
    is_two_at_once,
    joined_schedules,
    rows_then_columns,
)
from pavane.solvers import SOLVERS
from tests.checker import judge


def parts(spec: str, kind: str, rules: Rules) -> tuple[Problem, Product, Schedule, Schedule]:
    """Make a problem on a product, and schedules of its rows and columns by the first solver."""
    made = network(spec)
    problem = Problem(made, named(kind, made), rules)
    product = as_product(made)
    assert product is not None
    found = factors(problem, product)
    assert found is not None
    row, column = (SOLVERS["greedy"](part, None, 0, Budget()).schedule for part in found)
    assert row is not None
    assert column is not None
    return problem, product, row, column


@pytest.mark.parametrize("spec", ["mesh:2x3", "torus:3x4", "mesh:2x2x3", "hypercube:4", "hyperx:3x3"])
@pytest.mark.parametrize("kind", ["AAB", "AAS"])
@pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])
def test_rows_then_columns(spec: str, kind: str, switching: str) -> None:
    """Start-ups add up; a row's TCO counts once for broadcasts and per row for scatter, a column's per column."""
    rules = Rules(switching=switching, ports=1, combining=True)  # type: ignore[arg-type]
    problem, product, row, column = parts(spec, kind, rules)
    height, width = product.shape
    made = rows_then_columns(problem, product, row, column)
    assert judge(problem, made) == set()
    assert made.num_steps == row.num_steps + column.num_steps
    assert made.tco == row.tco * (height if kind == "AAS" else 1) + width * column.tco


@pytest.mark.parametrize("spec", ["torus:4x4", "mesh:2x3", "torus:3x5"])
def test_both_at_once(spec: str) -> None:
    """With ports for all channels rows and columns work at the same time, each on half of the messages."""
    problem, product, row, column = parts(spec, "AAS", Rules(ports="all", combining=True))
    made = both_at_once(problem, product, (row, column), (row, column))
    assert is_two_at_once(problem)
    assert judge(problem, made) == set()
    assert made.num_steps == 2 * max(row.num_steps, column.num_steps)
    if spec == "torus:4x4":
        assert made.tco == rows_then_columns(problem, product, row, column).tco / 2


@pytest.mark.parametrize(("spec", "kind"), [("mesh:2x3", "AAB"), ("mesh:2x3", "AAS"), ("torus:3x4", "AAS")])
def test_figures_are_known_before_a_schedule_is_built(spec: str, kind: str) -> None:
    """Start-ups are as told, the TCO is no more; the fewest start-ups come first."""
    problem, product, row, column = parts(spec, kind, Rules(ports="all", combining=True))
    joined = joined_schedules(problem, product, [row], [column])
    assert len(joined) == (2 if kind == "AAS" else 1)
    assert [(some.start_ups, some.tco) for some in joined] == sorted((some.start_ups, some.tco) for some in joined)
    for some in joined:
        made = some.build()
        assert judge(problem, made) == set()
        assert made.num_steps == some.start_ups


def test_what_is_no_product() -> None:
    """Rings, Kautz digraphs and meshes that miss a link are no products, and parts of a collective make no whole."""
    for spec in ("ring:8", "kautz:3,2", "complete:4"):
        assert as_product(network(spec)) is None
    assert as_product(network("mesh:3x3").without(links=[(0, 1)])) is None
    made = network("mesh:3x3")
    product = as_product(made)
    assert product is not None
    some = Problem(made, many_to_many_scatter((0, 1), (1, 2, 3)), Rules(combining=True))
    assert factors(some, product) is None


def test_turns_are_nothing_to_single_hops() -> None:
    """Under store-and-forward a grid's order of turns does not keep it from being a product of lines."""
    rules = Rules(switching="store-and-forward", routing="north-last", combining=True)
    problem, product, row, column = parts("torus:2x3", "AAS", rules)
    assert judge(problem, rows_then_columns(problem, product, row, column)) == set()
