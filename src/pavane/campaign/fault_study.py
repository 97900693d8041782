"""Faults of a network and the steps they add: every collective is re-planned without each channel, link or router.

gecco08 section 5 does so for the Kautz network of 12 routers, one faulty channel at a time. Equivalent faults are
planned once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pavane.campaign.runs import RunLine, RunRequest, make_runs
from pavane.errors import InputError, expect
from pavane.model.collectives import named
from pavane.model.faults import Disconnected, Fault, Kind, faulty, single_faults, usual_kind
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules, default_rules
from pavane.search.options import SearchOptions
from pavane.symmetry.equivalence import Equivalence
from pavane.text import counted
from pavane.text.table import Column, Table

MOST_FAULTS = 100_000
"""More single faults than this are refused."""

MOST_ROWS = 12
"""A table for people with more faults than this groups equal rows."""

Outcome = Literal["optimal", "feasible", "unknown", "failed", "disconnects", "no root", "nothing", "not planned"]


@dataclass(frozen=True)
class FaultColumn:
    """One collective, with a title for tables."""

    title: str
    problem: Problem


@dataclass(frozen=True)
class Replan:
    """The plan of one collective with one fault."""

    outcome: Outcome
    """Whether there is a schedule.

    optimal, feasible: there is one; disconnects, no root, nothing: there cannot be one; unknown: none was found in
    time; failed: the search raised an error; not planned: the study was interrupted before.
    """
    run: RunLine | None = None
    same_as: str | None = None
    """The fault of which this one is the image under a symmetry, and whose plan it shares."""

    @property
    def steps(self) -> int | None:
        """Return the steps of the schedule; None without one."""
        return None if self.run is None else self.run.figure

    @property
    def bound(self) -> int | None:
        """Return the lower bound on the steps."""
        return None if self.run is None else self.run.bound


@dataclass(frozen=True)
class FaultRow:
    """One fault and the re-plan of each collective; the first row of a study is without fault."""

    fault: Fault
    replans: tuple[Replan, ...]

    @property
    def same_as(self) -> str | None:
        """Return the fault whose plans all of this row shares, if there is one."""
        alike = {replan.same_as for replan in self.replans}
        return alike.pop() if len(alike) == 1 else None


@dataclass(frozen=True)
class FaultStudy:
    """Collectives without fault and with every one of some faults."""

    network: Network
    columns: tuple[FaultColumn, ...]
    kind: Kind
    no_fault: FaultRow
    rows: tuple[FaultRow, ...]
    notes: tuple[str, ...] = ()
    """Problems with the file of runs, a line each."""

    def __repr__(self) -> str:
        kinds = ", ".join(dict.fromkeys(column.problem.collective.title for column in self.columns))
        return f"<FaultStudy: {kinds} on {self.network.name}, {counted(len(self.rows), 'fault')}>"

    @property
    def runs(self) -> tuple[RunLine, ...]:
        """Return the runs that were made, row by row."""
        return tuple(replan.run for replan in self._replans() if replan.run is not None and replan.same_as is None)

    @property
    def num_missing(self) -> int:
        """Return how many re-plans an interrupt left out, those that a symmetry would have saved included."""
        return sum(replan.outcome == "not planned" for replan in self._replans())

    @property
    def is_proven(self) -> bool:
        """Whether every number of steps is proven to be the least."""
        unproven = ("feasible", "unknown", "failed", "not planned")
        return all(replan.outcome not in unproven for replan in self._replans())

    def worst(self, column: int) -> int | None:
        """Return the most steps with any fault that leaves the collective possible."""
        return max(self.histogram(column), default=None)

    def histogram(self, column: int) -> dict[int, int]:
        """Return how many faults lead to each number of steps."""
        steps = (row.replans[column].steps for row in self.rows)
        return dict(sorted(Counter(each for each in steps if each is not None).items()))

    def impossible(self, column: int) -> dict[str, list[str]]:
        """Return the faults that leave a collective without any schedule, by reason."""
        names: dict[str, list[str]] = {}
        for row in self.rows:
            replan = row.replans[column]
            if replan.steps is None and replan.outcome != "not planned":
                names.setdefault(replan.outcome, []).append(row.fault.name)
        return names

    def _replans(self) -> Iterator[Replan]:
        return (replan for row in (self.no_fault, *self.rows) for replan in row.replans)

    # -- tables

    def table(self, *, groups: bool = False) -> Table:
        """Return a row for each fault, as gecco08 Table 5 has it: steps, or why there are none; starred if it is worse.

        Bounds have columns where steps are not proven the fewest. For people equal rows are grouped if there are many.
        """
        columns, cells = [Column("fault")], {row.fault.name: self._cells(row) for row in self.rows}
        for at, column in enumerate(self.columns):
            columns.append(Column(column.title, align="right", text=_marked(self.no_fault.replans[at].steps)))
            columns.append(Column(f"{column.title} bound", align="right", missing=""))
        rows = [[self.no_fault.fault.name, *self._cells(self.no_fault)]]
        if groups and len(self.rows) > MOST_ROWS:
            return Table(columns, [*rows, *_grouped(cells)]).without_empty_columns()
        rows += [[row.fault.name, *cells[row.fault.name]] for row in self.rows]
        same = [None, *(row.same_as for row in self.rows)]
        columns.append(Column("", key="same as", missing="", text="as {}".format))
        return Table(columns, [[*row, as_] for row, as_ in zip(rows, same, strict=True)]).without_empty_columns()

    def _cells(self, row: FaultRow) -> list[int | str | None]:
        """Return for each collective the steps, or why there are none, and the bound unless that is reached."""
        cells: list[int | str | None] = []
        for replan in row.replans:
            cells += [replan.outcome if replan.steps is None else replan.steps]
            cells += [None if replan.outcome == "optimal" else replan.bound]
        return cells

    def summary(self) -> list[str]:
        """Return worst cases, histograms and faults that disconnect, in lines."""
        width = max(len(column.title) for column in self.columns)
        lines = []
        for at, column in enumerate(self.columns):
            word = f"{column.problem.rules.step_word}s"
            counts = ", ".join(f"{number} at {steps}" for steps, number in self.histogram(at).items()) or "none"
            worst = "none possible" if self.worst(at) is None else f"{self.worst(at)} {word}"
            whole = f"{self.no_fault.replans[at].steps} without a fault; faults by {word}: {counts}"
            lines.append(f"worst       {column.title:<{width}}  {worst}, {whole}")
        for at, column in enumerate(self.columns):
            for why, names in self.impossible(at).items():
                where = f"{len(names)} of {len(self.rows)}: {_together(names, 8)}"
                lines.append(f"{WHY.get(why, why):<11} {column.title:<{width}}  {where}")
        lines.append(f"proven      {'every figure' if self.is_proven else 'figures without a bound beside them'}")
        pieces = sorted({each.problem.collective.pieces for each in self.columns} - {1})
        lines += [f"pieces      steps by {counted(each, 'piece')} are message times" for each in pieces]
        saved = sum(replan.same_as is not None for replan in self._replans())
        return [*lines, f"searches    {len(self.runs)}, {saved} more by symmetry"]


WHY = {"disconnects": "disconnect", "unknown": "no answer"}
"""The word of an outcome without a schedule, in a summary."""


def _marked(whole: int | None) -> Callable[[int | str], str]:
    """Return what writes a figure, with a star if it is worse than without fault."""

    def text(value: int | str) -> str:
        is_worse = value != "not planned" if isinstance(value, str) else whole is not None and value > whole
        return f"{value}{'*' if is_worse else ' '}"

    return text


def _grouped(cells: dict[str, list[int | str | None]]) -> Iterator[list[int | str | None]]:
    """Yield a row for each group of faults with equal cells, the largest at the end."""
    groups: dict[tuple[int | str | None, ...], list[str]] = {}
    for name, row in cells.items():
        groups.setdefault(tuple(row), []).append(name)
    largest = max(groups, key=lambda key: len(groups[key]))
    yield from ([_together(names, 3), *key] for key, names in groups.items() if key != largest)
    number = len(groups[largest])
    yield [f"all other ({number})" if len(groups) > 1 else f"each of {number}", *largest]


def _together(names: Sequence[str], most: int) -> str:
    """Name several faults, the first ones if they are many."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more (-o FILE.csv lists all)" if more > 0 else "")


