"""Comparing networks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane import compare
from pavane.bounds import counted_bounds
from pavane.campaign import runs
from pavane.campaign.comparison import Comparison, ComparisonRow
from pavane.campaign.network_figures import NetworkFigures
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.progress import Progress
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions
from pavane.timing import Costs
from tests.campaign.comparisons import made_up, run

SMALL = ["ring:8", "octagon", "hypercube:3", "torus:2x4", "mesh:2x4", "complete:8", "fat-octagon:1"]


def test_rows() -> None:
    """One row a network, by all its names; cheap ones first, and every figure of steps is a proven optimum."""
    found = compare(SMALL, ["alltoall", "allgather"])
    assert [row.names for row in found.rows] == [
        ("ring:8",),
        ("mesh:2x4",),
        ("octagon", "fat-octagon:1"),
        ("torus:2x4", "hypercube:3"),
        ("complete:8",),
    ]
    assert found.collectives == ("AAS", "AAB")
    assert [[each and each.figure for each in row.runs] for row in found.rows] == [
        [8, 4],
        [8, 4],
        [4, 3],
        [4, 3],
        [1, 1],
    ]
    assert all(each.proven and each.bound == each.figure for each in found.runs)
    assert [row.name for row in found.pareto()] == ["ring:8", "octagon", "torus:2x4", "complete:8"]
    assert not found.num_missing


def test_rules_hold_for_all() -> None:
    """With one port an all-to-all takes a step for each other processor at least."""
    found = compare(["ring:4", "complete:4"], ["aas"], Rules(ports=1))
    assert [each.figure for each in found.runs] == [3, 3]


def test_tables() -> None:
    """Where schedules would be too large, tables have the steps; times of messages take schedules."""
    found = compare(["torus:128x128", "hypercube:14"], costs=Costs(1e-6, 1e-9), message_bytes=64)
    assert [[each and each.figure for each in row.runs] for row in found.rows] == [[4096, 262144], [1171, 8192]]
    assert all(each.proven for each in found.runs)
    assert found.time(found.rows[0], 0) is None


@pytest.mark.parametrize("seed", [0, 3])
def test_workers_change_nothing(seed: int) -> None:
    """The same seed gives the same answer for one worker and for two, with a limit that ends nothing."""
    one, two = (
        compare(["ring:8", "octagon", "kautz:2,3", "petersen"], options=SearchOptions(seed, 100, workers=workers))
        for workers in (1, 2)
    )
    for mine, other in zip(one.rows, two.rows, strict=True):
        assert (mine.names, mine.figures) == (other.names, other.figures)
        for own, same in zip(one.runs, two.runs, strict=True):
            assert msgspec.structs.replace(own, seconds=0.0) == msgspec.structs.replace(same, seconds=0.0)


def test_progress() -> None:
    """It counts the searches that are finished, and those that are proven."""
    reports: list[Progress] = []
    compare(["ring:4", "octagon"], ["aas"], options=SearchOptions(on_progress=reports.append))
    assert [(now.done, now.total, now.outcomes) for now in reports] == [
        (0, 2, {}),
        (1, 2, {"proven": 1}),
        (2, 2, {"proven": 2}),
    ]
    assert reports[1].activity == "alltoall (AAS) on ring:4"
    assert reports[0].seconds_left is None


def test_a_search_that_breaks_costs_one_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """What went wrong stands in the cell, and all others are there."""
    good = find_or_interrupt

    def search(problem: Problem, *options: Any, **settings: Any) -> Result:
        if problem.network.name == "octagon":
            raise RuntimeError("no luck")
        return good(problem, *options, **settings)

    monkeypatch.setattr(runs, "find_or_interrupt", search)
    found = compare(["ring:4", "octagon"], ["aas"])
    ring, octagon = found.runs
    assert ring.figure == 2
    assert (octagon.status, octagon.figure) == ("failed", None)
    assert "RuntimeError: no luck" in str(octagon.error)
    assert [row.name for row in found.pareto()] == ["ring:4"]


def test_an_interrupt_keeps_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells that were not searched for say so; where nothing is found the interrupt goes on."""
    good = find_or_interrupt
    interrupted = "octagon"

    def search(problem: Problem, *options: Any, **settings: Any) -> Result:
        if problem.network.name == interrupted:
            raise KeyboardInterrupt
        return good(problem, *options, **settings)

    monkeypatch.setattr(runs, "find_or_interrupt", search)
    found = compare(["ring:4", "octagon", "petersen"], ["aas"])
    assert [row.runs[0] and row.runs[0].status for row in found.rows] == ["optimal", None, None]
    interrupted = "ring:4"
    with pytest.raises(KeyboardInterrupt):
        compare(["ring:4", "octagon"], ["aas"])


