"""The form under which a problem is stored: a key that ignores names and, if that is cheap, the numbering, too.

Problems that differ only in the numbers of their routers, processors and channels have one canonical form, and share
its key. If computing it takes too much work, and under routing by the rows and columns of a grid, the problem is not
renumbered; its key then ignores only the names.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.routing import RESTRICTED
from pavane.symmetry.canonical_form import MOST_VERTICES, MOST_WORK, canonical_order
from pavane.symmetry.renumbering import Renumbering

FORM = 1
"""The version of the forms: keys of different versions are never equal."""


@dataclass(frozen=True, eq=False)
class Form:
    """The form of a problem in an atlas."""

    key: str
    is_canonical: bool
    """Whether the key is independent of the numbering."""
    renumbering: Renumbering
    """From the problem's numbers to those of the form."""


def form_of(problem: Problem, most_work: int = MOST_WORK) -> Form:
    """Return the form of a problem; canonical if that takes at most `most_work`."""
    order = None if problem.rules.routing in RESTRICTED else _canonical(problem, most_work)
    renumbering = _as_it_is(problem) if order is None else order
    about = _described(problem, renumbering) | {"form": FORM, "canonical": order is not None}
    text = json.dumps(about, sort_keys=True, separators=(",", ":"))
    return Form(hashlib.sha256(text.encode()).hexdigest(), order is not None, renumbering)


def _as_it_is(problem: Problem) -> Renumbering:
    network = problem.network
    sizes = network.num_routers, network.num_processors, network.num_channels
    return Renumbering.of(problem, *(np.arange(size) for size in sizes))


def _canonical(problem: Problem, most_work: int) -> Renumbering | None:
    """Return the renumbering to the canonical form; None if it takes too much work."""
    network = problem.network
    if network.num_routers + network.num_processors > 2 * MOST_VERTICES:
        return None
    roles, sends = _roles(problem), _messages(problem)
    colours, edges = _as_graph(problem, roles, sends)
    order = canonical_order(colours, edges, most_work)
    if order is None:
        return None
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    routers = _ranks(number[: network.num_routers])
    # Processors that are not vertices, and are alike on their router, may have any order.
    apart = number[network.num_routers :] if sends is not None else np.arange(network.num_processors)
    processors = np.empty(network.num_processors, dtype=np.int64)
    processors[np.lexsort((apart, roles, routers[network.router_of]))] = np.arange(network.num_processors)
    return Renumbering.of(problem, routers, processors, _channels(problem, routers))


def _ranks(numbers: Longs) -> Longs:
    """Return each number's position among all, in ascending order."""
    return np.argsort(np.argsort(numbers))


def _roles(problem: Problem) -> Longs:
    """Return a number for the role of each processor: whether it sends, receives, and the length of its message."""
    collective = problem.collective
    size = problem.network.num_processors
    sends, receives = np.zeros((2, size), dtype=np.int64)
    sends[list(collective.senders)] = 1
    receives[list(collective.receivers)] = 1
    units = np.ones(size, dtype=np.int64)
    if problem.pattern != "private":
        for owner, amount in collective.sizes:
            units[owner] = amount
    return (units * 2 + sends) * 2 + receives


def _messages(problem: Problem) -> Longs | None:
    """Return the units of the message between each two processors, plus one; None if roles determine them."""
    collective = problem.collective
    if problem.pattern != "private" or not (collective.pairs or collective.sizes):
        return None
    size = problem.network.num_processors
    units = np.zeros((size, size), dtype=np.int64)
    for source, target in collective.pairs:
        units[source, target] = 2
    for source, target, amount in collective.sizes:
        units[source, target] = amount + 1
    return units


