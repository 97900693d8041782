"""Runs of a study on islands: as many seeds at once as the GPU takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from papers.islands.cuda import cuda_device
from papers.islands.islands import each_on_an_island
from pavane.campaign.methods import label
from pavane.campaign.runs import RunLine
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.ga import GA
from pavane.solvers.evolutionary.umda import UMDA


def trials_on_islands(
    problem: Problem, solver: UMDA | GA, num_steps: int, seeds: Sequence[int], budget: Budget
) -> list[RunLine]:
    """Make a run with each seed, all at once; their schedules are judged here."""
    rngs = [np.random.default_rng(seed) for seed in seeds]
    found = dict(each_on_an_island(solver.evolution(), problem, num_steps, rngs, budget, cuda_device()))
    trials = []
    for number, seed in enumerate(seeds):
        finding = found[number]
        assert finding.run is not None
        steps = Result(problem, finding.schedule).num_steps
        run = finding.run
        trials.append(
            RunLine(method=label(solver), seed=seed, figure=steps, evaluations=run.evaluations, trace=tuple(run.trace))
        )
    return trials
