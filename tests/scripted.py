"""A solver under another one's name that records its calls, and does something before it calls the other one."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS, Solver
from pavane.solvers.supports import Supports


@dataclass(frozen=True)
class Scripted:
    """A solver that records its calls and does what it was told before it asks another solver."""

    inner: Solver
    before: Callable[[int], None] = lambda number: None
    name: str = "scripted"
    calls: list[tuple[int | None, int]] = field(default_factory=list)

    @property
    def supports(self) -> Supports:
        """Return what the other solver supports."""
        return self.inner.supports

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Do as told, with the number of the call."""
        self.calls.append((num_steps, seed))
        self.before(len(self.calls))
        return self.inner(problem, num_steps, seed, budget)

    @property
    def seeds(self) -> list[int]:
        """The seeds it was called with."""
        return [seed for _, seed in self.calls]


def put(monkeypatch: pytest.MonkeyPatch, name: str, before: Callable[[int], None] = lambda number: None) -> Scripted:
    """Put a scripted solver in the place of a registered one."""
    solver = Scripted(SOLVERS[name], before, name)
    monkeypatch.setitem(SOLVERS, name, solver)
    return solver


def interrupt_at(call: int) -> Callable[[int], None]:
    """Return what raises an interrupt at one call."""

    def interrupt(number: int) -> None:
        if number == call:
            raise KeyboardInterrupt

    return interrupt
