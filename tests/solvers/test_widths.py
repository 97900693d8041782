"""Widths of the steps under combining."""

from itertools import islice
from typing import Any

import numpy as np
import pytest

from pavane.model.bound import of_objective
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.widths import Widths, divide_tco


def combined(spec: str | Network, kind: str, pieces: int = 1, **rules: Any) -> Problem:
    """Return a problem of combining under store-and-forward."""
    made = network(spec) if isinstance(spec, str) else spec
    return Problem(made, named(kind, made, pieces=pieces), Rules("store-and-forward", combining=True, **rules))


@pytest.mark.parametrize(
    ("problem", "start_ups", "tco"),
    [
        *[(combined("dgx-1", "AAB", 6), 3, 7), (combined("dgx-1", "AAR", 6), 3, 7)],
        *[(combined("dgx-1", "AAS", 3), 2, 8), (combined("dgx-1", "OAS", 6), 2, 7)],
        *[(combined("dgx-1", "AOG", 6), 2, 7), (combined("ring:8", "AAB", 2), 4, 7)],
        *[(combined("torus:4x4", "AAS"), 4, 8), (combined("mesh:4x4", "AAB", 2), 6, 15)],
    ],
    ids=str,
)
def test_few_start_ups_and_little_tco(problem: Problem, start_ups: int, tco: int) -> None:
    """Both the fewest start-ups that were asked for and the least TCO, private, broadcast and read backwards."""
    schedule = Widths()(problem, start_ups, 0, Budget()).schedule
    assert schedule is not None
    assert (schedule.num_steps, schedule.tco) == (start_ups, tco)


@pytest.mark.parametrize(
    ("problem", "start_ups", "most"),
    [
        (combined("dgx-a100:2", "AAB", 4, switches="pass"), 3, 6),
        (combined("dgx-a100:2", "AAR", 4, switches="pass"), 3, 6),
        (combined("rails:2,2", "AAB", 2, switches="pass"), 2, 3),
        (combined("rails:2,2", "AAS", switches="pass"), 2, 2),
        (combined("nvl:4", "AOG", 18, switches="pass"), 1, 3),
    ],
    ids=str,
)
def test_switches_that_pass(problem: Problem, start_ups: int, most: int) -> None:
    """What shares a transfer goes one way over switches; broadcasts are searched for, few private messages decided."""
    schedule = Widths()(problem, start_ups, 0, Budget()).schedule
    assert schedule is not None
    assert schedule.num_steps <= start_ups
    assert schedule.tco <= most


def test_many_private_messages_over_switches_are_for_others() -> None:
    """They are more than the exact program takes."""
    assert not Widths().supports(combined("rails:8,8", "AAS", switches="pass"))
    assert Widths().supports(combined("rails:8,8", "AAB", switches="pass"))


def test_what_is_impossible_is_a_bound() -> None:
    """Six pieces in two start-ups need a TCO of 9 on DGX-1: a search through all schedules of 8 found none."""
    result = Widths()(combined("dgx-1", "AAB", 6), 2, 0, Budget())
    assert result.schedule is not None
    assert result.schedule.tco == 9
    (bound,) = of_objective(result.bounds, "tco")
    assert (bound.figure, bound.num_steps, bound.argument) == (9, 2, "exhaustive")
    assert result.has_least_tco


def test_a_limit_on_the_tco_is_kept() -> None:
    """What would take more than the TCO that is asked for is not found, and refuted where it can be."""
    result = Widths(most_tco=8)(combined("dgx-1", "AAB", 6), 2, 0, Budget())
    assert result.schedule is None
    assert [bound.figure for bound in of_objective(result.bounds, "tco")] == [9]


def test_capacities_carry_transfers_side_by_side() -> None:
    """A channel of capacity 2 has two transfers of at most the step's width each, and the TCO is that of one."""
    wide = Network("wide", 2, [(0, 1), (1, 0)], [0, 1], capacities=[2, 2])
    schedule = Widths()(combined(wide, "AAS", 6), 1, 0, Budget()).schedule
    assert schedule is not None
    assert schedule.tco == 3
    assert schedule.payloads.tolist() == [3, 3, 3, 3]


def test_widths_add_up() -> None:
    """All ways to share out a small TCO, even ones first; of a large one a sample."""
    rng = np.random.default_rng(0)
    assert [widths.tolist() for widths in divide_tco(4, 2, rng)] == [[2, 2], [1, 3], [3, 1]]
    assert next(divide_tco(7, 3, rng)).tolist() == [2, 2, 3]
    assert not list(divide_tco(2, 3, rng))
    for widths in islice(divide_tco(100, 12, rng), 50):
        assert widths.sum() == 100
        assert widths.min() >= 1
