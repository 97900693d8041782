"""Comparing networks: every collective on every network, within one time limit that all share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from pavane.atlas.atlas_file import AtlasFile
from pavane.atlas.known import known_of, row_of
from pavane.campaign.network_comparison.compared import Cell, Comparison, ComparisonRow
from pavane.campaign.network_comparison.network_figures import NetworkFigures
from pavane.campaign.network_comparison.same_networks import merged
from pavane.campaign.network_comparison.sharing import Deadline, in_passes
from pavane.errors import InputError, InvalidSchedule, expect, expect_whole, in_one_line, is_interrupt, shortened
from pavane.jit import clock
from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound
from pavane.model.collectives import kind_of
from pavane.model.network import Network
from pavane.model.problem import USUAL_RULES, Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network as made_network
from pavane.parallel.pool import Pool
from pavane.parallel.pools import Workers, as_workers
from pavane.parallel.tasks import TaskContext, WorkerLost
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions
from pavane.timing import Costs, profile

COLLECTIVES = ("AAB", "AAS")
"""What networks are compared by where nothing is said: everybody tells everybody, the same or to each his own."""

USED_UP = 0.8
"""A search that took this part of its share would have gone on."""


@dataclass(frozen=True)
class CompareProgress:
    """How far a comparison has come."""

    done: int
    """Searches that have an answer."""
    total: int
    proven: int
    """Those of them whose steps are proven the fewest."""
    last: str
    """The problem that was searched for last."""
    seconds: float
    seconds_left: float | None
    """Until the time limit; None where there is none."""


def compare(
    networks: Iterable[Network | str],
    collectives: Sequence[str] = COLLECTIVES,
    rules: Rules = USUAL_RULES,
    *,
    costs: Costs | None = None,
    message_bytes: Sequence[int] = (),
    seed: int = 0,
    seconds: float | None = None,
    workers: int | Workers = 1,
    atlas: str | Path | None = None,
    progress: Callable[[CompareProgress], None] = lambda _: None,
    note: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Compare networks: what they cost, what they survive, and how long collectives take on them.

    An interrupt (Ctrl-C) ends the comparison: what is found by then is kept, the rest is marked, and the comparison is
    `interrupted`; with nothing found it goes on.

    Args:
        networks: The networks, or their names; `pavane.candidates` proposes some. Those that differ in their numbering
            alone are compared once, under all their names.
        collectives: The names of the collectives.
        rules: How transfers may use the networks.
        costs: What start-ups and bytes cost, to predict times.
        message_bytes: The bytes of a message, one or several, for which times are predicted.
        seed: Where chance begins; the same seed gives the same answer.
        seconds: A limit for all searches together. Each gets its share, and what some do not need goes to the others.
        workers: The number of processes, which change the time and not the answer.
        atlas: An atlas, by its file or as `shipped`: searches start from what it knows, and what is better is kept.
        progress: Called with how far the comparison has come.
        note: Called with what is worth knowing about the atlas.

    Returns:
        The comparison, with a row for each network.

    Example:
        >>> found = pavane.compare(["ring:8", "octagon", "hypercube:3", "torus:2x4"], ["alltoall"])
        >>> [(row.names, row.figures.cost, row.cells[0].steps) for row in found.rows]
        [(('ring:8',), 16, 8), (('octagon',), 24, 4), (('torus:2x4', 'hypercube:3'), 24, 4)]
    """
    listed = _listed(networks)
    kinds = _kinds(collectives)
    _check(rules, costs, message_bytes, seed, seconds)
    hired, deadline = as_workers(workers), Deadline.after(seconds)
    groups = merged(listed, kinds, rules)
    plan = _Plan([problem for _, problems in groups for problem in problems], seed, deadline, progress)
    with ExitStack() as open_files:
        if atlas is not None:
            plan.open(open_files.enter_context(AtlasFile(str(atlas), is_written=True)), note)
        with hired.pool(max(len(groups), len(plan.problems)), None) as pool:
            figures = _figures(pool, [problems[0].network for _, problems in groups])
            interrupted = not plan.carry_out(pool)
    width = len(kinds)
    rows = [
        ComparisonRow(tuple(names), problems[0].network, figures[at], tuple(plan.cells[at * width : (at + 1) * width]))
        for at, (names, problems) in enumerate(groups)
    ]
    found = Comparison(kinds, rules, tuple(rows), costs, tuple(message_bytes), seed, interrupted)
    return Comparison(kinds, rules, _ordered(found), costs, tuple(message_bytes), seed, interrupted)


