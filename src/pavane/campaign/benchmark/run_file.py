"""The file in which a study keeps its finished runs, a JSON line each, so that it can be gone on with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

import msgspec

from pavane.campaign.benchmark.trial import RunTask, Trial
from pavane.campaign.kept_lines import KeptLines, lines_in
from pavane.model.problem import Problem
from pavane.text import VERSION

FILE = "runs.jsonl"
FORMAT = "pavane/run/1"

Key = tuple[str, str, int, int | None, float | None, int]
"""What makes a run the same run: problem, solver, steps, budget and seed."""


class RunLine(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A finished run, as a line of the file."""

    format: Literal["pavane/run/1"] = "pavane/run/1"
    problem: str
    """The digest."""
    about: str
    """The problem in words, for who reads the file."""
    solver: str
    steps: int
    """The steps asked for."""
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
        """Return what makes it the same run."""
        return self.problem, self.solver, self.steps, *self.budget, self.seed

    def trial(self, method: str) -> Trial:
        """Return the run."""
        return Trial(method, self.solver, self.seed, self.found, self.evaluations, self.seconds, self.trace)


def key_of(task: RunTask) -> Key:
    """Return what makes a task the same run."""
    limits = task.limits
    return task.digest, repr(task.solver), limits.num_steps, limits.evaluations, limits.seconds, task.seed


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


def kept_runs(folder: str | Path, note: Callable[[str], None]) -> KeptLines[RunLine]:
    """Return the finished runs in a folder, to which nobody else adds until they are closed."""
    return KeptLines(Path(folder) / FILE, RunLine, "run", note)


def runs_in(folder: str | Path) -> list[RunLine]:
    """Return the finished runs in a folder, which somebody may be adding to; each once."""
    return list({line.key: line for line in lines_in(Path(folder) / FILE, RunLine, "run")}.values())


def trials_of(tasks: Iterable[RunTask], lines: Iterable[RunLine]) -> dict[RunTask, Trial]:
    """Return the runs of some tasks, where there are any."""
    found = {line.key: line for line in lines}
    return {task: found[key_of(task)].trial(task.method) for task in tasks if key_of(task) in found}