def test_an_interrupt_that_a_package_has_made_an_error_of_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled packages do so while they load: the comparison ends, and the cell is not called failed."""

    def search(problem: Problem, *options: Any, **settings: Any) -> Result:
        if problem.network.name == "octagon":
            raise ImportError("a package cannot be loaded") from KeyboardInterrupt()
        return find_or_interrupt(problem, *options, **settings)

    monkeypatch.setattr(runs, "find_or_interrupt", search)
    found = compare(["ring:4", "octagon"], ["aas"])
    assert [row.runs[0] and row.runs[0].status for row in found.rows] == ["optimal", None]


def test_a_search_without_a_schedule_leaves_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cell says that nothing is known, and what is proven."""

    def search(problem: Problem, *options: Any, **settings: Any) -> Result:
        return Result(problem, None, counted_bounds(problem))

    monkeypatch.setattr(runs, "find_or_interrupt", search)
    (found,) = compare(["ring:4"], ["aas"]).runs
    assert (found.status, found.bound, found.figure) == ("unknown", 2, None)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"networks": []}, "no network was named"),
        ({"networks": ["octogon"]}, "did you mean octagon"),
        ({"networks": [Network("one", 1, [])]}, "network one has 1 processor;"),
        ({"networks": [Network("none", 2, [(0, 1), (1, 0)], [])]}, "network none has no processors;"),
        ({"networks": [Network("apart", 2, [(0, 1)])]}, "network apart: not every processor can reach every other"),
        ({"collectives": []}, "no collective was named"),
        ({"collectives": ["aas", "alltoall"]}, "AAS is named twice"),
        ({"collectives": ["pairs"]}, "PAIRS depends on the network"),
        ({"message_bytes": 4}, "`message_bytes` without `costs`"),
        ({"costs": Costs(1, 1)}, "`costs` without `message_bytes`"),
        ({"costs": Costs(1, 1), "message_bytes": 0}, "expected 1 or more, got 0"),
        ({"rules": Rules(routing="dimension-order")}, "octagon"),
        ({"options": 5}, "`options` is 5"),
    ],
)
def test_refusals(asked: dict[str, object], text: str) -> None:
    """What cannot be compared is said in one line, before any search."""
    with pytest.raises(InputError) as refusal:
        compare(**{"networks": ["octagon"], **asked})  # type: ignore[arg-type]
    assert text in str(refusal.value)