# -- the study


def faults(
    network: Network,
    collectives: Sequence[Collective | str],
    rules: Rules | None = None,
    options: SearchOptions = SearchOptions(),
    *,
    kind: Kind | None = None,
    file: str | Path | None = None,
) -> FaultStudy:
    """Re-plan collectives for every single fault, and report how many steps they add.

    An interrupt (Ctrl-C) ends the study: it has what was planned before, and the rest is marked; with nothing planned
    the interrupt is raised.

    Args:
        network: The network.
        collectives: The collectives, made or named.
        rules: The rules; unless given, the `default_rules` of the network.
        options: The seed, the limits of each re-plan, the workers, and the callback for progress.
        kind: What fails: `"channel"`, `"link"`, `"router"` or `"processor"`; by default links, or channels if some are
            one-way.
        file: A file of runs (JSON lines), to which re-plans are added; they are not made again.

    Returns:
        The study, with a row for each fault.

    Example:
        >>> len(pavane.faults(pavane.network("ring:4"), ["broadcast"], kind="link").rows)
        4
    """
    expect(network, Network, "network", "make a network of a text or a graph with `pavane.network`")
    expect(options, SearchOptions, "options", "make them like `pavane.SearchOptions(seconds=60)`")
    kind = usual_kind(network) if kind is None else kind
    columns = _columns(network, collectives, default_rules(network) if rules is None else rules)
    _refuse_partial_grids(columns, kind)
    cases = [Fault("no fault"), *_listed_faults(network, kind)]
    replans, searches = _planned(columns, cases, options.seed)
    table = make_runs(list(searches.values()), options, None if file is None else Path(file))
    for number, (at, row) in enumerate(searches):
        if (run := table.runs.get(number)) is not None:
            replans[at, row] = Replan(run.status, run)
    rows = [
        FaultRow(fault, tuple(_shared(replans, cases, at, row) for at in range(len(columns))))
        for row, fault in enumerate(cases)
    ]
    return FaultStudy(network, tuple(columns), kind, rows[0], tuple(rows[1:]), table.notes)


