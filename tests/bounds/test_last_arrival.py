"""The bound of an allreduce by distance and ports."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pavane.bounds.last_arrival import explain, make
from pavane.bounds.phrases import STEP
from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.messages import Collective
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.exhaustive import fewest_steps
from tests.problems import problem_of

STORED = Rules("store-and-forward")


ONE_PORT, TWO_PORTS = replace(STORED, ports=1), replace(STORED, ports=2)


@pytest.mark.parametrize(
    ("name", "rules", "steps", "is_between"),
    [
        ("line:6", STORED, 10, False),  # 5 steps to the end of the line, where 6 sums come one a step from the fifth on
        ("star:5", STORED, 6, False),
        ("mesh:3x3", STORED, 8, False),  # a corner is 4 steps from another and has 2 ports for 9 sums
        ("hypercube:3", STORED, 5, False),
        ("star:5", ONE_PORT, 23, True),  # 20 sums enter router 0 one a step, and the last goes to 3 others
        ("star:8", ONE_PORT, 62, True),
        ("star:8", TWO_PORTS, 31, True),
        ("star:6*2", TWO_PORTS, 16, True),  # both processors of router 0 receive 60 sums, 4 a step
    ],
)
def test_the_last_sums_come_late(name: str, rules: Rules, steps: int, is_between: bool) -> None:
    """They come when the distance is covered, one after the other; or a router between all parts is full of them."""
    problem = problem_of(name, "ALLREDUCE", rules)
    (bound,) = make(problem)
    assert bound.figure == steps == proven(problem, bound)
    assert explain(problem, bound, STEP).isprintable()
    assert (bound.certificate == {"router": 0}) == is_between
    assert ("only router 0 joins" in explain(problem, bound, STEP)) == is_between


def test_a_router_between_parts_is_no_more_than_the_optimum() -> None:
    """A line of three with one port has 4 sums of two parts for its middle; an exhaustive search agrees."""
    collective = Collective("ALLREDUCE", (0, 1, 2), (0, 1))
    problem = Problem(network("line:3"), collective, replace(STORED, ports=1))
    (bound,) = make(problem)
    assert bound.figure == fewest_steps(problem, 1_000_000) == 5


@pytest.mark.parametrize(
    ("name", "rules", "router", "reason"),
    [
        ("star:5", STORED, 1, "still joined"),
        ("ring:4", STORED, 0, "still joined"),
        ("rails:2,2", STORED, 4, "no processor"),
        ("star:5", Rules(), 0, "wormhole"),
    ],
)
def test_other_routers_prove_nothing(name: str, rules: Rules, router: int, reason: str) -> None:
    """The router must have a processor and be the only way between members, and every hop must end there."""
    with pytest.raises(InputError, match=reason):
        proven(problem_of(name, "ALLREDUCE", rules), Bound(9, "last-arrival", {"router": router}))


@pytest.mark.parametrize(
    "certificate", [{"from": 0, "to": 0}, {"from": 0, "to": 9}, {"from": True, "to": 1}, {"to": 1}]
)
def test_who_is_no_pair_of_members_proves_nothing(certificate: dict[str, int]) -> None:
    """Both must take part, and be two."""
    problem = problem_of("line:3", "ALLREDUCE", STORED)
    with pytest.raises(InputError):
        proven(problem, Bound(9, "last-arrival", certificate))


def test_a_wormhole_runs_any_path_in_one_step() -> None:
    """Without store-and-forward it says nothing, and nobody can claim it."""
    problem: Problem = problem_of("line:3", "ALLREDUCE")
    assert list(make(problem)) == []
    with pytest.raises(InputError, match="store-and-forward"):
        proven(problem, Bound(9, "last-arrival", {"from": 0, "to": 2}))
