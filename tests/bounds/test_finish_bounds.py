"""Timed cuts: proven by the judge's own count, and below the end of every schedule."""

from __future__ import annotations

from hypothesis import given

from pavane.bounds import lower_bounds
from pavane.judge.certificates import proven
from pavane.judge.timed_case import finish_time
from pavane.model.problem import Problem
from pavane.solvers.timed.retiming import retime
from tests.strategies import Case
from tests.timed_cases import timed_cases


@given(timed_cases())
def test_no_schedule_ends_before_a_bound_and_the_judge_proves_it(drawn: tuple[Problem, Case]) -> None:
    """Whatever the rules and the links: a valid schedule ends at the bound or later, and both counts agree."""
    problem, case = drawn
    for bound in lower_bounds(problem):
        assert proven(problem, bound) == bound.figure
        assert bound.figure <= finish_time(problem, retime(problem, case.schedule))
