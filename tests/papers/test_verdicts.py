"""One word for each outcome."""

import pytest
from papers.verdicts import Figure, bound_mark, count_mark, rate_mark, steps_mark


@pytest.mark.parametrize(
    ("figure", "reached", "lower", "mark"),
    [
        (Figure(9, 10), 9, 9, "better"),
        (Figure(9, 10), 10, 9, "equal"),
        (Figure(9, 10), 11, 9, "worse"),
        (Figure(9, 10), None, 9, "worse"),
        (Figure(16, 16), 28, 28, "cannot be as printed"),
        (Figure(16, 16), None, 28, "cannot be as printed"),
        (Figure(), 5, 5, "new"),
        (Figure(), None, 5, ""),
    ],
)
def test_steps_compare(figure: Figure, reached: int | None, lower: int, mark: str) -> None:
    """Fewer steps are better; what lies below a proven bound cannot be."""
    assert steps_mark(figure, reached, lower) == mark


def test_a_printed_bound_that_a_schedule_undercuts_cannot_be() -> None:
    """A lower bound of 10 is none if a schedule of 8 steps is there."""
    assert steps_mark(Figure(10, 10), 8, 8) == "cannot be as printed"


def test_a_bound_that_the_paper_did_not_reach() -> None:
    """Where no run of the paper succeeded, reaching its bound is better, not equal."""
    assert steps_mark(Figure(32, None, 0), 32, 32) == "better"
    assert steps_mark(Figure(32, None, 0), 33, 32) == "equal"


def test_bounds_alone_compare_as_bounds() -> None:
    """Where the paper prints a bound and no schedule, a schedule that does not reach it is not worse."""
    assert steps_mark(Figure(bound=16), 17, 16) == "equal"
    assert steps_mark(Figure(bound=16), 28, 28) == "better"
    assert (bound_mark(3, 4), bound_mark(4, 3), bound_mark(3, 3)) == ("better", "worse", "equal")
    assert (count_mark(3, 4), count_mark(4, 3), count_mark(3, 3)) == ("worse", "better", "equal")


@pytest.mark.parametrize(
    ("percent", "successes", "runs", "mark"),
    [
        *[(100, 1, 2, "below"), (100, 1, 10, "below"), (100, 9, 10, "below"), (100, 10, 10, "within")],
        *[(60, 1, 10, "below"), (60, 8, 10, "within"), (10, 8, 10, "above"), (0, 0, 10, "within")],
        (0, 1, 10, "above"),
    ],
)
def test_success_rates_compare_as_rates(percent: int, successes: int, runs: int, mark: str) -> None:
    """One success in many runs is not the paper's 100 %: its rate must lie in our interval."""
    assert rate_mark(percent, successes, runs) == mark


def test_a_figure_is_written_as_printed() -> None:
    """Bound and steps where they differ, then the success rate."""
    assert str(Figure(9, 10)) == "9/10"
    assert str(Figure(8, 8)) == str(Figure(8)) == str(Figure(steps=8)) == "8"
    assert str(Figure(16, 17, 60)) == "16/17 (60 %)"
    assert str(Figure(32, None, 0)) == "32 (0 %)"
    assert str(Figure()) == "-"
