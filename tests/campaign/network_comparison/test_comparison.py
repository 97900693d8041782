"""Comparing networks."""

from __future__ import annotations

from typing import Any

import pytest

from pavane import compare
from pavane.bounds import counted_bounds
from pavane.campaign.network_comparison import comparison
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.parallel.progress import Progress
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions
from pavane.timing import Costs

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
    assert [[cell.steps for cell in row.cells] for row in found.rows] == [[8, 4], [8, 4], [4, 3], [4, 3], [1, 1]]
    assert all(cell.is_proven and cell.bound == cell.steps for row in found.rows for cell in row.cells)
    assert [row.name for row in found.pareto()] == ["ring:8", "octagon", "torus:2x4", "complete:8"]
    assert not found.interrupted


def test_rules_hold_for_all() -> None:
    """With one port an all-to-all takes a step for each other processor at least."""
    found = compare(["ring:4", "complete:4"], ["aas"], Rules(ports=1))
    assert [row.cells[0].steps for row in found.rows] == [3, 3]


def test_tables() -> None:
    """Where schedules would be too large, tables have the steps; times of messages take schedules."""
    found = compare(["torus:128x128", "hypercube:14"], costs=Costs(1e-6, 1e-9), message_bytes=[64])
    assert [[cell.steps for cell in row.cells] for row in found.rows] == [[4096, 262144], [1171, 8192]]
    assert all(cell.is_proven for row in found.rows for cell in row.cells)
    assert found.total(found.rows[0]) is not None
    assert found.time(found.rows[0], 0, 64) is None


@pytest.mark.parametrize("seed", [0, 3])
def test_workers_change_nothing(seed: int) -> None:
    """The same seed gives the same answer for one worker and for two, with a limit that ends nothing."""
    one, two = (
        compare(["ring:8", "octagon", "kautz:2,3", "petersen"], options=SearchOptions(seed, 100, workers=workers))
        for workers in (1, 2)
    )
    for mine, other in zip(one.rows, two.rows, strict=True):
        assert (mine.names, mine.figures) == (other.names, other.figures)
        for cell, same in zip(mine.cells, other.cells, strict=True):
            assert (cell.outcome, cell.bound, cell.profile) == (same.outcome, same.bound, same.profile)


def test_progress() -> None:
    """It counts the searches that are finished, and those that are proven."""
    reports: list[Progress] = []
    compare(["ring:4", "octagon"], ["aas"], options=SearchOptions(on_progress=reports.append))
    assert [(now.done, now.total, now.outcomes) for now in reports] == [(1, 2, {"proven": 1}), (2, 2, {"proven": 2})]
    assert reports[0].activity == "alltoall (AAS) on ring:4"
    assert reports[0].seconds_left is None


def test_a_search_that_breaks_costs_one_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """What went wrong stands in the cell, and all others are there."""
    good = find_or_interrupt

    def search(problem: Problem, *options: Any, **settings: Any) -> Result:
        if problem.network.name == "octagon":
            raise RuntimeError("no luck")
        return good(problem, *options, **settings)

    monkeypatch.setattr(comparison, "find_or_interrupt", search)
    found = compare(["ring:4", "octagon"], ["aas"])
    ring, octagon = (row.cells[0] for row in found.rows)
    assert ring.steps == 2
    assert (octagon.outcome, octagon.steps) == ("failed", None)
    assert "RuntimeError: no luck" in octagon.why
    assert [row.name for row in found.pareto()] == ["ring:4"]


def test_an_interrupt_keeps_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells that were not searched for say so; where nothing is found the interrupt goes on."""
    good = find_or_interrupt
    interrupted = "octagon"

    def search(problem: Problem, *options: Any, **settings: Any) -> Result:
        if problem.network.name == interrupted:
            raise KeyboardInterrupt
        return good(problem, *options, **settings)

    monkeypatch.setattr(comparison, "find_or_interrupt", search)
    found = compare(["ring:4", "octagon", "petersen"], ["aas"])
    assert found.interrupted
    assert [row.cells[0].outcome for row in found.rows] == ["optimal", "not searched", "not searched"]
    interrupted = "ring:4"
    with pytest.raises(KeyboardInterrupt):
        compare(["ring:4", "octagon"], ["aas"])


def test_an_interrupt_that_a_package_has_made_an_error_of_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled packages do so while they load: the comparison ends, and the cell is not called failed."""

    def search(problem: Problem, *options: Any, **settings: Any) -> Result:
        if problem.network.name == "octagon":
            raise ImportError("a package cannot be loaded") from KeyboardInterrupt()
        return find_or_interrupt(problem, *options, **settings)

    monkeypatch.setattr(comparison, "find_or_interrupt", search)
    found = compare(["ring:4", "octagon"], ["aas"])
    assert found.interrupted
    assert [row.cells[0].outcome for row in found.rows] == ["optimal", "not searched"]


def test_a_search_without_a_schedule_leaves_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cell says that nothing is known, and what is proven."""

    def search(problem: Problem, *options: Any, **settings: Any) -> Result:
        return Result(problem, None, counted_bounds(problem))

    monkeypatch.setattr(comparison, "find_or_interrupt", search)
    (row,) = compare(["ring:4"], ["aas"]).rows
    assert (row.cells[0].outcome, row.cells[0].bound, row.cells[0].steps) == ("unknown", 2, None)


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
        ({"message_bytes": [4]}, "`message_bytes` without `costs`"),
        ({"costs": Costs(1, 1)}, "`costs` without `message_bytes`"),
        ({"costs": Costs(1, 1), "message_bytes": [0]}, "expected 1 or more, got 0"),
        ({"costs": Costs(1, 1), "message_bytes": [4, 4]}, "one is given twice"),
        ({"rules": Rules(routing="dimension-order")}, "octagon"),
        ({"options": 5}, "`options` is 5"),
    ],
)
def test_refusals(asked: dict[str, object], text: str) -> None:
    """What cannot be compared is said in one line, before any search."""
    with pytest.raises(InputError) as refusal:
        compare(**{"networks": ["octagon"], **asked})  # type: ignore[arg-type]
    assert text in str(refusal.value)
