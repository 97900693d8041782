"""Several numbers of pieces: which are tried, what is kept, and which is the best."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from pavane.bounds.fractional import fractional_bound
from pavane.errors import InputError
from pavane.judge.certificates import proven_exactly
from pavane.judge.result import Result
from pavane.model.collectives import in_pieces, named
from pavane.model.links import Links
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.progress import Progress
from pavane.search import pieces as searched
from pavane.search.fewest_steps import find_fewest_steps
from pavane.search.options import SearchOptions
from pavane.search.pieces import PieceSweep, cut_into, doubled_counts, hinted, sweep_pieces, with_fractional_bound
from tests.problems import problem_of


def figures(found: PieceSweep) -> list[tuple[int, int | None]]:
    """Return the numbers of pieces that were tried, and the steps of each."""
    return [(result.problem.collective.pieces, result.num_steps) for result in found.results]


def test_auto_finds_the_number_itself() -> None:
    """On DGX-1 an allgather takes 7/6 message times with 6 pieces, and no number of pieces does better."""
    found = sweep_pieces(problem_of("dgx-1", "allgather"))
    assert found.fractional is not None
    assert found.fractional.per_message == Fraction(7, 6)
    assert figures(found) == [(1, 2), (2, 3), (3, 4), (6, 7)]
    best = found.best()
    assert (best.problem.collective.pieces, best.per_message) == (6, Fraction(7, 6))
    assert [found.is_final(result) for result in found.results] == [False, False, False, True]
    assert all(result.status == "optimal" for result in found.results)
    assert found.problem.collective.pieces == 1


def test_auto_ends_where_the_bound_is_met_and_skips_what_cannot_be_better() -> None:
    """Whole messages that meet the bound are enough; 2 pieces in a half more than 15/4 message times are not tried."""
    assert figures(sweep_pieces(problem_of("petersen", "allgather"))) == [(1, 3)]
    assert figures(sweep_pieces(problem_of("torus:4x4", "allgather"))) == [(1, 4), (4, 15)]


def test_a_list_is_tried_as_it_is() -> None:
    """Each number once, the fewest pieces first, whatever the bound says; the problem's own number does not count."""
    found = sweep_pieces(cut_into(problem_of("petersen", "allgather"), 5), [2, 1, 2])
    assert figures(found) == [(1, 3), (2, 6)]
    assert found.best() is found.results[0]  # of equals the one with fewer start-ups


def test_the_size_of_messages_decides() -> None:
    """Small messages want few start-ups, large ones few message times; the time is S * (ts + m * t1 / k)."""
    found = sweep_pieces(problem_of("dgx-1", "allgather"), [1, 2, 3, 6])
    chosen = [found.best(1.0, size).problem.collective.pieces for size in (0.5, 3.0, 4.0, 100.0)]
    assert chosen == [1, 2, 2, 6]
    assert searched.time_of(found.results[1], 1.0, 4.0) == 3 * (1 + Fraction(4, 2))


def test_the_fractional_bound_is_one_of_the_bounds() -> None:
    """Each result has it for its own number of pieces, and the judge proves it."""
    found = sweep_pieces(problem_of("dgx-1", "alltoall"), [3])
    (result,) = found.results
    (exact,) = {proven_exactly(result.problem, bound) for bound in result.bounds if bound.exact == 8}
    assert exact == 8


def test_one_result_learns_the_fractional_bound() -> None:
    """A schedule that a bound on its own number of pieces has proven gets the one on any number besides."""
    problem = cut_into(problem_of("line:4", "broadcast", switching="store-and-forward"), 2)
    bare = Result(problem, None)
    told = with_fractional_bound(bare)
    assert {bound.exact for bound in told.bounds} == {Fraction(2)}
    met = sweep_pieces(problem_of("ring:8", "allgather"), [2]).results[0]
    assert with_fractional_bound(met) is met


