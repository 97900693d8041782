"""Closer looks see what is wrong: each is shown a lie, and says so."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from fuzzing import closer_looks as looks

import pavane
from pavane.judge.result import Result
from pavane.model.collectives import in_pieces
from tests.problems import problem_of


@pytest.fixture(scope="module")
def solved() -> Result:
    """Two pieces of every message around a ring, and what proves that it takes three steps."""
    problem = problem_of("ring:4", "AAB")
    return pavane.solve(replace(problem, collectives=(in_pieces(problem.collective, 2),)))


def test_nothing_is_said_of_what_is_right(solved: Result) -> None:
    """An honest result passes."""
    assert solved.num_steps == 3
    assert not list(looks.inexact_bounds(solved.problem, solved.bounds))
    assert not list(looks.too_high(solved.problem, 3, random.Random(0)))
    assert not list(looks.beyond(solved, 3))
    for look in (looks.wrong_times, looks.wrong_reversal, looks.wrong_words):
        assert not list(look(solved))


def test_bounds_that_say_too_much_are_seen(solved: Result) -> None:
    """By their own figures, by their certificates, by the optimum."""
    best = next(bound for bound in solved.bounds if bound.exact is not None)
    lies = (replace(best, exact=best.figure + Fraction(1, 2)),)
    assert len(list(looks.inexact_bounds(solved.problem, lies))) == 2
    assert any("message times" in line for line in looks.too_high(solved.problem, 2, random.Random(0)))
    assert any("optimum 2" in line for line in looks.too_high(solved.problem, 2, random.Random(0)))
    assert list(looks.beyond(solved, 2))
    assert list(looks.beyond(solved, 4))


def test_a_file_of_another_problem_is_seen(solved: Result) -> None:
    """What is read must be what was written."""
    other = pavane.solve(problem_of("ring:4", "AAB"))
    assert not list(looks.same_after_file(solved, solved.amended(claims=solved.bounds)))
    assert len(list(looks.same_after_file(solved, other))) == 2
