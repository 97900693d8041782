"""A result: a verified answer to a problem, the bounds that say how good it is, and where it came from."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from pavane.errors import InvalidSchedule, expect
from pavane.judge.rules import verify
from pavane.judge.timed_case import finish_time
from pavane.judge.verdict import BY_CERTIFICATE, BY_SEARCH, CLAIMED, NOT_REPEATED, Verdict, proof_text
from pavane.model.bound import ALONE, Bound, Objective, of_objective
from pavane.model.mesh_table import AnyTable
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.several import steps_of
from pavane.text import counted, microseconds

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Status = Literal["optimal", "feasible", "impossible", "unknown"]


@dataclass(frozen=True)
class Provenance:
    """Where a schedule came from."""

    solver: str
    seed: int = 0
    seconds: float = 0.0
    version: str = ""
    is_claimed: bool = field(default=False, compare=False)
    """Whether it comes from a file, which cannot be checked."""


@dataclass(frozen=True)
class Run:
    """How the search of one solver went, where it counts what it does."""

    evaluations: int
    """Complete evaluations of a fitness, or moves."""
    trace: tuple[tuple[int, int], ...] = ()
    """Evaluations made and conflicts left, at the start and whenever the best got better."""


@dataclass(frozen=True, repr=False)
class Result:
    """The result of a search; it cannot hold a schedule that the judge refuses.

    Args:
        problem: The problem.
        schedule: Its schedule, which is verified; None where none was found.
        bounds: Lower bounds on the number of steps, under combining on the TCO, or with start times on the end.
        provenance: Where the schedule came from.
        requested_steps: The requested number of steps, if any.

    Raises:
        InvalidSchedule: The schedule breaks a rule; the text says which, and where.

    Example:
        >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
        >>> result = pavane.solve(problem)
        >>> result
        <Result: alltoall (AAS) on octagon in 4 steps, optimal>
        >>> result.is_optimal, result.bound
        (True, <Bound: 4 steps (sum-of-distances)>)

        With start times a schedule ends early.

        >>> ring, rules = pavane.network("ring:4"), pavane.Rules(switching="store-and-forward")
        >>> links = pavane.Links.uniform(ring, latency_ps=700_000, bytes_per_second=25 * 10**9)
        >>> pavane.solve(pavane.Problem(ring, "allgather", rules, links=links, num_bytes=1_000_000))
        <Result: allgather (AAB) on ring:4 in 81.400 us, optimal>
    """

    problem: Problem
    schedule: Schedule | None
    bounds: tuple[Bound, ...] = ()
    """Lower bounds on the steps, made where the result was made."""
    provenance: Provenance = field(default_factory=lambda: Provenance("unknown"))
    requested_steps: int | None = None
    """The requested number of steps, if any."""
    run: Run | None = None
    notes: tuple[str, ...] = ()
    """Failures of single attempts, a line each."""
    interrupted: bool = False
    """Whether an interrupt (Ctrl-C) ended the search; this is the best until then."""
    claims: tuple[Bound, ...] = ()
    """Bounds that a file claims: one counts if the judge proves it, which is checked when needed."""
    table: AnyTable | None = None
    """The table that gives the schedule, which is verified, where the schedule is not written out."""
    steps_alone: tuple[int, ...] = ()
    """Of several collectives the steps that each takes without the others, where it was searched for so."""

    def __post_init__(self) -> None:
        expect(self.problem, Problem, "problem", "make a `pavane.Problem`")
        if self.schedule is not None:
            expect(self.schedule, Schedule, "schedule", "make a `pavane.Schedule`, or give None")
        for schedule in (self.schedule, self.table):
            violations = [] if schedule is None else verify(self.problem, schedule, most=1)
            if violations:
                raise InvalidSchedule(f"the schedule breaks a rule ({violations[0].rule}): {violations[0].text}")

    def amended(self, **changes: Any) -> Result:
        """Return this result with other bounds, provenance, run or notes.

        Problem and schedule stay what they are, so they are not judged again, which takes seconds where they are large.
        """
        fixed = {"problem", "schedule", "table"} & changes.keys()
        if fixed or not changes.keys() <= {one.name for one in fields(self)}:
            raise TypeError(f"a result is amended in what has not been judged, not in {', '.join(sorted(changes))}")
        twin = copy.copy(self)
        for name, value in changes.items():
            object.__setattr__(twin, name, value)
        if "claims" in changes:
            vars(twin).pop("verdicts", None)
        return twin

    @property
    def num_steps(self) -> int | None:
        """Return the number of steps or slots of the schedule, if there is one; None with start times."""
        schedule = self.table if self.schedule is None else self.schedule
        return None if schedule is None or self.problem.has_times else schedule.num_steps

    @cached_property
    def finish(self) -> int | None:
        """With start times, when the last data are usable, in picoseconds."""
        if self.schedule is None or not self.problem.has_times:
            return None
        return finish_time(self.problem, self.schedule)

    @property
    def objective(self) -> Objective:
        """Return what the schedule is compared by: its steps, or with start times its end."""
        return "finish" if self.problem.has_times else "steps"

    @property
    def figure(self) -> int | None:
        """Return the number of steps, or with start times the end in picoseconds, if there is a schedule."""
        return self.finish if self.problem.has_times else self.num_steps

    def expanded(self) -> Result:
        """Return this result with its schedule written out, where a table gives it; refuses what is too large."""
        if self.table is None:
            return self
        schedule = self.table.expand(self.problem)
        twin = Result(self.problem, schedule, self.bounds, self.provenance, self.requested_steps)
        return twin.amended(run=self.run, notes=self.notes, claims=self.claims)

    @property
    def per_message(self) -> Fraction | None:
        """Return the steps for each piece of a message: what schedules of different numbers of pieces compare by."""
        if self.num_steps is None or self.problem.has_several:
            return None
        return Fraction(self.num_steps, self.problem.collective.pieces)

    @property
    def steps_of_each(self) -> tuple[int, ...]:
        """Return the number of steps after which each collective is complete; none without a schedule."""
        return () if self.schedule is None else steps_of(self.problem, self.schedule)

    # -- bounds

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The judge's verdict on each claim, the highest figure first; each is checked when it is read."""
        ordered = sorted(self.claims, key=lambda bound: bound.figure, reverse=True)
        return tuple(Verdict(self.problem, claim, self.num_steps) for claim in ordered)

    @property
    def known_bounds(self) -> tuple[Bound, ...]:
        """Return every bound that was made here or is proven by the judge, the highest figure first."""
        known = [*self.bounds, *(verdict.bound for verdict in self.verdicts if verdict.is_proven)]
        return tuple(sorted(known, key=lambda bound: bound.figure, reverse=True))

    @property
    def bound(self) -> Bound | None:
        """Return the highest lower bound on the steps, or on the end, made here or proven by the judge."""
        return self._highest(self.objective)

    @property
    def occupancy_bound(self) -> Bound | None:
        """Return the highest lower bound on the TCO of schedules with as many start-ups, made here or proven."""
        return self._highest("tco")

    def _highest(self, objective: Objective) -> Bound | None:
        holding = [bound for bound in of_objective(self.bounds, objective) if bound.holds_for(self.num_steps)]
        best = max(holding, key=lambda bound: bound.figure, default=None)
        for verdict in self._about(objective):
            claim = verdict.bound
            if (best is None or claim.figure > best.figure) and verdict.is_proven:
                return claim
        return best

    def _about(self, objective: Objective) -> Iterator[Verdict]:
        """Yield the claims on an objective that are about schedules of as many steps."""
        for verdict in self.verdicts:
            if verdict.bound.objective == objective and verdict.bound.holds_for(self.num_steps):
                yield verdict

    @property
    def bounds_alone(self) -> tuple[int, ...]:
        """Return the lower bound on the steps of each collective alone; 1 where none is known."""
        if not self.problem.has_several:
            return (1 if self.bound is None else self.bound.figure,)
        found = [1] * len(self.problem.collectives)
        for bound in self.known_bounds:
            if bound.argument == ALONE:
                number = bound.certificate["collective"]
                found[number] = max(found[number], bound.figure)
        return tuple(found)

    # -- what is known

    @property
    def is_impossible(self) -> bool:
        """Whether it is known that no schedule has as few steps as were requested."""
        bound = self.bound
        return bound is not None and self.requested_steps is not None and bound.figure > self.requested_steps

    @property
    def has_least_sum(self) -> bool:
        """Whether it is known that no schedule has a smaller sum of the collectives' steps."""
        return self.schedule is not None and sum(self.steps_of_each) <= sum(self.bounds_alone)

    @property
    def has_least_figure(self) -> bool:
        """Whether it is known that no schedule has fewer steps, or with start times an earlier end."""
        bound = self.bound
        return self.figure is not None and bound is not None and self.figure <= bound.figure

    @property
    def has_least_tco(self) -> bool:
        """Whether it is known that no schedule of as many start-ups has less TCO."""
        bound = self.occupancy_bound
        return self.schedule is not None and bound is not None and self.schedule.tco <= bound.figure

    @property
    def has_tco(self) -> bool:
        """Whether the TCO counts beside the steps: under combining, where there is one collective."""
        return self.problem.rules.combining and not self.problem.has_several

    @property
    def optimal(self) -> tuple[str, ...]:
        """Return the figures that are known to be the least: steps, finish, or under combining start-ups and TCO."""
        if not self.has_tco:
            return (self.objective,) if self.has_least_figure else ()
        is_least = {"start-ups": self.has_least_figure, "TCO": self.has_least_tco}
        return tuple(figure for figure, yes in is_least.items() if yes)

    @property
    def status(self) -> Status:
        """Return what is known: optimal, feasible, impossible (in the requested steps) or unknown.

        Under combining a schedule is optimal whose start-ups and whose TCO are.
        """
        if self.figure is not None:
            return "optimal" if len(self.optimal) == (2 if self.has_tco else 1) else "feasible"
        return "impossible" if self.is_impossible else "unknown"

    @property
    def is_optimal(self) -> bool:
        """Whether it is known that no schedule is better: the status is optimal."""
        return self.status == "optimal"

    @property
    def unproven(self) -> tuple[Verdict, ...]:
        """Return the highest claims that would make a figure the least, where nothing proves that."""
        figure = self.figure
        if figure is None:
            return ()
        found: list[Verdict] = []
        if not self.has_least_figure:
            found += [verdict for verdict in self._about(self.objective) if verdict.bound.figure >= figure][:1]
        if self.schedule is not None and self.has_tco and not self.has_least_tco:
            tco = self.schedule.tco
            found += [verdict for verdict in self._about("tco") if verdict.bound.figure >= tco][:1]
        return tuple(found)

    @property
    def proof(self) -> str:
        """Return how an optimum is known: by a certificate or by a search; nothing where the status is another."""
        if not self.is_optimal:
            return ""
        proofs = [proof_text(bound.reason for bound in self._reached(self.objective, self.figure or 0))]
        if self.has_tco and self.schedule is not None:
            proofs.append(proof_text(bound.argument for bound in self._reached("tco", self.schedule.tco)))
        return BY_SEARCH if BY_SEARCH in proofs else BY_CERTIFICATE

    def _reached(self, objective: Objective, figure: int) -> Iterator[Bound]:
        """Yield the known bounds on an objective that are at least a figure of the schedule."""
        for bound in of_objective(self.bounds, objective):
            if bound.figure >= figure and bound.holds_for(self.num_steps):
                yield bound
        for verdict in self._about(objective):
            if verdict.bound.figure >= figure and verdict.is_proven:
                yield verdict.bound

    @property
    def status_text(self) -> str:
        """Return the status in words: how an optimum is known, and what a file claims without proof.

        *optimal (certificate)*, *optimal (by search)*, *optimal (by search, not repeated here)* where a file says so,
        or *feasible*; under combining also what is optimal, if not all is.
        """
        if self.is_optimal:
            figures = " in start-ups and TCO" if self.has_tco else ""
            return f"optimal{figures} ({self.proof})"
        known, claimed = self.optimal, self.unproven
        text: str = self.status
        if self.has_tco and known:
            text = f"optimal in {' and '.join(known)}"
        if not claimed:
            return text
        if not self.has_tco and all(v.is_on_trust and v.bound.figure == self.figure for v in claimed):
            return f"optimal ({NOT_REPEATED})"
        return f"{text} (a bound of {' and '.join(verdict.figure for verdict in claimed)} is {CLAIMED})"

    # -- rates

    @property
    def vector_bytes(self) -> int | None:
        """Return the bytes of one rank's buffer, as nccl-tests count them: of all messages, or of all parts of a sum.

        None without start times, for collectives that nccl-tests do not have, and where messages have sizes of their
        own.
        """
        if not self.problem.has_times or self.problem.collective.sizes:
            return None
        collective, num_bytes = self.problem.collective, self.problem.timing.num_bytes
        count = len({*collective.senders, *collective.receivers})
        messages = {"OAB": 1, "AOR": 1, "ALLREDUCE": len(collective.receivers)}
        messages |= dict.fromkeys(("AAB", "AAS", "AAR", "OAS", "AOG"), count)
        return messages[collective.kind] * num_bytes if collective.kind in messages else None

    @property
    def bandwidths(self) -> tuple[float, float] | None:
        """Return the algorithmic and the bus bandwidth as nccl-tests define them, in bytes per second.

        None where `vector_bytes` is.
        """
        vector, finish = self.vector_bytes, self.finish
        if vector is None or not finish:
            return None
        collective = self.problem.collective
        of_others = 1 - 1 / len({*collective.senders, *collective.receivers})
        factor = {"ALLREDUCE": 2 * of_others, "OAB": 1.0, "AOR": 1.0}.get(collective.kind, of_others)
        rate = vector * 1e12 / finish
        return rate, rate * factor

    # -- files, pictures and notebooks

    def save(self, path: str | Path) -> None:
        """Write the result as the file's name says.

        Args:
            path: A schedule file (.json, or packed .json.gz), a page that plays it (.html), or a picture of its steps
                (.svg, .png, .pdf).

        Example:
            >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
            >>> pavane.solve(problem).save("schedule.json")
            >>> pavane.read_schedule("schedule.json").result()
            <Result: alltoall (AAS) on octagon in 4 steps, optimal>
        """
        import pavane

        pavane.notebook.save(self, path)

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a table of pandas with a row for each transfer, and the columns of the format csv.

        Returns:
            A data frame with the columns step (from 1, as reports count), from, to, route, carries and ends.

        Example:
            >>> frame = pavane.solve(pavane.Problem("octagon", "alltoall")).to_dataframe()
            >>> frame.groupby("step").size().to_dict()
            {1: 13, 2: 14, 3: 14, 4: 15}
        """
        import pavane

        return pavane.notebook.result_dataframe(self)

    def plot(self, what: str = "schedule", *, steps: range | None = None, ax: Axes | None = None) -> Figure:
        """Draw the result with matplotlib.

        Args:
            what: `"schedule"` (a small picture of each step), `"network"`, `"load"` (channels by steps), `"routers"`
                (busy output ports of routers by steps), `"gantt"` (channels by steps, coloured by origin), `"steps"`
                (counts of each step) or `"trace"` (how the search went, where its solver counts conflicts).
            steps: The steps of a schedule to draw, from 0; as many as fit unless given.
            ax: Axes to draw into, for all but a schedule; a new figure unless given.

        Returns:
            The figure, which a notebook shows.

        Example:
            >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
            >>> figure = pavane.solve(problem).plot()
            >>> figure.get_suptitle()
            'alltoall (AAS) on octagon: 4 steps, optimal (certificate)'
        """
        import pavane

        return pavane.notebook.plot(self, what, steps=steps, ax=ax)

    def show(self) -> None:
        """Play the schedule: in a notebook below the cell, elsewhere in the browser.

        Example:
            >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
            >>> result = pavane.solve(problem)
            >>> result.show()  # doctest: +SKIP
        """
        import pavane

        pavane.notebook.show(self)

    @overload
    def export(self, to: str, path: None = None, *, size: int | str | None = None) -> str: ...
    @overload
    def export(self, to: str, path: str | Path, *, size: int | str | None = None) -> tuple[Path, ...]: ...
    def export(
        self,
        to: str,
        path: str | Path | None = None,
        *,
        size: int | str | None = None,
    ) -> str | tuple[Path, ...]:
        """Return the schedule in another tool's format, or write it.

        Args:
            to: The name of the format, like `"csv"` or `"msccl-xml"`; `pavane.exports.EXPORTS` has them.
            path: A file to write, or a folder where a format makes several; without it the text is returned.
            size: The bytes of one message, as 4, "1kB" or "1KiB", where a format needs them; 1024 unless given.

        Returns:
            The text, or with `path` the files that were written.

        Example:
            >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
            >>> text = pavane.solve(problem).export("csv")
            >>> print(text.splitlines()[0])
            step,from,to,route,carries,ends
        """
        import pavane

        return pavane.notebook.export(self, to, path, size=size)

    def _repr_html_(self) -> str:
        import pavane

        return pavane.notebook.result_view(self)

    def __repr__(self) -> str:
        where, step = f"{self.problem.title} on {self.problem.network.name}", self.problem.rules.step_word
        if self.finish is not None:
            return f"<Result: {where} in {microseconds(self.finish)}, {self.status}>"
        if self.num_steps is None:
            limit = "" if self.requested_steps is None else f" in {counted(self.requested_steps, step)}"
            return f"<Result: no schedule of {where}{limit}, {self.status}>"
        tco = f", TCO {self.schedule.tco:,}" if self.schedule is not None and self.problem.rules.combining else ""
        return f"<Result: {where} in {counted(self.num_steps, step)}{tco}, {self.status}>"
