"""The phases of an allreduce in words and figures."""

from __future__ import annotations

from dataclasses import replace

from pavane.bounds import lower_bounds
from pavane.io.phases import bound_apart, overlap_text, phase_figures, phase_steps, phases_text
from pavane.judge.result import Result
from pavane.model.collectives import allgather, allreduce, in_pieces
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from tests.allreduces import AROUND, CUBE, DOUBLING, OVERLAP, OVERLAPPING, RING, hops


def test_phases_that_follow_each_other_share_nothing() -> None:
    """The ring algorithm has n - 1 steps to reduce and n - 1 to broadcast."""
    assert phase_steps(RING, hops(RING, AROUND)) == (2, 2, 0)
    assert overlap_text(RING, hops(RING, AROUND)) == "reduction of 2 steps, broadcast of 2; they share no step"


def test_overlap_is_counted() -> None:
    """A step that makes one sum and tells another belongs to both phases."""
    assert phase_steps(OVERLAP, hops(OVERLAP, OVERLAPPING)) == (3, 3, 2)


def test_recursive_doubling_has_no_broadcast() -> None:
    """All have the sum when the last contributions arrive."""
    assert phase_steps(CUBE, hops(CUBE, DOUBLING)) == (2, 0, 0)
    assert "without a broadcast" in overlap_text(CUBE, hops(CUBE, DOUBLING))


def test_the_bound_of_one_phase_after_the_other() -> None:
    """On a ring both phases have the bound of the allgather."""
    ring = network("ring:8")
    apart = bound_apart(Problem(ring, allreduce(ring)))
    assert apart == 2 * lower_bounds(Problem(ring, allgather(ring)))[0].steps


def test_a_gain_is_told() -> None:
    """One phase after the other takes 2 steps each, which recursive doubling has in all."""
    overlapped = Result(OVERLAP, hops(OVERLAP, OVERLAPPING), lower_bounds(OVERLAP))
    assert phases_text(overlapped).endswith(
        "4 steps against a bound of 3 for the whole and 4 for one phase after the other"
    )
    doubled = Result(CUBE, hops(CUBE, DOUBLING), lower_bounds(CUBE))
    assert phases_text(doubled).endswith(
        "2 steps against a bound of 2 for the whole and 4 for one phase after the other: a gain of 2 steps"
    )


def test_pieces_are_told_as_message_times() -> None:
    """Twice the pieces in twice the steps take the same message times."""
    problem = replace(OVERLAP, collective=in_pieces(OVERLAP.collective, 2))
    once = hops(OVERLAP, OVERLAPPING)
    again = [
        Transfer(2 * t.step + piece, t.sender, t.receiver, t.path, (2 * t.messages[0] + piece,))
        for t in once
        for piece in range(2)
    ]
    result = Result(problem, Schedule.from_transfers(again), lower_bounds(problem))
    assert "8 steps" not in phases_text(result)
    assert "4 message times against a bound of 3 for the whole" in phases_text(result)


def test_figures() -> None:
    """JSON has the number of parts and the steps of the phases; other collectives have neither."""
    assert phase_figures(CUBE, hops(CUBE, DOUBLING)) == {
        "parts": 1,
        "reduction_steps": 2,
        "broadcast_steps": 0,
        "shared_steps": 0,
    }
    assert phase_figures(CUBE, None)["shared_steps"] is None
    gathered = Problem(CUBE.network, allgather(CUBE.network))
    assert phase_figures(gathered, None) == {}
