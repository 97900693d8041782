"""What solvers support, as data."""

import pytest

from pavane.model.problem import Problem
from pavane.solvers import SOLVERS
from pavane.solvers.supports import Supports
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("supports", "why"),
    [
        (Supports(), None),
        (Supports(patterns=("private", "broadcast")), None),
        (Supports(patterns=("broadcast", "reduction")), "private, this solver needs broadcast or reduction"),
        (Supports(switching=("tdm",)), "wormhole, this solver needs tdm"),
        (Supports(combining=True), "no combining, this solver needs combining"),
        (Supports(ports="all"), None),
        (Supports(duplex="half"), "full duplex, this solver needs half duplex"),
        (Supports(pieces=False, sizes=False, capacities=False, restricted=False, total=True), None),
        (Supports(copying=True), "no router that copies, this solver needs routers that copy"),
        (Supports(most_messages=11), "12 messages, this solver needs at most 11 messages"),
        (Supports(most_routers=4, most_arrivals=12), None),
        (Supports(where="luck", holds=lambda _: False), "this solver needs luck"),
        (Supports(patterns=("broadcast",), or_else=Supports(patterns=("private",))), None),
        (
            Supports(patterns=("private",), combining=True, or_else=Supports(patterns=("reduction",))),
            "no combining, this solver needs combining",
        ),
    ],
)
def test_the_first_condition_that_fails_is_named(supports: Supports, why: str | None) -> None:
    """A problem is supported if every condition holds; else a line names what it has and what is needed."""
    problem = problem_of("ring:4")
    assert supports.why_not(problem) == why
    assert supports(problem) == (why is None)


def test_several_collectives_are_no_problem_of_a_solver() -> None:
    """Every solver takes one collective."""
    several = Problem("ring:4", ["allgather", "alltoall"])
    assert all("several collectives at once" in (one.supports.why_not(several) or "") for one in SOLVERS.values())
