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
from pavane.model.switch_hops import hops
from pavane.model.timed import TimedProblem, TimedSchedule
from pavane.solvers.timed.kernels.event_greedy import HopArrays

MOST_HOPS = 20_000
"""Events and insertions look at all hops: more take longer than re-timing a schedule of steps is worth."""


class TimedHops(NamedTuple):
    """The hops of a timed problem; routers are the locations, one processor on each at most."""

    arrays: HopArrays
    paths: list[tuple[int, ...]]
    """The channels of each hop."""
    size_class: Longs
    """For each message which of the sizes it has."""


def timed_hops(timed: TimedProblem) -> TimedHops | None:
    """Return the hops of a problem; None where routers have several processors, or there are too many hops."""
    problem, network = timed.problem, timed.problem.network
    counts = np.bincount(network.router_of, minlength=network.num_routers)
    if (counts > 1).any() or problem.restriction is not None or problem.rules.ports not in ("all", 1):
        return None
    listed = [hop.path for hop in hops(stored(problem))]
    return hops_of_paths(timed, listed) if 0 < len(listed) <= MOST_HOPS else None


def stored(problem: Problem) -> Problem:
    """Return the problem under store-and-forward, whose hops are those between processors that nothing lies between."""
    if problem.rules.switching != "wormhole":
        return problem
    rules = replace(problem.rules, switching="store-and-forward", multicast=False)
    return replace(problem, rules=replace(rules, switches="pass") if problem.has_switches else rules)


def hops_of_paths(timed: TimedProblem, paths: list[tuple[int, ...]]) -> TimedHops:
    """Return hops along some paths, each of one channel at least."""
    problem, network = timed.problem, timed.problem.network
    sizes, size_class = np.unique(timed.message_bytes, return_inverse=True)
    firsts, lasts = (np.array([path[at] for path in paths]) for at in (0, -1))
    tails, heads = network.tails[firsts], network.heads[lasts]
    holds = np.stack(
        [[int(busy[list(path)].max()) for path in paths] for busy in map(timed.links.all_busy, sizes.tolist())], axis=1
    )
    units = [[int(timed.units[channel]) for channel in path] for path in paths]
    num_units = network.num_channels
    if problem.rules.ports == 1:
        num_routers, is_switch = network.num_routers, problem.is_switch
        for unit, tail, head in zip(units, tails.tolist(), heads.tolist(), strict=True):
            unit += [num_units + tail] * (not is_switch[tail]) + [num_units + num_routers + head] * (
                not is_switch[head]
            )
        num_units += 2 * num_routers
    offsets = np.concatenate([[0], np.cumsum([len(unit) for unit in units])])
    delays = np.array([int(timed.links.latencies[list(path)].sum()) for path in paths], dtype=np.int64)
    arrays = HopArrays(
        tails.astype(np.int32),
        heads.astype(np.int32),
        holds.astype(np.int64),
        delays,
        offsets.astype(np.int64),
        np.array([one for unit in units for one in unit], dtype=np.int32),
        num_units,
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
    timed: TimedProblem,
    hops: TimedHops,
    numbers: Longs,
    starts: Longs,
    messages: Longs,
    inputs: Sequence[Sequence[int]] | None = None,
) -> TimedSchedule:
    """Return the schedule in which messages take some hops, by their numbers; sums name their inputs."""
    named = locations(timed)
    return TimedSchedule.from_columns(
        starts,
        named[hops.arrays.tails[numbers]],
        named[hops.arrays.heads[numbers]],
        [hops.paths[hop] for hop in numbers.tolist()],
        messages,
        inputs,
    )


def locations(timed: TimedProblem) -> Ints:
    """Return how each router is written as a location: its processor, or ~router for a pure switch."""
    network = timed.problem.network
    named = ~np.arange(network.num_routers, dtype=np.int32)
    named[network.router_of] = np.arange(network.num_processors)
    return named
