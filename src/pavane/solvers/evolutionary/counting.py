"""Counting of evaluations while a search for one number of steps goes on: those made, those left, what they brought."""

from __future__ import annotations

from pavane.judge.result import Run
from pavane.parallel.budget import Budget


class Evaluations:
    """The evaluations of one search, and its trace: the conflicts left whenever they became fewer.

    Who names a number of evaluations in the budget means those; otherwise there are `most`.
    """

    def __init__(self, budget: Budget, most: int) -> None:
        self.budget = budget
        self.made = 0
        self.most = most if budget.evaluations is None else budget.evaluations
        self._trace: list[tuple[int, int]] = []

    @property
    def left(self) -> int:
        """Return how many evaluations are left."""
        return self.most - self.made

    @property
    def are_over(self) -> bool:
        """Whether nothing is left, be it evaluations or time."""
        return self.left <= 0 or self.budget.is_over

    def note(self, conflicts: int, after: int = 0) -> None:
        """Write down and report the conflicts that are left `after` evaluations more than are counted, if fewer."""
        if not self._trace or conflicts < self._trace[-1][1]:
            self._trace.append((self.made + after, conflicts))
            if self.budget.on_conflicts is not None:
                self.budget.on_conflicts(self.made + after, conflicts)

    @property
    def run(self) -> Run:
        """Return how the search went."""
        return Run(self.made, tuple(self._trace))
