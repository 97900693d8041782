"""One run of a solver with one seed, and what came of it, as plain data that travels between processes and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import cast

from pavane.errors import InputError, in_one_line
from pavane.jit import clock
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.parallel.tasks import TaskContext
from pavane.solvers import Solver
from pavane.solvers.solver import EachDecider
from pavane.solvers.solving import solve_seeds

WARM_UP_SECONDS = 5.0
"""Solvers that do not count evaluations end their warm-up then; what it finds is thrown away."""


@dataclass(frozen=True)
class RunLimits:
    """The steps that every run of a study must come down to, and what it may spend."""

    num_steps: int
    evaluations: int | None = None
    seconds: float | None = None

    def refuse_nonsense(self) -> None:
        """Refuse limits within which no run makes sense."""
        if self.num_steps < 1:
            raise InputError(f"steps {self.num_steps}: a schedule has at least one step; give 1 or more")
        if self.seconds is not None and not self.seconds > 0:
            raise InputError(f"time {self.seconds}: a run needs some; give more than 0 seconds")
        if self.evaluations is not None and self.evaluations < 1:
            raise InputError(f"evaluations {self.evaluations}: a run needs at least one; give 1 or more")

    def budget(self) -> Budget:
        """Return a budget whose clock starts now."""
        return Budget.of(self.seconds, self.evaluations)


@dataclass(frozen=True)
class RunTask:
    """A run that is to be made."""

    digest: str
    """The problem's, which a large problem takes a while to find."""
    method: str
    """How the study calls the solver."""
    solver: Solver
    seed: int
    limits: RunLimits


@dataclass(frozen=True)
class Trial:
    """A run that was made."""

    method: str
    solver: str
    """The solver with all its settings."""
    seed: int
    num_steps: int | None
    """Steps of the schedule; None: none was found."""
    evaluations: int | None
    """None: the solver does not count them."""
    seconds: float
    trace: tuple[tuple[int, int], ...] = ()
    """Evaluations made and conflicts left, whenever the best got better."""
    error: str | None = None
    """What the solver raised, in one line; such a run is neither a success nor a failure."""

    @property
    def is_success(self) -> bool:
        """Whether it found a schedule of the steps asked for."""
        return self.num_steps is not None

    @property
    def conflicts(self) -> int | None:
        """Return the fewest conflicts it came to; None where the solver does not say."""
        return min((left for _, left in self.trace), default=None)


def failed(task: RunTask, error: str, seconds: float = 0.0) -> Trial:
    """Return a run that ended in an error."""
    return Trial(task.method, repr(task.solver), task.seed, None, None, seconds, error=error)


def tried(problem: Problem, contact: TaskContext, task: RunTask) -> Trial:
    """Make a run; one that is stopped half-way is none, and ends at once so that its worker is free."""
    _warm_up(problem, task)
    started = clock.now()
    num_steps = task.limits.num_steps
    try:
        result = task.solver(
            problem, num_steps, task.seed, replace(task.limits.budget(), is_stopped=contact.is_stopped)
        )
    except Exception as error:
        return failed(task, in_one_line(error), _since(started))
    seconds = _since(started)
    if contact.is_stopped():
        return failed(task, "it was stopped", seconds)
    return _trial(task, result, seconds)


def is_on_a_gpu(solver: Solver) -> bool:
    """Say whether a solver makes its runs on a GPU, many at once."""
    return getattr(solver, "device", "cpu") == "gpu"


def tried_together(problem: Problem, tasks: Sequence[RunTask]) -> Iterator[tuple[RunTask, Trial]]:
    """Make runs of one solver on a GPU, with a seed each; what they find is judged here."""
    solver, limits = tasks[0].solver, tasks[0].limits
    started = clock.now()
    seeds = [task.seed for task in tasks]
    for number, result in solve_seeds(cast(EachDecider, solver), problem, limits.num_steps, seeds, limits.budget()):
        task, seconds = tasks[number], _since(started)
        try:
            yield task, _trial(task, result(), seconds)
        except Exception as error:
            yield task, failed(task, in_one_line(error), seconds)


def _trial(task: RunTask, result: Result, seconds: float) -> Trial:
    num_steps, found = task.limits.num_steps, result.num_steps
    if found is not None and found > num_steps:
        return failed(task, f"it was asked for {num_steps} steps and gave {found}", seconds)
    evaluations = None if result.run is None else result.run.evaluations
    trace = () if result.run is None else result.run.trace
    return Trial(task.method, repr(task.solver), task.seed, found, evaluations, seconds, trace)


_warm: set[tuple[str, str]] = set()
"""Solvers and problems that this process has compiled its kernels for."""


def _warm_up(problem: Problem, task: RunTask) -> None:
    """Have the kernels compiled before the clock runs."""
    key = task.digest, repr(task.solver)
    if key in _warm:
        return
    _warm.add(key)
    limits = task.limits
    seconds = WARM_UP_SECONDS if limits.seconds is None else min(WARM_UP_SECONDS, limits.seconds)
    with suppress(Exception):  # the run itself will raise it again, and report it
        task.solver(problem, limits.num_steps, task.seed, Budget.of(seconds, 1))


def _since(started: float) -> float:
    return round(clock.now() - started, 4)
