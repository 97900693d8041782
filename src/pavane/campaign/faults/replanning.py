"""Re-planning: every collective for every fault, equivalent faults once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from pavane.campaign.faults.replan_file import Key, ReplanLine, kept_replans, line_of
from pavane.campaign.faults.study import FaultColumn, FaultRow, FaultStudy, Outcome, Replan
from pavane.campaign.kept_lines import KeptLines
from pavane.errors import InputError, expect
from pavane.model.collectives import named
from pavane.model.faults import Disconnected, Fault, Kind, double_faults, faulty, single_faults, usual_kind
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.parallel.pools import Workers, as_workers
from pavane.parallel.tasks import TaskContext, WorkerLost
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions
from pavane.symmetry.equivalence import Equivalence
from pavane.text import counted

MOST_FAULTS = 100_000
"""More single faults than this are refused."""

Cell = tuple[int, int]
"""A row and a column of the table; row 0 is without fault."""


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
    workers: int | Workers = 1,
    folder: str | Path | None = None,
    progress: Callable[[FaultProgress], None] = lambda _: None,
    note: Callable[[str], None] = lambda _: None,
) -> FaultStudy:
    """Re-plan collectives for every single fault, or every pair of faults, and gather what that costs.

    An interrupt (Ctrl-C) ends the study: what is planned by then is kept, the rest is marked, and the study is
    `interrupted`; with nothing planned it goes on.

    Args:
        network: The network.
        collectives: The collectives, made or named.
        rules: The rules, or several, each for all collectives.
        kind: What fails: `"channel"`, `"link"`, `"router"` or `"processor"`; links, or channels where they are one-way,
            unless given.
        double: Whether two of them fail at once.
        sample: The number of pairs of faults, drawn with the seed where there are more.
        seed: Where chance begins; the same seed gives the same answer.
        seconds: A limit for each re-plan.
        workers: The number of processes, which change the time and not the answer.
        folder: Where re-plans are kept, in replans.jsonl, and not made again.
        progress: Called with how far the study has come.
        note: Called with what is worth knowing about the folder.

    Returns:
        The study, with a row for each fault.

    Example:
        >>> found = pavane.faults(pavane.network("ring:4"), ["broadcast"], kind="link")
        >>> len(found.rows)
        4
    """
    expect(network, Network, "network", "make a network of a text or a graph with `pavane.network`")
    hired = as_workers(workers)
    if sample < 1:
        raise InputError(f"sample {sample}: a study of faults needs at least one; give 1 or more")
    for each in collectives:
        expect(each, (Collective, str), "collectives", "name them, like aas, or make them, as `pavane.alltoall` does")
    if not collectives:
        raise InputError("no collective was named; give at least one, for example aas")
    kind = usual_kind(network) if kind is None else kind
    columns = _columns(network, collectives, [rules] if isinstance(rules, Rules) else list(rules or [Rules()]))
    _refuse_partial_grids(columns, kind)
    listed, num_possible = _listed(network, kind, double, sample, seed)
    cases = [Fault("no fault"), *listed]
    plan = _Plan(columns, cases)
    with nullcontext() if folder is None else kept_replans(folder, note) as kept:
        interrupted = not _carry_out(plan, _Planning(seed, seconds, hired), kept, progress)
    no_fault, *rows = plan.rows()
    return FaultStudy(network, tuple(columns), kind, double, num_possible, seed, no_fault, tuple(rows), interrupted)


def _columns(network: Network, collectives: Sequence[Collective | str], rules: Sequence[Rules]) -> list[FaultColumn]:
    columns = []
    for collective in collectives:
        members = named(collective, network) if isinstance(collective, str) else collective
        for some in rules:
            title = members.kind if len(rules) == 1 else f"{members.kind} {some.routing}"
            if members.pattern == "allreduce" and members.receivers != members.senders:
                title += f" in {counted(len(members.receivers), 'part')}"
            pieces = "" if members.pieces == 1 else f" {members.pieces} pieces"
            columns.append(FaultColumn(title + pieces, Problem(network, members, some)))
    return columns


def _refuse_partial_grids(columns: Sequence[FaultColumn], kind: Kind) -> None:
    """Refuse faults that break the grid which an ordered routing needs."""
    for column in columns:
        if kind == "router" and column.problem.restriction is not None:
            raise InputError(
                f"{column.problem.rules.routing} routing needs a whole grid of routers; "
                "choose minimal routing, or faults of channels, links or processors"
            )


def _listed(network: Network, kind: Kind, double: bool, sample: int, seed: int) -> tuple[list[Fault], int]:
    """Return the faults to study, and how many are possible."""
    singles = single_faults(network, kind)
    num_possible = len(singles) * (len(singles) - 1) // 2 if double else len(singles)
    if not num_possible:
        raise InputError(f"network {network.name} has no {'pair of ' if double else ''}{kind} faults to study")
    if num_possible > MOST_FAULTS and not double:
        raise InputError(f"network {network.name} has {num_possible:,} {kind} faults; at most {MOST_FAULTS:,} fit")
    return (double_faults(singles, sample, seed) if double else singles), num_possible


class _Plan:
    """What is to be planned for each fault and collective, what is known without, and what has been found."""

    def __init__(self, columns: Sequence[FaultColumn], cases: Sequence[Fault]) -> None:
        self.columns, self.cases = columns, cases
        self.problems: dict[Cell, Problem] = {}
        """What is to be planned, in the order of rows."""
        self.known: dict[Cell, Replan] = {}
        """What has been planned."""
        self._impossible: dict[Cell, Replan] = {}
        self._first: dict[Cell, int] = {}
        """The row whose re-plan stands for a cell; its own, where it is planned by itself."""
        for at, column in enumerate(columns):
            equivalence = Equivalence()
            for row, fault in enumerate(cases):
                try:
                    problem = faulty(column.problem, fault)
                except Disconnected as gone:
                    self._impossible[row, at] = Replan(gone.why)
                    continue
                self._first[row, at] = equivalence.first_like(problem, row)
                if self._first[row, at] == row:
                    self.problems[row, at] = problem
        self.problems = dict(sorted(self.problems.items()))

    def rows(self) -> list[FaultRow]:
        """Return the table as it is by now, without fault first."""
        return [
            FaultRow(fault, tuple(self._replan(row, at) for at in range(len(self.columns))))
            for row, fault in enumerate(self.cases)
        ]

    def _replan(self, row: int, at: int) -> Replan:
        if (row, at) in self._impossible:
            return self._impossible[row, at]
        first = self._first[row, at]
        there = self.known.get((first, at), Replan("not planned"))
        if first == row or there.outcome == "not planned":
            return there
        return Replan(there.outcome, there.steps, there.bound, 0.0, there.solver, self.cases[first].name)


class _Planning(NamedTuple):
    """How problems are planned."""

    seed: int
    seconds: float | None
    workers: Workers


def _carry_out(
    plan: _Plan, how: _Planning, kept: KeptLines[ReplanLine] | None, progress: Callable[[FaultProgress], None]
) -> bool:
    """Plan what is not known yet, and keep it; say whether all was planned before an interrupt came."""
    keys: dict[Cell, Key] = {}
    if kept is not None:
        keys = {cell: (problem.digest(), how.seed, how.seconds) for cell, problem in plan.problems.items()}
        before = {line.key: line.replan() for line in kept.lines}
        plan.known = {cell: before[key] for cell, key in keys.items() if key in before}
    missing = {cell: problem for cell, problem in plan.problems.items() if cell not in plan.known}
    started = time.monotonic()
    try:
        for cell, found in _replans(missing, how):
            if kept is not None and isinstance(found, Replan):
                kept.add(line_of(missing[cell], keys[cell], found))
            plan.known[cell] = Replan("unknown") if isinstance(found, WorkerLost) else found
            fault, title = plan.cases[cell[0]].name, plan.columns[cell[1]].title
            progress(FaultProgress(len(plan.known), len(plan.problems), fault, title, time.monotonic() - started))
    except KeyboardInterrupt:
        if not plan.known:
            raise
        return False
    return True


def _replans(problems: dict[Cell, Problem], how: _Planning) -> Iterator[tuple[Cell, Replan | WorkerLost]]:
    """Yield re-plans as they are made; with one worker in their order."""
    cells = list(problems)
    calls = [(problems[cell], how.seed, how.seconds) for cell in cells]
    with how.workers.pool(len(cells), None) as pool:
        # As they come: at an interrupt those that are half-way are dropped, and nobody waits for them.
        for number, found in pool.results(_replan, calls, in_order=False):
            yield cells[number], found


def _replan(_: None, contact: TaskContext, problem: Problem, seed: int, seconds: float | None) -> Replan:
    result = find_or_interrupt(problem, SearchOptions(seed=seed, seconds=seconds))
    # A study of faults counts steps, under combining too.
    outcome: Outcome = "unknown" if result.schedule is None else "optimal" if result.has_fewest_steps else "feasible"
    about = result.provenance
    bound = result.bound.steps if result.bound else None
    return Replan(outcome, result.num_steps, bound, about.seconds, about.solver)
