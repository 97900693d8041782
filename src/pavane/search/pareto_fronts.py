"""The Pareto front: the non-dominated schedules in start-ups and TCO, from the fewest start-ups to the least TCO.

Under the combining rule time is start-ups * ts + TCO * m * t1 (noc section 3), so which schedule is fastest depends on
the size of messages. Where a message is k pieces, the TCO counts pieces, and TCO / k takes its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf

from pavane.bounds.fractional import FractionalBound
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.problem import Problem

MOST_POINTS_SHOWN = 6
"""Points of a front that its short form names."""


@dataclass(frozen=True)
class Point:
    """One schedule of the front."""

    result: Result
    start_ups: int
    tco: int
    optimal_start_ups: bool
    """Whether no schedule has fewer start-ups."""
    optimal_tco: bool
    """Whether no schedule with this number of start-ups has less TCO."""

    @property
    def pieces(self) -> int:
        """Return the number of pieces of a message."""
        return self.result.problem.collective.pieces

    @property
    def message_times(self) -> Fraction:
        """Return the TCO in whole messages: by it points of different pieces compare."""
        return Fraction(self.tco, self.pieces)


@dataclass(frozen=True)
class ParetoFront:
    """Schedules of which none is better in both start-ups and TCO, the fewest start-ups first.

    With several numbers of pieces none is better in both start-ups and message times. `pareto_front` and
    `pareto_front_over_pieces` return one.

    Example:
        >>> problem = pavane.Problem(pavane.network("ring:4"), "alltoall", pavane.Rules(combining=True))
        >>> pavane.pareto_front(problem).best(1.0, 1.0).result
        <Result: alltoall (AAS) on ring:4 in 2 steps, TCO 2, optimal>
    """

    problem: Problem
    points: tuple[Point, ...]
    seconds: float = 0.0
    interrupted: bool = False
    """Whether an interrupt (Ctrl-C) ended the search; bounds on the TCO may then be missing."""
    notes: tuple[str, ...] = ()
    """Failures of single attempts, a line each."""
    fractional: FractionalBound | None = None
    """Of several numbers of pieces: the message times that no number of them goes below, and why."""
    fronts: tuple[ParetoFront, ...] = ()
    """Of several numbers of pieces: the front of each, the fewest pieces first."""

    def __repr__(self) -> str:
        about = f"{self.problem.collective.title} on {self.problem.network.name}"
        if not self.points:
            return f"<ParetoFront: no schedule of {about}>"
        reached = " ".join(f"{point.start_ups}/{point.tco}" for point in self.points[:MOST_POINTS_SHOWN])
        more = " ..." if len(self.points) > MOST_POINTS_SHOWN else ""
        return f"<ParetoFront: {about}, start-ups/TCO {reached}{more}>"

    def best(self, startup: float, per_message: float) -> Point:
        """Return the fastest point, given the time of a start-up and the time of a message on a channel."""
        if not self.points:
            raise InputError(f"no schedule of {self.problem} was found; give the search more time")
        return min(
            self.points, key=lambda p: (p.start_ups * startup + float(p.message_times) * per_message, p.start_ups)
        )

    def ranges(self) -> tuple[tuple[float, float] | None, ...]:
        """Return for each point from which to which m * t1 / ts it is the fastest; None: nowhere."""
        found: list[tuple[float, float] | None] = []
        for point in self.points:
            low, high = Fraction(0), None
            for other in self.points:
                more, less = other.start_ups - point.start_ups, point.message_times - other.message_times
                if more > 0:
                    crossing = more / less
                    high = crossing if high is None else min(high, crossing)
                elif more < 0:
                    low = max(low, more / less)
            if high is not None and low >= high:
                found.append(None)
            else:
                found.append((float(low), inf if high is None else float(high)))
        return tuple(found)
