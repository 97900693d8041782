"""Search limits and callbacks: a limit on evaluations for reproducible runs, a deadline for users."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from pavane.jit import clock
from pavane.model.schedule import Schedule
from pavane.parallel.pools import SERIAL, Workers, as_workers

SPARE = 1.25
"""The time reserved for building and judging a schedule is this many times what it took before."""


def as_builder(schedule: Schedule) -> Callable[[], Schedule]:
    """Return a builder of a schedule that is built already."""
    return lambda: schedule


def _ignore(build: Callable[[], Schedule]) -> None:
    pass


@dataclass(frozen=True)
class Budget:
    """Limits and callbacks of a search; the clock starts when the budget is made.

    A solver that is called directly needs one; `solve` makes its own.
    """

    evaluations: int | None = None
    deadline: float | None = None
    """A time of clock.now(); another machine has another clock, so the seconds left are sent there."""
    workers: Workers = SERIAL
    """The workers of the search; they change its time, not its result."""
    is_stopped: Callable[[], bool] = field(default=bool, compare=False, repr=False)
    """Whether the search is to stop now and return its best result so far; `bool()` is False: never."""
    on_conflicts: Callable[[int, int], None] | None = field(default=None, compare=False, repr=False)
    """Called now and then with the evaluations made and the conflicts left, by solvers that count them."""
    on_steps: Callable[[int, int], None] | None = field(default=None, compare=False, repr=False)
    """Called with the number of steps being tried and the fewest so far, by solvers that shorten a schedule."""
    on_schedule: Callable[[Schedule], None] | None = field(default=None, compare=False, repr=False)
    """Called with the first schedule, and with the incumbent when an interrupt (Ctrl-C) ends a solver."""
    on_improvement: Callable[[Callable[[], Schedule]], None] = field(
        default_factory=lambda: _ignore, compare=False, repr=False
    )
    """Called with a builder of each new incumbent; it is built when `is_over` is checked."""
    judging_seconds: float | None = None
    """The seconds that building and judging took in this run, reserved by the deadline; None: not known yet."""
    started: float = field(default_factory=clock.now, compare=False, repr=False)
    """The time of clock.now() from which the time limit counts."""

    @classmethod
    def of(
        cls,
        seconds: float | None = None,
        evaluations: int | None = None,
        workers: int | Workers = 1,
    ) -> Budget:
        """Make a budget whose clock starts now."""
        deadline = None if seconds is None else clock.now() + seconds
        return cls(evaluations, deadline, as_workers(workers))

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed or the search was stopped."""
        return self.is_stopped() or (self.deadline is not None and clock.now() >= self.deadline)

    @property
    def seconds_left(self) -> float | None:
        """Return the time left, in seconds until the deadline, at least 0; None without a deadline."""
        return None if self.deadline is None else max(0.0, self.deadline - clock.now())

    def part(self, share: float) -> Budget:
        """Return a budget with a share of the time that is left; without a deadline, the same budget."""
        if self.deadline is None:
            return self
        now = clock.now()
        return replace(self, deadline=now + share * (self.deadline - now))

    def for_subproblem(self) -> Budget:
        """Return a budget for a part of the problem, whose schedules are not schedules of the whole."""
        return replace(self, on_schedule=None, on_improvement=_ignore)

    def ending_earlier(self, seconds: float) -> Budget:
        """Return a budget whose deadline is earlier; without a deadline, the same budget."""
        return self if self.deadline is None or not seconds else replace(self, deadline=self.deadline - seconds)

    def reserving(self, seconds: float) -> Budget:
        """Return a budget that ends earlier, by the seconds that building and judging a schedule takes."""
        if self.deadline is None:
            return self
        return replace(self, deadline=self.deadline - SPARE * seconds, judging_seconds=seconds)

    def report_first(self, build: Callable[[], Schedule]) -> Budget:
        """Report a first schedule, and return a budget that reserves the time this took for the last one.

        Without a time limit, or if that time is known already, nothing is reported.
        """
        if self.deadline is None or self.on_schedule is None or self.judging_seconds is not None:
            return self
        begun = clock.now()
        self.on_schedule(build())
        return self.reserving(clock.now() - begun)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is sent to another process: the limits, without workers and callbacks."""
        now = clock.now()
        left = None if self.deadline is None else self.deadline - now
        return {
            "evaluations": self.evaluations,
            "left": left,
            "judging_seconds": self.judging_seconds,
            "since": now - self.started,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        now, left = clock.now(), state["left"]
        arrived = Budget(
            state["evaluations"],
            None if left is None else now + left,
            judging_seconds=state["judging_seconds"],
            started=now - state["since"],
        )
        self.__dict__.update(arrived.__dict__)
