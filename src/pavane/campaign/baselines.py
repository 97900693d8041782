"""The algorithms that NCCL runs, timed by the clock of start times: a ring, a tree or direct messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from pavane.jit import clock
from pavane.judge.result import Provenance, Result
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.search.pieces import cut_into, doubled_counts
from pavane.solvers.timed.baselines import baseline_schedules
from pavane.text import VERSION

MOST_TRANSFERS = 100_000
"""Algorithms with more transfers are not tried in more pieces: what these gain is small, and they take seconds."""


def best_baselines(
    problem: Problem,
    pieces: Sequence[int] | Literal["auto"] = "auto",
    most_transfers: int = MOST_TRANSFERS,
    budget: Budget | None = None,
) -> list[Result]:
    """Return each baseline with its best number of pieces; with `auto` numbers are doubled as long as that helps.

    The next number takes about twice as long as the last one, and is left out where that is more than what is left.

    Several rings may share pieces evenly only in a larger number, so that one that does not help is passed over.
    """
    best: dict[str, Result] = {}
    misses: Counter[str] = Counter()
    is_open: dict[str, bool] = {}
    left, taken = budget or Budget.of(None), 0.0
    for count in doubled_counts(problem.timing.num_bytes) if pieces == "auto" else pieces:
        if best and left.seconds_left is not None and left.seconds_left < 2 * taken:
            break
        begun = clock.now()
        cut = cut_into(problem, count)
        for name, schedule in baseline_schedules(cut, [name for name, going in is_open.items() if not going]):
            is_open.setdefault(name, True)
            result = Result(cut, schedule, (), Provenance(name, version=VERSION))
            is_better = name not in best or (result.finish or 0) < (best[name].finish or 0)
            misses[name] += not is_better
            goes_on = misses[name] <= (name == "rings") or pieces != "auto"
            is_open[name] = goes_on and 2 * len(schedule) <= most_transfers
            if is_better:
                best[name] = result
        taken = clock.now() - begun
        if not any(is_open.values()):
            break
    return list(best.values())
