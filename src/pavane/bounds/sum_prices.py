"""The bound of an allreduce through switches that add and copy, by prices on what enters and leaves them.

Nothing rests in a switch, so that one step joins the processors beside one domain of switches only. Of every piece all
members but one send a first time before its sum is complete anywhere, and all but one receive when it is. Where a
domain has g processors, one arrival goes with at most g - 1 such sendings, and one sending with g - 1 such arrivals. So
with a price on every sending into, and arrival from, a domain, each first sending takes the price of one, and of an
arrival its part; and the other way round. In the first step nothing is complete, and in the last nothing new is sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from pavane.bounds.phrases import Unit
from pavane.model.arrays import Longs, Reals
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.switch_domains import Domain, domains_of
from pavane.text import counted

NAME = "sum-prices"

HIGHEST_PRICE = 100_000
"""Prices are whole numbers up to this."""

MOST_DOMAINS = 2_000
"""Above this the linear program takes longer than it is worth."""


def best_prices(problem: Problem, lowest: int, deadline: float | None = None) -> Bound | None:
    """Return the bound of the best prices; None where it does not apply."""
    network = problem.network
    homes = network.router_of.tolist()
    if problem.rules.switching != "store-and-forward" or not problem.has_trees or len(set(homes)) < len(homes):
        return None
    domains = domains_of(problem)
    if not 0 < len(domains) <= MOST_DOMAINS:
        return None
    prices = _program(problem, domains)
    if prices is None:
        return None
    listed = [
        [domain.routers[0], int(into), int(out)]
        for domain, into, out in zip(domains, *prices[: 2 * len(domains)].reshape(2, -1), strict=True)
    ]
    direct, sending, receiving = prices[2 * len(domains) :].tolist()
    certificate = {"domains": listed, "direct": direct, "sending": sending, "receiving": receiving}
    exact = _exact(problem, domains, prices)
    return Bound(-(-exact.numerator // exact.denominator), NAME, certificate, exact)


def _columns(problem: Problem, domains: tuple[Domain, ...]) -> tuple[Reals, Reals]:
    """Return what a step has of each price, and which prices each way of one sending, and one arrival, takes."""
    network, size = problem.network, len(domains)
    domain_of = np.full(network.num_routers, -1)
    for number, domain in enumerate(domains):
        domain_of[list(domain.routers)] = number
    tails, heads = domain_of[network.tails], domain_of[network.heads]
    room = np.zeros(2 * size + 3)
    enters, leaves, is_direct = (tails < 0) & (heads >= 0), (tails >= 0) & (heads < 0), (tails < 0) & (heads < 0)
    np.add.at(room, heads[enters], network.capacity[enters])
    np.add.at(room, size + tails[leaves], network.capacity[leaves])
    room[2 * size :] = network.capacity[is_direct].sum(), problem.injection.sum(), problem.ejection.sum()
    ways = []
    for number, domain in enumerate(domains):
        others = len(domain.processors) - 1
        for near, far in ((0, 1), (1, 0)) if others > 0 else ():
            row = np.zeros(2 * size + 3)
            row[[near * size + number, far * size + number]] = 1, 1 / others
            row[[2 * size + 1 + near, 2 * size + 1 + far]] = 1, 1 / others
            ways.append(row)
    if is_direct.any():
        ways += [np.concatenate((np.zeros(2 * size), np.ones(3)))] * 2
    return room, np.array(ways)


def _program(problem: Problem, domains: tuple[Domain, ...]) -> Longs | None:
    """Return prices, whole numbers, that make the cheapest sending and arrival dearest: a linear program."""
    from scipy.optimize import linprog

    room, ways = _columns(problem, domains)
    size = len(room)
    if not len(ways):
        return None
    cheapest = np.zeros((len(ways), 2))
    cheapest[np.arange(len(ways)), np.arange(len(ways)) % 2] = 1
    solution = linprog(
        [*np.zeros(size), -1, -1],
        A_ub=np.hstack((-ways, cheapest)),
        b_ub=np.zeros(len(ways)),
        A_eq=[[*room, 0, 0]],
        b_eq=[1],
    )
    if solution.x is None:
        return None
    prices: Reals = solution.x[:size]
    return np.asarray(np.round(prices / prices.max() * HIGHEST_PRICE), dtype=np.int64)


def _exact(problem: Problem, domains: tuple[Domain, ...], prices: Longs) -> Fraction:
    """Return the steps that prices prove, before they are rounded up."""
    room, _ = _columns(problem, domains)
    size, num_members = len(domains), len(problem.collective.senders)
    sending, arriving, direct = prices[:size] + prices[-2], prices[size:-3] + prices[-1], int(prices[-3:].sum())
    cheapest = []
    for near, far in ((sending, arriving), (arriving, sending)):
        ways = [
            Fraction(int(near[number])) + Fraction(int(far[number]), len(domain.processors) - 1)
            for number, domain in enumerate(domains)
            if len(domain.processors) > 1
        ]
        cheapest.append(min([*ways, *([Fraction(direct)] if room[-3] else [])]))
    per_step = int((room.astype(np.int64) * prices).sum())
    needed = problem.num_messages * (num_members - 1) * (cheapest[0] + cheapest[1])
    steps = needed / per_step
    if any(len(near) == num_members for near in _members_near(problem, domains)):
        return steps
    first, last = (
        min(int(room[[-3, *ways]].sum()), int(ports.sum()), problem.num_messages * num_members)
        for ways, ports in ((range(size), problem.injection), (range(size, 2 * size), problem.ejection))
    )
    return max(steps, 2 + (needed - cheapest[0] * first - cheapest[1] * last) / per_step)


def _members_near(problem: Problem, domains: tuple[Domain, ...]) -> Iterator[set[int]]:
    """Yield for each processor the members that one step joins with it, and itself if it is one."""
    network = problem.network
    beside = {router: {router} for router in range(network.num_routers)}
    for tail, head in network.channels.tolist():
        beside[head].add(tail)
    at = {home: processor for processor, home in enumerate(network.router_of.tolist())}
    members = set(problem.collective.senders)
    for processor, home in enumerate(network.router_of.tolist()):
        near = {at[router] for router in beside[home] if router in at}
        near.update(*(domain.processors for domain in domains if processor in domain.processors))
        yield near & members


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how much the sums take of what a step has."""
    others = counted(len(problem.collective.senders) - 1, "member")
    parts = counted(problem.num_messages, "sum")
    return f"at the best prices on what enters and leaves the switches, {others} must send to, and receive, {parts}"
