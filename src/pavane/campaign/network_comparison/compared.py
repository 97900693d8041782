"""The result of a comparison of networks: one row per network, with the figures from which to choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING, Literal

from pavane.campaign.network_comparison.network_figures import NetworkFigures
from pavane.errors import InputError, shortened
from pavane.model.links import PICOSECONDS
from pavane.model.network import Network
from pavane.model.problem import Rules
from pavane.text import counted
from pavane.timing import Costs, Profile, predicted, size_text

if TYPE_CHECKING:
    import pandas

    from pavane.judge.result import Result
    from pavane.model.schedule import Schedule

Outcome = Literal["optimal", "feasible", "unknown", "failed", "not searched"]


@dataclass(frozen=True)
class LibraryTime:
    """How long an algorithm takes without barriers."""

    name: str
    """`ring`, `tree` or `direct`; empty for the schedule that they are compared with."""
    pieces: int
    seconds: float
    bandwidths: tuple[float, float] | None
    """The algorithmic and the bus bandwidth of nccl-tests, in bytes per second; None where these define none."""

    @classmethod
    def of(cls, result: Result, name: str = "") -> LibraryTime:
        """Return the figures of a timed schedule."""
        assert result.finish is not None
        pieces = result.problem.collective.pieces
        return cls(name, pieces, result.finish / PICOSECONDS, result.bandwidths)


@dataclass(frozen=True)
class Cell:
    """The result of the search for one collective on one network."""

    outcome: Outcome
    """Whether a schedule was found.

    optimal: no schedule has fewer steps; feasible: there is a schedule; unknown: none was found in time; failed: the
    search raised an error; not searched: the comparison was interrupted before.
    """
    bound: int | None = None
    """The lower bound on the steps."""
    profile: Profile | None = None
    """The profile of the schedule, on which its time depends."""
    seconds: float = 0.0
    """The seconds that the search took."""
    solver: str = ""
    why: str = ""
    """The error of the search, if it failed."""
    table_steps: int | None = None
    """The steps of the table that gives the schedule, where it is not written out."""
    schedule: Schedule | None = field(default=None, repr=False)
    """The schedule itself, to time it otherwise."""
    library_times: Mapping[int, tuple[LibraryTime, ...]] = field(default_factory=dict)
    """For each message size its time without barriers, then those of NCCL's algorithms (library_times.py)."""

    @property
    def steps(self) -> int | None:
        """Return the steps of the schedule; None without a schedule."""
        return self.table_steps if self.profile is None else self.profile.num_steps

    @property
    def is_proven(self) -> bool:
        """Whether no schedule has fewer steps."""
        return self.outcome == "optimal"


@dataclass(frozen=True)
class ComparisonRow:
    """A network, by all its names, and the result of each collective on it."""

    names: tuple[str, ...]
    network: Network
    figures: NetworkFigures
    cells: tuple[Cell, ...]
    rules: Rules = field(default_factory=Rules)

    @property
    def name(self) -> str:
        """Return the first name."""
        return self.names[0]


