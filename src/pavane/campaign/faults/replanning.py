"""Re-planning: every collective for every fault, equivalent faults once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pavane.campaign.faults.study import (
    FILE,
    FaultColumn,
    FaultRow,
    FaultStudy,
    Outcome,
    Replan,
    ReplanLine,
    line_of,
)
from pavane.errors import InputError, expect
from pavane.model.collectives import named
from pavane.model.faults import Disconnected, Fault, Kind, faulty, single_faults, usual_kind
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules, default_rules
from pavane.parallel.campaign import Campaign
from pavane.parallel.finished_lines import FinishedLines
from pavane.parallel.pools import as_workers
from pavane.parallel.tasks import TaskContext, WorkerLost
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions
from pavane.symmetry.equivalence import Equivalence
from pavane.text import counted

MOST_FAULTS = 100_000
"""More single faults than this are refused."""

LOST = Replan("unknown")
"""The re-plan of a task whose worker died; it is not stored."""

Cell = tuple[int, int]
"""A row and a column of the table; row 0 is without fault."""


def faults(
    network: Network,
    collectives: Sequence[Collective | str],
    rules: Rules | Sequence[Rules] | None = None,
    options: SearchOptions = SearchOptions(),
    *,
    kind: Kind | None = None,
    folder: str | Path | None = None,
) -> FaultStudy:
    """Re-plan collectives for every single fault, and report how many steps they add.

    An interrupt (Ctrl-C) ends the study: it has what was planned before, the rest is marked, and the study is
    `interrupted`; with nothing planned the interrupt is raised.

    Args:
        network: The network.
        collectives: The collectives, made or named.
        rules: The rules, or several, each for all collectives.
        options: The seed, the limits of each re-plan, the workers, and the callback for progress.
        kind: What fails: `"channel"`, `"link"`, `"router"` or `"processor"`; by default links, or channels if some are
            one-way.
        folder: A folder where re-plans are stored, in replans.jsonl; they are not made again.

    Returns:
        The study, with a row for each fault.

    Example:
        >>> len(pavane.faults(pavane.network("ring:4"), ["broadcast"], kind="link").rows)
        4
    """
    expect(network, Network, "network", "make a network of a text or a graph with `pavane.network`")
    expect(options, SearchOptions, "options", "make them like `pavane.SearchOptions(seconds=60)`")
    if folder is not None and options.evaluations is not None:
        raise InputError("`evaluations`: stored re-plans do not record them; limit re-plans by `seconds`")
    kind = usual_kind(network) if kind is None else kind
    variants = [rules] if isinstance(rules, Rules) else list(rules or [default_rules(network)])
    columns = _columns(network, collectives, variants)
    _refuse_partial_grids(columns, kind)
    plan = _Plan(columns, [Fault("no fault"), *_listed_faults(network, kind)])
    notes: list[str] = []
    path = None if folder is None else Path(folder) / FILE
    with FinishedLines(path, ReplanLine, "re-plan", notes.append) as file:
        campaign = _replan_all(plan, options, file)
    no_fault, *rows = plan.rows(campaign.results)
    return FaultStudy(
        network,
        tuple(columns),
        kind,
        options.seed,
        no_fault,
        tuple(rows),
        campaign.interrupted,
        tuple(notes),
    )


def _columns(network: Network, collectives: Sequence[Collective | str], rules: Sequence[Rules]) -> list[FaultColumn]:
    if not collectives:
        raise InputError("no collective was named; give at least one, for example aas")
    columns = []
    for collective in collectives:
        expect(
            collective, (Collective, str), "collectives", "name them, like aas, or make them, as `pavane.alltoall` does"
        )
        members = named(collective, network) if isinstance(collective, str) else collective
        for variant in rules:
            title = members.kind if len(rules) == 1 else f"{members.kind} {variant.routing}"
            if members.pattern == "allreduce" and members.receivers != members.senders:
                title += f" in {counted(len(members.receivers), 'part')}"
            pieces = "" if members.pieces == 1 else f" {members.pieces} pieces"
            problem = Problem(network, members, variant)
            problem.check_size()  # a faulty network has no table
            columns.append(FaultColumn(title + pieces, problem))
    return columns


def _refuse_partial_grids(columns: Sequence[FaultColumn], kind: Kind) -> None:
    """Refuse faults that break the grid that an ordered routing needs."""
    for column in columns:
        if kind == "router" and column.problem.restriction is not None:
            raise InputError(
                f"{column.problem.rules.routing} routing needs a whole grid of routers; "
                "choose minimal routing, or faults of channels, links or processors"
            )


def _listed_faults(network: Network, kind: Kind) -> list[Fault]:
    """Return the faults to study."""
    listed = single_faults(network, kind)
    if not listed:
        raise InputError(f"network {network.name} has no {kind} faults to study")
    if len(listed) > MOST_FAULTS:
        raise InputError(f"network {network.name} has {len(listed):,} {kind} faults; at most {MOST_FAULTS:,} fit")
    return listed


class _Plan:
    """The problem of each fault and collective that has to be planned, and what is known without planning."""

    def __init__(self, columns: Sequence[FaultColumn], cases: Sequence[Fault]) -> None:
        self.columns, self.cases = columns, cases
        self.problems: dict[Cell, Problem] = {}
        """What has to be planned, in the order of rows."""
        self._impossible: dict[Cell, Replan] = {}
        self._first: dict[Cell, int] = {}
        """The row whose re-plan a cell shares; its own if it is planned by itself."""
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

    def name(self, cell: Cell) -> str:
        """Return a cell in words."""
        return f"{self.columns[cell[1]].title}, {self.cases[cell[0]].name}"

    def rows(self, replans: dict[Cell, Replan]) -> list[FaultRow]:
        """Return the table with these re-plans, without fault first."""
        return [
            FaultRow(fault, tuple(self._replan(row, at, replans) for at in range(len(self.columns))))
            for row, fault in enumerate(self.cases)
        ]

    def _replan(self, row: int, at: int, replans: dict[Cell, Replan]) -> Replan:
        if (row, at) in self._impossible:
            return self._impossible[row, at]
        first = self._first[row, at]
        shared = replans.get((first, at), Replan("not planned"))
        if first == row or shared.outcome == "not planned":
            return shared
        return Replan(shared.outcome, shared.steps, shared.bound, 0.0, shared.solver, self.cases[first].name)


def _replan_all(plan: _Plan, options: SearchOptions, file: FinishedLines[ReplanLine]) -> Campaign[Cell, Replan]:
    """Plan what is not in the file, and add it."""
    keys = {}
    if file.path is not None:
        keys = {cell: (problem.digest(), options.seed, options.seconds) for cell, problem in plan.problems.items()}
    stored = {line.key: line.replan() for line in file.lines}

    def record(cell: Cell, replan: Replan) -> None:
        if file.path is not None and replan != LOST:
            file.add(line_of(plan.problems[cell], keys[cell], replan))

    campaign = Campaign[Cell, Replan](
        len(plan.problems),
        plan.name,
        options.on_progress,
        known={cell: stored[key] for cell, key in keys.items() if key in stored},
        outcome=lambda replan: replan.outcome,
    )
    missing = {cell: problem for cell, problem in plan.problems.items() if cell not in campaign.results}
    campaign.collect(_replans(missing, options), record)
    return campaign


def _replans(problems: dict[Cell, Problem], options: SearchOptions) -> Iterator[tuple[Cell, Replan]]:
    """Yield re-plans as they finish; with one worker in their order."""
    cells = list(problems)
    limits = SearchOptions(seed=options.seed, seconds=options.seconds, evaluations=options.evaluations)
    with as_workers(options.workers).pool(len(cells), limits) as pool:
        # In the order of completion: at an interrupt those that are running are dropped at once.
        for number, replan in pool.results(_replan, [(problems[cell],) for cell in cells], in_order=False):
            yield cells[number], LOST if isinstance(replan, WorkerLost) else replan


def _replan(limits: SearchOptions, context: TaskContext, problem: Problem) -> Replan:
    result = find_or_interrupt(problem, limits)
    # A study of faults counts steps, under combining too.
    outcome: Outcome = "unknown" if result.schedule is None else "optimal" if result.has_least_figure else "feasible"
    about = result.provenance
    bound = result.bound.figure if result.bound else None
    return Replan(outcome, result.num_steps, bound, about.seconds, about.solver)
