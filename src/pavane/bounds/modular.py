"""The modular bound of a period (tdm): where all ports are full, the flights of all messages add up to whole periods.

Take senders and receivers such that the messages of these senders are those of these receivers, and a period of P slots
in which all their ports are full: a port of capacity c has c * P / f packets of f slots. Then the sum of all flights,
each from injection to ejection, is 0 modulo P / gcd(f, P). Otherwise P slots are not enough; fewer are not, because
ports would carry more than they can.

Proof. Let x(t) be the packets that start at a full port in slot t. In each slot c packets run, so x(t) + x(t - 1) + ...
over f slots is always c, and x(t) = x(t - f). Slots count round P, so x has the period g = gcd(f, P), too. The starts
are c * g / f rows a, a + g, a + 2g, ... of P / g slots each, and a row adds up to the same, modulo P / g, whatever a.
Senders and receivers have as many rows, because they have the same packets. So the sums of all injection slots and of
all ejection slots are equal modulo P / g, and flights are the differences.

Flights are known where all paths are shortest. Under any routing the lengths of paths may be known modulo some k, as on
bipartite networks modulo 2, where they depend on a level of each router; but as every port has a multiple of P / g
packets, the levels of all ends cancel out modulo P / g, and nothing follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

import numpy as np

from pavane.bounds.phrases import Unit
from pavane.model.arrays import Longs
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "modular"

MOST_MESSAGES = 20_000_000
"""More messages take too long to be followed for one slot."""


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of the fullest senders and receivers whose flights do not add up."""
    rules = problem.rules
    if problem.pattern != "private" or not rules.wrap or rules.routing == "any" or problem.num_messages > MOST_MESSAGES:
        return
    best = (0, np.zeros(0, dtype=np.int64))
    for senders, receivers in closed_groups(problem):
        period = _full_period(problem, senders, receivers)
        if period is not None and period >= best[0] and remainder(problem, senders, period):
            best = (period, senders)
    if best[0]:
        yield Bound(best[0] + 1, NAME, {"period": best[0], "senders": best[1].tolist()})


def closed_groups(problem: Problem) -> Iterator[tuple[Longs, Longs]]:
    """Yield senders and receivers whose messages are the same, as few together as possible."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size, ends = problem.network.num_processors, problem.distinct_ends
    graph = coo_array((np.ones(len(ends), dtype=bool), (ends[:, 0], size + ends[:, 1])), shape=(2 * size, 2 * size))
    _, group_of = connected_components(graph, directed=False)
    members = np.unique(np.concatenate((ends[:, 0], size + ends[:, 1]))).astype(np.int64)
    order = members[np.argsort(group_of[members], kind="stable")]
    for group in np.split(order, np.flatnonzero(np.diff(group_of[order])) + 1):
        yield group[group < size], group[group >= size] - size


def _full_period(problem: Problem, senders: Longs, receivers: Longs) -> int | None:
    """Return the period in which all these ports are full; None where there is none."""
    loads = np.concatenate((problem.num_sent[senders], problem.num_received[receivers])) * problem.rules.packet_slots
    room = np.concatenate((problem.injection[senders], problem.ejection[receivers]))
    period = int(loads[0] // room[0])
    return period if (loads == room.astype(np.int64) * period).all() else None


def modulus(problem: Problem, period: int) -> int:
    """Return modulo what the sum of flights must be 0."""
    return period // gcd(problem.rules.packet_slots, period)


def remainder(problem: Problem, senders: Longs, period: int) -> int:
    """Return the sum of the flights of all messages of some senders, modulo what it must be 0."""
    return sum_of_flights(problem, senders) % modulus(problem, period)


def sum_of_flights(problem: Problem, senders: Longs) -> int:
    """Return the slots from injection to ejection along shortest paths, of all messages of some senders."""
    network, ends = problem.network, problem.ends
    sent = ends[np.isin(ends[:, 0], senders)]
    homes, rows = np.unique(network.router_of[sent[:, 0]], return_inverse=True)
    targets, order = network.router_of[sent[:, 1]], np.argsort(rows, kind="stable")
    hops = 0
    for home, mine in zip(homes.tolist(), np.split(order, np.cumsum(np.bincount(rows))[:-1]), strict=True):
        hops += int(network.distances_from(home)[targets[mine]].sum(dtype=np.int64))
    return hops * problem.rules.hop_slots + len(sent) * problem.rules.router_delay


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State what the flights add up to."""
    period, senders = bound.certificate["period"], np.array(bound.certificate["senders"])
    number, left = modulus(problem, period), remainder(problem, senders, period)
    return (
        f"in a period of {counted(period, 'slot')} all ports of {counted(len(senders), 'sender')} and of their "
        f"receivers would be full, so that all flights add up to 0 modulo {number:,}, but they add up to {left:,}"
    )
