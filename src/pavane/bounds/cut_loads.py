"""Bounds by cuts: messages that must leave a set of routers, over the channels that leave it.

A message with its origin inside and some target outside must cross at least once. A set of one processor is its port:
what it must receive, over its ejection. All routers together: what must enter each of them, over all channels. What
several collectives must pass adds up.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from pavane.bounds.phrases import Unit, carried, some_of
from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.bound import Bound
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.text import counted


@dataclass(frozen=True)
class RouterCut:
    """How many messages must cross a cut and how many can in one step."""

    num_messages: int
    per_step: int

    @property
    def steps(self) -> int:
        """Return the number of steps that the crossing takes."""
        return -(-self.num_messages // self.per_step) if self.per_step else 0

    @property
    def exact(self) -> Fraction:
        """Return the same before it is rounded up."""
        return Fraction(self.num_messages, self.per_step) if self.per_step else Fraction(0)

    def bound(self, argument: str, certificate: dict[str, Any]) -> Bound:
        """Return the bound that it proves."""
        return Bound(self.steps, argument, certificate, self.exact)


def marked(network: Network, routers: Sequence[int | Sequence[int]]) -> Flags:
    """Return which routers are among those of a list, or in its runs: the first, and the first after it."""
    inside = np.zeros(network.num_routers, dtype=bool)
    for one in routers:
        inside[slice(*one) if isinstance(one, Sequence) else one] = True
    return inside


def least_enough(is_enough: Callable[[int], bool], too_few: int = 0) -> int:
    """Return the least number of steps, or other units of time, that is enough, where a number is known that is not."""
    most = max(1, 2 * too_few)
    while not is_enough(most):
        most *= 2
    return bisect_left(range(most), True, lo=most // 2 + 1, key=is_enough)


def leaving(problem: Problem, inside: Flags) -> RouterCut:
    """Return the cut that messages from routers inside to routers outside must cross, of all collectives.

    Under half duplex a link that messages must cross both ways is shared, so both ways are counted together.
    """
    network = problem.network
    out = inside[network.tails] & ~inside[network.heads]
    amount = sum(_must_leave(part, inside) for part in problem.parts)
    if problem.rules.duplex == "half":
        out |= inside[network.heads] & ~inside[network.tails]
        amount += sum(_must_leave(part, ~inside) for part in problem.parts)
    return RouterCut(amount, int(network.capacity[np.unique(problem.units[out])].sum()))


def _must_leave(part: Problem, inside: Flags) -> int:
    """Return how many messages, partial results or sums of a collective must leave a set of routers."""
    here, collective = inside[part.network.router_of], part.collective
    senders, receivers = here[list(collective.senders)], here[list(collective.receivers)]
    if part.pattern == "private":
        if collective.kind != "PAIRS" and not collective.sizes:
            # They may be too many to be listed.
            return int(senders.sum()) * int((~receivers).sum()) * collective.pieces
        return int((here[part.ends[:, 0]] & ~here[part.ends[:, 1]]).sum())
    if part.pattern == "broadcast":
        return 0 if receivers.all() else int(here[part.ends[:, 0]].sum())
    if part.pattern == "reduction":
        return int((~here[part.ends[:, 0]]).sum()) if senders.any() else 0
    return part.num_messages if senders.any() and not senders.all() else 0


def widths(network: Network, sides: Flags) -> Longs:
    """Return how many messages can leave each set of routers in a step; one row a set."""
    # A thousand rows at a time, and real numbers, which libraries of linear algebra multiply quickly.
    capacity = network.capacity.astype(np.float64)
    blocks = np.array_split(sides, -(-len(sides) // 1000))
    leaving_each = [(some[:, network.tails] & ~some[:, network.heads]).astype(np.float64) @ capacity for some in blocks]
    return np.concatenate(leaving_each).astype(np.int64)


def ends_across(problem: Problem, sides: Flags, ends: Ints) -> Longs:
    """Return how many of the pairs of origin and target begin inside and end outside each set of routers."""
    size, home = problem.network.num_routers, problem.network.router_of.astype(np.int64)
    demand = np.bincount(home[ends[:, 0]] * size + home[ends[:, 1]], minlength=size * size).astype(np.float64)
    across: Longs = ((sides @ demand.reshape(size, size)) * ~sides).sum(axis=1).astype(np.int64)
    return across


def arriving(problem: Problem, processor: int) -> RouterCut:
    """Return the cut of one processor: what it must receive, over its ejection ports."""
    return RouterCut(int(at_ports(problem)[1][processor]), int(problem.ejection[processor]))


def at_ports(problem: Problem) -> tuple[Longs, Longs]:
    """Return how many transfers each processor must send, and receive, for all collectives."""
    sent, received = (np.zeros(problem.network.num_processors, dtype=np.int64) for _ in range(2))
    for part in problem.parts:
        if part.pattern == "private":
            sent += part.num_sent
            received += part.num_received
            continue
        own = np.bincount(part.ends[:, 0], minlength=len(sent))
        senders, receivers = list(part.collective.senders), list(part.collective.receivers)
        if part.pattern == "broadcast":
            sent += own
            received[receivers] += part.num_messages - own[receivers]
        elif part.pattern == "reduction":
            received += own
            sent[senders] += part.num_messages - own[senders]
        else:
            sent[senders] += part.num_messages
            received[senders] += part.num_messages
    return sent, received


def num_between(part: Problem, homes: Longs) -> int:
    """Return how many transfers of a collective run between classes of processors at least."""
    if part.pattern == "private":
        return int((homes[part.ends[:, 0]] != homes[part.ends[:, 1]]).sum())
    many = part.collective.receivers if part.pattern == "broadcast" else part.collective.senders
    classes = np.unique(homes[list(many)])
    if part.pattern == "allreduce":
        return 2 * (len(classes) - 1) * part.num_messages
    return len(classes) * part.num_messages - int(np.isin(homes[part.ends[:, 0]], classes).sum())


def entering(problem: Problem) -> RouterCut:
    """Return the uses of channels that all collectives cannot do without, and how many there are in a step.

    A message of a broadcast enters each router where a receiver is.
    """
    network, amount = problem.network, 0
    for part in problem.parts:
        homes = network.router_of.astype(np.int64)
        if part.pattern == "private":
            sources, rows = np.unique(homes[part.ends[:, 0]], return_inverse=True)
            amount += int(network.distance_rows(sources)[rows, homes[part.ends[:, 1]]].sum())
        elif part.pattern == "allreduce" and part.has_trees:
            num_homes = len(np.unique(homes[list(part.collective.senders)]))
            amount += num_homes * part.num_messages if num_homes > 1 else 0
        else:
            amount += num_between(part, homes)
    return RouterCut(amount, int(network.capacity[np.unique(problem.units)].sum()))


def explain_leaving(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how many messages must leave the routers of a certificate."""
    inside = marked(problem.network, bound.certificate["routers"])
    cut = leaving(problem, inside)
    messages = counted(cut.num_messages, carried(problem))
    return f"{messages} must leave {_routers(problem.network, inside)}, {cut.per_step} {unit.each}"


def _routers(network: Network, inside: Flags) -> str:
    if 1 < inside.sum() == network.num_routers - 1:
        return f"the rest for router {network.routers[int(np.flatnonzero(~inside)[0])]}"
    return some_routers(network, inside)


def some_routers(network: Network, inside: Flags) -> str:
    """Return the names of the first few routers of a set, and how many there are."""
    names = [network.routers[router] for router in np.flatnonzero(inside)]
    return f"router {names[0]}" if len(names) == 1 else f"the {len(names)} routers {some_of(names)}"
