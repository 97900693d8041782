"""Mutated schedules: both judges must find the same violations, also in a file."""

from __future__ import annotations

import random
import traceback

from tests.checker import in_short, judge
from tests.strategies import SPOILERS, Case, spoil, valid_case

from fuzzing.problems import drawn_problem
from pavane.judge.rules import verify
from pavane.model.problem import Problem

MOST_LISTED = 1_000_000
"""Violations of a rule: all of them, so that both judges can be compared."""


def spoiled_case(seed: int, number: int, problem: Problem | None = None) -> Case:
    """Return case number n of a seed: a small problem, and a schedule that was spoiled up to three times."""
    rng = random.Random(f"{seed}/{number}/spoiled")
    drawn = drawn_problem(seed, number, is_small=True) if problem is None else problem
    made = valid_case(drawn, rng.randrange(2**32), rng.random() < 0.5)
    return spoil(made, rng.choices(SPOILERS, k=rng.choice((0, 1, 1, 2, 3))), rng.randrange(2**32))


def disagreement(seed: int, number: int, problem: Problem | None = None) -> str | None:
    """Return how the two judges differ on a schedule of case number n, or of a problem; None where they agree."""
    try:
        case = spoiled_case(seed, number, problem)
        first = in_short(verify(case.problem, case.schedule, most=MOST_LISTED))
        second = judge(case.problem, case.schedule)
    except Exception:
        return f"crash: {traceback.format_exc()}"
    if first == second:
        return None
    return f"judges differ: {sorted(map(str, first ^ second))[:3]} on {case.problem}"
