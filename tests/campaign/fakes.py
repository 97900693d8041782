"""A solver that succeeds as its seed says, studies of it, and runs made by hand."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from pavane.campaign.runs import RunLine
from pavane.campaign.solver_study import Study, study
from pavane.judge.result import Provenance, Result, Run
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import ring
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.solvers import SOLVERS
from pavane.solvers.supports import Supports

PROBLEM = Problem(ring(4), alltoall(ring(4)))


@dataclass(frozen=True)
class Fake:
    """Succeeds with even seeds, and writes down its calls; what spoils a run stands in files beside them."""

    folder: str
    name: str = "fake"
    pace: int = 100

    supports = Supports(patterns=("private",))

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Succeed or fail as the seed says."""
        folder = Path(self.folder)
        if budget.evaluations == 1:  # the warm-up
            return Result(problem, None, requested_steps=num_steps)
        stop = folder / "stop"
        if stop.exists() and len(calls(folder)) >= int(stop.read_text()):
            raise KeyboardInterrupt
        with open(folder / "calls", "a", encoding="utf-8") as file:
            file.write(f"{seed}\n")
        if (folder / f"raise-{seed}").exists():
            raise ZeroDivisionError("nothing\nto divide by")
        if (folder / f"die-{seed}").exists():
            os._exit(9)
        spent = self.pace * (seed + 1)
        if seed % 2:
            return Result(problem, None, requested_steps=num_steps, run=Run(spent, ((1, 9), (10, seed))))
        found = SOLVERS["greedy"](problem, None, seed, Budget())
        run = Run(spent, ((1, 9), (10, 4), (spent, 0)))
        return Result(problem, found.schedule, (), Provenance(self.name, seed), num_steps, run)


def calls(folder: Path) -> list[int]:
    """Return the seeds that the solver was called with."""
    path = folder / "calls"
    return [int(line) for line in path.read_text().splitlines()] if path.exists() else []


def fake_study(folder: Path, *, seeds: int = 6, kept: Path | None = None, workers: int = 1) -> Study:
    """Make a study of the fake solver."""
    options = SearchOptions(evaluations=5000, workers=workers)
    return study(PROBLEM, [Fake(str(folder))], options, num_steps=9, seeds=seeds, file=kept)


def timeless(found: Study) -> Study:
    """Return a study without what a clock said."""
    return replace(found, runs=tuple(msgspec.structs.replace(run, seconds=0.0, problem="") for run in found.runs))


def ended(
    seed: int, evaluations: int | None, *, success: bool, conflicts: int | None = None, method: str = "m"
) -> RunLine:
    """Make a run by hand, of as many seconds as evaluations in thousands."""
    trace = () if conflicts is None else ((1, 50), (5, conflicts))
    seconds = (evaluations or 1000) / 1000
    figure = 3 if success else None
    return RunLine(
        method=method, seed=seed, target=3, figure=figure, evaluations=evaluations, seconds=seconds, trace=trace
    )


def study_by_hand() -> Study:
    """Return a study by hand: `good` succeeds after 10, 20 and 40, `bad` after 100 in one of two runs."""
    runs = (
        *(ended(seed, 10 * 2**seed, success=True, conflicts=0, method="good") for seed in range(3)),
        ended(0, 100, success=True, conflicts=0, method="bad"),
        ended(1, 500, success=False, conflicts=2, method="bad"),
        RunLine(method="bad", seed=2, target=3, error="Broken: in two, parts"),
    )
    return Study(PROBLEM, 3, ("good", "bad"), (0, 1, 2), runs)
