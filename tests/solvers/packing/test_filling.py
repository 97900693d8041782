"""Filling: valid schedules of even networks, none of others; repeatable. An interrupt keeps what packing reached."""

from __future__ import annotations

import pytest

from pavane.judge.result import Result
from pavane.judge.rules import verify
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network
from pavane.solvers.packing import packing as packing_module
from pavane.solvers.packing.columns import Columns, Packed
from pavane.solvers.packing.filling import Filling
from pavane.solvers.packing.first_fit import FirstFit
from pavane.solvers.packing.packing import Packing, Shortening
from pavane.workers.budget import Budget


def problem_of(text: str, rules: Rules | None = None) -> Problem:
    """Return all-to-all scatter on a network."""
    made = network(text)
    return Problem(made, alltoall(made), rules or Rules())


def filled(problem: Problem, moves: int, seed: int = 0, fewer_than: int = 1000) -> Packed | None:
    """Fill the steps of a problem."""
    return Filling().fill(problem, Columns(problem, seed, Budget()), fewer_than, moves, seed, Budget())


@pytest.mark.parametrize("text", ["torus:6x6", "hypercube:5", "ring:9", "complete:6"])
def test_schedules_of_even_networks(text: str) -> None:
    """Every message gets a step and a shortest path, and the judge agrees."""
    problem = problem_of(text)
    found = filled(problem, 100)
    assert found is not None
    schedule = Columns(problem, 0, Budget()).schedule(found)
    assert Result(problem, schedule).num_steps == found.num_steps


def test_uneven_networks_are_left_to_pushing() -> None:
    """A mesh, whose middle carries the most, is not filled; nor is what cannot be shorter than what is at hand."""
    assert filled(problem_of("mesh:5x5"), 10) is None
    assert filled(problem_of("torus:6x6"), 10, fewer_than=27) is None


def test_supports_channels_alone() -> None:
    """Ports that bind and links in one direction at a time are not for it."""
    for rules, expected in ((Rules(), True), (Rules(ports=1), False), (Rules(duplex="half"), False)):
        problem = problem_of("torus:4x4", rules)
        assert Filling().supports(problem, Columns(problem, 0, Budget())) == expected


def test_the_seed_decides() -> None:
    """The same seed gives the same steps, another seed others."""
    problem = problem_of("hypercube:4")
    first, again, other = (filled(problem, 50, seed) for seed in (1, 1, 2))
    assert first is not None
    assert again is not None
    assert other is not None
    assert (first.step_of == again.step_of).all()
    assert (first.paths == again.paths).all()
    assert (first.step_of != other.step_of).any()


def test_packing_fills_a_hypercube() -> None:
    """Packing comes within one step of the bound of a hypercube of 64 routers."""
    result = Packing(most_cells=2_000_000_000)(problem_of("hypercube:6"), None, 0, Budget())
    assert result.num_steps in (32, 33)


def test_an_interrupt_keeps_what_was_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while packing pushes hands over the best schedule so far, and goes on to the caller."""
    problem = problem_of("torus:6x6")
    start = FirstFit(repacks=0)(problem, None, 0, Budget()).schedule
    assert start is not None
    short = Packing(most_cells=2_000_000_000)(problem, None, 0, Budget()).num_steps
    assert short is not None
    assert short < start.num_steps
    push, calls = packing_module._Pushing._push, []

    def interrupted(self: packing_module._Pushing, *args: object) -> Packed | None:
        calls.append(args)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return push(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(packing_module._Pushing, "_push", interrupted)
    shortening = Shortening(start, 1, packing=Packing(most_cells=2_000_000_000))
    kept: list[Schedule] = []
    with pytest.raises(KeyboardInterrupt):
        shortening(problem, None, 0, Budget(keep=kept.append))
    assert kept[0].num_steps < start.num_steps
    assert not verify(problem, kept[0])
