"""What is told about how good a result is: of message times only what holds for any number of pieces."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from fuzzing.problems import replaced

import pavane
from pavane.bounds import lower_bounds
from pavane.io import parse_schedule, schedule_bytes
from pavane.io.proofs import fractional_times, pieces_text, times_text
from pavane.judge.result import Result


@pytest.fixture(scope="module")
def boxes() -> Result:
    """Two boxes of two, with a cable of one piece a step: what comes over it last must still be told."""
    line = pavane.network("line:4")
    network = replaced(line, [1 if sorted(ends) == [1, 2] else 4 for ends in line.channels.tolist()])
    rules = pavane.Rules(switching="store-and-forward")
    problem = pavane.Problem(network, pavane.named("allgather", network, pieces=2), rules)
    return pavane.synthesize(problem)


def test_a_tail_under_the_name_of_a_cut_is_no_word_about_other_numbers_of_pieces(boxes: Result) -> None:
    """The judge proves the steps of such a bound in a file, for this number of pieces and no other."""
    (tail,) = (bound for bound in lower_bounds(boxes.problem) if bound.argument == "tail")
    assert boxes.num_steps == tail.steps
    forged = replace(tail, argument="cut", exact=Fraction(tail.steps))
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
    pair = pavane.named("pairs", ring, pairs=[(0, 1)], sizes=[(0, 1, 2_000)])
    result = pavane.synthesize(pavane.Problem(ring, pair))
    assert pieces_text(result).startswith("1 a unit: 2,000 unit times, bound 2,000 (fractional)")


def test_without_a_schedule_there_are_no_times() -> None:
    """Under combining the number of pieces alone is told."""
    line = pavane.network("line:3")
    problem = pavane.Problem(line, pavane.named("allgather", line, pieces=2), pavane.Rules(combining=True))
    assert pieces_text(Result(problem, None)) == "2 a message"
    assert times_text(problem, None) == "no message times"
