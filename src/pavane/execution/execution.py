"""What an execution on MPI measured."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

from pavane.io.programs import piece_bytes
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.timed import TimedSchedule


@dataclass(frozen=True)
class WrongPayload:
    """A payload that did not arrive as it should."""

    step: int | None
    """The step it came in, or the transfer of a timed schedule, from 0; None: missing, or wrong in the end."""
    message: int
    process: int
    num_bytes: int


@dataclass(frozen=True)
class Execution:
    """A schedule that was executed: how long it took, and which bytes were wrong."""

    num_processes: int
    mpi: str
    """The MPI library and its version."""
    size: int
    """Bytes in a message of one unit."""
    seconds: tuple[tuple[float, ...], ...]
    """For each repeat the time of each step: the longest of all processes; a timed schedule is one step."""
    collective: str
    """The library's own collective that does the same."""
    library_seconds: tuple[float, ...]
    """For each repeat the time of the library's own collective."""
    num_bytes: int
    """Bytes sent in one repeat, relays included."""
    num_wrong: int
    """Wrong bytes in all repeats."""
    faults: tuple[WrongPayload, ...]
    """The first of the wrong payloads."""

    @property
    def num_repeats(self) -> int:
        """Return the number of repeats."""
        return len(self.seconds)

    @property
    def step_seconds(self) -> tuple[float, ...]:
        """Return the median time of each step over the repeats."""
        return tuple(median(times) for times in zip(*self.seconds, strict=True))

    @property
    def total(self) -> float:
        """Return the median over the repeats of the sum of the steps."""
        return median(sum(times) for times in self.seconds)

    @property
    def library_total(self) -> float:
        """Return the median time of the library's own collective."""
        return median(self.library_seconds)

    @classmethod
    def of(
        cls,
        problem: Problem,
        schedule: Schedule | TimedSchedule,
        job: dict[str, Any],
        answer: dict[str, Any],
    ) -> Execution:
        """Make it of a job and what process 0 said."""
        return cls(
            num_processes=len(job["programs"]),
            mpi=answer["mpi"],
            size=job["bytes"],
            seconds=tuple(map(tuple, answer["seconds"])),
            collective=f"MPI_{job['library']['name']}",
            library_seconds=tuple(answer["library"]),
            num_bytes=int(piece_bytes(problem, job["bytes"], job["width"])[schedule.messages].sum()),
            num_wrong=answer["wrong_bytes"],
            faults=tuple(WrongPayload(None if s < 0 else s, m, p, n) for s, m, p, n in answer["faults"]),
        )