Cells = dict[tuple[int, int], Replan | int]
"""By column and row: the plan, or the row whose plan it shares."""


def _planned(
    columns: Sequence[FaultColumn], cases: Sequence[Fault], seed: int
) -> tuple[Cells, dict[tuple[int, int], RunRequest]]:
    """Return what is known without planning, and the searches by column and row, row by row."""
    cells: Cells = {}
    searches = {}
    for at, column in enumerate(columns):
        equivalence = Equivalence()
        for row, fault in enumerate(cases):
            try:
                problem = faulty(column.problem, fault)
            except Disconnected as gone:
                cells[at, row] = Replan(gone.why)
                continue
            first = equivalence.first_like(problem, row)
            cells[at, row] = Replan("not planned") if first == row else first
            if first == row:
                searches[at, row] = RunRequest(f"{column.title}, {fault.name}", problem, seed=seed)
    return cells, dict(sorted(searches.items(), key=lambda item: item[0][::-1]))


def _shared(cells: Cells, cases: Sequence[Fault], at: int, row: int) -> Replan:
    """Return the plan of a cell, which may be that of an equivalent fault."""
    cell = cells[at, row]
    if isinstance(cell, Replan):
        return cell
    first = cells[at, cell]
    assert isinstance(first, Replan)
    return first if first.run is None else replace(first, same_as=cases[cell].name)


def _columns(network: Network, collectives: Sequence[Collective | str], rules: Rules) -> list[FaultColumn]:
    if not collectives:
        raise InputError("no collective was named; give at least one, for example aas")
    columns = []
    for collective in collectives:
        expect(
            collective, (Collective, str), "collectives", "name them, like aas, or make them, as `pavane.alltoall` does"
        )
        members = named(collective, network) if isinstance(collective, str) else collective
        title = members.kind
        if members.pattern == "allreduce" and members.receivers != members.senders:
            title += f" in {counted(len(members.receivers), 'part')}"
        pieces = "" if members.pieces == 1 else f" {members.pieces} pieces"
        problem = Problem(network, members, rules)
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
