"""All bounds on steps together: they hold whatever the network, the collective and the rules, and are told in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.bounds import best_of_each, counted_bounds, explain, lower_bounds
from pavane.bounds.registry import ARGUMENT_OF, Argument
from pavane.bounds.steps import is_time_for_distances, tried_arguments
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.collectives import named
from pavane.model.duals import dual
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.tiny import PRIVATE, tiny_problems
from tests.bounds.told import steps_of
from tests.judge.forging import forged
from tests.problems import problem_of
from tests.strategies import Case, cases

# -- soundness


@given(cases())
def test_no_bound_exceeds_a_valid_schedule(case: Case) -> None:
    """The highest bound is at least 1 and at most the number of steps of any valid schedule."""
    bounds = counted_bounds(case.problem)
    assert 1 <= bounds[0].figure <= case.schedule.num_steps
    for bound in bounds:
        assert proven(case.problem, bound) == bound.figure


# -- what is said, and when


@given(tiny_problems())
def test_bounds_come_highest_first_and_once_each(problem: Problem) -> None:
    """The bounds are sorted by steps, one of each argument, and the same every time."""
    bounds = counted_bounds(problem)
    assert [b.figure for b in bounds] == sorted((b.figure for b in bounds), reverse=True)
    assert len({b.argument for b in bounds}) == len(bounds)
    assert counted_bounds(problem) == bounds


@given(tiny_problems(kinds=("AOR", "AAR")))
def test_reductions_are_bounded_as_broadcasts_backwards(problem: Problem) -> None:
    """A reduction has the bounds of the broadcast that it is when read backwards."""
    assert counted_bounds(problem) == counted_bounds(dual(problem))


@given(tiny_problems(combining=(True,)))
def test_under_combining_only_growth_and_distance_count(problem: Problem) -> None:
    """Where transfers carry any number of messages nothing counts but who has heard from whom, and how far away."""
    assert set(steps_of(problem)) <= {"growth", "gathering", "distance"}


@given(tiny_problems(kinds=PRIVATE, combining=(False,)))
def test_private_messages_do_not_grow(problem: Problem) -> None:
    """Without combining a private message informs nobody else, so growth says nothing about it."""
    assert not {"growth", "gathering"} & set(steps_of(problem))


@pytest.mark.parametrize("kind", ["AAS", "AAB", "AAR"])
def test_the_best_bounds_are_those_by_counting_and_more(kind: str) -> None:
    """What takes longer comes besides what is counted, the highest first."""
    problem = problem_of("random-regular:12,3,1", kind)
    found, known = lower_bounds(problem), counted_bounds(problem)
    assert all(bound in found for bound in known)
    assert {bound.argument for bound in found if bound not in known} <= {"channel-prices", "cut"}
    assert [bound.figure for bound in found] == sorted((bound.figure for bound in found), reverse=True)


# -- in words


@pytest.mark.parametrize(("kind", "forwards"), [("AOR", "OAB"), ("AAR", "AAB")])
def test_reductions_are_read_backwards(kind: str, forwards: str) -> None:
    """A reduction is explained as the broadcast that it is when read backwards."""
    mesh = network("mesh:3x3")
    problem = Problem(mesh, named(kind, mesh), Rules("store-and-forward"))
    assert dual(problem).collective.kind == forwards
    for bound in counted_bounds(problem):
        assert explain(problem, bound) == f"read backwards: {explain(dual(problem), bound)}"


def test_an_unknown_argument_is_told_by_its_certificate() -> None:
    """A bound of a kind that has no words is told by what its certificate shows, or named."""
    private, broadcast = problem_of("ring:4", "AAS"), problem_of("ring:4", "AAB")
    prices = {"channels": [[1, 0]], "injection": [], "ejection": []}
    assert explain(private, Bound(3, "magic", prices)) == "channel 0>1 must carry 1 message in all, 1 a step"
    assert explain(broadcast, Bound(3, "magic", {"routers": [2]})) == "1 message must leave router 2, 2 a step"
    assert explain(broadcast, Bound(3, "magic", {"processor": 2})) == "processor 2 must receive 3 messages, 2 a step"
    assert explain(private, Bound(3, "magic", {})) == "by magic"


@given(tiny_problems(), st.data())
def test_certificates_that_make_no_sense_are_named(problem: Problem, data: st.DataObject) -> None:
    """Whatever a file claims, something is said of it in one line: at least its argument."""
    bound = data.draw(st.sampled_from(counted_bounds(problem)))
    argument = data.draw(st.sampled_from([bound.argument, *ARGUMENT_OF]))
    said = explain(problem, Bound(bound.figure, argument, data.draw(forged(bound.certificate))))
    assert said
    assert "\n" not in said
    assert explain(problem_of("ring:4", "OAB"), Bound(1, "growth", {})) == "by growth"


def test_figures_fit_the_bound() -> None:
    """In sums and cuts the figures that are told, divided and rounded up, are the steps of the bound."""
    for text, kind in product(("mesh:4x4", "kautz:3,2", "octagon"), ("AAS", "AAB")):
        made = network(text)
        problem = Problem(made, named(kind, made))
        for bound in counted_bounds(problem):
            if bound.argument in ("sum-of-distances", "volume", "ejection", "injection"):
                said = explain(problem, bound).replace(",", "").split()
                figures = [int(word) for word in said if word.isdigit()]
                need, sold = figures[-2:]
                assert -(-need // sold) == bound.figure


def test_all_distances_are_begun_only_if_one_row_leaves_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that takes a second means a second for each 60,000 pairs of routers, and one for the row itself."""
    moments = iter(range(1000, 2000))
    monkeypatch.setattr("pavane.jit.clock.now", lambda: float(next(moments)))
    made = network("ring:600")
    assert is_time_for_distances(made, None)
    assert next(moments) == 1000
    assert not is_time_for_distances(made, 1001.0)
    assert not is_time_for_distances(made, 1002.0 + 7)
    assert is_time_for_distances(made, 1004.0 + 7.1)


# -- the best of each argument


def test_the_best_of_each_argument_highest_first() -> None:
    """Of each argument the highest is kept, of equal ones the first, and equal arguments stay in their order."""
    bounds = [Bound(2, "a", {}), Bound(3, "b", {}), Bound(3, "a", {"first": 1}), Bound(3, "a", {}), Bound(3, "c", {})]
    assert best_of_each(bounds) == (bounds[2], bounds[1], bounds[4])
    assert best_of_each([]) == ()


def test_bounds_on_the_occupancy_too() -> None:
    """Bounds on the occupancy are compared by it."""
    bounds = [
        Bound(4, "a", {}, objective="tco"),
        Bound(7, "b", {}, objective="tco", num_steps=3),
        Bound(5, "a", {}, objective="tco", num_steps=3),
    ]
    assert best_of_each(bounds) == (bounds[1], bounds[2])


def test_no_further_bound_is_made_after_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds of one argument that take long are made one by one, and the first is kept when the time is over."""
    now = [0.0]
    monkeypatch.setattr("pavane.jit.clock.now", lambda: now[0])

    def make(problem: Problem) -> Iterator[Bound]:
        for steps in (2, 3):
            now[0] += 5.0
            yield Bound(steps, "slow", {})

    slow = Argument("slow", lambda *_: "", make)
    monkeypatch.setattr("pavane.bounds.steps.ARGUMENTS", (slow,))
    problem = problem_of("ring:4", "AAB")
    (tried,) = tried_arguments(problem, deadline=4.0)
    assert [bound.figure for bound in tried.bounds] == [2]
    (tried,) = tried_arguments(problem)
    assert [bound.figure for bound in tried.bounds] == [3]
