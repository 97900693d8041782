"""Campaigns collect results as they arrive, report progress, and survive an interrupt."""

from collections.abc import Iterator

import pytest

from pavane.parallel.campaign import Campaign
from pavane.parallel.progress import Progress


def arriving(*results: tuple[str, int], interrupted: bool = False) -> Iterator[tuple[str, int]]:
    """Yield results, and raise an interrupt behind the last if that is requested."""
    yield from results
    if interrupted:
        raise KeyboardInterrupt


def test_results_are_recorded_and_reported() -> None:
    """Each result is recorded once; reports count what is done, what was known before, and every outcome."""
    reports: list[Progress] = []
    recorded: list[tuple[str, int]] = []
    campaign = Campaign[str, int](
        3, str.upper, reports.append, known={"a": 1}, outcome=lambda result: "odd" if result % 2 else ""
    )
    campaign.collect(arriving(("b", 2), ("c", 3)), lambda key, result: recorded.append((key, result)))
    assert campaign.results == {"a": 1, "b": 2, "c": 3}
    assert not campaign.interrupted
    assert recorded == [("b", 2), ("c", 3)]
    assert [(now.activity, now.done, now.total, now.outcomes) for now in reports] == [
        ("B", 2, 3, {"odd": 1}),
        ("C", 3, 3, {"odd": 2}),
    ]
    assert reports[-1].seconds_left == 0


def test_a_later_result_replaces_an_earlier_one() -> None:
    """The outcome of the earlier one is not counted any more."""
    reports: list[Progress] = []
    campaign = Campaign[str, int](1, str, reports.append, outcome=lambda result: "odd" if result % 2 else "even")
    campaign.collect(arriving(("a", 1), ("a", 2)))
    assert campaign.results == {"a": 2}
    assert [now.outcomes for now in reports] == [{"odd": 1}, {"even": 1}]


def test_an_interrupt_leaves_a_part() -> None:
    """The results so far remain; without any the interrupt is raised, unless the campaign may be empty."""
    campaign = Campaign[str, int](2, str, None)
    campaign.collect(arriving(("a", 1), interrupted=True))
    assert campaign.interrupted
    assert campaign.results == {"a": 1}
    with pytest.raises(KeyboardInterrupt):
        Campaign[str, int](2, str, None).collect(arriving(interrupted=True))
    empty = Campaign[str, int](2, str, None)
    empty.collect(arriving(interrupted=True), may_be_empty=True)
    assert empty.interrupted


def test_an_interrupt_while_a_result_is_recorded_loses_nothing() -> None:
    """The result counts, although it may be missing in the file."""

    def record(key: str, result: int) -> None:
        raise KeyboardInterrupt

    campaign = Campaign[str, int](2, str, None)
    campaign.collect(arriving(("a", 1), ("b", 2)), record)
    assert campaign.results == {"a": 1}
    assert campaign.interrupted
