"""The bound of an allreduce by classes of routers: 2 (p - 1) transfers of each piece run between p classes.

In any order of the transfers of a piece, those until the first class has received from all others are p - 1 at least,
because every other class must send; after that every other class must still receive. So p classes with members take
2 (p - 1) N / c steps for N pieces, where c transfers can leave, or enter, the classes in a step. With links that carry
as much both ways this is twice what a packing of spanning trees takes (Nash-Williams 1961, Tutte 1961): a sum comes in
and goes out along each tree, so that many pieces reach it.

The best classes minimize a submodular function over partitions. Routers join one at a time, each with the set of
earlier ones that is overfull with it, found by a minimum cut (Cunningham 1985); the ratio of the classes that come out
is what to exceed next (Dinkelbach 1967).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from pavane.bounds.cut_loads import RouterCut, marked, num_between
from pavane.bounds.phrases import Unit
from pavane.jit import clock
from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.bound import Bound
from pavane.model.maximum_flow import MaximumFlow
from pavane.model.network import MOST_ROUTERS_TABLED
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "partition"
TRANSFERS = "transfers"
"""The argument where every router is a class of its own."""

MOST_ROUTERS = 256
"""Above this, a flow for every router and ratio takes longer than it is worth."""

Classes = list[Flags]


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound where every router is a class of its own."""
    if problem.network.num_routers > MOST_ROUTERS_TABLED:
        return  # so many sets take too long; `translated` has the same bound where all routers look alike
    classes = single_classes(problem)
    if not problem.rules.combining and _with_members(problem, classes) > 1:
        yield _bound(problem, classes, TRANSFERS)


