"""The bound by a cut for private messages of all processors, at any size: counted, not listed.

Every processor inside a set of routers sends to every one outside it, over the channels that leave the set. The halves
of a mesh, a machine of a cluster and a single router are such sets, which are made of runs of router numbers. And a
processor sends all its messages over its ports.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pavane.bounds.cut_loads import RouterCut, leaving, marked
from pavane.bounds.phrases import Unit, carried, some_of
from pavane.model.arrays import Flags
from pavane.model.bound import Bound
from pavane.model.messages import MOST_MESSAGES
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "counted-cut"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of a problem whose messages are too many to list."""
    if problem.num_messages > MOST_MESSAGES:
        yield from cut_bounds(problem)


def cut_bounds(problem: Problem) -> tuple[Bound, ...]:
    """Return the highest bound of the sets that are tried, where messages are private; else none."""
    rules, collective = problem.rules, problem.collective
    if problem.pattern != "private" or collective.kind == "PAIRS" or collective.sizes:
        return ()
    if rules.combining or rules.has_slots:
        return ()
    cuts: list[tuple[RouterCut, dict[str, Any]]]
    cuts = [(leaving(problem, inside), {"routers": _runs(inside)}) for inside in _candidates(problem.network)]
    cuts.append((_sending(problem, 0), {"sender": 0}))
    best = max((cut.bound(NAME, certificate) for cut, certificate in cuts), key=lambda bound: bound.figure)
    return (best,) if best.figure else ()


def _sending(problem: Problem, sender: int) -> RouterCut:
    return RouterCut(int(problem.num_sent[sender]), int(problem.injection[sender]))


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how many messages must leave which routers, or a processor."""
    if "sender" in bound.certificate:
        sender = int(bound.certificate["sender"])
        cut = _sending(problem, sender)
        moved = f"processor {sender} must send {counted(cut.num_messages, carried(problem))}"
    else:
        inside = marked(problem.network, bound.certificate["routers"])
        cut, names = leaving(problem, inside), problem.network.routers
        listed = bound.certificate["routers"]
        runs = [names[first] if end == first + 1 else f"{names[first]} to {names[end - 1]}" for first, end in listed]
        where = ("router " if inside.sum() == 1 else "routers ") + some_of(runs)
        moved = f"{counted(cut.num_messages, carried(problem))} must leave {where}"
    return f"{moved}, {cut.per_step:,} {unit.each}"


def _candidates(network: Network) -> Iterator[Flags]:
    """Yield half of a grid, the router of processor 0, switches next to it with their processors, and the lower half.

    The half of the grid is the one that the fewest channels leave: next to lost ones, where there are some.
    """
    inside = np.zeros(network.num_routers, dtype=bool)
    if network.grid is not None:
        size, halves = max(network.grid.sizes), []
        for axis in np.flatnonzero(np.array(network.grid.sizes) == size).tolist():
            places = np.unravel_index(np.arange(network.num_routers), network.grid.sizes)[axis]
            tails, heads = places[network.tails], places[network.heads]
            up, down = (
                np.bincount(tails[(heads - tails - way) % size == 0], minlength=size) if size > 2 else np.zeros(size)
                for way in (1, -1)
            )
            leaving = np.roll(up, 1 - size // 2) + down
            first = int(leaving.argmin())
            halves.append((int(leaving[first]), (places - first) % size < size // 2))
        yield min(halves, key=lambda half: half[0])[1]
    home = int(network.router_of[0])
    alone = inside.copy()
    alone[home] = True
    yield alone
    has_processor = np.bincount(network.router_of, minlength=network.num_routers) > 0
    for switch in np.unique(network.heads[network.tails == home]):
        if not has_processor[switch]:
            around = network.heads[network.tails == switch]
            group = inside.copy()
            group[around[has_processor[around]]] = True
            group[switch] = True
            yield group
    lower = inside.copy()
    lower[: network.num_routers // 2] = True
    yield lower


def _runs(inside: Flags) -> list[list[int]]:
    """Return the runs of routers of a set: the first, and the first after it."""
    changes = np.flatnonzero(np.diff(inside, prepend=False, append=False))
    return [[int(first), int(end)] for first, end in changes.reshape(-1, 2)]
