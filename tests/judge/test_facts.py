"""What the judge counts of a problem, held against what the problem says of itself."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.judge.facts import across, hops, links, partners, ports, shared, wiring
from pavane.model.problem import Problem
from tests.bounds.tiny import BROADCAST, PRIVATE, tiny_problems
from tests.problems import problem_of


def asked(problem: Problem) -> set[tuple[int, int]]:
    """Return every pair of a processor that has something to say and one that must hear it."""
    if problem.pattern == "private":
        return {(origin, target) for origin, target in problem.ends.tolist()}
    return {(o, r) for (o,) in problem.ends.tolist() for r in problem.collective.receivers if r != o}


@given(tiny_problems(kinds=PRIVATE + BROADCAST), st.data())
def test_who_must_hear_from_whom(problem: Problem, data: st.DataObject) -> None:
    """Origins, targets and what must get out of a set are those of all pairs that are asked for."""
    pairs = asked(problem)
    for processor in range(problem.network.num_processors):
        assert partners(problem, processor) == {t for o, t in pairs if o == processor}
        assert partners(problem, processor, backwards=True) == {o for o, t in pairs if t == processor}
    size = problem.network.num_routers
    inside = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    home = problem.network.router_of
    leaving = {(o, t) for o, t in pairs if inside[home[o]] and not inside[home[t]]}
    found = across(problem, inside)
    assert found.origins.tolist() == sorted({o for o, _ in leaving})
    assert found.targets.tolist() == sorted({t for _, t in leaving})
    assert found.num_pairs == len(leaving)


@given(tiny_problems())
def test_capacities_and_distances_agree_with_the_model(problem: Problem) -> None:
    """What is counted again is what the problem and its network say."""
    assert ports(problem) == (problem.injection.tolist(), problem.ejection.tolist())
    assert links(problem) == problem.units.tolist()
    for start in range(problem.network.num_routers):
        for backwards, rows in ((False, problem.network.distances), (True, problem.network.distances.T)):
            away = hops(wiring(problem, backwards=backwards), start)
            assert away == {there: int(d) for there, d in enumerate(rows[start]) if d >= 0}


def test_an_amount_takes_a_fraction_of_steps() -> None:
    """An amount takes a number of steps, not yet rounded up; where nothing carries it, it is refused."""
    assert [shared(amount, 3) for amount in (0, 1, 3, 4)] == [0, Fraction(1, 3), 1, Fraction(4, 3)]
    with pytest.raises(ValueError, match="nothing can carry what it counts"):
        shared(1, 0)


def test_strangers_hear_nothing() -> None:
    """A processor that does not exist has no origins and no targets."""
    for kind in ("AAS", "AAB"):
        problem = problem_of("ring:4", kind)
        assert partners(problem, 9) == partners(problem, -1, backwards=True) == set()
