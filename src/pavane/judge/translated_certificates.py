"""Checks certificates that rest on translations: what router 0 must do, every router must do.

The symmetry is checked as that of a table (`symmetry_rules`), and that the collective is among all routers. Each
translation takes the messages of router 0, and their cheapest ways, to those of another router. So all messages
together cost N times what those of router 0 do, and all units sell N times what those at one router do.

Figures are of two routers, because under half duplex a kind that is its own way back has one link for two routers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from pavane.errors import InputError
from pavane.judge.checkers import checks
from pavane.judge.facts import shared, whole
from pavane.judge.slot_loads import SoldUnit, least_slots
from pavane.judge.symmetry_rules import checked_kinds
from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.bound import Bound
from pavane.model.channel_kinds import ChannelKinds
from pavane.model.problem import Problem

ARGUMENTS = ("translated-distances", "translated-ports", "translated-transfers")
"""Arguments whose certificates show a symmetry."""


@checks("translations", ("private", "allreduce"), *ARGUMENTS, bounds=("steps", "slots"))
def by_translation(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps that a certificate proves by what the messages of router 0 must do."""
    argument, certificate = bound.argument, bound.certificate
    _check_collective(problem)
    if (problem.pattern == "allreduce") != (argument == "translated-transfers"):
        raise InputError(f"bound {argument!r} is not for {problem.collective.kind}")
    kinds = checked_kinds(problem.network, _translations(problem, certificate))
    pieces, num_routers = problem.collective.pieces, problem.network.num_routers
    if argument == "translated-transfers":
        room = min(_carried(_links(problem, kinds, np.ones(kinds.num_kinds, dtype=bool))), 2 * _num_ports(problem))
        return shared(4 * (num_routers - 1) * pieces, room)
    if argument == "translated-ports":
        uses = num_routers - 1
        if problem.rules.switching == "store-and-forward":
            uses = int(_fewest(kinds.heads, np.ones(kinds.num_kinds, dtype=bool)).sum())
        last = problem.rules.flight(1) if _ends(problem) else 0
        return _steps(problem, [], [SoldUnit(1, _num_ports(problem), 0, last)] * 2, 2 * uses * pieces)
    priced = _priced(kinds, certificate["kinds"])
    if problem.rules.switching != "store-and-forward" and problem.rules.routing == "minimal":
        costs = _fewest_on_shortest(kinds.heads, priced)
    else:
        costs = _fewest(kinds.heads, priced)
    return _steps(problem, _links(problem, kinds, priced), [], 2 * int(costs.sum()) * pieces)


def _check_collective(problem: Problem) -> None:
    collective, everyone = problem.collective, set(range(problem.network.num_routers))
    if (
        collective.kind not in ("AAS", "ALLREDUCE")
        or collective.sizes
        or sorted(problem.network.router_of.tolist()) != sorted(everyone)
        or problem.rules.combining
        or set(collective.senders) != everyone
        or set(collective.receivers) != everyone
    ):
        raise InputError(
            "bounds by translations are for alltoall and allreduce among all routers, one processor on each"
        )


def _translations(problem: Problem, certificate: dict[str, Any]) -> Ints:
    """Return the translations that a certificate shows: by one along each dimension of a grid, or as listed."""
    size = problem.network.num_routers
    if "sizes" not in certificate:
        return np.array([[whole(router) for router in one] for one in certificate["translations"]], dtype=np.int64)
    sizes = [whole(each) for each in certificate["sizes"]]
    product, moves = 1, []
    for each in sizes:
        product *= each
        if not 1 <= each <= product <= size:
            raise ValueError(f"a grid of these sizes does not have {size} routers")
    stride = size
    for each in sizes:
        stride //= each
        at = np.arange(size) // stride % each
        moves.append(np.arange(size) + np.where(at + 1 < each, stride, stride - each * stride))
    return np.array(moves)


def _priced(kinds: ChannelKinds, channels: Any) -> Flags:
    """Return the kinds that have a price: those of the listed channels."""
    listed = [whole(channel) for channel in channels]
    if not listed or not 0 <= min(listed) <= max(listed) < kinds.channels.size:
        raise ValueError("it prices channels that do not exist, or none")
    kind_of = np.empty(kinds.channels.size, dtype=np.int64)
    kind_of[kinds.channels] = np.arange(kinds.num_kinds)
    return np.isin(np.arange(kinds.num_kinds), kind_of[listed])


# -- what messages cost


def _fewest(heads: Ints, priced: Flags) -> Longs:
    """Return the least number of priced channels on any way from router 0 to each router."""
    costs = np.full(len(heads), len(heads), dtype=np.int64)
    costs[0] = 0
    front = np.zeros(1, dtype=np.int64)
    # Whatever has become cheaper is looked at again.
    while len(front):
        cheaper = []
        for kind, price in enumerate(priced.tolist()):
            ends, through = heads[front, kind], costs[front] + price
            is_cheaper = through < costs[ends]
            costs[ends[is_cheaper]] = through[is_cheaper]
            cheaper.append(ends[is_cheaper])
        front = np.unique(np.concatenate(cheaper))
    return costs


def _fewest_on_shortest(heads: Ints, priced: Flags) -> Longs:
    """Return the least number of priced channels on any shortest way from router 0 to each router."""
    costs, hops = (np.full(len(heads), len(heads), dtype=np.int64) for _ in range(2))
    costs[0] = hops[0] = 0
    front, num_hops = np.zeros(1, dtype=np.int64), 0
    while len(front):
        num_hops += 1
        reached = []
        for kind, price in enumerate(priced.tolist()):
            ends = heads[front, kind]
            is_new = hops[ends] >= num_hops
            tails, ends = front[is_new], ends[is_new]
            hops[ends] = num_hops
            costs[ends] = np.minimum(costs[ends], costs[tails] + price)
            reached.append(ends)
        front = np.unique(np.concatenate(reached))
    return costs


# -- what is sold


def _ends(problem: Problem) -> bool:
    """Return whether slots count from a first one to a last one."""
    return problem.rules.switching == "tdm" and not problem.rules.wrap


def _num_ports(problem: Problem) -> int:
    if problem.rules.ports != "all":
        return problem.rules.ports
    network = problem.network
    return int(network.capacity[network.tails == 0].sum())


def _links(problem: Problem, kinds: ChannelKinds, priced: Flags) -> list[SoldUnit]:
    """Return the channels of priced kinds at two routers, or under half duplex their links."""
    network, rules, units = problem.network, problem.rules, []
    first, rest = (rules.hop_slots, rules.router_delay) if _ends(problem) else (0, 0)
    seen = set()
    for kind in np.flatnonzero(priced).tolist():
        channel, count = int(kinds.channels[0, kind]), 2
        if rules.duplex == "half" and network.opposite[channel] >= 0:
            (back,) = np.argwhere(kinds.channels == network.opposite[channel])[:, 1].tolist()
            if back in seen:
                continue
            count = 1 if back == kind else 2
        seen.add(kind)
        units += [SoldUnit(1, int(network.capacity[channel]), first, rest)] * count
    return units


def _carried(units: list[SoldUnit]) -> int:
    return sum(unit.room for unit in units)


def _steps(problem: Problem, channels: list[SoldUnit], at_ports: list[SoldUnit], need: int) -> Fraction:
    """Return the steps, or slots, in which the units of two routers carry what their messages need."""
    if problem.rules.switching != "tdm":
        return shared(need, _carried(channels + at_ports))
    in_use = 2 * _num_ports(problem)
    return Fraction(least_slots(problem.rules, channels, at_ports, Fraction(need), (in_use, in_use)))
