"""Running CP-SAT repeatably, and so that it can be stopped."""

from __future__ import annotations

from threading import Thread
from typing import Any

from pavane.parallel.budget import Budget


def new_solver(effort: float, seed: int, budget: Budget) -> Any:
    """Return a CP-SAT solver with one worker and an effort in its deterministic time, so that runs can be repeated."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed % 2**31
    solver.parameters.max_deterministic_time = effort
    if budget.seconds_left is not None:
        solver.parameters.max_time_in_seconds = budget.seconds_left
    return solver


def run_beside(solver: Any, model: Any, budget: Budget) -> Any:
    """Run CP-SAT beside the main thread, so that an interrupt (Ctrl-C) is handled at once, and here only."""
    solver.parameters.catch_sigint_signal = False
    answers: list[Any] = []

    def run() -> None:
        answers.append(solver.solve(model))

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.05)
            if budget.is_stopped():
                solver.stop_search()
    except BaseException:
        solver.stop_search()
        thread.join()
        raise
    return answers[0]
