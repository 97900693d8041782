"""A timed result: a verified timed schedule, when it ends, and the bounds that say how good that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pavane.errors import InvalidSchedule, expect
from pavane.judge.result import Provenance, Status
from pavane.judge.timed_rules import finish_time, verify_timed
from pavane.judge.verdict import proof_text
from pavane.model.bound import Bound
from pavane.model.timed import TimedProblem, TimedSchedule


@dataclass(frozen=True, repr=False)
class TimedResult:
    """A timed schedule that the judge has accepted, with lower bounds on its end.

    Args:
        timed: The problem with its links and sizes.
        schedule: Its schedule, which is verified; None where there is none.
        bounds: Lower bounds on the end, made where the result was made.
        provenance: Where the schedule came from.
        interrupted: Whether an interrupt (Ctrl-C) ended the search.

    Raises:
        InvalidSchedule: The schedule breaks a rule; the text says which, and where.

    Example:
        >>> ring = pavane.network("ring:4")
        >>> problem = pavane.Problem(ring, "allgather", pavane.Rules(switching="store-and-forward"))
        >>> links = pavane.Links.uniform(ring, latency_ps=700_000, bytes_per_second=25 * 10**9)
        >>> timed = pavane.TimedProblem(problem, links, 1_000_000)
        >>> result = pavane.solve_timed(timed)
        >>> result.finish, result.status
        (81400000, 'optimal')
    """

    timed: TimedProblem
    schedule: TimedSchedule | None
    bounds: tuple[Bound, ...] = ()
    provenance: Provenance = field(default_factory=lambda: Provenance("unknown"))
    notes: tuple[str, ...] = ()
    interrupted: bool = False

    def __post_init__(self) -> None:
        expect(self.timed, TimedProblem, "timed", "make a `pavane.TimedProblem`")
        if self.schedule is not None:
            expect(self.schedule, TimedSchedule, "schedule", "make a `pavane.TimedSchedule`, or give None")
            violations = verify_timed(self.timed, self.schedule, most=1)
            if violations:
                raise InvalidSchedule(f"the schedule breaks a rule ({violations[0].rule}): {violations[0].text}")

    @property
    def finish(self) -> int | None:
        """Return when the last data are usable, in picoseconds."""
        return None if self.schedule is None else finish_time(self.timed, self.schedule)

    @property
    def bound(self) -> Bound | None:
        """Return the highest lower bound on the end."""
        return max(self.bounds, key=lambda bound: bound.figure, default=None)

    @property
    def status(self) -> Status:
        """Return what is known: optimal, feasible or unknown."""
        finish, bound = self.finish, self.bound
        if finish is None:
            return "unknown"
        return "optimal" if bound is not None and finish <= bound.figure else "feasible"

    @property
    def status_text(self) -> str:
        """Return the status in words: how an optimum is known, too."""
        finish = self.finish
        if finish is None or self.status != "optimal":
            return self.status
        return f"optimal ({proof_text(bound.argument for bound in self.bounds if bound.figure >= finish)})"

    @property
    def vector_bytes(self) -> int | None:
        """Return the bytes of one rank's buffer, as nccl-tests count them: of all messages, or of all parts of a sum.

        None for collectives that nccl-tests do not have, and where messages have sizes of their own.
        """
        collective = self.timed.problem.collective
        count = len({*collective.senders, *collective.receivers})
        messages = {"OAB": 1, "AOR": 1, "ALLREDUCE": len(collective.receivers)}
        messages |= dict.fromkeys(("AAB", "AAS", "AAR", "OAS", "AOG"), count)
        known = collective.kind in messages and not collective.sizes
        return messages[collective.kind] * self.timed.num_bytes if known else None

    @property
    def bandwidths(self) -> tuple[float, float] | None:
        """Return the algorithmic and the bus bandwidth as nccl-tests define them, in bytes per second.

        None for collectives that nccl-tests do not have, and where messages have sizes of their own.
        """
        collective, finish, vector = self.timed.problem.collective, self.finish, self.vector_bytes
        if vector is None or not finish:
            return None
        of_others = 1 - 1 / len({*collective.senders, *collective.receivers})
        factor = {"ALLREDUCE": 2 * of_others, "OAB": 1.0, "AOR": 1.0}.get(collective.kind, of_others)
        rate = vector * 1e12 / finish
        return rate, rate * factor

    def export(self, to: str, path: str | Path | None = None) -> str | tuple[Path, ...]:
        """Return the schedule in another tool's format, or write it.

        Args:
            to: The name of the format: `"mscclpp"`, `"msccl-xml"`, `"goal"`, `"chakra"` or `"simgrid"`.
            path: A file to write, or a folder where a format makes several; without it the text is returned.

        Returns:
            The text, or with `path` the files that were written.

        Example:
            >>> ring = pavane.network("ring:4")
            >>> problem = pavane.Problem(ring, "allgather", pavane.Rules(switching="store-and-forward"))
            >>> links = pavane.Links.uniform(ring, latency_ps=700_000, bytes_per_second=25 * 10**9)
            >>> result = pavane.solve_timed(pavane.TimedProblem(problem, links, 1_000_000))
            >>> print(result.export("goal").splitlines()[0])
            num_ranks 4
        """
        import pavane

        return pavane.notebook.export(self, to, path)

    def __repr__(self) -> str:
        where = f"{self.timed.problem.collective.title} on {self.timed.problem.network.name}"
        finish = self.finish
        if finish is None:
            return f"<TimedResult: no schedule of {where}>"
        return f"<TimedResult: {where} in {finish / 10**6:,.3f} us, {self.status}>"
