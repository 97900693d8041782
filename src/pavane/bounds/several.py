"""Lower bounds on the steps of several collectives at once: what each must pass adds up, and so do their loads.

A bound of one collective alone holds for the whole. Beyond that, all collectives share every cut, every port, and the
channels between classes of routers; for each of them it is counted what every collective must pass there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil

import numpy as np

from pavane.bounds.cut_loads import RouterCut, at_ports, entering, leaving, marked
from pavane.bounds.partition import between, filled
from pavane.bounds.splits import bisection
from pavane.model.arrays import Flags
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
        cut = leaving(problem, inside)
        if cut.per_step:
            yield cut.bound(CUT, {"routers": np.flatnonzero(inside).tolist()})
    for cuts, ports in zip(at_ports(problem), (problem.injection, problem.ejection), strict=True):
        for processor, (amount, per_step) in enumerate(zip(cuts.tolist(), ports.tolist(), strict=True)):
            if amount and per_step:
                yield RouterCut(amount, per_step).bound(PORTS, {"processor": processor})
    if not any(part.has_trees for part in problem.parts):
        for classes in _partitions(problem):
            cut = between(problem, classes)
            if cut.num_messages and cut.per_step:
                yield cut.bound(TRANSFERS, {"classes": [np.flatnonzero(one).tolist() for one in classes]})
    volume = entering(problem)
    if volume.num_messages and volume.per_step:
        yield volume.bound(VOLUME, {})


def _counted(problem: Problem, bound: Bound) -> tuple[RouterCut, str]:
    """Return the cut of a certificate, and where it is in words."""
    if bound.argument == CUT:
        inside = marked(problem.network, bound.certificate["routers"])
        return leaving(problem, inside), f"must leave {counted(int(inside.sum()), 'router')}"
    if bound.argument == PORTS:
        processor = bound.certificate["processor"]
        sent, received = (
            RouterCut(int(side[processor]), int(ports[processor]))
            for side, ports in zip(at_ports(problem), (problem.injection, problem.ejection), strict=True)
        )
        worse, verb = (sent, "leave") if sent.exact >= received.exact else (received, "come to")
        return worse, f"must {verb} processor {processor}"
    if bound.argument == TRANSFERS:
        classes = [marked(problem.network, one) for one in bound.certificate["classes"]]
        return between(problem, classes), f"must run between {len(classes)} classes of routers"
    return entering(problem), "must run over channels"


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