def _ordered(found: Comparison) -> tuple[ComparisonRow, ...]:
    """Return the rows: few processors first, then cheap, then fast networks."""

    def order(row: ComparisonRow) -> tuple[int, int, float, str]:
        total = found.total(row, found.size_asked(None))
        return row.figures.processors, row.figures.cost, float("inf") if total is None else total, row.name

    return tuple(sorted(found.rows, key=order))


# -- what is asked for


def _listed(networks: Iterable[Network | str]) -> list[Network]:
    if isinstance(networks, str | Network) or not isinstance(networks, Iterable):
        raise InputError(f"`networks` is {shortened(networks)}; list some, like ['ring:8', 'octagon']")
    listed = [made_network(each) for each in networks]
    if not listed:
        raise InputError("no network was named; give at least one, for example octagon")
    for each in listed:
        if each.num_processors < 2:
            raise InputError(
                f"network {each.name} has {each.num_processors or 'no'} processor{'s' * (not each.num_processors)}; "
                "networks are compared by what two or more processors tell each other"
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


def _check(rules: Rules, costs: Costs | None, message_bytes: Sequence[int], seed: int, seconds: float | None) -> None:
    expect(rules, Rules, "rules", "say them like `pavane.Rules(ports=1)`")
    if costs is not None:
        expect(costs, Costs, "costs", "say them like `pavane.Costs(startup=1e-6, per_byte=1e-9)`")
    if not isinstance(message_bytes, list | tuple):
        raise InputError(f"`message_bytes` is {shortened(message_bytes)}; list the bytes of a message, like [4096]")
    for size in message_bytes:
        if expect_whole(size, "message_bytes", 4096) < 1:
            raise InputError(f"`message_bytes`: a message of {size} bytes is none; give 1 or more")
    if len(set(message_bytes)) < len(message_bytes):
        raise InputError("`message_bytes`: one is given twice; give each once")
    if (costs is None) != (not message_bytes):
        given, missing = ("message_bytes", "costs") if costs is None else ("costs", "message_bytes")
        raise InputError(f"`{given}` without `{missing}` give no times; give both, or leave both out to count steps")
    if expect_whole(seed, "seed", 0) < 0:
        raise InputError(f"`seed` is {seed}; give 0 or more")
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0):
        raise InputError(f"time {shortened(seconds)}: a comparison needs some; give more than 0 seconds")


# -- figures of networks


def _figures(pool: Pool, networks: Sequence[Network]) -> list[NetworkFigures]:
    """Count the figures of all networks; where a worker is lost over one, here."""
    found: dict[int, NetworkFigures] = {}
    for number, answer in pool.results(_counted, [(network,) for network in networks]):
        found[number] = NetworkFigures.of(networks[number]) if isinstance(answer, WorkerLost) else answer
    return [found[number] for number in range(len(networks))]


def _counted(_: None, contact: TaskContext, network: Network) -> NetworkFigures:
    return NetworkFigures.of(network)


# -- searches


@dataclass(frozen=True)
class _Found:
    """What a search found, perhaps elsewhere; it is judged where it arrives."""

    schedule: Schedule | None
    bounds: tuple[Bound, ...]
    provenance: Provenance


