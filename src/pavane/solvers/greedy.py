"""First fit: each message takes the first step in which some shortest path is free.

The trivial member of the registry: it answers every problem and is the upper bound for the others. For each channel
and port the steps in which it is full are the bits of one whole number, so that "in which steps is some shortest path
free?" is a walk over the shortest paths with `and` and `or`.

Under restricted routing the walk goes over states, which know the last hop (see `routing`).

Wormhole scatter places the longest ways first. Broadcast places message by message, nearest target first, from
whichever holder can send first. Store-and-forward goes hop by hop, each in the first free step. Under tdm the walk
moves the bits by the slots between one channel and the next, and no packet wraps; broadcasts place the nearest targets
of all messages first, from whichever holder's packet arrives first. Reductions are solved backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise, zip_longest
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pavane.jit import clock
from pavane.model.problem import Problem
from pavane.model.routing import StateHops
from pavane.model.schedule import Schedule, Transfer
from pavane.model.switch_hops import SwitchHop, hops, steps_from, steps_to
from pavane.parallel.budget import Budget
from pavane.solvers.slot_timing import Timing
from pavane.solvers.solver import Finding
from pavane.solvers.solving import solve_once
from pavane.solvers.step_table import EVERY_STEP, StepTable, first_step
from pavane.solvers.supports import Supports

LEAST_TRANSFERS = {"private": 5_000, "broadcast": 1_000}
"""The clock is not looked at before: a small problem is answered however short the time, in a second or so."""

MOST_HOLDERS_TRIED = 64
"""Up to this many processors a broadcast tries every holder; beyond, only the nearest ones, for speed."""


@dataclass(frozen=True)
class Greedy:
    """First fit in one pass, for every problem; the seed decides the order among equals."""

    name: str = "greedy"

    supports = Supports(takes=("capacities",), procedure="pass")

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Schedule every message in the first step in which it fits."""
        began, transfers, num_arrived = clock.now(), [], 0
        least = LEAST_TRANSFERS[problem.pattern]
        wanted = problem.ends[:, 1].tolist() if problem.pattern == "private" else None
        receivers = frozenset(problem.collective.receivers)
        for number, transfer in enumerate(_transfers(problem, rng, StepTable(problem))):
            if number > least and number % 64 == 0 and budget.is_over:
                took = clock.now() - began
                return Finding(None, needs=began - budget.started + took * problem.num_deliveries / max(num_arrived, 1))
            transfers.append(transfer)
            end = transfer.receiver
            num_arrived += end in receivers if wanted is None else end == wanted[transfer.messages[0]]
        timing = Timing.of(problem)
        return Schedule.from_transfers(
            transfers, 1 + max(one.start + timing.arrival(len(one.path)) for one in transfers)
        )

    __call__ = solve_once


def first_fit_around(problem: Problem, others: Iterable[Transfer], rng: np.random.Generator) -> list[Transfer]:
    """Return transfers of a problem, of whatever kind but a sum, where others leave room for them."""
    table = StepTable(problem)
    for one in others:
        table.take(one.start, one.sender, one.receiver, one.path)
    return list(_transfers(problem, rng, table))


def _transfers(problem: Problem, rng: np.random.Generator, table: StepTable) -> Iterator[Transfer]:
    """Yield the transfers of a problem, each in the first step of a timetable in which it fits."""
    if problem.pattern == "private":
        place = _wormhole_scatter if problem.rules.runs_whole_paths else _stored_scatter
    else:
        place = _wormhole_broadcast if problem.rules.runs_whole_paths else _stored_broadcast
    return place(problem, rng, table)


