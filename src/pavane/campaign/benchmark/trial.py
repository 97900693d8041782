"""One run of a solver with one seed, and its result as plain data for other processes and for files."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from pavane.errors import InputError, in_one_line
from pavane.jit import clock
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.parallel.tasks import TaskContext
from pavane.solvers import Solver
from pavane.text import VERSION

FILE = "runs.jsonl"
"""The file of finished runs in the folder of a study."""

WARM_UP_SECONDS = 5.0
"""Time limit of the warm-up of solvers that do not count evaluations; its result is not used."""

Key = tuple[str, str, int, int | None, float | None, int]
"""What makes two runs the same run: problem, solver, steps, budget and seed."""


@dataclass(frozen=True)
class RunLimits:
    """The steps that every run of a study must reach, and its limits."""

    num_steps: int
    evaluations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Refuse an impossible number of steps."""
        if self.num_steps < 1:
            raise InputError(f"steps {self.num_steps}: a schedule has at least one step; give 1 or more")

    def budget(self) -> Budget:
        """Return a budget whose clock starts now."""
        return Budget.of(self.seconds, self.evaluations)


@dataclass(frozen=True)
class RunTask:
    """A run of a study."""

    digest: str
    """The digest of the problem; computing it takes a while for a large problem."""
    method: str
    """The name of the solver in the study."""
    solver: Solver
    seed: int
    limits: RunLimits

    @property
    def key(self) -> Key:
        """Return what makes two runs the same run."""
        limits = self.limits
        return self.digest, repr(self.solver), limits.num_steps, limits.evaluations, limits.seconds, self.seed


@dataclass(frozen=True)
class Trial:
    """The result of a run."""

    method: str
    solver: str
    """The solver with all its settings."""
    seed: int
    num_steps: int | None
    """Steps of the schedule; None: no schedule was found."""
    evaluations: int | None
    """None: the solver does not count them."""
    seconds: float
    trace: tuple[tuple[int, int], ...] = ()
    """Evaluations made and conflicts left, at every improvement."""
    error: str | None = None
    """What the solver raised, in one line; such a run is neither a success nor a failure."""

    @property
    def is_success(self) -> bool:
        """Whether the run found a schedule of the requested steps."""
        return self.num_steps is not None

    @property
    def conflicts(self) -> int | None:
        """Return the fewest conflicts of the run; None if the solver does not count them."""
        return min((left for _, left in self.trace), default=None)


class RunLine(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A finished run, as a line of the file."""

    format: Literal["pavane/run/1"] = "pavane/run/1"
    problem: str
    """The digest."""
    about: str
    """The problem in words, for readers of the file."""
    solver: str
    steps: int
    """The requested steps."""
    budget: tuple[int | None, float | None]
    """Evaluations and seconds."""
    seed: int
    found: int | None
    evaluations: int | None
    seconds: float
    trace: tuple[tuple[int, int], ...]
    version: str

    @property
    def key(self) -> Key:
        """Return what makes two runs the same run."""
        return self.problem, self.solver, self.steps, *self.budget, self.seed

    def trial(self, method: str) -> Trial:
        """Return the run."""
        return Trial(method, self.solver, self.seed, self.found, self.evaluations, self.seconds, self.trace)


def line_of(problem: Problem, task: RunTask, trial: Trial) -> RunLine:
    """Return a finished run as a line."""
    return RunLine(
        problem=task.digest,
        about=str(problem),
        solver=trial.solver,
        steps=task.limits.num_steps,
        budget=(task.limits.evaluations, task.limits.seconds),
        seed=trial.seed,
        found=trial.num_steps,
        evaluations=trial.evaluations,
        seconds=trial.seconds,
        trace=trial.trace,
        version=VERSION,
    )


def failed(task: RunTask, error: str, seconds: float = 0.0) -> Trial:
    """Return a run that ended in an error."""
    return Trial(task.method, repr(task.solver), task.seed, None, None, seconds, error=error)


def run_trial(problem: Problem, context: TaskContext, task: RunTask) -> Trial:
    """Make a run. If it is stopped, it ends at once with an error, so that its worker is free."""
    _warm_up(problem, task)
    started = clock.now()
    num_steps = task.limits.num_steps
    try:
        result = task.solver(
            problem, num_steps, task.seed, replace(task.limits.budget(), is_stopped=context.is_stopped)
        )
    except Exception as error:
        return failed(task, in_one_line(error), _since(started))
    seconds = _since(started)
    if context.is_stopped():
        return failed(task, "it was stopped", seconds)
    return _trial(task, result, seconds)


def _trial(task: RunTask, result: Result, seconds: float) -> Trial:
    num_steps, found = task.limits.num_steps, result.num_steps
    if found is not None and found > num_steps:
        return failed(task, f"{num_steps} steps were requested, and its schedule has {found}", seconds)
    evaluations = None if result.run is None else result.run.evaluations
    trace = () if result.run is None else result.run.trace
    return Trial(task.method, repr(task.solver), task.seed, found, evaluations, seconds, trace)


_warm: set[tuple[str, str]] = set()
"""Problems and solvers for which this process has compiled the kernels."""


def _warm_up(problem: Problem, task: RunTask) -> None:
    """Compile the kernels before the clock starts."""
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
