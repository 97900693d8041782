"""Timed problems in several numbers of pieces: skipped by bounds, shared time and interrupts."""

from __future__ import annotations

import pytest

import pavane.search.timed_pieces as timed_pieces
from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.progress import Progress
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.search.timed_pieces import doubled_counts, solve_timed_pieces

RING = network("ring:5")


def timed_of(size: int = 100_000, overhead: int = 0) -> Problem:
    """Return a broadcast on a ring."""
    links = Links.uniform(RING, latency_ps=10_000, bytes_per_second=10**9, overhead_ps=overhead)
    return Problem(RING, named("oab", RING), Rules(switching="store-and-forward"), links=links, num_bytes=size)


def counts_of(results: tuple[Result, ...]) -> list[int]:
    """Return the numbers of pieces that were tried."""
    return [result.problem.collective.pieces for result in results]


def test_numbers_are_doubled_until_they_cost_more_than_they_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a large overhead whole messages are best; without one more pieces are."""
    monkeypatch.setattr(timed_pieces, "MOST_PIECES_DOUBLED", 16)
    dear = solve_timed_pieces(timed_of(overhead=10**9), "auto")
    assert counts_of(dear.results) == [1]
    free = solve_timed_pieces(timed_of(), "auto")
    assert free.best is not None
    assert free.best.problem.collective.pieces == 16


@pytest.mark.parametrize(("size", "counts"), [(1, [1]), (4, [1, 2, 4]), (5, [1, 2]), (10**6, [1, 2, 4, 8, 16, 32, 64])])
def test_no_more_pieces_than_bytes(size: int, counts: list[int]) -> None:
    """A message is cut into numbers of pieces of which the last has a byte."""
    assert list(doubled_counts(size)) == counts


def test_each_better_result_is_reported() -> None:
    """So that a killed run leaves a schedule; the progress has the number of pieces."""
    better: list[Result] = []
    seen: list[Progress] = []
    found = solve_timed_pieces(timed_of(), [1, 2, 4], SearchOptions(on_progress=seen.append), better.append)
    assert counts_of(tuple(better)) == counts_of(found.results) == [1, 2, 4]
    assert [now.activity.split(",")[0] for now in seen] == ["1 piece", "2 pieces", "4 pieces"]


def test_an_interrupt_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing found it is raised."""

    def interrupted(problem: Problem, options: SearchOptions) -> Result:
        if problem.collective.pieces > 1:
            raise KeyboardInterrupt
        return solve(problem, options)

    monkeypatch.setattr(timed_pieces, "solve", interrupted)
    found = solve_timed_pieces(timed_of(), [1, 2])
    assert found.interrupted
    assert counts_of(found.results) == [1]
    with pytest.raises(KeyboardInterrupt):
        solve_timed_pieces(timed_of(), [2])


def test_a_search_without_time_left_says_what_it_did_not_try(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a note."""
    clock = iter(range(10**6))
    monkeypatch.setattr("pavane.jit.clock.now", lambda: float(next(clock)))
    found = solve_timed_pieces(timed_of(), [1, 2, 4], SearchOptions(seconds=3))
    assert "no time was left to try" in found.notes[0]
