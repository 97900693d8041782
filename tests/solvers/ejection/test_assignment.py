"""Partial schedules, of paths and of hops: a search continues where it ended."""

from collections.abc import Callable

import numpy as np
import pytest

from pavane.model.problem import Rules
from pavane.parallel.budget import Budget
from pavane.solvers.candidates import PathFinder, candidate_paths
from pavane.solvers.ejection.assignment import Assignment, CandidateAssignment
from pavane.solvers.ejection.hop_assignment import HopAssignment, hops_on_paths
from pavane.solvers.ejection.hop_network import HopNetwork
from tests.problems import problem_of


def of_paths(spec: str, num_steps: int, rules: Rules | None = None) -> CandidateAssignment:
    """Begin all-to-all scatter along whole paths with every message outside."""
    problem = problem_of(spec, "AAS", rules)
    return CandidateAssignment(candidate_paths(problem, PathFinder(problem, np.random.default_rng(0))), num_steps)


def of_hops(spec: str, num_steps: int) -> HopAssignment:
    """Begin all-to-all scatter hop by hop with every message outside."""
    network = HopNetwork.of(problem_of(spec, "AAS", None, switching="store-and-forward"))
    ways = hops_on_paths(network, 0, 10**6)
    assert ways is not None
    return HopAssignment(network, ways, num_steps)


def filled(assignment: Assignment, seed: int, evaluations: int | None = None) -> bool:
    """Insert entries, a number of times at most."""
    return assignment.fill(10**6, 10_000, np.random.default_rng(seed), Budget(evaluations=evaluations))


@pytest.mark.parametrize("begin", [of_paths, of_hops])
def test_heavy_entries_stay(begin: Callable[[str, int], Assignment]) -> None:
    """What is in already and heavy is still there when the others are inserted around it."""
    assignment = begin("ring:6", 6)
    partial = assignment.partial
    assert not filled(assignment, 0, evaluations=5)
    assert assignment.moves == 5
    kept = np.flatnonzero(partial.num_paths)
    partial.weights[kept] = 1_000
    places = [slice(first, first + partial.num_paths[entry]) for entry, first in enumerate(partial.first_path[:-1])]
    before = [(partial.paths[places[entry]].tolist(), partial.steps[places[entry]].tolist()) for entry in kept]
    assert filled(assignment, 1)
    assert assignment.is_full
    assert before == [(partial.paths[places[entry]].tolist(), partial.steps[places[entry]].tolist()) for entry in kept]


@pytest.mark.parametrize(
    "begin", [lambda: of_hops("ring:6", 2), lambda: of_paths("ring:6", 2, Rules("tdm", ports=1, wrap=False))]
)
def test_no_moves_where_something_cannot_start(begin: Callable[[], Assignment]) -> None:
    """In fewer steps than the longest path takes no move is made."""
    assignment = begin()
    assert not filled(assignment, 0)
    assert assignment.moves == 0