def test_which_numbers_are_hinted() -> None:
    """Divisors and multiples of the denominator; of a large one also the number that rounding costs least."""
    problem = problem_of("dgx-1", "allgather")
    fractional = fractional_bound(problem)
    assert fractional is not None

    def numbers(times: Fraction) -> tuple[int, ...]:
        assert fractional is not None
        return hinted(problem, fractional._replace(per_message=times))

    assert numbers(Fraction(7, 6)) == (1, 2, 3, 6, 12)
    assert numbers(Fraction(31, 10)) == (1, 2, 5, 10)
    assert numbers(Fraction(15, 166)) == (1, 2, 11)
    assert numbers(Fraction(3)) == tuple(range(1, 13)) == hinted(problem, None)
    large = problem_of("mesh:12x12", "alltoall")
    assert hinted(large, None) == (1,)  # 20,592 pieces already


def test_the_time_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each number gets an equal part of what is left, and what is left over goes to the others."""
    given: list[float] = []
    inner = find_fewest_steps

    def find(problem: Problem, options: SearchOptions, **settings: Any) -> Result:
        given.append(options.seconds or 0.0)
        return inner(problem, options, **settings)

    monkeypatch.setattr(searched, "find_fewest_steps", find)
    sweep_pieces(problem_of("ring:4", "allgather"), [1, 2, 3], SearchOptions(seconds=300))
    assert len(given) == 3
    assert 60 < given[0] <= 100 < given[1] <= 150 < given[2] <= 300


def test_no_time_leaves_a_note() -> None:
    """Whatever the time, there is one answer; numbers that were not tried are named."""
    found = sweep_pieces(problem_of("dgx-1", "allgather"), [1, 2, 3], SearchOptions(seconds=1e-6))
    assert figures(found) == [(1, 2)]
    assert found.notes == ("no time was left to try 2, 3 pieces; a longer `seconds` may find more",)


def interrupted_at(monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    """Let somebody interrupt the search of one number of pieces."""
    inner, calls = find_fewest_steps, [0]

    def find(problem: Problem, *options: Any, **settings: Any) -> Result:
        calls[0] += 1
        if calls[0] == call:
            raise KeyboardInterrupt
        return inner(problem, *options, **settings)

    monkeypatch.setattr(searched, "find_fewest_steps", find)


def test_an_interrupt_keeps_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found before is returned and says so; with nothing found the interrupt goes on."""
    problem = problem_of("dgx-1", "allgather")
    interrupted_at(monkeypatch, 3)
    found = sweep_pieces(problem)
    assert figures(found) == [(1, 2), (2, 3)]
    assert found.interrupted
    assert found.best().problem.collective.pieces == 2
    interrupted_at(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt):
        sweep_pieces(problem)


def test_progress_tells_the_number_of_pieces() -> None:
    """Who watches hears which number is tried, and the best so far."""
    heard: list[Progress] = []
    sweep_pieces(problem_of("ring:8", "allgather"), options=SearchOptions(on_progress=heard.append))
    assert {(now.pieces, now.message_times) for now in heard} == {(1, None), (2, Fraction(4))}


def test_nothing_found_is_told() -> None:
    """Without any schedule there is no best one."""
    found = sweep_pieces(problem_of("petersen", "alltoall"), [1, 2], SearchOptions(seconds=1e-6), method="cp-sat")
    assert figures(found) == [(1, None), (2, None)]
    with pytest.raises(InputError, match=r"^no schedule of .* was found; give the search more time$"):
        found.best()


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([], r"^`pieces` lists no number; give some, like \[1, 2, 3\], or auto$"),
        ([2, 0], r"^pieces 0: every message is cut into 1 to 50,000,000 pieces"),
        ([1, 40_000_000], r"^AAB on ring:4 has 160,000,000 pieces; at most 50,000,000 fit"),
    ],
)
def test_numbers_that_cannot_be_are_refused(pieces: list[int], text: str) -> None:
    """Before any search, in one line."""
    with pytest.raises(InputError, match=text):
        sweep_pieces(problem_of("ring:4", "allgather"), pieces)


