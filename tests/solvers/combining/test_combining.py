"""Combining: valid schedules of at most the asked start-ups, the same for the same seed, as good as is known."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from pavane.errors import InputError
from pavane.model.collectives import many_to_many_scatter, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.combining.combining import Combining
from pavane.solvers.combining.payloads import PathPayloads, TreePayloads
from tests.bounds.tiny import tiny_problems
from tests.checker import judge
from tests.problems import problem_of

FEW = Budget(evaluations=2000)
ONE_PORT = Rules(ports=1, routing="any", combining=True)
RING, KAUTZ, FAT = network("ring:6"), network("kautz:2,2"), Network("fat", 2, [(0, 1), (0, 1), (1, 0)], [0, 0, 1])


@given(tiny_problems(combining=(True,)))
def test_two_judges_agree_that_it_is_valid(problem: Problem) -> None:
    """Every schedule passes both judges, and combining never needs more steps than there is room for."""
    if Combining().supports(problem):
        result = Combining()(problem, None, 0, FEW)
        if result.schedule is None:
            result = Combining()(problem, 2 * problem.network.num_processors, 0, FEW)
        assert result.schedule is not None
        assert judge(problem, result.schedule) == set()


@pytest.mark.parametrize(
    ("spec", "kind", "num_steps", "tco"),
    [
        *[("ring:4", "AAS", 2, 4), ("ring:8", "AAS", 3, 12), ("ring:8", "AAB", 3, 7), ("kautz:3,2", "AAS", 4, 20)],
        *[("kautz:3,2", "AAB", 4, 11), ("mesh:4x4", "AAB", 4, 15), ("mesh:4x4", "AAS", 4, 32)],
        *[("hypercube:4", "AAS", 4, 32), ("hypercube:6", "AAB", 6, 63), ("mesh:4x4", "OAS", 4, 15)],
        ("mesh:4x4", "AAR", 4, 15),
    ],
)
def test_reaches_what_cannot_be_bettered(spec: str, kind: str, num_steps: int, tco: int) -> None:
    """One port: as few start-ups as P allows, with the least TCO for so many (two steps of two each on ring:4)."""
    result = Combining(goal=tco)(problem_of(spec, kind, ONE_PORT), num_steps, 0, Budget())
    assert result.schedule is not None
    assert (result.schedule.num_steps, result.schedule.tco) == (num_steps, tco)


def test_evaluations_are_kept() -> None:
    """No more moves are made than are allowed."""
    problem = Problem(RING, named("AAS", RING), ONE_PORT)
    result = Combining()(problem, 4, 0, FEW)
    assert result.run is not None
    assert result.run.evaluations <= 2001


@pytest.mark.parametrize("kind", ["AAS", "AAR"])
def test_an_interrupt_hands_over_the_best_so_far(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes on, but what the annealing had come to is kept, reductions read backwards."""
    annealed = 0

    def interrupted(self: Any, *arguments: Any) -> int:
        nonlocal annealed
        annealed += arguments[1].moves > 0
        if annealed == 2:
            raise KeyboardInterrupt
        return anneal(self, *arguments)

    payloads = PathPayloads if kind == "AAS" else TreePayloads
    anneal = payloads.anneal
    monkeypatch.setattr(payloads, "anneal", interrupted)
    problem = Problem(RING, named(kind, RING), ONE_PORT)
    kept: list[Schedule] = []
    with pytest.raises(KeyboardInterrupt):
        Combining()(problem, 6, 0, Budget(on_schedule=kept.append))
    (schedule,) = kept
    assert judge(problem, schedule) == set()


@pytest.mark.parametrize("group", [-1, 99])
def test_a_group_that_is_not_there_is_refused(group: int) -> None:
    """The line says which groups there are."""
    problem = problem_of("ring:4", "AAS", Rules(ports=1, combining=True))
    with pytest.raises(InputError, match=f"group {group}: the problem has groups 0 to"):
        Combining(group=group)(problem, 3, 0, Budget())


def test_capacities_and_pieces_are_carried_side_by_side() -> None:
    """A channel of capacity 2 has two transfers a step; payload and TCO count pieces, and are the same read back."""
    wide = Network("wide", 3, [(0, 1), (1, 0), (1, 2), (2, 1)], [0, 1, 2], capacities=[2, 2, 2, 2])
    problem = Problem(wide, named("AAS", wide, pieces=2), Rules("store-and-forward", combining=True))
    found = Combining(work=1e6, most_moves=2_000)(problem, 2, 0, Budget()).schedule
    assert found is not None
    # Four pieces for router 2 and those for router 0 go over each channel, two transfers of it in every step.
    assert (found.num_steps, found.tco) == (2, 2)
    assert max(np.unique(found.starts * 4 + found.path_channels, return_counts=True)[1]) == 2


@pytest.mark.parametrize("seed", range(5))
def test_a_message_that_is_lost_at_first_leaves_no_load(seed: int) -> None:
    """Cooling goes on where there is nothing to weigh."""
    tree = network("fat-tree:2")
    gone = [c for c, ends in enumerate(tree.channels.tolist()) if ends in ([1, 3], [2, 0])]
    cut = tree.without(channels=gone)
    wide = Network(cut.name, cut.routers, cut.channels, cut.router_of, capacities=(1, 1, 1, 2, 2, 2))
    problem = Problem(wide, many_to_many_scatter([0], [1]), Rules(ports=2, routing="any", combining=True))
    for num_steps in (1, 2, 3):
        found = Combining()(problem, num_steps, seed, Budget(evaluations=200))
        assert found.schedule is None or not judge(problem, found.schedule)