@dataclass(frozen=True, repr=False)
class Comparison:
    """Networks side by side; `compare` makes one.

    Example:
        >>> found = pavane.compare(["ring:8", "mesh:2x4", "octagon"], ["alltoall"])
        >>> found
        <Comparison of 3 networks for AAS, 2 in the Pareto set: ring:8, octagon>
        >>> found.rows[0].cells[0].steps
        8
    """

    collectives: tuple[str, ...]
    rules: Rules
    """The rules of networks that are not machines of GPUs, or those of all; each row has its own."""
    rows: tuple[ComparisonRow, ...]
    """The networks, by processors, then by cost."""
    costs: Costs | None = None
    """The time of start-ups and bytes; None: time is counted in steps."""
    message_bytes: tuple[int, ...] = ()
    """The sizes of a message for which times are predicted."""
    seed: int = 0
    interrupted: bool = False
    """Whether an interrupt (Ctrl-C) ended the comparison before all was searched."""
    notes: tuple[str, ...] = ()
    """What is not in the table, a line each."""

    def time(self, row: ComparisonRow, collective: int, size: int | None = None) -> float | None:
        """Return how long a collective, by its index, takes for messages of a size: seconds, or steps for no size."""
        cell = row.cells[collective]
        about = cell.profile
        if about is None or size is None:
            return None if cell.steps is None or size is not None else float(cell.steps)
        if self.costs is None:
            raise InputError("times need `costs`; give the time of start-ups and bytes, or leave the size out")
        return predicted(self.costs, size, about)

    def total(self, row: ComparisonRow, size: int | None = None) -> float | None:
        """Return how long all collectives take, one after the other; None if one has no schedule."""
        times = [self.time(row, number, size) for number in range(len(self.collectives))]
        known = [time for time in times if time is not None]
        return fsum(known) if len(known) == len(times) else None

    def pareto(self, size: int | None = None) -> tuple[ComparisonRow, ...]:
        """Return the networks for which no other of as many processors is better: cheaper and as fast, or faster.

        Args:
            size: The bytes of a message; the first of `message_bytes` unless given, and steps where there are none.

        Returns:
            The rows of the networks, in the order of `rows`.

        Example:
            >>> found = pavane.compare(["ring:8", "mesh:2x4", "octagon"], ["alltoall"])
            >>> [row.name for row in found.pareto()]
            ['ring:8', 'octagon']
        """
        chosen = self.size_or_default(size)
        timed = [(row, total) for row in self.rows if (total := self.total(row, chosen)) is not None]
        return tuple(row for row, stay in zip((row for row, _ in timed), _stays(timed), strict=True) if stay)

    def size_or_default(self, size: int | None) -> int | None:
        """Return a size, or the default if none is given; refuse invalid sizes."""
        if size is None:
            return self.message_bytes[0] if self.message_bytes else None
        if isinstance(size, bool) or not isinstance(size, int) or size < 0:
            raise InputError(f"`size` is {shortened(size)}; give the bytes of a message, like 4096")
        return size

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a data frame of pandas, a row a network.

        Returns:
            The figures, and steps, bounds and times of each collective, in columns.

        Example:
            >>> pavane.compare(["ring:8", "octagon"], ["alltoall"]).to_dataframe()["AAS steps"].tolist()
            [8, 4]
        """
        import pavane

        return pavane.notebook.comparison_dataframe(self)

    def _repr_html_(self) -> str:
        import pavane

        return pavane.notebook.comparison_view(self)

    def __repr__(self) -> str:
        best = [row.name for row in self.pareto()]
        shown = ", ".join(best[:4]) + (f" and {len(best) - 4} more" if len(best) > 4 else "")
        at = f" at {size_text(self.message_bytes[0])}" if self.message_bytes else ""
        about = f"{counted(len(self.rows), 'network')} for {', '.join(self.collectives)}"
        return f"<Comparison of {about}, {len(best)} in the Pareto set{at}{': ' * bool(best)}{shown}>"


def _stays(timed: list[tuple[ComparisonRow, float]]) -> list[bool]:
    """Return which networks are not dominated by another of as many processors, in cost and time."""
    stays = [False] * len(timed)
    for processors in {row.figures.processors for row, _ in timed}:
        numbers = [number for number, (row, _) in enumerate(timed) if row.figures.processors == processors]
        # Equal times may differ in their last digits, by the order in which they were added up.
        points = [(timed[number][0].figures.cost, float(f"{timed[number][1]:.12g}")) for number in numbers]
        for number, stay in zip(numbers, nondominated(points), strict=True):
            stays[number] = stay
    return stays


def nondominated(points: Sequence[tuple[float, ...]]) -> list[bool]:
    """Return which points are not dominated by one that is nowhere larger, and smaller somewhere; equals both stay.

    In ascending order no point is dominated by a later one, and a dominated point is dominated by an nondominated one.
    """
    front: list[tuple[float, ...]] = []
    stays: dict[tuple[float, ...], bool] = {}
    for point in sorted(set(points)):
        stays[point] = not any(all(a <= b for a, b in zip(other, point, strict=True)) for other in front)
        if stays[point]:
            front.append(point)
    return [stays[point] for point in points]