def test_combining_is_refused() -> None:
    """Steps are not what counts there."""
    with pytest.raises(InputError, match=r"leave `combining` out$"):
        sweep_pieces(problem_of("ring:4", "allgather", combining=True))


def test_sizes_and_capacities_are_kept() -> None:
    """A message time is that of a unit, on a channel of capacity 1."""
    line = Network("two", ("0", "1"), [(0, 1), (1, 0)], [0, 1], capacities=[2, 1])
    problem = Problem(line, in_pieces(named("alltoall", line), sizes=[(0, 1, 3)]))
    found = sweep_pieces(problem)
    assert found.fractional is not None
    assert found.fractional.per_message == Fraction(3, 2)
    assert figures(found) == [(1, 2), (2, 3)]


def test_its_short_form_names_the_best() -> None:
    """In message times, and of how many pieces."""
    found = sweep_pieces(problem_of("ring:4", "OAB"), [1, 2])
    assert (
        repr(found) == "<PieceSweep: broadcast (OAB) on ring:4, 2 numbers of pieces, best 1 message time with 2 pieces>"
    )
    none = PieceSweep(found.problem, (), None)
    assert repr(none) == "<PieceSweep: no schedule of broadcast (OAB) on ring:4, 0 numbers of pieces>"


def test_an_interrupt_within_a_search_keeps_its_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that hands over its best when it is interrupted is the last one."""

    def interrupted(problem: Problem, *options: Any, **settings: Any) -> Result:
        return find_fewest_steps(problem, *options, **settings).amended(interrupted=True)

    monkeypatch.setattr(searched, "find_fewest_steps", interrupted)
    found = sweep_pieces(problem_of("dgx-1", "allgather"), [1, 2, 3])
    assert figures(found) == [(1, 2)]
    assert found.interrupted


def test_a_result_without_a_fractional_bound_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no argument says anything about all numbers of pieces, nothing is claimed."""
    monkeypatch.setattr(searched, "fractional_bound", lambda *_: None)
    bare = Result(problem_of("ring:4", "allgather"), None)
    assert with_fractional_bound(bare) is bare


# -- start times


def timed_of(overhead: int = 0) -> Problem:
    """Return a broadcast of 100 kB on a ring."""
    ring = network("ring:5")
    links = Links.uniform(ring, latency_ps=10_000, bytes_per_second=10**9, overhead_ps=overhead)
    return Problem(ring, named("oab", ring), Rules("store-and-forward"), links=links, num_bytes=100_000)


def test_numbers_are_doubled_until_they_cost_more_than_they_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a large overhead whole messages are best; without one more pieces are."""
    monkeypatch.setattr(searched, "MOST_PIECES_DOUBLED", 16)
    dear = sweep_pieces(timed_of(overhead=10**9))
    assert [result.problem.collective.pieces for result in dear.results] == [1]
    assert sweep_pieces(timed_of()).best().problem.collective.pieces == 16


@pytest.mark.parametrize(("size", "counts"), [(1, [1]), (4, [1, 2, 4]), (5, [1, 2]), (10**6, [1, 2, 4, 8, 16, 32, 64])])
def test_no_more_pieces_than_bytes(size: int, counts: list[int]) -> None:
    """A message is cut into numbers of pieces of which the last has a byte."""
    assert list(doubled_counts(size)) == counts


def test_each_earlier_end_is_reported() -> None:
    """With start times every result that ends before all others is, so that a killed run leaves a schedule."""
    better: list[Result] = []
    found = sweep_pieces(timed_of(), [1, 2, 4], SearchOptions(on_improvement=better.append))
    assert [result.problem.collective.pieces for result in better] == [1, 2, 4]
    assert found.best() is found.results[-1]
    assert repr(found).endswith("with 4 pieces>")
