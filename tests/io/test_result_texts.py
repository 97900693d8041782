"""Texts and figures about bounds, pieces and the phases of an allreduce."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from fuzzing.problems import replaced

import pavane
from pavane.bounds import lower_bounds
from pavane.io import parse_schedule, schedule_bytes
from pavane.io.result_texts import (
    bound_apart,
    fractional_times,
    overlap_text,
    phase_figures,
    phase_steps,
    phases_text,
    pieces_text,
    proof_sentences,
    times_text,
)
from pavane.judge.result import Result
from pavane.model.collectives import allgather, allreduce, in_pieces
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from tests.allreduces import AROUND, CUBE, DOUBLING, OVERLAP, OVERLAPPING, RING, hops


@pytest.fixture(scope="module")
def boxes() -> Result:
    """Two boxes of two, with a cable of one piece a step: what comes over it last must still be told."""
    line = pavane.network("line:4")
    network = replaced(line, [1 if sorted(ends) == [1, 2] else 4 for ends in line.channels.tolist()])
    rules = pavane.Rules(switching="store-and-forward")
    problem = pavane.Problem(network, pavane.named("allgather", network, pieces=2), rules)
    return pavane.solve(problem)


def test_a_tail_under_the_name_of_a_cut_is_no_word_about_other_numbers_of_pieces(boxes: Result) -> None:
    """The judge proves the steps of such a bound in a file, for this number of pieces and no other."""
    (tail,) = (bound for bound in lower_bounds(boxes.problem) if bound.argument == "tail")
    assert boxes.num_steps == tail.figure
    forged = replace(tail, argument="cut", exact=Fraction(tail.figure))
    read = parse_schedule(schedule_bytes(boxes.amended(bounds=(forged,))), "forged.json").result()
    assert read.status == "optimal"
    assert fractional_times(read) is None
    assert "no number of pieces does better" not in pieces_text(read)


def test_a_cut_in_a_file_is_told_in_message_times(boxes: Result) -> None:
    """What the judge proves of whole messages is told of a file as of a search."""
    read = parse_schedule(schedule_bytes(boxes), "boxes.json").result()
    assert fractional_times(read) == fractional_times(boxes) == 2


def test_large_numbers_of_times_are_grouped() -> None:
    """Message times are written as steps are, with commas."""
    ring = pavane.network("ring:4")
    pair = pavane.in_pieces(pavane.named("pairs", ring, pairs=[(0, 1)]), sizes=[(0, 1, 2_000)])
    result = pavane.solve(pavane.Problem(ring, pair))
    assert pieces_text(result).startswith("1 a unit: 2,000 unit times, bound 2,000 (fractional)")


def test_without_a_schedule_there_are_no_times() -> None:
    """Under combining the number of pieces alone is told."""
    line = pavane.network("line:3")
    problem = pavane.Problem(line, pavane.named("allgather", line, pieces=2), pavane.Rules(combining=True))
    assert pieces_text(Result(problem, None)) == "2 a message"
    assert times_text(problem, None) == "no message times"


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
    assert apart == 2 * lower_bounds(Problem(ring, allgather(ring)))[0].figure


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
    problem = replace(OVERLAP, collectives=(in_pieces(OVERLAP.collective, 2),))
    once = hops(OVERLAP, OVERLAPPING)
    again = [
        Transfer(2 * t.start + piece, t.sender, t.receiver, t.path, (2 * t.messages[0] + piece,))
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


def test_sentences_end_with_one_full_stop() -> None:
    """A bound that names the first of many routers says how to have the rest, and ends like any other."""
    sentences = list(proof_sentences(pavane.solve(pavane.Problem("mesh:4x4", "alltoall"))))
    assert any("`bounds --all` names them" in sentence for sentence in sentences)
    assert all(sentence.endswith(".") and not sentence.endswith("..") for sentence in sentences)
