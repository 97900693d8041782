"""What the judge says about a bound that a file claims: proven by its certificate, or claimed and no more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

from pavane.errors import InputError
from pavane.judge.certificates import proven_exactly
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted, microseconds

CLAIMED = "claimed, not proven"
"""The text for a bound whose certificate does not prove it."""

EXHAUSTIVE = "exhaustive"
"""The argument of a search through all schedules of fewer steps, which leaves no certificate."""

BY_CERTIFICATE = "certificate"
"""An optimum whose bound has a certificate that the judge can check."""

BY_SEARCH = "by search"
"""An optimum whose bound rests on an exhaustive search that was made here."""

NOT_REPEATED = "by search, not repeated here"
"""An optimum that a file claims by an exhaustive search."""


def proof_text(arguments: Iterable[str]) -> str:
    """Return how an optimum is known whose bounds have these arguments: a certificate comes before a search."""
    return BY_SEARCH if all(argument == EXHAUSTIVE for argument in arguments) else BY_CERTIFICATE


@dataclass(frozen=True)
class Verdict:
    """The judge's verdict on one claim; the certificate is checked on first use."""

    problem: Problem
    bound: Bound
    num_steps: int | None
    """The number of steps of the schedule that it came with."""

    @property
    def figure(self) -> str:
        """Return what is claimed, with its unit: 5 steps, a TCO of 12, or 81.4 us."""
        return figure_text(self.bound, self.problem)

    @property
    def is_proven(self) -> bool:
        """Whether the certificate proves the figure."""
        return not self.objection

    @property
    def is_on_trust(self) -> bool:
        """Whether it rests on a search that leaves nothing to check: one can believe it or not."""
        return self.bound.reason == EXHAUSTIVE

    @cached_property
    def objection(self) -> str:
        """Why the certificate does not prove the figure; nothing where it does."""
        if self.is_on_trust:
            return "it rests on an exhaustive search, which leaves nothing to check"
        try:
            if not self.bound.holds_for(self.num_steps):
                return f"it is about schedules of other than {counted(self.num_steps or 0, 'start-up')}"
            exactly = proven_exactly(self.problem, self.bound)
            proven = replace(self.bound, figure=ceil(exactly))
            if proven.figure < self.bound.figure:
                return f"its certificate proves {figure_text(proven, self.problem)} only"
            if self.bound.exact is not None and exactly < self.bound.exact:
                return f"its certificate proves {exactly} before rounding up, not {self.bound.exact}"
            return ""
        except InputError as error:
            return str(error)

    def __str__(self) -> str:
        return f"{CLAIMED}: {self.objection}" if self.objection else "proven"


def figure_text(bound: Bound, problem: Problem) -> str:
    """Return what a bound is about, with its unit: 5 steps, under tdm 5 slots, a TCO of 12, or 81.4 us."""
    texts = {"tco": f"TCO {bound.figure:,}", "finish": microseconds(bound.figure)}
    return texts.get(bound.objective) or counted(bound.figure, problem.rules.step_word)
