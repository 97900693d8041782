"""How long a search may go on, and who hears of it: evaluations for repeatable runs, a deadline for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pavane.jit import clock
from pavane.model.schedule import Schedule
from pavane.parallel.pools import ALONE, Workers, workers_of

if TYPE_CHECKING:
    from pavane.parallel.journal import Bookmark, Journal
    from pavane.parallel.loop_state import Mark

SPARE = 1.25
"""What is left for building and judging a schedule is this many times what it took before."""


def _never() -> bool:
    return False


def built(schedule: Schedule) -> Callable[[], Schedule]:
    """Return how to build a schedule that is built already."""
    return lambda: schedule


def _to_nobody(build: Callable[[], Schedule]) -> None:
    pass


@dataclass(frozen=True)
class Budget:
    """Limits of a search; the clock runs from when the budget was made.

    Who calls a solver directly gives it one; `solve` makes its own.

    Example:
        >>> pavane.Budget.of(seconds=60).is_over
        False
    """

    evaluations: int | None = None
    deadline: float | None = None
    """A moment of clock.now(), which another machine does not share: on the way there it is the seconds left."""
    workers: Workers = ALONE
    """Who may work on the search; they change the time, not the answer."""
    is_stopped: Callable[[], bool] = field(default=_never, compare=False, repr=False)
    """Whether whoever asked for the search wants it to end now with what it has."""
    report: Callable[[int, int], None] | None = field(default=None, compare=False, repr=False)
    """Whom to tell the evaluations made and the conflicts left, now and then, where a solver counts them."""
    shorter: Callable[[int, int], None] | None = field(default=None, compare=False, repr=False)
    """Whom to tell the number of steps being tried and the fewest so far, where a solver shortens a schedule."""
    keep: Callable[[Schedule], None] | None = field(default=None, compare=False, repr=False)
    """Whom to hand a first schedule at once, or when an interrupt (Ctrl-C) ends a solver the best; it then goes on."""
    better: Callable[[Callable[[], Schedule]], None] = field(default=_to_nobody, compare=False, repr=False)
    """Whom to tell how to build the best so far, whenever it has got better; it is built at some look at `is_over`."""
    journal: Journal | None = field(default=None, compare=False, repr=False)
    """What a search that can go on after a kill has done so far."""
    bookmark: Bookmark | None = field(default=None, compare=False, repr=False)
    """Where the attempt under way is, in a search that can go on after a kill."""
    to_judge: float | None = None
    """The seconds that building and judging took in this run, which the deadline allows for; None: not known yet."""
    started: float = field(default_factory=clock.now, compare=False, repr=False)
    """The moment of clock.now() from which the time limit counts."""

    @classmethod
    def of(
        cls,
        seconds: float | None = None,
        evaluations: int | None = None,
        workers: int | Workers = 1,
        journal: Journal | None = None,
    ) -> Budget:
        """Make a budget whose clock starts now."""
        deadline = None if seconds is None else clock.now() + seconds
        return cls(evaluations, deadline, workers_of(workers), journal=journal)

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed, or whoever asked says stop."""
        return self.is_stopped() or (self.deadline is not None and clock.now() >= self.deadline)

    @property
    def seconds_left(self) -> float | None:
        """Return the seconds until the deadline, at least 0; None where there is none."""
        return None if self.deadline is None else max(0.0, self.deadline - clock.now())

    def part(self, share: float) -> Budget:
        """Return a budget with a share of the time that is left; the same budget where no time is set."""
        if self.deadline is None:
            return self
        now = clock.now()
        return replace(self, deadline=now + share * (self.deadline - now))

    def of_a_part(self) -> Budget:
        """Return a budget for a part of the problem, of which no schedule is one of the whole."""
        return replace(self, keep=None, better=_to_nobody, bookmark=None)

    def leaving(self, seconds: float) -> Budget:
        """Return a budget that ends earlier, by the seconds that building and judging a schedule takes."""
        if self.deadline is None:
            return self
        return replace(self, deadline=self.deadline - SPARE * seconds, to_judge=seconds)

    def handed_over(self, build: Callable[[], Schedule]) -> Budget:
        """Hand over a first schedule, and return a budget that leaves the time which that took to the last one.

        Without a time limit, or where it is known already what a schedule takes, there is no hurry, and nothing is
        handed over.
        """
        if self.deadline is None or self.keep is None or self.to_judge is not None:
            return self
        begun = clock.now()
        self.keep(build())
        return self.leaving(clock.now() - begun)

    def mark(self, make: Callable[..., Mark], *where: Any) -> None:
        """Set the bookmark where one is wanted, to what is made of `where`: now and then, and when the time is over."""
        if self.bookmark is not None and (self.bookmark.is_due or self.is_over):
            self.bookmark.set(make(*where))

    def __getstate__(self) -> dict[str, Any]:
        """Return what goes to another process: the limits alone; who works, is told and is asked stays here."""
        now = clock.now()
        left = None if self.deadline is None else self.deadline - now
        return {"evaluations": self.evaluations, "left": left, "to_judge": self.to_judge, "since": now - self.started}

    def __setstate__(self, state: dict[str, Any]) -> None:
        now, left = clock.now(), state["left"]
        arrived = Budget(
            state["evaluations"],
            None if left is None else now + left,
            to_judge=state["to_judge"],
            started=now - state["since"],
        )
        self.__dict__.update(arrived.__dict__)
