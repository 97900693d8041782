"""The search for an allreduce: two phases, then trees, and what named methods do."""

from __future__ import annotations

import pytest

from pavane.errors import InputError
from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.fewest_steps import find_fewest_steps
from tests.checker import judge


def allreduce(spec: str, pieces: int = 1, kind: str = "allreduce") -> Problem:
    """Return an allreduce under store-and-forward."""
    made = network(spec)
    return Problem(made, in_pieces(named(kind, made), pieces), Rules("store-and-forward"))


def test_auto_tries_trees_after_the_phases() -> None:
    """Where two phases do not reach the bound of the whole, trees may."""
    result = find_fewest_steps(allreduce("ring:8"))
    assert (result.num_steps, result.status, result.provenance.solver) == (7, "optimal", "trees")
    assert result.schedule == find_fewest_steps(allreduce("ring:8")).schedule


def test_phases_that_reach_the_bound_are_enough() -> None:
    """Then no trees are looked for."""
    result = find_fewest_steps(allreduce("ring:4", 2))
    assert (result.num_steps, result.status) == (6, "optimal")
    assert result.provenance.solver.endswith("in two phases")


def test_a_named_solver_of_broadcasts_does_the_phases() -> None:
    """Who names greedy gets two phases of it, overlapped, and no trees."""
    problem = allreduce("mesh:2x3")
    result = find_fewest_steps(problem, method="greedy")
    assert result.provenance.solver == "greedy in two phases"
    assert result.schedule is not None
    assert not judge(problem, result.schedule)


def test_trees_by_name() -> None:
    """Trees take an allreduce as a whole, and nothing else."""
    result = find_fewest_steps(allreduce("star:5"), method="trees", evaluations=50)
    assert (result.num_steps, result.provenance.solver) == (6, "trees")
    made = network("star:5")
    with pytest.raises(InputError, match="method trees cannot work on"):
        find_fewest_steps(Problem(made, named("allgather", made)), method="trees")


def test_one_way_networks_have_phases_alone() -> None:
    """Where channels have none back, both phases are searched for."""
    problem = allreduce("ring:5,oneway")
    result = find_fewest_steps(problem)
    assert result.schedule is not None
    assert not judge(problem, result.schedule)


def test_time_ends_the_search() -> None:
    """With a time limit there is an answer all the same."""
    assert find_fewest_steps(allreduce("mesh:3x3"), seconds=1.0).schedule is not None


def test_one_part_is_exchanged() -> None:
    """One part is exchanged between groups in as few steps as the farthest are away, not gathered and spread."""
    result = find_fewest_steps(allreduce("hypercube:3", kind="reduce-broadcast"))
    assert (result.num_steps, result.status, result.provenance.solver) == (3, "optimal", "exchange")
