"""How CP-SAT is run, so that it can be stopped."""

from __future__ import annotations

from threading import Thread
from typing import Any

from pavane.parallel.budget import Budget


def run_beside(solver: Any, model: Any, budget: Budget) -> Any:
    """Run CP-SAT beside the main thread, so that Ctrl-C comes through at once and is nobody else's."""
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
