"""The contract of solvers: what a solver is, and what its `find` returns.

A solver is a frozen dataclass of settings with `name`, `supports` and `find`. `solving.py` makes it callable, by a line
in its class:

    __call__ = solve_once      `find` is called once, and returns as few steps as it can
    __call__ = solve_by_steps  `find` decides one number of steps; it is called from the bound upwards until it succeeds

A number of steps means the same everywhere: a schedule of at most that many. None means as few as the solver can.
`supports` is a value (`supports.py`): the problems of users that the solver takes, and which of their features `find`
sees. Reductions (`reductions/`) lead from the one to the other.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from pavane.judge.result import Result, Run
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.supports import Supports


def argument(default: Any) -> Any:
    """Return a field of a solver that another part of the program fills in: it is not a setting of users."""
    return field(default=default, metadata={"is_argument": True})


class Described(Protocol):
    """The data of a solver."""

    @property
    def name(self) -> str:
        """Return the name of the solver in the registry."""
        ...

    @property
    def supports(self) -> Supports:
        """Return which problems the solver supports."""
        ...


class Solver(Described, Protocol):
    """A configuration that can be called."""

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Search for a schedule of at most `num_steps` steps; None: as few as it can."""
        ...


class Finding(NamedTuple):
    """The return value of `find` where there is more than a schedule."""

    schedule: Schedule | None
    bounds: tuple[Bound, ...] = ()
    """Bounds on the steps, or on the TCO, that the search has proven."""
    run: Run | None = None
    """What the search counted."""
    evaluations: int = 0
    """The evaluations spent, where there is no run that counts them."""
    is_final: bool = False
    """Whether more steps would not help either."""
    needs: float | None = None
    """About how many seconds a first schedule takes, where the time limit was too short for one."""

    @classmethod
    def of(cls, found: Schedule | Finding | None) -> Finding:
        """Return whatever `find` returned as a finding."""
        return found if isinstance(found, Finding) else cls(found)


class Finder(Described, Protocol):
    """A solver without its call: its idea."""

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Search for a schedule of private messages or broadcasts."""
        ...


class Decider(Described, Protocol):
    """A solver without its call, which decides one number of steps at a time."""

    def find(
        self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Search for a schedule of at most `num_steps` steps."""
        ...


def seed_of(rng: np.random.Generator) -> int:
    """Return the seed of a generator, for libraries and kernels that take a number."""
    return cast(int, cast(np.random.SeedSequence, rng.bit_generator.seed_seq).entropy)
