"""Selectors: the fewest ranges of sizes, each with one schedule near the best, whatever the number of workers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import pavane.search.pieces as sweeps
from pavane.campaign.baselines import best_baselines
from pavane.campaign.size_sweep import sweep
from pavane.campaign.size_sweep.sweep import TOLERANCE, SizePlans, retimed_for, select_timed
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.parallel.progress import Progress
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve

RING = network("ring:4")
LINKS = Links.uniform(RING, latency_ps=700_000, bytes_per_second=25 * 10**9, overhead_ps=100_000)
SIZES = [1000, 16_000, 256_000, 4_000_000]


def problem_of(kind: str = "aab") -> Problem:
    """Return a problem on a ring."""
    return Problem(RING, named(kind, RING), Rules(switching="store-and-forward"))


def selected(kind: str = "aab", **more: object) -> SizePlans:
    """Return the selector of a problem on a ring."""
    return select_timed(problem_of(kind), LINKS, SIZES, [1, 2, 4], SearchOptions(**more))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["aab", "aas", "allreduce", "oab", "aor"])
def test_every_size_has_a_schedule_near_the_best_baseline(kind: str) -> None:
    """Ranges follow each other, every schedule is judged for its size, and none ends before its bound."""
    sizes = SIZES[::3]
    selector = select_timed(problem_of(kind), LINKS, sizes, [1, 2, 4])
    assert [size.num_bytes for size in selector.sizes] == sizes
    for part in selector.ranges:
        for size in part.sizes:
            assert size.result.problem.collective.pieces == part.pieces
            assert size.result.bound is None or size.result.bound.figure <= size.finish
            assert size.baselines
            assert size.finish <= (1 + TOLERANCE) * min(size.baselines.values())


def test_large_messages_are_cut_into_more_pieces_than_small_ones() -> None:
    """With an overhead for each transfer many pieces cost more than they gain on small messages."""
    counts = [part.pieces for part in selected("oab").ranges]
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (2, 4)


def test_a_wide_tolerance_merges_all_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """One schedule serves all sizes if it may be slower."""
    monkeypatch.setattr(sweep, "TOLERANCE", 3.0)
    plans = select_timed(problem_of("oab"), LINKS, SIZES, [1, 2, 4])
    assert [len(part.sizes) for part in plans.ranges] == [len(SIZES)]


def test_workers_do_not_change_the_selector() -> None:
    """The same seed gives the same ranges and ends for any number of workers."""
    alone, together = selected(), selected(workers=2)
    assert [(size.num_bytes, size.finish) for size in alone.sizes] == [
        (size.num_bytes, size.finish) for size in together.sizes
    ]
    assert [part.pieces for part in alone.ranges] == [part.pieces for part in together.ranges]


def test_baselines_end_with_the_limit() -> None:
    """Without time left one number of pieces is timed, so that there is an answer, and no more."""
    problem = replace(problem_of(), links=LINKS, num_bytes=1_000_000)
    limited = best_baselines(problem, budget=Budget.of(1e-9))
    assert {result.problem.collective.pieces for result in limited} == {1}
    assert [result.provenance.solver for result in limited] == [
        each.provenance.solver for each in best_baselines(problem)
    ]


def test_an_interrupt_leaves_the_finished_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes are searched from the largest on; those before the interrupt make a selector."""
    calls = 0

    def interrupted(problem: Problem, options: SearchOptions, **_: Any) -> Result:
        nonlocal calls
        calls += 1
        if calls > 4:
            raise KeyboardInterrupt
        return solve(problem, options)

    monkeypatch.setattr(sweeps, "solve", interrupted)
    selector = selected()
    assert selector.interrupted
    assert [size.num_bytes for size in selector.sizes] == SIZES[-1:]


def test_progress_counts_sizes() -> None:
    """The campaign reports how many sizes are finished."""
    seen: list[Progress] = []
    selected(on_progress=seen.append)
    assert [(now.done, now.total) for now in seen] == [(done, 4) for done in range(5)]


def test_a_schedule_is_retimed_for_sizes_that_can_be_cut_so() -> None:
    """Routes and pieces stay; four pieces need four bytes."""
    result = solve(Problem(RING, named("aab", RING, pieces=4), problem_of().rules, links=LINKS, num_bytes=4000))
    other = retimed_for(result, 8000)
    assert other is not None
    assert result.finish is not None
    assert other.finish is not None
    assert other.finish > result.finish
    assert retimed_for(result, 3) is None


def test_baselines_take_their_best_number_of_pieces() -> None:
    """A chain of pieces is faster than whole messages, up to where overheads cost more."""
    problem = replace(problem_of("oab"), links=LINKS, num_bytes=4_000_000)
    ring = best_baselines(problem)[0]
    whole = best_baselines(problem, [1])[0]
    assert ring.problem.collective.pieces > 1
    assert ring.finish is not None
    assert whole.finish is not None
    assert ring.finish < whole.finish


@pytest.mark.parametrize("sizes", [[], [0]])
def test_sizes_that_cannot_be_are_refused(sizes: list[int]) -> None:
    """There must be a size, and each has a byte at least."""
    with pytest.raises(InputError, match="bytes"):
        select_timed(problem_of(), LINKS, sizes)