def _as_graph(problem: Problem, roles: Longs, sends: Longs | None) -> tuple[Longs, Longs]:
    """Return colours of vertices, and edges: routers and, if messages differ, processors."""
    network = problem.network
    num_routers, num_processors = network.num_routers, network.num_processors
    carried: list[list[int]] = [[] for _ in range(num_routers)]
    for role, router in zip(roles.tolist(), network.router_of.tolist(), strict=True):
        carried[router].append(role)
    kinds = {tuple(kind): number for number, kind in enumerate(sorted({tuple(sorted(each)) for each in carried}))}
    colours = np.array([kinds[tuple(sorted(each))] for each in carried], dtype=np.int64)
    links = _links(problem)
    if sends is None:
        return colours, links
    size = num_routers + num_processors
    edges = np.zeros((size, size), dtype=np.int64)
    edges[:num_routers, :num_routers] = links
    # Edges between a processor and its router, and between processors, have numbers that no link has.
    above = int(links.max(initial=0)) + 1
    edges[num_routers + np.arange(num_processors), network.router_of] = above
    edges[num_routers:, num_routers:] = np.where(sends > 0, sends + above, 0)
    return np.concatenate((colours, roles + len(kinds))), edges


def _links(problem: Problem) -> Longs:
    """Return a number for the channels from each router to each other: how many, and of which capacities."""
    network = problem.network
    bundles: dict[tuple[int, int], list[tuple[int, int]]] = {}
    keys = np.stack((_is_unpaired(problem), network.capacity), axis=1).tolist()
    for (tail, head), (unpaired, capacity) in zip(network.channels.tolist(), keys, strict=True):
        bundles.setdefault((tail, head), []).append((unpaired, capacity))
    joined = {ends: tuple(sorted(bundle)) for ends, bundle in bundles.items()}
    kinds = {kind: number for number, kind in enumerate(sorted(set(joined.values())), 1)}
    links = np.zeros((network.num_routers, network.num_routers), dtype=np.int64)
    for ends, kind in joined.items():
        links[ends] = kinds[kind]
    return links


def _is_unpaired(problem: Problem) -> Longs:
    """Return which channels have no partner on their link; it matters under half duplex only."""
    network = problem.network
    if problem.rules.duplex == "full":
        return np.zeros(network.num_channels, dtype=np.int64)
    return (network.opposite < 0).astype(np.int64)


def _channels(problem: Problem, routers: Longs) -> Longs:
    """Return the channels' numbers in the order of their routers' new ones; under half duplex partners stay partners.

    Parallel channels pair up in the order of their numbers, so those with partners come first, both ways in one order.
    """
    network = problem.network
    own = np.arange(network.num_channels)
    link = (
        own
        if problem.rules.duplex == "full"
        else np.where(network.opposite < 0, own, np.minimum(own, network.opposite))
    )
    tails, heads = routers[network.tails], routers[network.heads]
    channels = np.empty(network.num_channels, dtype=np.int64)
    channels[np.lexsort((link, network.capacity, _is_unpaired(problem), heads, tails))] = own
    return channels


def _described(problem: Problem, renumbering: Renumbering) -> dict[str, Any]:
    """Return all that makes a problem what it is, under other numbers and without names and drawing positions."""
    network, collective = problem.network, problem.collective
    processors = renumbering.processors
    by_channel = np.argsort(renumbering.channels)
    num_ends = 2 if problem.pattern == "private" else 1
    about: dict[str, Any] = {
        "routers": network.num_routers,
        "channels": renumbering.routers[network.channels[by_channel]].tolist(),
        "capacities": network.capacity[by_channel].tolist(),
        "processors": renumbering.routers[network.router_of[np.argsort(processors)]].tolist(),
        "kind": collective.kind,
        "senders": _renumbered(processors, [[sender] for sender in collective.senders], 1),
        "receivers": _renumbered(processors, [[receiver] for receiver in collective.receivers], 1),
        "pairs": _renumbered(processors, [list(pair) for pair in collective.pairs], 2),
        "sizes": _renumbered(processors, [list(size) for size in collective.sizes], num_ends),
        "pieces": collective.pieces,
        "rules": problem.rules.to_dict(),
    }
    if problem.rules.routing in RESTRICTED:
        grid = network.grid
        assert grid is not None
        about["grid"] = [list(grid.sizes), [int(wraps) for wraps in grid.wraps], int(grid.is_reversed)]
    return about


def _renumbered(processors: Longs, rows: list[list[int]], num_ends: int) -> list[list[int]]:
    """Renumber the processors that rows begin with, and sort the rows."""
    return sorted([*processors[row[:num_ends]].tolist(), *row[num_ends:]] for row in rows)
