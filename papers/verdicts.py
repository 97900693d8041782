"""How a figure of ours compares with a paper's: one word for each outcome."""

from __future__ import annotations

from dataclasses import dataclass

from pavane.campaign.summaries import wilson

BETTER, EQUAL, WORSE = "better", "equal", "worse"
IMPOSSIBLE = "cannot be as printed"
"""Under a reading of the paper that is named beside it."""
NEW = "new"
QUOTED, OPEN = "quoted", "open"
ABOVE, WITHIN, BELOW = "above", "within", "below"

MEANINGS = {
    BETTER: "fewer steps, a higher lower bound, or less time than the paper",
    EQUAL: "the same",
    WORSE: "we do not reach what the paper reports",
    IMPOSSIBLE: "a proof or a count of ours contradicts the figure, if the paper is read as the column `reading` says",
    NEW: "the paper has no figure for it",
    QUOTED: "the paper has it from elsewhere, and we did not compute it",
    OPEN: "neither found nor refuted",
    ABOVE: "a success rate: the 95 % interval of ours lies above the paper's rate",
    WITHIN: "a success rate: the paper's rate lies in the 95 % interval of ours, which says no more than that",
    BELOW: "a success rate: the 95 % interval of ours lies below the paper's rate",
}
"""What each word says."""


@dataclass(frozen=True)
class Figure:
    """What a paper prints about a number of steps."""

    bound: int | None = None
    """Its lower bound."""
    steps: int | None = None
    """The fewest steps that it reached; None: it prints no such number, or no run reached the bound."""
    success: int | None = None
    """In per cent, how many of its runs reached them, or the bound."""
    algorithm: str = ""
    """By which that rate was found."""

    def __str__(self) -> str:
        """Write bound and steps as the papers do: both if they differ; then the success rate."""
        numbers = dict.fromkeys(str(number) for number in (self.bound, self.steps) if number is not None)
        return "/".join(numbers) + (f" ({self.success} %)" if self.success is not None else "") or "-"


def steps_mark(figure: Figure, reached: int | None, lower: int = 0) -> str:
    """Compare a number of steps, and the lower bound that we prove, with what is printed."""
    if reached is not None and figure.bound is not None and reached < figure.bound:
        return IMPOSSIBLE
    if figure.steps is not None:
        if lower > figure.steps:
            return IMPOSSIBLE
        return WORSE if reached is None else count_mark(figure.steps, reached)
    if figure.bound is None:
        return "" if reached is None else NEW
    if figure.success == 0:
        return BETTER if reached == figure.bound else EQUAL
    return bound_mark(figure.bound, lower)


def count_mark(printed: float, ours: float) -> str:
    """Compare figures of which less is better: steps, nanoseconds."""
    return EQUAL if ours == printed else BETTER if ours < printed else WORSE


def bound_mark(printed: int, ours: int) -> str:
    """Compare lower bounds, of which the higher one says more."""
    return EQUAL if ours == printed else BETTER if ours > printed else WORSE


def rate_mark(percent: int, successes: int, runs: int) -> str:
    """Compare a success rate of ours with a printed one, taken as it stands: the papers made 10 or 20 runs."""
    low, high = wilson(successes, runs)
    return BELOW if 100 * high < percent else ABOVE if 100 * low > percent else WITHIN