def test_results_in_a_file_are_not_searched_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another network adds its own run; the file has a line for each search."""
    file, searched = tmp_path / "runs.jsonl", []

    def search(problem: Problem, *options: Any, **settings: Any) -> Result:
        searched.append(problem.network.name)
        return find_or_interrupt(problem, *options, **settings)

    monkeypatch.setattr(runs, "find_or_interrupt", search)
    compare(["ring:4"], ["aas"], options=SearchOptions(seconds=100), file=file)
    found = compare(["ring:4", "octagon"], ["aas"], options=SearchOptions(seconds=100), file=file)
    assert searched == ["ring:4", "octagon"]
    assert list(found.runs) == runs.read_runs(file)


# -- tables

RING = network("ring:4")
FIGURES = NetworkFigures.of(RING)

ROWS = st.lists(st.tuples(st.integers(4, 6), st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=20)


@given(ROWS)
def test_the_pareto_set_by_definition(drawn: list[tuple[int, int, int]]) -> None:
    """A network is in it exactly if no other of as many processors is no dearer, no slower, and better somewhere."""
    rows = tuple(
        ComparisonRow(
            (f"net {number}",), RING, replace(FIGURES, processors=processors, cost=cost), (run(steps),), Rules()
        )
        for number, (processors, cost, steps) in enumerate(drawn)
    )
    found = Comparison(("AAS",), rows)
    expected = [
        row
        for row, (processors, cost, steps) in zip(rows, drawn, strict=True)
        if not any(
            other[0] == processors and other[1] <= cost and other[2] <= steps and other != (processors, cost, steps)
            for other in drawn
        )
    ]
    assert list(found.pareto()) == expected


def test_hops_count_where_messages_are_small() -> None:
    """Then the network of few hops wins; for large messages that of few steps does, too."""
    costs = Costs(startup=1e-6, per_byte=1e-9, per_hop=1e-6)
    rows = {"ring:8": (run(8, hops=1),), "spidergon:8": (run(7, hops=9),)}
    small, large = (made_up(rows, costs=costs, message_bytes=size) for size in (1000, 10**6))
    assert [row.name for row in small.pareto()] == ["ring:8"]
    assert [row.name for row in large.pareto()] == ["ring:8", "spidergon:8"]
    assert small.time(small.rows[0], 0) == pytest.approx(8 * (1e-6 + 1e-6 + 1e-6))


def test_collectives_add_up() -> None:
    """All collectives count, one after the other; a network on which one has no schedule is in no set."""
    found = made_up({"ring:8": (run(8), run(4)), "line:8": (run(1), run(None))}, ("AAS", "AAB"))
    assert [found.total(row) for row in found.rows] == [12, None]
    assert [row.name for row in found.pareto()] == ["ring:8"]


def test_equal_times_are_equal_whatever_they_are_added_up_of() -> None:
    """Rounding puts no network above another."""
    costs = Costs(startup=0.1, per_byte=0.1)
    found = made_up(
        {"octagon": (run(3), run(6)), "hypercube:3": (run(8), run(1)), "torus:2x4": (run(4), run(5))},
        ("AAS", "AAB"),
        costs,
        1,
    )
    assert len(found.pareto()) == 3


def test_it_is_short() -> None:
    """In a session it is one line, however many networks there are."""
    rows = {f"ring:{size}": (run(size),) for size in range(4, 12)}
    assert repr(made_up(rows)) == (
        "<Comparison of 8 networks for AAS, 8 in the Pareto set: ring:4, ring:5, ring:6, ring:7 and 4 more>"
    )
    assert repr(made_up({"ring:4": (run(None),)})) == "<Comparison of 1 network for AAS, 0 in the Pareto set>"


def test_the_table_has_numbers() -> None:
    """Steps, bounds where they are lower, the total, and a star in the Pareto set."""
    rows = {"ring:8": (run(8, bound=7), run(4)), "octagon": (run(4), None)}
    table = made_up(rows, ("AAS", "AAB")).table()
    assert table.titles[-5:] == ["AAS", "AAS bound", "AAB", "all", "best"]
    assert [row[-5:] for row in table.rows] == [[8, 7, 4, 12, True], [4, None, "not searched", None, False]]
    assert [cells[-1] for cells in table.cells()] == ["*", ""]
    timed = made_up(rows, ("AAS", "AAB"), Costs(1e-6, 1e-9), 4096).table()
    assert timed.titles[-4:] == ["AAB", "AAB 4 KiB", "all 4 KiB", "best"]


def test_the_legend_names_what_is_there() -> None:
    """Pure switches and capacities only where a network has them."""
    assert not any("switches" in line for line in made_up({"ring:8": (run(8),)}).legend())
    fat = made_up({"fat-tree:4": (run(8, bound=7),)}).legend()
    assert any(line.startswith("switches ") for line in fat)
    assert "steps       a figure without a bound beside it is proven the fewest" in fat
