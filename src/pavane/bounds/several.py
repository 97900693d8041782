"""Lower bounds on the steps of several collectives at once: what each must pass adds up, and so do their loads.

A bound of one collective alone holds for the whole. Beyond that, all collectives share every cut, every port, and the
channels between classes of routers; for each of them it is counted what every collective must pass there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil

import numpy as np

from pavane.bounds.cut_loads import RouterCut, marked
from pavane.bounds.partition import filled, room_between
from pavane.bounds.splits import bisection
from pavane.model.arrays import Flags, Longs
from pavane.model.bound import ALONE, OF_SOME, UNITED, Bound
from pavane.model.problem import Problem
from pavane.model.several import as_one
from pavane.text import counted

CUT = "joint-cut"
PORTS = "joint-ports"
TRANSFERS = "joint-transfers"
VOLUME = "joint-volume"

MOST_ROUTERS_SPLIT = 512
"""Up to this many routers a bisection is among the cuts; above, it takes longer than the collectives are searched."""


def bounds_of_several(problem: Problem, counted_bounds: Callable[[Problem], Sequence[Bound]]) -> tuple[Bound, ...]:
    """Return the best bound of each argument on several collectives, the highest first; of each one named `alone`."""
    best_alone = [
        max((of_some((number,), bound) for bound in bounds), key=_height)
        for number, bounds in enumerate(map(counted_bounds, problem.parts))
        if bounds
    ]
    found: dict[str, Bound] = {}
    for bound in () if problem.rules.combining else _together(problem, best_alone):
        if bound.argument not in found or _height(bound) > _height(found[bound.argument]):
            found[bound.argument] = bound
    return tuple(sorted((*found.values(), *best_alone), key=lambda bound: -bound.figure))


def explain_several(problem: Problem, bound: Bound, explain: Callable[[Problem, Bound], str]) -> str:
    """Return the argument of a bound in words."""
    if bound.argument in OF_SOME:
        numbers = bound.certificate.get("collectives", [bound.certificate.get("collective")])
        which = f"collective {numbers[0]}" if len(numbers) == 1 else f"{len(numbers)} collectives"
        return f"{which} alone: {explain(as_one(problem, numbers)[0], bound.inner)}"
    cut, where = _counted(problem, bound)
    return f"{counted(cut.num_messages, 'transfer')} of all collectives {where}, {cut.per_step:,} a step"


def _height(bound: Bound) -> float:
    return bound.figure if bound.exact is None else bound.figure + float(bound.exact) - ceil(bound.exact)


def of_some(numbers: Sequence[int], bound: Bound) -> Bound:
    """Return a bound of one collective, or of several as one problem, as one of the whole."""
    which = {"collective": numbers[0]} if len(numbers) == 1 else {"collectives": list(numbers)}
    certificate = {**which, "argument": bound.argument, "certificate": bound.certificate}
    return Bound(bound.figure, ALONE if len(numbers) == 1 else UNITED, certificate, bound.exact)


def _together(problem: Problem, alone: Sequence[Bound]) -> Iterator[Bound]:
    """Yield bounds by what all collectives must pass."""
    for inside in _sides(problem, alone):
        cut = _leaving(problem, inside)
        if cut.per_step:
            yield cut.bound(CUT, {"routers": np.flatnonzero(inside).tolist()})
    for cuts, ports in zip(_at_ports(problem), (problem.parts[0].injection, problem.parts[0].ejection), strict=True):
        for processor, (amount, per_step) in enumerate(zip(cuts.tolist(), ports.tolist(), strict=True)):
            if amount and per_step:
                yield RouterCut(amount, per_step).bound(PORTS, {"processor": processor})
    if not any(part.has_trees for part in problem.parts):
        for classes in _partitions(problem):
            cut = _between_classes(problem, classes)
            if cut.num_messages and cut.per_step:
                yield cut.bound(TRANSFERS, {"classes": [np.flatnonzero(one).tolist() for one in classes]})
    volume = _volume(problem)
    if volume.num_messages and volume.per_step:
        yield volume.bound(VOLUME, {})


def _counted(problem: Problem, bound: Bound) -> tuple[RouterCut, str]:
    """Return the cut of a certificate, and where it is in words."""
    if bound.argument == CUT:
        inside = marked(problem.network, bound.certificate["routers"])
        return _leaving(problem, inside), f"must leave {counted(int(inside.sum()), 'router')}"
    if bound.argument == PORTS:
        processor, first = bound.certificate["processor"], problem.parts[0]
        sent, received = (
            RouterCut(int(side[processor]), int(ports[processor]))
            for side, ports in zip(_at_ports(problem), (first.injection, first.ejection), strict=True)
        )
        worse, verb = (sent, "leave") if sent.exact >= received.exact else (received, "come to")
        return worse, f"must {verb} processor {processor}"
    if bound.argument == TRANSFERS:
        classes = [marked(problem.network, one) for one in bound.certificate["classes"]]
        return _between_classes(problem, classes), f"must run between {len(classes)} classes of routers"
    return _volume(problem), "must run over channels"


# -- cuts


def _sides(problem: Problem, alone: Sequence[Bound]) -> Iterator[Flags]:
    """Yield sets of routers that may be crowded: single ones, members, halves, and cuts of parts; both ways."""
    network = problem.network
    sides = [marked(problem.network, [router]) for router in np.unique(network.router_of).tolist()]
    sides += [_with_switches(problem, members) for members in _member_sets(problem)]
    sides += [
        marked(problem.network, bound.certificate["certificate"]["routers"])
        for bound in alone
        if "routers" in bound.certificate["certificate"]
    ]
    if network.num_routers <= MOST_ROUTERS_SPLIT:
        sides.append(marked(problem.network, bisection(network).side))
        if network.grid is not None:
            coordinates = network.grid.coordinates(np.arange(network.num_routers))
            sides += [coordinates[:, axis] < size // 2 for axis, size in enumerate(network.grid.sizes) if size > 1]
    for side in {side.tobytes(): side for side in sides}.values():
        yield side
        yield ~side


def _member_sets(problem: Problem) -> list[Flags]:
    """Return the routers of the members of each collective, each set once."""
    sets = {}
    for part in problem.parts:
        members = np.unique(problem.network.router_of[_members(part)])
        sets[members.tobytes()] = marked(problem.network, members.tolist())
    return list(sets.values())


def _members(part: Problem) -> list[int]:
    """Return all processors that a collective names."""
    collective = part.collective
    return sorted({*collective.senders, *collective.receivers, *(end for pair in collective.pairs for end in pair)})


def _with_switches(problem: Problem, inside: Flags) -> Flags:
    """Return a set of routers with the switches that have no neighbours outside it."""
    network, is_switch = problem.network, problem.parts[0].is_switch
    is_open = np.zeros(network.num_routers, dtype=bool)
    np.logical_or.at(is_open, network.heads, ~inside[network.tails])
    np.logical_or.at(is_open, network.tails, ~inside[network.heads])
    return inside | (is_switch & ~is_open)


def _leaving(problem: Problem, inside: Flags) -> RouterCut:
    """Return what all collectives must pass over a cut; under half duplex both ways together."""
    network, units = problem.network, problem.parts[0].units
    out = inside[network.tails] & ~inside[network.heads]
    amount = sum(_must_leave(part, inside) for part in problem.parts)
    if problem.rules.duplex == "half":
        out |= inside[network.heads] & ~inside[network.tails]
        amount += sum(_must_leave(part, ~inside) for part in problem.parts)
    return RouterCut(amount, int(network.capacity[np.unique(units[out])].sum()))


def _must_leave(part: Problem, inside: Flags) -> int:
    """Return how many messages, partial results or sums of a collective must leave a set of routers."""
    here = inside[part.network.router_of]
    senders, receivers = list(part.collective.senders), list(part.collective.receivers)
    if part.pattern == "private":
        return int((here[part.ends[:, 0]] & ~here[part.ends[:, 1]]).sum())
    if part.pattern == "broadcast":
        return 0 if here[receivers].all() else int(here[part.ends[:, 0]].sum())
    if part.pattern == "reduction":
        return int((~here[part.ends[:, 0]]).sum()) if here[senders].any() else 0
    return part.num_messages if here[senders].any() and not here[senders].all() else 0


# -- ports


def _at_ports(problem: Problem) -> tuple[Longs, Longs]:
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


# -- classes of routers


def _partitions(problem: Problem) -> Iterator[list[Flags]]:
    """Yield classes of routers: all apart, or the members of collectives of one kind together."""
    yield filled(problem.parts[0], [])
    kinds = dict.fromkeys((part.collective.kind, len(_members(part))) for part in problem.parts)
    for kind in kinds:
        own = [part for part in problem.parts if (part.collective.kind, len(_members(part))) == kind]
        sets = [marked(problem.network, np.unique(problem.network.router_of[_members(part)]).tolist()) for part in own]
        if len(sets) > 1 and np.array(sets).sum(axis=0).max() == 1:
            yield filled(problem.parts[0], [_with_switches(problem, one) for one in sets])


def _between_classes(problem: Problem, classes: list[Flags]) -> RouterCut:
    """Return the transfers of all collectives between classes, and how many can leave, or enter, them in a step."""
    class_of = np.zeros(problem.network.num_routers, dtype=np.int64)
    for number, one in enumerate(classes):
        class_of[one] = number
    homes = class_of[problem.network.router_of]
    amount = sum(_num_between(part, homes) for part in problem.parts)
    return RouterCut(amount, min(room_between(problem.parts[0], classes, entering) for entering in (False, True)))


def _num_between(part: Problem, homes: Longs) -> int:
    """Return how many transfers of a collective run between classes of processors at least."""
    if part.pattern == "private":
        return int((homes[part.ends[:, 0]] != homes[part.ends[:, 1]]).sum())
    many = part.collective.receivers if part.pattern == "broadcast" else part.collective.senders
    classes = np.unique(homes[list(many)])
    if part.pattern == "allreduce":
        return 2 * (len(classes) - 1) * part.num_messages
    return len(classes) * part.num_messages - int(np.isin(homes[part.ends[:, 0]], classes).sum())


def _volume(problem: Problem) -> RouterCut:
    """Return the uses of channels that all collectives cannot do without, and how many there are in a step."""
    first, network = problem.parts[0], problem.network
    amount = 0
    for part in problem.parts:
        homes = network.router_of.astype(np.int64)
        if part.pattern == "private":
            sources, rows = np.unique(homes[part.ends[:, 0]], return_inverse=True)
            amount += int(network.distance_rows(sources)[rows, homes[part.ends[:, 1]]].sum())
        elif part.pattern == "allreduce" and part.has_trees:
            num_homes = len(np.unique(homes[list(part.collective.senders)]))
            amount += num_homes * part.num_messages if num_homes > 1 else 0
        else:
            amount += _num_between(part, homes)
    return RouterCut(amount, int(network.capacity[np.unique(first.units)].sum()))
