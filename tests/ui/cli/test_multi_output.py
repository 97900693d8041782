"""A search for several schedules keeps its files up to date: the chosen one, and a folder without what is dominated."""

from __future__ import annotations

from pathlib import Path

import pytest

from pavane.io import read_schedule
from pavane.judge.result import Result
from pavane.search.pareto_search import pareto_front
from pavane.search.pieces import cut_into
from pavane.search.synthesis import solve
from pavane.ui.cli.multi_output import MultiOutput, message_times, nondominated
from tests.problems import problem_of

PROBLEM = problem_of("hypercube:3", "AAS", combining=True, routing="any")


def cost(result: Result) -> tuple[float, int]:
    """Return the steps."""
    return float(result.num_steps or 0), 0


def name(result: Result) -> str:
    """Return a name with both figures."""
    assert result.schedule is not None
    return f"{result.num_steps}-{result.schedule.tco}.json"


@pytest.fixture(scope="module")
def points() -> list[Result]:
    """Schedules of few start-ups and of little TCO, the fewest start-ups first."""
    return [point.result for point in pareto_front(PROBLEM).points]


def test_files_follow_the_search(points: list[Result], tmp_path: Path) -> None:
    """Each is there as soon as it is written, and gone when another is better; the file has what costs least."""
    longest, shortest = points[-1], points[0]
    worse = Result(PROBLEM, solve(PROBLEM, method="greedy").schedule)
    assert message_times(worse) > message_times(longest)
    files = MultiOutput(tmp_path / "one.json", tmp_path / "all", cost, name)
    assert files.are_wanted_soon
    files.write_so_far([worse])
    assert [path.name for path in (tmp_path / "all").iterdir()] == [name(worse)]
    files.write_so_far([longest, shortest])
    assert {path.name for path in (tmp_path / "all").iterdir()} == {name(longest), name(shortest)}
    assert read_schedule(tmp_path / "one.json").schedule == shortest.schedule
    files.write_folder([longest])
    assert [path.name for path in (tmp_path / "all").iterdir()] == [name(longest)]


def test_what_others_have_written_stays(points: list[Result], tmp_path: Path) -> None:
    """Only files of this search are removed."""
    (tmp_path / "other.json").write_text("{}")
    files = MultiOutput(None, tmp_path, cost, name)
    files.write_so_far(points)
    files.write_folder([])
    assert [path.name for path in tmp_path.iterdir()] == ["other.json"]


def test_pages_and_stdout_wait_for_the_end() -> None:
    """A schedule file is all that is written on the way."""
    for output in (None, Path("-"), Path("a.html"), Path("a.svg")):
        assert not MultiOutput(output, None, cost, name).are_wanted_soon


def test_dominated_numbers_of_pieces_are_left_out() -> None:
    """Of schedules in different pieces those stay that no other beats in steps and in message times."""
    whole, halves = problem_of("mesh:3x3", "AAS"), cut_into(problem_of("mesh:3x3", "AAS"), 2)
    best, longer = solve(whole), solve(halves, method="greedy")
    stays = nondominated([longer, best, solve(halves)])
    assert best in stays
    assert all(message_times(one) < message_times(best) for one in stays if one is not best)
