"""A step and a path for every entry: what is put in by hand stays within the capacities."""

import numpy as np

from pavane.parallel.budget import Budget
from pavane.solvers.candidates import Candidates, PathFinder, candidate_paths
from pavane.solvers.ejection.assignment import Assignment
from tests.problems import problem_of


def candidates_of(spec: str) -> Candidates:
    """List the paths of all-to-all scatter."""
    problem = problem_of(spec)
    return candidate_paths(problem, PathFinder(problem, np.random.default_rng(0)))


def test_two_entries_do_not_share_a_channel() -> None:
    """What does not fit stays outside, and fits once the other is taken out."""
    candidates = candidates_of("ring:4,oneway")
    assignment = Assignment(candidates, 2)
    first, second = candidates.first_path[:2].tolist()
    assert assignment.put(0, first, 0)
    assert not assignment.put(1, second, 0)
    assert assignment.put(1, second, 1)
    assert (assignment.step_of[:3].tolist(), assignment.path_of[:2].tolist()) == ([0, 1, -1], [first, second])
    assignment.take_out(0)
    assignment.take_out(1)
    assert assignment.put(1, second, 0)


def test_filling_keeps_what_is_heavy() -> None:
    """A heavy entry stays where it was put, as long as the others find room."""
    candidates = candidates_of("ring:4")
    assignment = Assignment(candidates, 4)
    assert assignment.put(5, int(candidates.first_path[5]), 3)
    assignment.weigh(5, 1e9)
    assert assignment.fill(1000, np.random.default_rng(1), Budget())
    assert (assignment.step_of[5], assignment.path_of[5]) == (3, candidates.first_path[5])
    assert (assignment.step_of >= 0).all()
