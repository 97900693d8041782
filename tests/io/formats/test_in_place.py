"""Which sums of an allreduce wait in scratch where the output is the input."""

from __future__ import annotations

from pavane.io.formats.in_place import waiting_sums
from pavane.judge.result import Result
from tests.io.formats.allreduces import ALLREDUCES, direct, doubling, replaced
from tests.io.formats.msccl_interpreter import run_msccl
from tests.io.formats.mscclpp_interpreter import run_plan
from tests.io.formats.random_allreduces import random_allreduce
from tests.io.formats.schedules import written


def _waiting(result: Result) -> set[tuple[int, int]]:
    assert result.schedule is not None
    return waiting_sums(result.problem, result.schedule)


def test_after_a_reduction_nothing_waits() -> None:
    """A sum that has been made of what was sent comes after it, whatever phases do."""
    for name in ("allreduce on a ring", "allreduce in 2 on a mesh", "allreduce through switches", "reduce-broadcast"):
        assert _waiting(ALLREDUCES[name]()) == set()


def test_what_is_swapped_waits() -> None:
    """Where two swap sums, either may be slow to send its own, so the new one must not take its place."""
    assert _waiting(doubling(2)) == {(p, m) for p in range(4) for m in range(4)}
    assert _waiting(direct(3)) == {(p, m) for p in range(3) for m in range(3)}


def test_what_is_read_for_nothing_is_waited_for() -> None:
    """On the line 2 adds to its input what is replaced later, and 1 sends its input to 2; 0 only sends and gets."""
    assert _waiting(replaced()) == {(p, m) for p in (1, 2) for m in (0, 1)}


def test_sums_that_go_anywhere_are_right_in_place_and_not() -> None:
    """Allreduces at random run on GPUs of either library, in any order, whether or not the output is the input."""
    found = [result for result in map(random_allreduce, range(60)) if result is not None]
    assert len(found) > 15
    assert any(_waiting(result) for result in found)
    for result in found:
        pieces = result.problem.collective.pieces
        run_msccl(written("msccl-xml", result), "ALLREDUCE", pieces)
        run_plan(written("mscclpp", result), "ALLREDUCE", pieces)
