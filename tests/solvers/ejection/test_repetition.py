"""Many pieces as a few at a time."""

from dataclasses import dataclass

import pytest

from pavane.judge.result import Result
from pavane.model.collectives import in_pieces, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.broadcast.rarest_first import RarestFirst
from pavane.solvers.ejection.repetition import Repetition
from pavane.solvers.supports import Supports
from tests.problems import problem_of


def test_three_pieces_again_and_again() -> None:
    """What 3 pieces do in 8 steps on a DGX-1, 350 do in 934: 116 times 3 pieces, then 2 in 6 steps."""
    made = network("dgx-1")
    problem = Problem(made, named("AAS", made, pieces=350), Rules())
    result = Repetition()(problem, 934, 0, Budget())
    assert result.schedule is not None
    assert result.num_steps == 934
    assert result.provenance.solver == "ejection"


@pytest.mark.parametrize("pieces", [2, 7, 30])
@pytest.mark.parametrize("kind", ["AAB", "AAR"])
def test_broadcasts_and_reductions(kind: str, pieces: int) -> None:
    """Any solver may look for the few; units of one message keep together."""
    made = network("ring:5")
    problem = Problem(made, in_pieces(named(kind, made), pieces, [(0, 3), (2, 0), (4, 2)]))
    result = Repetition(RarestFirst())(problem, 6 * pieces, 0, Budget())
    assert result.schedule is not None


@pytest.mark.parametrize("pieces", [2, 5, 7])
def test_sizes_and_capacities(pieces: int) -> None:
    """Messages of several units have that many times the few pieces, and some none; wide channels carry more."""
    ring = network("ring:4")
    wide = Network("wide", ring.routers, ring.channels, capacities=[1, 1, 2, 2, 1, 1, 2, 2])
    problem = Problem(wide, in_pieces(named("AAS", wide), pieces, [(0, 2, 3), (1, 2, 0), (3, 0, 2)]))
    result = Repetition()(problem, 6 * pieces, 0, Budget())
    assert result.schedule is not None


def test_what_it_is_for() -> None:
    """Messages of one piece have nothing to repeat, and too few steps give no schedule."""
    made = network("dgx-1")
    assert not Repetition().supports(problem_of("dgx-1"))
    assert not Repetition().supports(Problem(made, named("AAB", made, pieces=6), Rules()))
    problem = Problem(made, named("AAS", made, pieces=6), Rules())
    assert Repetition().supports(problem)
    assert Repetition()(problem, 15, 0, Budget(evaluations=2_000)).schedule is None


@dataclass
class Giving:
    """A solver that finds the few pieces a number of times, and then nothing."""

    times: int
    name: str = "giving"
    supports = Supports()

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Ask rarest first while there is something to give."""
        self.times -= 1
        return Result(problem, None) if self.times < 0 else RarestFirst()(problem, num_steps, seed, budget)


@pytest.mark.parametrize(("times", "is_found"), [(0, False), (1, False), (2, True)])
def test_every_part_must_be_found(times: int, is_found: bool) -> None:
    """The few that are repeated, and those that are left: without one of them there is no schedule of all."""
    made = network("ring:5")
    problem = Problem(made, named("AAB", made, pieces=7))
    assert (Repetition(Giving(times))(problem, 17, 0, Budget()).schedule is not None) == is_found


def test_time_that_is_over_ends_it() -> None:
    """Then nobody looks for the few."""
    made = network("ring:5")
    solver = Giving(9)
    found = Repetition(solver)(Problem(made, named("AAB", made, pieces=7)), 17, 0, Budget(deadline=0.0))
    assert (found.schedule, solver.times) == (None, 9)


def test_a_few_pieces_that_take_as_long_as_all_are_not_searched_for() -> None:
    """On wide machines 5 pieces need more than their share of the steps, as a flow over time shows."""
    made = network("mi250:2")
    problem = Problem(made, named("AAB", made, pieces=41), Rules(switching="store-and-forward", switches="pass"))
    solver = Giving(9)
    assert Repetition(solver)(problem, 9, 0, Budget()).schedule is None
    assert solver.times == 9
