"""Ejection search for one message per orbit, lifted to all."""

from __future__ import annotations

from pavane.parallel.budget import Budget
from pavane.solvers.ejection.quotient import Quotient
from pavane.symmetry.involutions import free_involutions
from tests.problems import problem_of


def test_the_quotient_lifts_to_a_valid_schedule() -> None:
    """Half the messages scheduled give all of them, also on networks with parallel channels and fat routers."""
    for spec, steps in (("hypercube:4", 8), ("dgx-1", 4), ("fat-octagon:2", 17), ("kautz:3,2", 8)):
        result = Quotient()(problem_of(spec), steps, 0, Budget())
        assert result.num_steps == steps, spec


def test_without_a_symmetry_there_is_no_answer() -> None:
    """A network without a symmetry of order two ends the walk at once, whatever the number of steps."""
    star = problem_of("star:5")
    assert not list(free_involutions(star))
    for asked in (None, 100):
        assert Quotient()(star, asked, 0, Budget()).schedule is None


def test_a_message_that_meets_its_image_leaves_no_schedule() -> None:
    """Half a turn of a directed ring takes a path of three channels to one that meets it, in any step."""
    problem = problem_of("ring:4,oneway", "AAS")
    assert Quotient()(problem, None, 0, Budget()).schedule is None
