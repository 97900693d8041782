"""Lower bounds on start-ups under combining."""

from __future__ import annotations

import pytest

from pavane.bounds import counted_bounds
from pavane.bounds.start_ups import start_up_bounds
from pavane.errors import InputError
from pavane.model.collectives import pairs
from pavane.model.duals import dual
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from tests.problems import problem_of


@pytest.mark.parametrize("kind", ["AAB", "AAS"])
@pytest.mark.parametrize(("ports", "steps"), [(1, 4), (3, 2), ("all", 2)])
def test_start_ups_grow_with_the_logarithm(kind: str, ports: int | str, steps: int) -> None:
    """Under combining ceil(log P / log(k + 1)) start-ups are needed for private messages as for broadcasts."""
    assert start_up_bounds(problem_of("hypercube:4", kind, ports=ports, combining=True))[0].figure == steps


def test_few_ports_count_as_much_as_many_targets() -> None:
    """Start-ups are bounded by whoever needs most, here the corner with 2 targets over one port."""
    where = Network("corner", 5, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 1), (2, 1), (1, 3), (1, 4), (1, 0)])
    problem = Problem(where, pairs([(0, 2), (0, 3), (1, 2), (1, 3), (1, 4)]), Rules(combining=True))
    assert counted_bounds(problem)[-1].figure == 1
    growth = next(bound for bound in start_up_bounds(problem) if bound.argument == "growth")
    assert growth.figure == 2
    assert growth.certificate["origin"] == 0


def test_reductions_are_read_backwards() -> None:
    """A reduction has the bounds of the broadcast that it is when read backwards."""
    problem = problem_of("ring:6", "AAR", ports=1, combining=True)
    assert start_up_bounds(problem) == start_up_bounds(dual(problem))


def test_without_combining_steps_are_bounded() -> None:
    """Start-ups are the steps then, which have bounds of their own."""
    with pytest.raises(InputError, match="start-ups are bounded under combining"):
        start_up_bounds(problem_of("ring:4"))
