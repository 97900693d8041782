"""What transfers of a timed problem may do: hops between the locations where messages rest, with times and units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.switch_hops import hops
from pavane.solvers.timed.kernels.event_greedy import HopArrays

MOST_HOPS = 20_000
"""Events and insertions look at all hops: more take longer than re-timing a schedule of steps is worth."""


class TimedHops(NamedTuple):
    """The hops of a timed problem; routers are the locations: between processors of one router no time passes."""

    arrays: HopArrays
    paths: list[tuple[int, ...]]
    """The channels of each hop."""
    size_class: Longs
    """For each message which of the sizes it has."""


def timed_hops(problem: Problem) -> TimedHops | None:
    """Return the hops of a problem; None where there are none, or too many, or some that turns forbid."""
    relayed = stored(problem)
    if problem.restriction is not None and relayed.passes_switches:
        return None
    listed = [hop.path for hop in hops(relayed)]
    return hops_of_paths(problem, listed) if 0 < len(listed) <= MOST_HOPS else None


def stored(problem: Problem) -> Problem:
    """Return the problem under store-and-forward, whose hops are those between processors that nothing lies between."""
    if problem.rules.switching != "wormhole":
        return problem
    rules = replace(problem.rules, switching="store-and-forward", multicast=False)
    return replace(problem, rules=replace(rules, switches="pass") if problem.has_switches else rules)


def hops_of_paths(problem: Problem, paths: list[tuple[int, ...]], ends: Ints | None = None) -> TimedHops:
    """Return hops along some paths, each of one channel at least, between processors of the routers, or given ones."""
    network, links = problem.network, problem.timing.links
    sizes, size_class = np.unique(problem.message_bytes, return_inverse=True)
    lengths = np.array([len(path) for path in paths])
    channels, begins = np.array([channel for path in paths for channel in path]), np.cumsum(lengths) - lengths
    firsts, lasts = channels[begins], channels[begins + lengths - 1]
    tails, heads = network.tails[firsts], network.heads[lasts]
    busy = [links.all_busy(size)[channels] for size in sizes.tolist()]
    owners, units, rooms = (
        [np.repeat(np.arange(len(paths)), lengths)],
        [problem.units[channels]],
        [1] * len(network.tails),
    )
    if problem.rules.ports != "all":
        counts = np.bincount(network.router_of, minlength=network.num_routers)
        for side, (places, near) in enumerate(((tails, firsts), (heads, lasts))):
            num_held = np.bincount(np.unique(np.stack([places, problem.units[near]]), axis=1)[0])
            room = problem.rules.ports * (counts[places] if ends is None else np.ones_like(places))
            # Channels are held by one transfer at a time: as many ports as channels are always free.
            few = np.flatnonzero((counts[places] > 0) & (room < num_held[places]))
            port_of = places if ends is None else ends[:, side]
            _, first, number = np.unique(port_of[few], return_index=True, return_inverse=True)
            owners.append(few)
            units.append(len(rooms) + number.reshape(-1))
            rooms += room[few[first]].tolist()
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    arrays = HopArrays(
        tails.astype(np.int32),
        heads.astype(np.int32),
        np.stack([np.maximum.reduceat(each, begins) for each in busy], axis=1).astype(np.int64),
        np.add.reduceat(links.latencies[channels], begins).astype(np.int64),
        np.searchsorted(owner[order], np.arange(len(paths) + 1)).astype(np.int64),
        np.concatenate(units)[order].astype(np.int32),
        np.array(rooms, dtype=np.int64),
    )
    return TimedHops(arrays, paths, size_class.reshape(-1).astype(np.int64))


def groups(arrays: HopArrays, num_routers: int) -> Iterator[Ints]:
    """Yield for each router its group: the routers that faster hops join, for every speed that parts them.

    The boxes of a cluster are such groups. A group for nearly every router is none.
    """
    holds, places = arrays.holds[:, 0], np.unique(np.concatenate([arrays.tails, arrays.heads]))
    fewest = len(places) // 2 + 1
    for limit in np.unique(holds)[1:].tolist():
        fast = holds < limit
        graph = csr_array((np.ones(fast.sum()), (arrays.tails[fast], arrays.heads[fast])), shape=(num_routers,) * 2)
        labels = connected_components(graph, directed=True, connection="strong")[1]
        numbers = np.unique(labels[places], return_inverse=True)[1]
        if 1 < numbers.max() + 1 < fewest:
            fewest = int(numbers.max()) + 1
            group_of = np.zeros(num_routers, dtype=np.int32)
            group_of[places] = numbers
            yield group_of


def wants_of(problem: Problem) -> Flags:
    """Return which routers are to receive each broadcast, or have a part of each sum and are to receive the whole."""
    network, is_sum = problem.network, problem.pattern == "allreduce"
    wants = np.zeros((problem.num_messages, network.num_routers), dtype=bool)
    wants[:, network.router_of[list(problem.collective.senders if is_sum else problem.collective.receivers)]] = True
    if not is_sum:
        wants[np.arange(len(wants)), network.router_of[problem.ends[:, 0]]] = False
    return wants


def least_times(arrays: HopArrays, num_routers: int) -> Longs:
    """Return the least time from router to router."""
    costs = np.full((num_routers, num_routers), np.inf)
    np.minimum.at(costs, (arrays.tails, arrays.heads), (arrays.holds.min(axis=1) + arrays.delays).astype(np.float64))
    times = dijkstra(np.where(np.isfinite(costs), np.maximum(costs, 1.0), 0.0))
    return np.where(np.isfinite(times), times, 0).astype(np.int64)


def schedule_of_hops(
    problem: Problem,
    hops: TimedHops,
    numbers: Longs,
    starts: Longs,
    messages: Longs,
    inputs: Sequence[Sequence[int]] | None = None,
) -> Schedule:
    """Return the schedule in which messages take some hops, by their numbers; sums name their inputs."""
    if has_fat_routers(problem):
        return _Processors(problem, hops).schedule(numbers, starts, messages)
    named = locations(problem)
    return Schedule.from_start_times(
        starts,
        named[hops.arrays.tails[numbers]],
        named[hops.arrays.heads[numbers]],
        [hops.paths[hop] for hop in numbers.tolist()],
        messages,
        inputs,
    )


def locations(problem: Problem) -> Ints:
    """Return how each router is written as a location: its processor, or ~router for a pure switch."""
    network = problem.network
    named = ~np.arange(network.num_routers, dtype=np.int32)
    named[network.router_of] = np.arange(network.num_processors)
    return named


def has_fat_routers(problem: Problem) -> bool:
    """Return whether several processors share a router."""
    return len(np.unique(problem.network.router_of)) < problem.network.num_processors


class _Processors:
    """Which processors of the routers send and receive, and who passes messages on to others of the router."""

    def __init__(self, problem: Problem, hops: TimedHops) -> None:
        self.problem, self.hops = problem, hops
        network = problem.network
        self.homes = network.router_of.tolist()
        self.at: list[list[int]] = [[] for _ in range(network.num_routers)]
        """The processors of each router, or the pure switch."""
        for processor, router in enumerate(self.homes):
            self.at[router].append(processor)
        self.at = [one or [~router] for router, one in enumerate(self.at)]
        self.held = [{origin: 0} for origin in problem.ends[:, 0].tolist()]
        """Where each message is, and since when."""
        self.rows: list[tuple[int, int, int, tuple[int, ...], int]] = []
        self.busy: dict[tuple[int, int], list[int]] = {}
        """For each side and processor until when its transfers hold ports."""

    def schedule(self, numbers: Longs, starts: Longs, messages: Longs) -> Schedule:
        """Return the schedule in which messages take some hops."""
        problem, arrays = self.problem, self.hops.arrays
        receivers = [problem.collective.receivers] * problem.num_messages
        targets = problem.ends[:, 1:].tolist() if problem.pattern == "private" else receivers
        for at in np.argsort(starts, kind="stable").tolist():
            hop, start, message = int(numbers[at]), int(starts[at]), int(messages[at])
            tail, head = int(arrays.tails[hop]), int(arrays.heads[hop])
            held, end = self.held[message], start + int(arrays.holds[hop, self.hops.size_class[message]])
            sender = self._with_port(0, self.at[tail], set(held), start, end)
            receiver = self._with_port(1, self.at[head], set(targets[message]), start, end)
            self._pass_on(message, tail, sender)
            self.rows.append((start, sender, receiver, self.hops.paths[hop], message))
            held[receiver] = end + int(arrays.delays[hop])
        for message, wanted in enumerate(targets):
            for target in wanted:
                self._pass_on(message, self.homes[target], target)
        return Schedule.from_start_times(*(list(column) for column in zip(*self.rows, strict=True)))

    def _with_port(self, side: int, some: list[int], preferred: set[int], start: int, end: int) -> int:
        """Return a processor that has a port free from a start on, a preferred one if it can be; the port is held."""
        ports = self.problem.rules.ports
        for place in sorted(some, key=lambda place: place not in preferred):
            others = [until for until in self.busy.get((side, place), []) if until > start]
            if ports == "all" or place < 0 or len(others) < ports:
                self.busy[side, place] = [*others, end]
                return place
        raise ValueError(f"no port of processors {some} is free at {start:,} ps")

    def _pass_on(self, message: int, router: int, place: int) -> None:
        """Give a processor a message that another one of its router has."""
        held = self.held[message]
        if place not in held:
            since, source = min((held[one], one) for one in self.at[router] if one in held)
            self.rows.append((since, source, place, (), message))
            held[place] = since
