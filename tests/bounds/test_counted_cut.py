"""The bound by a cut that counts private messages without listing them."""

from __future__ import annotations

import pytest

from pavane.bounds.counted_cut import cut_bounds
from pavane.bounds.steps import explain
from pavane.judge.certificates import proven
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("spec", "steps", "text"),
    [
        ("mesh:4x4", 16, "64 messages must leave routers 0 to 7, 4 a step"),
        ("mesh:3x5", 18, "54 messages must leave routers 0 to 1, 5 to 6, 10 to 11, 3 a step"),
        ("mesh:256x256", 4_194_304, "1,073,741,824 messages must leave routers 0 to 32767, 256 a step"),
        ("rails:4,2", 6, "12 messages must leave routers 0.0 to 0.1, 0.S, 2 a step"),
        ("rails:1250,8", 9_992, "79,936 messages must leave routers 0.0 to 0.7, 0.S, 8 a step"),
        ("nvl:8", 1, "7 messages must leave router 0, 18 a step"),
    ],
)
def test_what_must_leave(spec: str, steps: int, text: str) -> None:
    """The lower half of a mesh, a machine of a cluster or a router send to all others; the judge counts the same."""
    problem = problem_of(spec, "AAS", switching="store-and-forward")
    (bound,) = cut_bounds(problem)
    assert (bound.figure, explain(problem, bound)) == (steps, text)
    assert proven(problem, bound) == steps


def test_what_one_processor_must_send() -> None:
    """With few ports a processor's own messages bound the steps; the judge counts the same."""
    problem = problem_of("rails:1250,8", "AAS", ports=1)
    (bound,) = cut_bounds(problem)
    assert (bound.figure, proven(problem, bound)) == (9_999, 9_999)
    assert explain(problem, bound) == "processor 0 must send 9,999 messages, 1 a step"


def test_other_collectives_have_none() -> None:
    """What is copied need not leave once for each target."""
    assert cut_bounds(problem_of("mesh:4x4", "AAB")) == ()
