"""Plans: for each range of message sizes the timed schedule to use, beside what NCCL's algorithms would take."""

from __future__ import annotations

from dataclasses import dataclass

from pavane.judge.timed_result import TimedResult
from pavane.model.links import Links
from pavane.model.problem import Problem


@dataclass(frozen=True)
class TimedBaseline:
    """How a ring, a tree or direct messages do at a size, with their best number of pieces."""

    name: str
    pieces: int
    finish: int
    """Picoseconds until the last data are usable."""


@dataclass(frozen=True)
class PlanSize:
    """One message size: the chosen schedule timed for it, the best of all, and the baselines."""

    result: TimedResult
    """The schedule of the range, re-timed for this size, with the bounds for its number of pieces."""
    best: int
    """The earliest end of all schedules for this size, in picoseconds."""
    baselines: tuple[TimedBaseline, ...] = ()

    @property
    def num_bytes(self) -> int:
        """Return the bytes of a message."""
        return self.result.timed.num_bytes

    @property
    def finish(self) -> int:
        """Return when the chosen schedule ends, in picoseconds."""
        assert self.result.finish is not None
        return self.result.finish


@dataclass(frozen=True)
class PlanRange:
    """Sizes next to each other that one schedule serves: the same routes, order and pieces."""

    sizes: tuple[PlanSize, ...]

    @property
    def result(self) -> TimedResult:
        """Return the schedule, timed for the largest size."""
        return self.sizes[-1].result

    @property
    def pieces(self) -> int:
        """Return the number of pieces of a message."""
        return self.result.timed.problem.collective.pieces


@dataclass(frozen=True, repr=False)
class SizePlans:
    """For each range of message sizes a timed schedule; `select_timed` makes one.

    Example:
        >>> ring = pavane.network("ring:4")
        >>> problem = pavane.Problem(ring, "allgather", pavane.Rules(switching="store-and-forward"))
        >>> links = pavane.Links.uniform(ring, latency_ps=700_000, bytes_per_second=25 * 10**9)
        >>> pavane.select_timed(problem, links, [1000, 1_000_000], [1])
        <SizePlans: allgather (AAB) on ring:4, 2 sizes in 1 range>
    """

    problem: Problem
    """The problem with messages in one piece."""
    links: Links
    ranges: tuple[PlanRange, ...]
    """By size, the smallest first."""
    tolerance: float
    """The part by which the schedule of a range may end later than the best for a size."""
    seed: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    """Whether an interrupt (Ctrl-C) ended the searches; sizes that were not searched are missing."""
    notes: tuple[str, ...] = ()

    @property
    def sizes(self) -> tuple[PlanSize, ...]:
        """Return all sizes, the smallest first."""
        return tuple(size for part in self.ranges for size in part.sizes)

    def schedule_for(self, num_bytes: int) -> TimedResult:
        """Return the schedule of the range whose sizes are nearest below a size, or of the first range."""
        below = [part for part in self.ranges if part.sizes[0].num_bytes <= num_bytes]
        return (below or self.ranges[:1])[-1].result

    def __repr__(self) -> str:
        where = f"{self.problem.collective.title} on {self.problem.network.name}"
        sizes, ranges = len(self.sizes), len(self.ranges)
        return f"<SizePlans: {where}, {sizes} size{'s' * (sizes != 1)} in {ranges} range{'s' * (ranges != 1)}>"