def best_classes(problem: Problem, lowest: int, deadline: float | None = None) -> Bound | None:
    """Return the highest bound by classes, found before a moment of clock.now(); None where there is none."""
    network = problem.network
    members = np.unique(network.router_of[list(problem.collective.senders)])
    if problem.rules.combining or network.num_routers > MOST_ROUTERS or len(members) < 2:
        return None
    best: Bound | None = None
    for entering in (False, True):
        classes = single_classes(problem)
        found = _bound(problem, classes)
        while best is None or found.exact is None or best.exact is None or found.exact > best.exact:
            best = found
            ratio = _ratio(problem, classes, entering)
            if not ratio:
                break
            overfull = _overfull(problem, members.tolist(), ratio, entering, deadline)
            if overfull is None:
                return best
            classes = filled(problem, overfull)
            if len(classes) < 2:
                break
            found = _bound(problem, classes)
    return best


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how many classes there are, and how many transfers run between them."""
    classes = [marked(problem.network, routers) for routers in bound.certificate["classes"]]
    num_classes = _with_members(problem, classes)
    cut = between(problem, classes)
    return (
        f"between {num_classes} classes of routers every piece takes 2 x {num_classes - 1} transfers, "
        f"{counted(cut.num_messages, 'transfer')} in all, {cut.per_step:,} {unit.each}"
    )


def _bound(problem: Problem, classes: Classes, argument: str = NAME) -> Bound:
    return between(problem, classes).bound(argument, {"classes": [np.flatnonzero(one).tolist() for one in classes]})


def single_classes(problem: Problem) -> Classes:
    """Return a class for each router where sums can rest."""
    return filled(problem, [])


def filled(problem: Problem, classes: Classes) -> Classes:
    """Return the classes and one for each router where sums can rest that is in none."""
    resting = np.zeros(problem.network.num_routers, dtype=bool)
    resting[problem.network.router_of] = True
    if problem.rules.switching == "store-and-forward" and not problem.passes_switches:
        resting[:] = True
    for one in classes:
        resting &= ~one
    alone = [marked(problem.network, [router]) for router in np.flatnonzero(resting).tolist()]
    return [*classes, *alone]


def _with_members(problem: Problem, classes: Classes) -> int:
    homes = problem.network.router_of[list(problem.collective.senders)]
    return sum(bool(one[homes].any()) for one in classes)


def between(problem: Problem, classes: Classes) -> RouterCut:
    """Return the transfers between classes, of all collectives, and how many can leave, or enter, them in a step."""
    class_of = np.zeros(problem.network.num_routers, dtype=np.int64)
    for number, one in enumerate(classes):
        class_of[one] = number
    homes = class_of[problem.network.router_of]
    transfers = sum(num_between(part, homes) for part in problem.parts)
    return RouterCut(transfers, min(room_between(problem, classes, entering) for entering in (False, True)))


def room_between(problem: Problem, classes: Classes, entering: bool) -> int:
    """Return how many transfers can leave, or enter, classes of routers in a step, by channels and by ports."""
    network = problem.network
    here, there = (network.heads, network.tails) if entering else (network.tails, network.heads)
    at_ports = problem.ejection if entering else problem.injection
    holds = problem.rules.switching == "store-and-forward" and not problem.passes_switches
    at_switches = np.where(problem.is_switch & holds, network.in_degrees if entering else network.out_degrees, 0)
    # Classes are disjoint; thousands of them are counted together.
    class_of = np.full(network.num_routers, len(classes), dtype=np.int64)
    for number, one in enumerate(classes):
        class_of[one] = number
    between = (class_of[here] < len(classes)) & (class_of[here] != class_of[there])
    uses = np.unique(np.stack([class_of[here[between]], problem.units[between]]), axis=1)
    rooms, own = np.zeros((2, len(classes) + 1), dtype=np.int64)
    np.add.at(rooms, uses[0], network.capacity[uses[1]])
    np.add.at(own, class_of[network.router_of], at_ports)
    np.add.at(own, class_of, at_switches)
    alone = int(np.minimum(rooms, own)[:-1].sum())
    if problem.rules.duplex == "full":
        return alone
    return min(alone, int(network.capacity[np.unique(problem.units[between])].sum()))


def _ratio(problem: Problem, classes: Classes, entering: bool) -> Fraction:
    """Return the classes less one for each transfer that can leave them in a step."""
    room = room_between(problem, classes, entering)
    return Fraction(_with_members(problem, classes) - 1, room) if room else Fraction(0)


def _overfull(
    problem: Problem, members: list[int], ratio: Fraction, entering: bool, deadline: float | None
) -> Classes | None:
    """Return classes of routers that minimize `ratio` times what leaves each, less 1 for each; None: no time is left.

    `weights` holds what each router adds to the least sum, times the ratio's denominator, so that it is whole.
    """
    network = problem.network
    tails, heads = (network.heads, network.tails) if entering else (network.tails, network.heads)
    capacity = network.capacity.astype(np.int64) * ratio.numerator
    if problem.rules.duplex == "half":
        # Each of two classes at a link counts half of it.
        capacity = capacity * np.where(problem.network.opposite >= 0, 1, 2)
    weights = np.zeros(network.num_routers, dtype=np.int64)
    classes: Classes = []
    joined: list[int] = []
    later = set(members)
    for router in members:
        if deadline is not None and clock.now() >= deadline:
            return None
        later.discard(router)
        tight, least = _tightest(tails, heads, capacity, weights, router, joined, sorted(later))
        weights[router] = least - ratio.denominator
        joined.append(router)
        merged = tight.copy()
        apart: Classes = []
        for one in classes:
            if (one & merged)[members].any():
                merged |= one
            else:
                apart.append(one)
        classes = [*apart, merged]
    return _without_doubles(problem, classes)


def _tightest(
    tails: Ints, heads: Ints, capacity: Longs, weights: Longs, router: int, joined: list[int], later: list[int]
) -> tuple[Flags, int]:
    """Return the set of a router and earlier ones with the least of what leaves it less their weights, and that."""
    sink = len(weights)
    wide = int(capacity.sum()) + int(np.abs(weights).sum()) + 1
    before = np.array(joined, dtype=np.int64)
    wanted, unwanted = before[weights[before] > 0], before[weights[before] < 0]
    flow = MaximumFlow(
        np.concatenate((tails, np.full(len(wanted), router), unwanted, np.array(later, dtype=np.int64))),
        np.concatenate((heads, wanted, np.full(len(unwanted) + len(later), sink))),
        np.concatenate((capacity, weights[wanted], -weights[unwanted], np.full(len(later), wide))),
        router,
        sink,
    )
    return flow.source_side(sink + 1)[:-1], flow.value - int(weights[wanted].sum())


def _without_doubles(problem: Problem, classes: Classes) -> Classes:
    """Leave each router where sums can rest in the first class that has it."""
    may_repeat = problem.is_switch & problem.passes_switches
    seen = np.zeros(problem.network.num_routers, dtype=bool)
    kept = []
    for one in classes:
        kept.append(one & (~seen | may_repeat))
        seen |= one
    return kept
