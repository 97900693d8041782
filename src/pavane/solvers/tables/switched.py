"""All-to-all scatter on networks with switches whose translations move every channel: clusters with rails, trees.

All channels of a kind are used at once by a hop of the table, so that only kinds count. Shortest paths from processor 0
have few of them, and first fit over the steps, the longest paths first, meets the bound. On k-ary n-trees the table has
one message a step. With rails, messages over a box's switch and a rail come first, one hop after the other; those over
one of the two alone fill the steps that are left of it at the beginning and at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from pavane.model.arrays import Ints, Longs
from pavane.model.channel_kinds import ChannelKinds
from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.solvers.step_table import EVERY_STEP, TakenSteps, first_step
from pavane.symmetry.boxes import boxes_of
from pavane.symmetry.switch_translations import translations_of_processors

Transfers = list[tuple[int, int, list[int]]]
"""Sender, receiver and channels of the transfers of one message, in their order."""

PORTS = -1
"""The unit that stands for the ports of a processor, after all kinds."""


def switched_paths(problem: Problem) -> SymmetricSchedule | None:
    """Return the table for all-to-all scatter on a network with switches, by wormhole or past switches that pass."""
    rules, collective, network = problem.rules, problem.collective, problem.network
    is_stored = rules.switching == "store-and-forward"
    if (
        collective.kind != "AAS"
        or collective.sizes
        or not problem.has_switches
        or rules.switching == "tdm"
        or (is_stored and rules.switches == "hold")
        or (rules.duplex, rules.combining) != ("full", False)
        or rules.routing not in ("minimal", "any")
        or not problem.is_total
    ):
        return None
    translations = translations_of_processors(network)
    if translations is None:
        return None
    kinds = ChannelKinds.of(network, *translations)
    capacities = network.capacity[kinds.channels]
    if not kinds.is_whole(network) or (capacities != capacities[0]).any():
        return None
    paths, pieces = list(_shortest_paths(problem)), collective.pieces
    messages = [(target * pieces + piece, transfers) for target, transfers in paths for piece in range(pieces)]
    return _table(translations, kinds, messages, _first_fit(problem, messages, kinds.places[1]))


@lru_cache(maxsize=8)
def rails_table(problem: Problem) -> SymmetricSchedule | None:
    """Return the table for an all-to-all, past switches that pass, on boxes of GPUs that are joined by rails."""
    is_plain = problem.passes_switches and problem.rules.ports == "all"
    return switched_paths(problem) if is_plain and boxes_of(problem.network) else None


def _shortest_paths(problem: Problem) -> Iterator[tuple[int, Transfers]]:
    """Yield target and transfers of each message of processor 0, along a tree of shortest paths.

    Under store-and-forward a transfer ends at every router with a processor.
    """
    network, home = problem.network, int(problem.network.router_of[0])
    last = np.full(network.num_routers, -1, dtype=np.int64)
    is_reached = np.zeros(network.num_routers, dtype=bool)
    is_reached[home], front = True, np.array([home])
    while len(front):
        near = np.flatnonzero(np.isin(network.tails, front) & ~is_reached[network.heads])
        heads, firsts = np.unique(network.heads[near], return_index=True)
        last[heads], is_reached[heads], front = near[firsts], True, heads
    processor_of = np.full(network.num_routers, -1)
    processor_of[network.router_of[::-1]] = np.arange(network.num_processors)[::-1]
    tails = network.tails.tolist()
    for target in range(1, network.num_processors):
        router, path = int(network.router_of[target]), []
        while router != home:
            path.append(int(last[router]))
            router = tails[path[-1]]
        transfers: Transfers = [(0, target, [])]
        for channel in reversed(path):
            router = tails[channel]
            if problem.passes_switches and router != home and processor_of[router] >= 0:
                sender, _, before = transfers[-1]
                transfers[-1] = (sender, int(processor_of[router]), before)
                transfers.append((int(processor_of[router]), target, []))
            transfers[-1][2].append(channel)
        yield target, transfers


def _first_fit(problem: Problem, messages: list[tuple[int, Transfers]], kind_of: Longs) -> list[list[int]]:
    """Return the steps of the transfers of each message: the first that are free, the longest messages first."""
    capacity = np.zeros(int(kind_of.max()) + 2, dtype=np.int64)
    capacity[kind_of] = problem.network.capacity
    capacity[PORTS] = min(int(problem.injection.min()), int(problem.ejection.min()))
    taken = TakenSteps(capacity.tolist())
    steps: list[list[int]] = [[] for _ in messages]
    lengths = [(len(transfers), sum(len(path) for _, _, path in transfers)) for _, transfers in messages]
    for at in sorted(range(len(messages)), key=lambda at: lengths[at], reverse=True):
        free = EVERY_STEP
        for _, _, path in messages[at][1]:
            uses = [PORTS, *kind_of[path].tolist()]
            for unit, count in Counter(uses).items():
                free &= ~taken.levels[unit][-count]
            steps[at].append(first_step(free))
            for unit in uses:
                taken.take_unit(unit, steps[at][-1])
            free = EVERY_STEP << steps[at][-1] + 1
    return steps


def _table(
    translations: tuple[Ints, Ints], kinds: ChannelKinds, messages: list[tuple[int, Transfers]], steps: list[list[int]]
) -> SymmetricSchedule:
    """Return the columns of a table."""
    rows = [
        (step, sender, receiver, message, path)
        for (message, transfers), own in zip(messages, steps, strict=True)
        for step, (sender, receiver, path) in zip(own, transfers, strict=True)
    ]
    rows.sort()
    starts, senders, receivers, numbers = np.array([row[:4] for row in rows], dtype=np.int64).T
    channels = np.array([channel for row in rows for channel in row[4]], dtype=np.int64)
    run_processors, run_kinds = (each[channels].astype(np.int32) for each in kinds.places)
    processors, routers = translations
    return SymmetricSchedule(
        int(starts.max()) + 1,
        processors,
        starts,
        senders.astype(np.int32),
        numbers,
        np.concatenate([[0], np.cumsum([len(row[4]) for row in rows])]).astype(np.int64),
        run_kinds,
        np.ones(len(channels), dtype=np.int32),
        routers=routers,
        receivers=receivers.astype(np.int32),
        run_processors=run_processors,
    )
