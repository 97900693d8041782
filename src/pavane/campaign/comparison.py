"""Networks side by side: the cost of each, the faults it survives, and how long collectives take on it.

A network is worth building if no other network of as many processors costs as little and is as fast. All searches share
one time limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.campaign.network_figures import NetworkFigures
from pavane.campaign.runs import RunLine, RunRequest, make_runs, run_of
from pavane.campaign.same_networks import merged
from pavane.errors import InputError, expect, expect_whole, shortened
from pavane.model.collectives import kind_of
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules, default_rules
from pavane.networks import network as made_network
from pavane.parallel.pools import as_workers
from pavane.parallel.tasks import TaskContext, WorkerLost
from pavane.search.options import SearchOptions
from pavane.search.size import is_table_wanted
from pavane.search.tables import solve_by_table
from pavane.text import VERSION, counted
from pavane.text.table import Column, Table
from pavane.timing import Costs, linear_time, refuse_slots, size_text, time_text

if TYPE_CHECKING:
    import pandas

COLLECTIVES = ("AAB", "AAS")
"""The collectives by which networks are compared unless others are named: allgather and alltoall."""

NEED_MEMBERS = ("PAIRS", "MNB", "MNS")
"""Collectives whose members have to be named, network by network."""

MOST_NAMES = 2
"""Names of one network that a table lists; the others are counted."""


@dataclass(frozen=True)
class ComparisonRow:
    """A network, by all its names, and the run of each collective on it; None: not searched before an interrupt."""

    names: tuple[str, ...]
    network: Network
    figures: NetworkFigures
    runs: tuple[RunLine | None, ...]
    rules: Rules

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
        >>> found.rows[0].runs[0].figure
        8
    """

    collectives: tuple[str, ...]
    rows: tuple[ComparisonRow, ...]
    """The networks, by processors, then by cost."""
    costs: Costs | None = None
    """The time of start-ups and bytes; None: time is counted in steps."""
    message_bytes: int | None = None
    """The size of a message for which times are predicted."""
    notes: tuple[str, ...] = ()
    """Problems with the file of runs, a line each."""

    @property
    def runs(self) -> tuple[RunLine, ...]:
        """Return the runs that were made, row by row."""
        return tuple(run for row in self.rows for run in row.runs if run is not None)

    @property
    def num_missing(self) -> int:
        """Return how many searches an interrupt left out."""
        return sum(run is None for row in self.rows for run in row.runs)

    def time(self, row: ComparisonRow, collective: int) -> float | None:
        """Return how long a collective, by its index, takes: seconds, or steps where there are no costs."""
        run = row.runs[collective]
        if run is None or run.figure is None:
            return None
        if self.costs is None or self.message_bytes is None:
            return run.figure
        if run.tco is None or run.hops is None:
            return None
        return linear_time(self.costs, self.message_bytes, run.figure, run.tco, run.hops)

    def total(self, row: ComparisonRow) -> float | None:
        """Return how long all collectives take, one after the other; None if one has no schedule."""
        times = [self.time(row, number) for number in range(len(self.collectives))]
        known = [time for time in times if time is not None]
        return fsum(known) if len(known) == len(times) else None

    def pareto(self) -> tuple[ComparisonRow, ...]:
        """Return the networks for which no other of as many processors is better: cheaper and as fast, or faster.

        Returns:
            The rows of the networks, in the order of `rows`.

        Example:
            >>> found = pavane.compare(["ring:8", "mesh:2x4", "octagon"], ["alltoall"])
            >>> [row.name for row in found.pareto()]
            ['ring:8', 'octagon']
        """
        # Equal times may differ in their last digits, by the order in which they were added up.
        points = [
            (row, (row.figures.cost, float(f"{total:.12g}")))
            for row in self.rows
            if (total := self.total(row)) is not None
        ]
        return tuple(
            row
            for row, (cost, time) in points
            if not any(
                other.figures.processors == row.figures.processors
                and (other_cost, other_time) != (cost, time)
                and other_cost <= cost
                and other_time <= time
                for other, (other_cost, other_time) in points
            )
        )

    def table(self) -> Table:
        """Return a row for each network: its figures, and steps or times of each collective.

        Bounds have columns where steps are not proven the fewest; a star marks the Pareto set.
        """
        columns = [Column("network", text=lambda names: _names(names.split(" = "))), *FIGURES]
        size = "" if self.message_bytes is None else f" {size_text(self.message_bytes)}"
        unit = (lambda value: f"{value:g}") if self.costs is None else time_text
        for kind in self.collectives:
            columns += [Column(kind, align="right"), Column(f"{kind} bound", align="right", missing="")]
            columns += [Column(f"{kind}{size or ' time'}", align="right", text=unit)]
        columns += [Column(f"all{size}", align="right", text=unit), Column("best", text="*".__mul__, missing="")]
        best = set(map(id, self.pareto()))
        rows: list[list[Any]] = []
        for row in self.rows:
            cells: list[Any] = [" = ".join(row.names), *(getattr(row.figures, each.key) for each in FIGURES)]
            for at, run in enumerate(row.runs):
                cells += ["not searched"] if run is None else [run.status if run.figure is None else run.figure]
                cells += [None if run is None or run.proven else run.bound]
                cells += [self.time(row, at) if self.costs is not None and len(self.collectives) > 1 else None]
            rows.append([*cells, self.total(row) if self.costs or len(self.collectives) > 1 else None, id(row) in best])
        return Table(columns, rows).without_empty_columns()

    def legend(self) -> list[str]:
        """Return the meaning of the columns, in lines."""
        figures = [row.figures for row in self.rows]
        lines = ["degree      channels out of a router with processors"]
        if any(each.switch_degree is not None for each in figures):
            lines.append("switches    the same of pure switches")
        counts = "" if all(each.cost == each.channels for each in figures) else ", each as often as its capacity says"
        lines += [
            f"cost        channels of the network{counts}",
            "distance    the mean over all pairs of processors",
            "bisection   channels between two halves of the processors, both ways; <=: smaller halves may exist",
            "links       that may fail, whichever they are: all processors stay connected",
            "failures    routers that may fail, whichever they are: all other processors stay connected",
        ]
        is_proven = self.runs and all(run.proven for run in self.runs)
        lines.append(
            f"steps       {'every figure' if is_proven else 'a figure without a bound beside it'} is proven the fewest"
        )
        if len(self.collectives) > 1:
            lines.append("all         the collectives, one after the other")
        alike = " of as many processors" if len({each.processors for each in figures}) > 1 else ""
        return [*lines, f"*           no other network{alike} is cheaper and as fast, or faster and as cheap"]

    def rules_texts(self) -> list[str]:
        """Return the rules; where networks have different ones, each with its networks."""
        names: dict[Rules, list[str]] = {}
        for row in self.rows:
            names.setdefault(row.rules, []).append(row.name)
        return [f"{rules} ({', '.join(some)})" if len(names) > 1 else str(rules) for rules, some in names.items()]

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a data frame of pandas, a row a network.

        Returns:
            The figures, and steps, bounds and times of each collective, in columns.

        Example:
            >>> pavane.compare(["ring:8", "octagon"], ["alltoall"]).to_dataframe()["AAS"].tolist()
            [8, 4]
        """
        return self.table().dataframe()

    def _repr_html_(self) -> str:
        import pavane

        return pavane.notebook.comparison_view(self)

    def __repr__(self) -> str:
        best = [row.name for row in self.pareto()]
        shown = ", ".join(best[:4]) + (f" and {len(best) - 4} more" if len(best) > 4 else "")
        at = "" if self.message_bytes is None else f" at {size_text(self.message_bytes)}"
        about = f"{counted(len(self.rows), 'network')} for {', '.join(self.collectives)}"
        return f"<Comparison of {about}, {len(best)} in the Pareto set{at}{': ' * bool(best)}{shown}>"


FIGURES = [
    Column("processors", "processors", "right"),
    Column("routers", "routers", "right"),
    Column("degree", "degree", "right"),
    Column("switches", "switch_degree", "right"),
    Column("cost", "cost", "right"),
    Column("diameter", "diameter", "right"),
    Column("distance", "mean_distance", "right", text="{:.2f}".format),
    Column("bisection", "bisection_text", "right"),
    Column("links", "links_survived", "right"),
    Column("failures", "routers_survived", "right"),
]
"""The columns of a network, by their figures."""


def _names(names: Sequence[str]) -> str:
    """Return the names of a network, the first ones if there are many."""
    more = len(names) - MOST_NAMES
    return " = ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


# -- the comparison


def compare(
    networks: Iterable[Network | str],
    collectives: Sequence[str] = COLLECTIVES,
    rules: Rules | Callable[[Network], Rules] | None = None,
    options: SearchOptions = SearchOptions(),
    *,
    costs: Costs | None = None,
    message_bytes: int | None = None,
    file: str | Path | None = None,
) -> Comparison:
    """Compare networks: their cost, the faults they survive, and how long collectives take on them.

    An interrupt (Ctrl-C) ends the comparison: it has what was found before, and the rest is marked; with nothing found
    the interrupt is raised.

    Args:
        networks: The networks, or their names. Networks that differ only in their
            numbering are compared once, under all their names.
        collectives: The names of the collectives.
        rules: How transfers may use the networks, or a function that returns this for a network; unless given, the
            `default_rules` of each.
        options: How to search. `seconds` limits all searches together: each has a share, and the time that some do not
            need goes to the others.
        costs: The time of a start-up and of a byte, to predict times.
        message_bytes: The bytes of a message for which times are predicted.
        file: A file of runs (JSON lines), to which results are added; they are not searched for again.

    Returns:
        The comparison, with a row for each network.

    Example:
        >>> found = pavane.compare(["ring:8", "octagon", "hypercube:3", "torus:2x4"], ["alltoall"])
        >>> [(row.names, row.figures.cost, row.runs[0].figure) for row in found.rows]
        [(('ring:8',), 16, 8), (('octagon',), 24, 4), (('torus:2x4', 'hypercube:3'), 24, 4)]
    """
    listed = _list_networks(networks)
    kinds = _kinds(collectives)
    chosen = default_rules if rules is None else rules
    rules_of = {network: chosen(network) if callable(chosen) else chosen for network in listed}
    _check(rules_of.values(), costs, message_bytes)
    expect(options, SearchOptions, "options", "make them like `pavane.SearchOptions(seconds=60)`")
    groups = merged(rules_of, kinds)
    searches = [
        RunRequest(f"{problem.collective.title} on {problem.network.name}", problem, seed=options.seed)
        for _, problems in groups
        for problem in problems
    ]
    # Problems whose schedules would take long to build have tables, and are not searched.
    tables = {number: _by_table(search.problem) for number, search in enumerate(searches)}
    known = {number: run for number, run in tables.items() if run is not None}
    figures = _figures([problems[0].network for _, problems in groups], options)
    table = make_runs(searches, options, None if file is None else Path(file), shares_time=True, known=known)
    rows = []
    for at, (names, problems) in enumerate(groups):
        runs = tuple(table.runs.get(at * len(kinds) + number) for number in range(len(kinds)))
        rows.append(ComparisonRow(tuple(names), problems[0].network, figures[at], runs, problems[0].rules))
    return _ordered(Comparison(kinds, tuple(rows), costs, message_bytes, table.notes))


def _ordered(found: Comparison) -> Comparison:
    """Return a comparison with few processors first, then cheap, then fast networks."""

    def order(row: ComparisonRow) -> tuple[int, int, float, str]:
        total = found.total(row)
        return row.figures.processors, row.figures.cost, float("inf") if total is None else total, row.name

    return replace(found, rows=tuple(sorted(found.rows, key=order)))


def _by_table(problem: Problem) -> RunLine | None:
    """Return the run of a table; None where a schedule is searched for."""
    made = solve_by_table(problem) if is_table_wanted(problem) else None
    if made is None:
        return None
    return run_of(RunLine(about=str(problem), method="auto", seed=0, version=VERSION), made, made.provenance.seconds)


def _figures(networks: Sequence[Network], options: SearchOptions) -> list[NetworkFigures]:
    """Count the figures of all networks; if a worker dies over one, in this process."""
    with as_workers(options.workers).pool(len(networks), None) as pool:
        return [
            NetworkFigures.of(networks[number]) if isinstance(figures, WorkerLost) else figures
            for number, figures in pool.results(_count, [(network,) for network in networks])
        ]


def _count(_: None, context: TaskContext, network: Network) -> NetworkFigures:
    return NetworkFigures.of(network)


# -- validation


def _list_networks(networks: Iterable[Network | str]) -> list[Network]:
    if isinstance(networks, str | Network) or not isinstance(networks, Iterable):
        raise InputError(f"`networks` is {shortened(networks)}; list some, like ['ring:8', 'octagon']")
    listed = [made_network(each) for each in networks]
    if not listed:
        raise InputError("no network was named; give at least one, for example octagon")
    for each in listed:
        if each.num_processors < 2:
            raise InputError(
                f"network {each.name} has {each.num_processors or 'no'} processor{'s' * (not each.num_processors)}; "
                "networks are compared by the communication of two or more processors"
            )
        if not each.is_connected:
            raise InputError(f"network {each.name}: not every processor can reach every other; add channels")
    return listed


def _kinds(collectives: Sequence[str]) -> tuple[str, ...]:
    if isinstance(collectives, str) or not isinstance(collectives, Sequence):
        raise InputError(f"`collectives` is {shortened(collectives)}; list their names, like ['alltoall']")
    for each in collectives:
        expect(each, str, "collectives", "name them, like alltoall")
    kinds = tuple(kind_of(each) for each in collectives)
    if not kinds:
        raise InputError("no collective was named; give at least one, for example aas")
    for each in kinds:
        if kinds.count(each) > 1:
            raise InputError(f"`collectives`: {each} is named twice; name it once")
        if each in NEED_MEMBERS:
            raise InputError(f"`collectives`: {each} depends on the network it is made for; compare by others")
    return kinds


def _check(rules: Iterable[Rules], costs: Costs | None, message_bytes: int | None) -> None:
    if costs is not None:
        expect(costs, Costs, "costs", "say them like `pavane.Costs(startup=1e-6, per_byte=1e-9)`")
    for each in rules:
        expect(each, Rules, "rules", "say them like `pavane.Rules(ports=1)`")
        if costs is not None:
            refuse_slots(each)
    if message_bytes is not None and expect_whole(message_bytes, "message_bytes", 4096) < 1:
        raise InputError(f"`message_bytes`: expected 1 or more, got {message_bytes}")
    if (costs is None) != (message_bytes is None):
        given, missing = ("message_bytes", "costs") if costs is None else ("costs", "message_bytes")
        raise InputError(f"`{given}` without `{missing}` gives no times; give both, or leave both out to count steps")