class _FreePaths:
    """The steps in which shortest paths to one target are free, level by level backwards from it.

    A level says when the next channel may be used, and that of the target itself when its port may be.
    """

    def __init__(self, problem: Problem, table: StepTable, moves: StateHops) -> None:
        self.table, self.moves, self.home = table, moves, problem.network.router_of.tolist()
        self.num_phases, self.hop, self.router = moves.num_phases, table.timing.hop, table.timing.router

    def start(self, target: int) -> None:
        """Forget everything and start from another target."""
        steps = self.table.receiving(target)
        self.levels: list[dict[int, int]] = [dict.fromkeys(self.moves.ends(self.home[target]), steps)]
        self.seen = set(self.levels[0])

    def widen(self, useful: Callable[[int, int], bool]) -> None:
        """Go one channel further back, over routers that are useful at that distance."""
        level = len(self.levels)
        following: dict[int, int] = {}
        into, num_phases = self.moves.into, self.num_phases
        free, unit_of = self.table.free, self.table.units
        delay = self._delay(level - 1)
        for state, steps in self.levels[-1].items():
            before = steps >> delay
            for channel, tail in into[state]:
                if tail not in self.seen and useful(tail // num_phases, level):
                    following[tail] = following.get(tail, 0) | (before & free[unit_of[channel]])
        self.seen |= following.keys()
        self.levels.append(following)

    def _delay(self, level: int) -> int:
        """Return the slots from a use before a level to the use at that level."""
        return self.hop if level else self.router

    def steps_from(self, router: int) -> int:
        """Return the steps in which a path from a router on the last level may start."""
        return self.levels[-1][self.moves.start(router)] >> self._delay(len(self.levels) - 1)

    def starts(self) -> Iterator[tuple[int, int]]:
        """Yield the routers on the last level from which a path may begin, and the steps in which one may start."""
        delay = self._delay(len(self.levels) - 1)
        for state, steps in self.levels[-1].items():
            if state % self.num_phases == 0:
                yield state // self.num_phases, steps >> delay

    def path(self, router: int, step: int) -> tuple[int, ...]:
        """Return a shortest path from a router on the last level or nearer that may start in the step."""
        state = self.moves.start(router)
        level = next(i for i, states in enumerate(self.levels) if state in states)
        path = []
        free, unit_of = self.table.free, self.table.units
        when = step + self._delay(level)
        while level:
            level -= 1
            nearer, after = self.levels[level], when + (self.hop if level else self.router)
            channel, state = next(
                (c, head)
                for c, head in self.moves.out[state]
                if nearer.get(head, 0) >> after & 1 and free[unit_of[c]] >> when & 1
            )
            path.append(channel)
            when = after
        return tuple(path)


def _wormhole_scatter(problem: Problem, rng: np.random.Generator, table: StepTable) -> Iterator[Transfer]:
    network = problem.network
    start, end = (network.router_of[problem.ends[:, side]] for side in (0, 1))
    sources, row_of = np.unique(start, return_inverse=True)
    distances = _distances_from(problem, sources)
    lengths = np.array([distances[row][target] for row, target in zip(row_of, end, strict=True)])
    order = np.lexsort((rng.permutation(len(lengths)), -lengths))
    from_source = [row.tolist() for row in distances]
    rows, home = row_of.tolist(), network.router_of.tolist()
    labels = problem.ends.tolist()
    free_paths = _FreePaths(problem, table, StateHops(network, problem.restriction))
    relays = _relays(problem)
    for message in order.tolist():
        origin, target = labels[message]
        after = 0
        # Only combining lets a private message be sent on, and only restricted routing needs it.
        for here, there in pairwise((origin, *relays.put_in(origin, [target]))):
            from_here = from_source[rows[message]] if here == origin else relays.distances[home[here]]
            length = from_here[home[there]]
            free_paths.start(there)
            for _ in range(length):
                free_paths.widen(lambda router, level: from_here[router] == length - level)  # noqa: B023
            step = first_step(free_paths.steps_from(home[here]) & table.sending(here) & (EVERY_STEP << after))
            path = free_paths.path(home[here], step)
            table.take(step, here, there, path)
            yield Transfer(step, here, there, path, (message,))
            after = step + table.timing.arrival(len(path)) + 1


def _distances_from(problem: Problem, sources: npt.NDArray[np.integer]) -> list[npt.NDArray[np.integer]]:
    """Return the length of admissible paths from each source to every router."""
    if problem.restriction is not None:
        return list(problem.restriction.distances(sources))
    return [problem.network.distances_from(int(source)) for source in sources]


def _by_distance(problem: Problem, origin: int, rng: np.random.Generator) -> list[int]:
    """Return the targets of a broadcast message, nearest first."""
    network = problem.network
    targets = np.array([r for r in problem.collective.receivers if r != origin], dtype=np.int64)
    lengths = network.distances_from(int(network.router_of[origin]))[network.router_of[targets]]
    ordered: list[int] = targets[np.lexsort((rng.permutation(len(targets)), lengths))].tolist()
    return ordered


def _wormhole_broadcast(problem: Problem, rng: np.random.Generator, table: StepTable) -> Iterator[Transfer]:
    """Serve message by message, or in slots the first target of each message, then the second, and so on."""
    messages, relays = rng.permutation(problem.num_messages).tolist(), _relays(problem)
    by_message = (
        [(message, target) for target in relays.put_in(origin, _by_distance(problem, origin, rng))]
        for message in messages
        for origin in (int(problem.ends[message, 0]),)
    )
    order = by_message
    if problem.rules.has_slots:
        order = ([arrival for arrival in rank if arrival is not None] for rank in zip_longest(*by_message))
    return broadcast_in_order(problem, chain.from_iterable(order), table)


def broadcast_in_order(
    problem: Problem, arrivals: Iterable[tuple[int, int]], table: StepTable | None = None
) -> Iterator[Transfer]:
    """Yield transfers that bring messages to processors in the given order, each from where it arrives first."""
    network, table = problem.network, StepTable(problem) if table is None else table
    home = network.router_of.tolist()
    try_all = network.num_processors <= MOST_HOLDERS_TRIED
    free_paths = _FreePaths(problem, table, StateHops(network, problem.restriction))
    relays = _relays(problem)
    copies: dict[int, _HeldCopies] = {}
    for message, target in arrivals:
        if message not in copies:
            if not problem.rules.has_slots:
                copies.clear()  # the message before is complete
            origin = int(problem.ends[message, 0])
            copies[message] = _HeldCopies({home[origin]: [origin]}, {origin: EVERY_STEP})
        holders, ready = copies[message]
        free_paths.start(target)
        useful = relays.useful(home[target])
        best: tuple[int, int, int] | None = None
        while free_paths.levels[-1] and (try_all or best is None):
            num_channels = len(free_paths.levels) - 1
            flight = table.timing.arrival(num_channels)
            if best is not None and best[0] < flight:
                break
            for router, steps in free_paths.starts():
                for holder in holders.get(router, ()):
                    free = steps & table.sending(holder) & ready[holder]
                    offer = (first_step(free) + flight, num_channels, holder)
                    best = offer if best is None else min(best, offer)
            free_paths.widen(useful)
        assert best is not None  # the problem was refused if the origin could not reach the target
        arrival, num_channels, holder = best
        step = arrival - table.timing.arrival(num_channels)
        path = free_paths.path(home[holder], step)
        table.take(step, holder, target, path)
        if table.may_send(target):
            holders.setdefault(home[target], []).append(target)
        ready[target] = EVERY_STEP << (arrival + 1)
        yield Transfer(step, holder, target, path, (message,))


class _HeldCopies(NamedTuple):
    """The copies of one message: which processors of a router hold one, and in which steps each can be sent."""

    holders: dict[int, list[int]]
    ready: dict[int, int]


@lru_cache(maxsize=1)
def _relays(problem: Problem) -> _Relays:
    """Return the relays of a problem, which an order and its schedule share."""
    return _Relays(problem)


class _Relays:
    """Who must pass a broadcast message on, where restricted routing cannot reach a target otherwise."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        restriction = problem.restriction
        self.distances: list[list[int]] = []
        """From router to router in the grid, the same both ways."""
        self.joined: list[list[bool]] = []
        """Which routers an admissible path joins; empty where it joins all."""
        if restriction is not None:
            everyone = np.arange(problem.network.num_routers)
            self.distances = restriction.distances(everyone).tolist()
            if not restriction.is_whole:
                self.joined = restriction.reached(everyone).tolist()

    def useful(self, target: int) -> Callable[[int, int], bool]:
        """Return a test whether a router at a distance may be on the way to a target router."""
        if not self.distances:
            return lambda router, level: True
        away = self.distances[target]
        return lambda router, level: away[router] == level

    def put_in(self, origin: int, targets: list[int]) -> list[int]:
        """Return the targets with relays before those that no path from the origin or an earlier one reaches."""
        if not self.joined:
            return targets
        network = self.problem.network
        home = network.router_of
        via: dict[int, int] = {}
        held, order = {int(home[origin])}, [origin]
        for target in targets:
            chain, router = [target], int(home[target])
            while not any(self.joined[holder][router] for holder in held):
                via = via or self._via(int(home[origin]))
                router = via[router]
                chain.append(network.processors_on[router][0])
            held |= {int(home[relay]) for relay in chain}
            order += [relay for relay in reversed(chain) if relay not in order]
        return order[1:]

    def _via(self, source: int) -> dict[int, int]:
        """Return the router before each one that relays reach from a source."""
        homes = np.unique(self.problem.network.router_of).tolist()
        via, reached = {source: source}, [source]
        for router in reached:
            fresh = [other for other in homes if self.joined[router][other] and other not in via]
            via |= dict.fromkeys(fresh, router)
            reached += fresh
        return via


def _resting_location(problem: Problem, router: int) -> int:
    """Return where a message rests on its way: the router's first processor, or the pure switch itself."""
    processors = problem.network.processors_on[router]
    return processors[0] if processors else ~router


def _stored_scatter(problem: Problem, rng: np.random.Generator, table: StepTable) -> Iterator[Transfer]:
    network = problem.network
    home, leaving = network.router_of.tolist(), _by_router(problem, "tail")
    ends, row_of = np.unique(network.router_of[problem.ends[:, 1]], return_inverse=True)
    to_end = [steps_to(problem, int(end)).tolist() for end in ends]
    rows, labels = row_of.tolist(), problem.ends.tolist()
    lengths = np.array([to_end[row][home[origin]] for row, (origin, _) in zip(rows, labels, strict=True)])
    for message in np.lexsort((rng.permutation(len(lengths)), -lengths)).tolist():
        here, target = labels[message]
        distance, router, after = to_end[rows[message]], home[here], 0
        while here != target:
            offers: list[tuple[int, int, tuple[int, ...], int]] = []
            if router == home[target]:
                offers.append((table.sending(here) & table.receiving(target), target, (), router))
            else:
                for path, _, head in leaving[router]:
                    if distance[head] == distance[router] - 1:
                        there = target if head == home[target] else _resting_location(problem, head)
                        offers.append((table.free_for(here, there, path), there, path, head))
            later = EVERY_STEP << after
            step, there, path, router = min(
                (first_step(steps & later), location, hop, head) for steps, location, hop, head in offers
            )
            table.take(step, here, there, path)
            yield Transfer(step, here, there, path, (message,))
            here, after = there, step + 1


def _stored_broadcast(problem: Problem, rng: np.random.Generator, table: StepTable) -> Iterator[Transfer]:
    network = problem.network
    home, entering = network.router_of.tolist(), _by_router(problem, "head")
    for message in rng.permutation(problem.num_messages).tolist():
        origin = int(problem.ends[message, 0])
        distance = steps_from(problem, home[origin]).tolist()
        ready = {origin: EVERY_STEP}
        holders: dict[int, list[int]] = {home[origin]: [origin]}
        for target in _by_distance(problem, origin, rng):
            if target in ready:
                continue
            # Relays nearer to the origin come first, back to the first neighbour that holds the message.
            chain, router = [target], home[target]
            while not any(tail in holders for tail in (router, *(hop.tail for hop in entering[router]))):
                router = next(hop.tail for hop in entering[router] if distance[hop.tail] == distance[router] - 1)
                chain.append(_resting_location(problem, router))
            for there in reversed(chain):
                router = home[there] if there >= 0 else ~there
                ways: list[tuple[int, tuple[int, ...]]] = [(holder, ()) for holder in holders.get(router, ())]
                ways += [(holder, path) for path, tail, _ in entering[router] for holder in holders.get(tail, ())]
                step, here, path = min(
                    (first_step(table.free_for(holder, there, path) & ready[holder]), holder, path)
                    for holder, path in ways
                )
                table.take(step, here, there, path)
                ready[there] = EVERY_STEP << (step + 1)
                if table.may_send(there):
                    holders.setdefault(router, []).append(there)
                yield Transfer(step, here, there, path, (message,))


def _by_router(problem: Problem, side: Literal["tail", "head"]) -> list[list[SwitchHop]]:
    """Return the hops that leave each router, or enter it."""
    listed: list[list[SwitchHop]] = [[] for _ in range(problem.network.num_routers)]
    for hop in hops(problem):
        listed[getattr(hop, side)].append(hop)
    return listed
