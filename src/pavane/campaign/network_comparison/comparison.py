"""Comparing networks: every collective on every network, within one time limit that all searches share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from pavane.campaign.network_comparison.compared import Cell, Comparison, ComparisonRow, Outcome
from pavane.campaign.network_comparison.network_figures import NetworkFigures
from pavane.campaign.network_comparison.same_networks import merged
from pavane.campaign.sharing import Deadline, in_passes
from pavane.errors import InputError, InvalidSchedule, expect, expect_whole, in_one_line, is_interrupt, shortened
from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound
from pavane.model.collectives import kind_of
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules, default_rules
from pavane.model.schedule import Schedule
from pavane.networks import network as made_network
from pavane.parallel.campaign import Campaign
from pavane.parallel.pool import Pool
from pavane.parallel.pools import as_workers
from pavane.parallel.tasks import TaskContext, WorkerLost
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions
from pavane.search.size import is_table_wanted
from pavane.search.tables import solve_by_table
from pavane.timing import Costs, profile, refuse_slots

COLLECTIVES = ("AAB", "AAS")
"""The collectives by which networks are compared unless others are named: allgather and alltoall."""

SearchParts = tuple[Schedule | None, tuple[Bound, ...], Provenance]
"""What a search returns from its worker; it is judged in this process."""

USED_UP = 0.8
"""A search that took this part of its share or more might find more in a larger share."""


def compare(
    networks: Iterable[Network | str],
    collectives: Sequence[str] = COLLECTIVES,
    rules: Rules | Callable[[Network], Rules] | None = None,
    options: SearchOptions = SearchOptions(),
    *,
    costs: Costs | None = None,
    message_bytes: Sequence[int] = (),
) -> Comparison:
    """Compare networks: their cost, the faults they survive, and how long collectives take on them.

    An interrupt (Ctrl-C) ends the comparison: it has what was found before, the rest is marked, and the comparison is
    `interrupted`; with nothing found the interrupt is raised.

    Args:
        networks: The networks, or their names. Networks that differ only in their
            numbering are compared once, under all their names.
        collectives: The names of the collectives.
        rules: How transfers may use the networks, or a function that returns this for a network; unless given, the
            `default_rules` of each.
        options: How to search. `seconds` limits all searches together: each has a share, and the time that some do not
            need goes to the others.
        costs: The time of a start-up and of a byte, to predict times.
        message_bytes: The bytes of a message, one or several, for which times are predicted.

    Returns:
        The comparison, with a row for each network.

    Example:
        >>> found = pavane.compare(["ring:8", "octagon", "hypercube:3", "torus:2x4"], ["alltoall"])
        >>> [(row.names, row.figures.cost, row.cells[0].steps) for row in found.rows]
        [(('ring:8',), 16, 8), (('octagon',), 24, 4), (('torus:2x4', 'hypercube:3'), 24, 4)]
    """
    listed = _list_networks(networks)
    kinds = _kinds(collectives)
    chosen = default_rules if rules is None else rules
    rules_of = {network: chosen(network) if callable(chosen) else chosen for network in listed}
    _check(rules_of.values(), costs, message_bytes)
    expect(options, SearchOptions, "options", "make them like `pavane.SearchOptions(seconds=60)`")
    groups = merged(rules_of, kinds)
    searches = _Searches([problem for _, problems in groups for problem in problems], options)
    searches.make_tables()
    with as_workers(options.workers).pool(max(len(groups), len(searches.problems)), searches.shared) as pool:
        figures = _figures(pool, [problems[0].network for _, problems in groups])
        cells, interrupted = searches.run(pool)
    rows = []
    for at, (names, problems) in enumerate(groups):
        of_group = tuple(cells[at * len(kinds) : (at + 1) * len(kinds)])
        rows.append(ComparisonRow(tuple(names), problems[0].network, figures[at], of_group, problems[0].rules))
    usual = next((row for row in rows if not row.network.has_gpus), rows[0])
    unordered = Comparison(kinds, usual.rules, tuple(rows), costs, tuple(message_bytes), options.seed, interrupted)
    return replace(unordered, rows=_ordered(unordered))


def _ordered(found: Comparison) -> tuple[ComparisonRow, ...]:
    """Return the rows: few processors first, then cheap, then fast networks."""

    def order(row: ComparisonRow) -> tuple[int, int, float, str]:
        total = found.total(row, found.size_or_default(None))
        return row.figures.processors, row.figures.cost, float("inf") if total is None else total, row.name

    return tuple(sorted(found.rows, key=order))


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


NEED_MEMBERS = ("PAIRS", "MNB", "MNS")
"""Collectives whose members have to be named, network by network."""


def _check(rules: Iterable[Rules], costs: Costs | None, message_bytes: Sequence[int]) -> None:
    if costs is not None:
        expect(costs, Costs, "costs", "say them like `pavane.Costs(startup=1e-6, per_byte=1e-9)`")
    for each in rules:
        expect(each, Rules, "rules", "say them like `pavane.Rules(ports=1)`")
        if costs is not None:
            refuse_slots(each)
    if not isinstance(message_bytes, list | tuple):
        raise InputError(f"`message_bytes` is {shortened(message_bytes)}; list the bytes of a message, like [4096]")
    for size in message_bytes:
        if expect_whole(size, "message_bytes", 4096) < 1:
            raise InputError(f"`message_bytes`: expected 1 or more, got {size}")
    if len(set(message_bytes)) < len(message_bytes):
        raise InputError("`message_bytes`: one is given twice; give each once")
    if (costs is None) != (not message_bytes):
        given, missing = ("message_bytes", "costs") if costs is None else ("costs", "message_bytes")
        raise InputError(f"`{given}` without `{missing}` give no times; give both, or leave both out to count steps")


# -- figures of networks


def _figures(pool: Pool, networks: Sequence[Network]) -> list[NetworkFigures]:
    """Count the figures of all networks; if a worker dies over one, in this process."""
    return [
        NetworkFigures.of(networks[number]) if isinstance(figures, WorkerLost) else figures
        for number, figures in pool.results(_count, [(network,) for network in networks])
    ]


def _count(_: SearchOptions, context: TaskContext, network: Network) -> NetworkFigures:
    return NetworkFigures.of(network)


# -- searches


def _problem_text(problem: Problem) -> str:
    return f"{problem.collective.title} on {problem.network.name}"


def _search_one(
    options: SearchOptions, context: TaskContext, problem: Problem, known: Result | None, seconds: float | None
) -> SearchParts | WorkerLost:
    """Search one problem as a task of a pool, from what is known; an error ends this task only."""
    try:
        result = find_or_interrupt(problem, replace(options, seconds=seconds), start=known)
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        return WorkerLost(str(error) if isinstance(error, InputError) else in_one_line(error))
    return result.schedule, result.bounds, result.provenance


class _Searches:
    """The searches of a comparison: the problems, and the result of each so far."""

    def __init__(self, problems: Sequence[Problem], options: SearchOptions) -> None:
        self.problems, self.deadline = problems, Deadline.after(options.seconds)
        self.shared = SearchOptions(seed=options.seed, evaluations=options.evaluations)
        self._on_progress = options.on_progress
        self._known: dict[int, Result] = {}
        self._failures: dict[int, str] = {}

    def make_tables(self) -> None:
        """Make the tables of problems whose schedules would take long to build; these are not searched."""
        for number, problem in enumerate(self.problems):
            table = solve_by_table(problem) if is_table_wanted(problem) else None
            if table is not None:
                self._known[number] = table

    def run(self, pool: Pool) -> tuple[list[Cell], bool]:
        """Search what is not proven yet; return what is known of each problem, and whether an interrupt ended it."""
        campaign = Campaign[int, Result | None](
            len(self.problems),
            lambda number: _problem_text(self.problems[number]),
            self._on_progress,
            known=self._known,
            outcome=lambda result: "proven" if result is not None and result.has_least_figure else "",
            seconds_left=lambda: self.deadline.seconds_left,
        )
        campaign.collect(self._search(pool, campaign.results))
        cells = [self._cell(campaign.results.get(number), number) for number in range(len(self.problems))]
        return cells, campaign.interrupted

    def _search(self, pool: Pool, results: dict[int, Result | None]) -> Iterator[tuple[int, Result | None]]:
        """Yield the result of each search, or the one before if the search failed."""

        def call(number: int) -> tuple[Problem, Result | None]:
            return self.problems[number], results.get(number)

        def is_open(number: int, share: float) -> bool:
            result = results.get(number)
            return result is None or (not result.has_least_figure and result.provenance.seconds >= USED_UP * share)

        waiting = [
            number
            for number in range(len(self.problems))
            if (known := results.get(number)) is None or not (known.has_least_figure or known.table)
        ]
        for number, answer, _ in in_passes(pool, _search_one, waiting, call, is_open, self.deadline):
            try:
                if isinstance(answer, WorkerLost):
                    raise InputError(answer.why)
                result = Result(self.problems[number], *answer)
            except (InputError, InvalidSchedule) as error:
                self._failures[number] = str(error)
                yield number, results.get(number)
                continue
            self._failures.pop(number, None)
            yield number, result

    def _cell(self, result: Result | None, number: int) -> Cell:
        why = self._failures.get(number, "")
        if result is None:
            return Cell("failed" if why else "not searched", why=why)
        bound, about = (result.bound.figure if result.bound else None), result.provenance
        if result.num_steps is None:
            return Cell("unknown", bound, None, about.seconds, about.solver, why)
        outcome: Outcome = "optimal" if result.has_least_figure else "feasible"
        if result.schedule is None:
            return Cell(outcome, bound, None, about.seconds, about.solver, why, table_steps=result.num_steps)
        own = profile(result.schedule)
        return Cell(outcome, bound, own, about.seconds, about.solver, why, schedule=result.schedule)
