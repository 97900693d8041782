"""A study of faults: collectives re-planned for every fault, equivalent faults once, and what that says in all."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, NamedTuple

from pavane.errors import InputError
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Collective, Problem, Rules
from pavane.search.fewest_steps import searched
from pavane.studies.fault_study.equivalence import Equivalence
from pavane.studies.fault_study.fault import Disconnected, Fault, Kind, double_faults, faulty, single_faults, usual_kind
from pavane.workers.crew import Lost, crew_of

Outcome = Literal["optimal", "feasible", "unknown", "disconnects", "no root", "nothing"]

MOST_FAULTS = 100_000


@dataclass(frozen=True)
class Column:
    """One collective under one set of rules, with a title for tables."""

    title: str
    problem: Problem


@dataclass(frozen=True)
class Replan:
    """What became of one collective with one fault."""

    outcome: Outcome
    """optimal, feasible: it has a schedule; disconnects, no root, nothing: it can have none; unknown: none in time."""
    steps: int | None = None
    bound: int | None = None
    seconds: float = 0.0
    solver: str = ""
    same_as: str | None = None
    """The fault of which this one is the image under a symmetry, and whose plan stands for it."""


@dataclass(frozen=True)
class Row:
    """One fault and the re-plan of each collective; no fault at all in the first row of a study."""

    fault: Fault
    replans: tuple[Replan, ...]

    @property
    def same_as(self) -> str | None:
        """Return the fault whose plans stand for all of this row, where it is one."""
        alike = {replan.same_as for replan in self.replans}
        return alike.pop() if len(alike) == 1 else None


@dataclass(frozen=True)
class FaultStudy:
    """Collectives without fault and with every one of some faults."""

    network: Network
    columns: tuple[Column, ...]
    kind: Kind
    double: bool
    num_possible: int
    """How many faults there are; more than rows where a sample was drawn."""
    seed: int
    no_fault: Row
    rows: tuple[Row, ...]

    def is_degraded(self, replan: Replan, column: int) -> bool:
        """Say whether a fault costs steps, or the collective."""
        whole = self.no_fault.replans[column].steps
        return replan.steps is None or (whole is not None and replan.steps > whole)

    def worst(self, column: int) -> int | None:
        """Return the most steps that any fault leads to, of those that leave the collective possible."""
        return max((r.steps for r in self._column(column) if r.steps is not None), default=None)

    def histogram(self, column: int) -> dict[int, int]:
        """Return how many faults lead to each number of steps."""
        return dict(sorted(Counter(r.steps for r in self._column(column) if r.steps is not None).items()))

    def impossible(self, column: int) -> dict[str, list[str]]:
        """Return the faults that leave a collective without any schedule, by why."""
        found: dict[str, list[str]] = {}
        for row in self.rows:
            if row.replans[column].steps is None:
                found.setdefault(row.replans[column].outcome, []).append(row.fault.name)
        return found

    @property
    def is_proven(self) -> bool:
        """Whether every number of steps is proven to be the least."""
        return all(r.outcome not in ("feasible", "unknown") for row in (self.no_fault, *self.rows) for r in row.replans)

    @property
    def seconds(self) -> tuple[float, ...]:
        """Return how long each re-plan took; those that a symmetry saved are left out."""
        return tuple(r.seconds for row in self.rows for r in row.replans if r.same_as is None and r.outcome in PLANNED)

    @property
    def median_seconds(self) -> float:
        """Return how long a re-plan mostly took."""
        return median(self.seconds) if self.seconds else 0.0

    def _column(self, column: int) -> Iterator[Replan]:
        return (row.replans[column] for row in self.rows)


PLANNED = ("optimal", "feasible", "unknown")


class FaultProgress(NamedTuple):
    """How far a study has come."""

    done: int
    total: int
    fault: str
    title: str
    seconds: float


def faults(
    network: Network,
    collectives: Sequence[Collective | str],
    rules: Rules | Sequence[Rules] | None = None,
    *,
    kind: Kind | None = None,
    double: bool = False,
    sample: int = 100,
    seed: int = 0,
    seconds: float | None = None,
    workers: int = 1,
    progress: Callable[[FaultProgress], None] = lambda _: None,
) -> FaultStudy:
    """Re-plan collectives for every single fault, or every pair of faults, and gather what that costs.

    A pair of faults is one of `sample` drawn with the seed where there are more. Seconds limit each re-plan. More
    workers are more processes: they change the time, not the answer.
    """
    for number, what in ((workers, "workers"), (sample, "sample")):
        if number < 1:
            raise InputError(f"{what} {number}: a study of faults needs at least one; give 1 or more")
    if not collectives:
        raise InputError("no collective was named; give at least one, for example aas")
    kind = usual_kind(network) if kind is None else kind
    columns = _columns(network, collectives, [rules] if isinstance(rules, Rules) else list(rules or [Rules()]))
    for column in columns:
        if kind == "router" and column.problem.restriction is not None:
            raise InputError(
                f"{column.problem.rules.routing} routing needs a whole grid of routers; "
                "choose minimal routing, or faults of channels, links or processors"
            )
    singles = single_faults(network, kind)
    num_possible = len(singles) * (len(singles) - 1) // 2 if double else len(singles)
    if not num_possible:
        raise InputError(f"network {network.name} has no {'pair of ' if double else ''}{kind} faults to study")
    if num_possible > MOST_FAULTS and not double:
        raise InputError(f"network {network.name} has {num_possible:,} {kind} faults; at most {MOST_FAULTS:,} fit")
    listed = double_faults(singles, sample, seed) if double else singles
    cases = [Fault("no fault"), *listed]
    table, tasks = _plan(columns, cases)
    order = sorted(tasks)
    started = time.monotonic()
    for done, ((row, at), replan) in enumerate(_answers(tasks, order, seed, seconds, workers)):
        table[row][at] = replan
        told = FaultProgress(done + 1, len(order), cases[row].name, columns[at].title, time.monotonic() - started)
        progress(told)
    rows = []
    for case, replans in zip(cases, table, strict=True):
        found = [_copied(table, cases, cell, at) if isinstance(cell, int) else cell for at, cell in enumerate(replans)]
        rows.append(Row(case, tuple(found)))
    return FaultStudy(network, tuple(columns), kind, double, num_possible, seed, rows[0], tuple(rows[1:]))


def _columns(network: Network, collectives: Sequence[Collective | str], rules: Sequence[Rules]) -> list[Column]:
    columns = []
    for collective in collectives:
        members = named(collective, network) if isinstance(collective, str) else collective
        for some in rules:
            title = members.kind if len(rules) == 1 else f"{members.kind} {some.routing}"
            columns.append(Column(title, Problem(network, members, some)))
    return columns


Cell = Replan | int
"""A re-plan, or the number of the row whose re-plan stands for it."""


def _plan(columns: Sequence[Column], cases: Sequence[Fault]) -> tuple[list[list[Cell]], dict[tuple[int, int], Problem]]:
    """Say for each fault and collective what is known without planning, and which problems are to be planned."""
    table: list[list[Cell]] = [[0] * len(columns) for _ in cases]
    tasks: dict[tuple[int, int], Problem] = {}
    for at, column in enumerate(columns):
        equivalence = Equivalence()
        for row, fault in enumerate(cases):
            try:
                problem = faulty(column.problem, fault)
            except Disconnected as gone:
                table[row][at] = Replan(gone.why)
                continue
            first = equivalence.first_like(problem, row)
            table[row][at] = first
            if first == row:
                tasks[row, at] = problem
    return table, tasks


def _copied(table: list[list[Cell]], cases: Sequence[Fault], first: int, at: int) -> Replan:
    """Return the re-plan of an equivalent fault as this one's."""
    there = table[first][at]
    assert isinstance(there, Replan)
    return Replan(there.outcome, there.steps, there.bound, 0.0, there.solver, cases[first].name)


def _answers(
    tasks: dict[tuple[int, int], Problem],
    order: Sequence[tuple[int, int]],
    seed: int,
    seconds: float | None,
    workers: int,
) -> Iterator[tuple[tuple[int, int], Replan]]:
    """Yield re-plans in their order, whatever the number of workers."""
    calls = [(tasks[key], seed, seconds) for key in order]
    with crew_of(min(workers, len(order)), None) as crew:
        for number, found in crew.answers(_replan, calls):
            yield order[number], Replan("unknown") if isinstance(found, Lost) else found


def _replan(_: None, is_stopped: Callable[[], bool], problem: Problem, seed: int, seconds: float | None) -> Replan:
    result = searched(problem, seed=seed, seconds=seconds)
    outcome: Outcome = result.status if result.status != "impossible" else "unknown"
    about = result.provenance
    bound = result.bound.steps if result.bound else None
    return Replan(outcome, result.num_steps, bound, about.seconds, about.solver)