def _searched(
    _: None, contact: TaskContext, problem: Problem, known: Result | None, seed: int, seconds: float | None
) -> _Found | WorkerLost:
    """Search for one problem; what goes wrong costs this attempt alone."""
    try:
        found = find_or_interrupt(problem, SearchOptions(seed=seed, seconds=seconds), start=known)
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        return WorkerLost(str(error) if isinstance(error, InputError) else in_one_line(error))
    return _Found(found.schedule, found.bounds, found.provenance)


class _Plan:
    """The problems, what has been found for each, and the atlas that knows of them."""

    def __init__(
        self,
        problems: Sequence[Problem],
        seed: int,
        deadline: Deadline,
        progress: Callable[[CompareProgress], None],
    ) -> None:
        self.problems, self.seed, self.deadline, self.progress = problems, seed, deadline, progress
        self.results: dict[int, Result] = {}
        self.failures: dict[int, str] = {}
        self.started = clock.now()
        self._atlas: AtlasFile | None = None

    def open(self, atlas: AtlasFile, note: Callable[[str], None]) -> None:
        """Start from what an atlas knows."""
        self._atlas = atlas
        for number, problem in enumerate(self.problems):
            known = known_of(atlas, problem, note).result
            if known is not None:
                self.results[number] = known

    def carry_out(self, pool: Pool) -> bool:
        """Search for what is not proven yet; say whether all was searched before an interrupt came."""
        waiting = [number for number in range(len(self.problems)) if not self._is_settled(number)]
        try:
            for number, answer, share in self._answers(pool, waiting):
                self._take(number, answer, share)
                self._tell(number)
        except KeyboardInterrupt:
            if not self.results and not self.failures:
                raise
            return False
        return True

    @property
    def cells(self) -> list[Cell]:
        """Return what is known of each problem by now."""
        return [self._cell(number) for number in range(len(self.problems))]

    def _answers(self, pool: Pool, waiting: list[int]) -> Iterator[tuple[int, _Found | WorkerLost, float | None]]:
        def call(number: int) -> tuple[Problem, Result | None, int]:
            return self.problems[number], self.results.get(number), self.seed

        def is_open(number: int, share: float) -> bool:
            result = self.results.get(number)
            return result is None or (not result.has_fewest_steps and result.provenance.seconds >= USED_UP * share)

        return in_passes(pool, _searched, waiting, call, is_open, self.deadline)

    def _take(self, number: int, answer: _Found | WorkerLost, share: float | None) -> None:
        """Judge what has come, and keep it where it is better."""
        try:
            if isinstance(answer, WorkerLost):
                raise InputError(answer.why)
            result = Result(self.problems[number], answer.schedule, answer.bounds, answer.provenance)
        except (InputError, InvalidSchedule) as error:
            self.failures[number] = str(error)
            return
        self.failures.pop(number, None)
        self.results[number] = result
        if self._atlas is not None and self._atlas.is_written:
            self._atlas.keep([row_of(result, seconds=share)])

    def _is_settled(self, number: int) -> bool:
        return number in self.results and self.results[number].has_fewest_steps

    def _tell(self, number: int) -> None:
        problem = self.problems[number]
        done = {*self.results, *self.failures}
        self.progress(
            CompareProgress(
                len(done),
                len(self.problems),
                sum(map(self._is_settled, self.results)),
                f"{problem.collective.kind} on {problem.network.name}",
                clock.now() - self.started,
                self.deadline.seconds_left,
            )
        )

    def _cell(self, number: int) -> Cell:
        result, why = self.results.get(number), self.failures.get(number, "")
        if result is None:
            return Cell("failed" if why else "not searched", why=why)
        bound, about = (result.bound.steps if result.bound else None), result.provenance
        if result.schedule is None:
            return Cell("unknown", bound, None, about.seconds, about.solver, why)
        outcome = "optimal" if result.has_fewest_steps else "feasible"
        return Cell(outcome, bound, profile(result.schedule), about.seconds, about.solver, why)  # type: ignore[arg-type]
