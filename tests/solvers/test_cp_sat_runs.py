"""CP-SAT beside the main thread: it is stopped when whoever asked wants it to end, and by an interrupt."""

from threading import Event
from types import SimpleNamespace

import pytest

from pavane.parallel.budget import Budget
from pavane.solvers.cp_sat_runs import run_beside


class Endless:
    """A solver that goes on until it is stopped."""

    def __init__(self) -> None:
        self.parameters = SimpleNamespace(catch_sigint_signal=True)
        self.stopped = Event()

    def solve(self, model: object) -> str:
        """Wait to be stopped."""
        return f"{model} stopped" if self.stopped.wait(60) else "endless"

    def stop_search(self) -> None:
        """End the waiting."""
        self.stopped.set()


def test_whoever_asked_can_stop_it() -> None:
    """It ends with what it has, within a moment."""
    solver = Endless()
    assert run_beside(solver, "a model", Budget(is_stopped=lambda: True)) == "a model stopped"
    assert not solver.parameters.catch_sigint_signal


def test_an_interrupt_stops_it_and_goes_on() -> None:
    """The thread does not outlive the search."""

    def interrupted() -> bool:
        raise KeyboardInterrupt

    solver = Endless()
    with pytest.raises(KeyboardInterrupt):
        run_beside(solver, "a model", Budget(is_stopped=interrupted))
    assert solver.stopped.is_set()
