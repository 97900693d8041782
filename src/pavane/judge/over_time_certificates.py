"""Checks certificates of flows over time: a side of routers that grows from moment to moment and never has a receiver.

For broadcasts under store-and-forward. A message that begins on that side must leave it on its way to the receiver, by
a channel from a router that is on the side when the step begins to one that is not when it ends. Where all steps
together let out fewer messages than begin there, one more step is needed at least.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from pavane.errors import InputError
from pavane.judge.checkers import BROADCAST, checks
from pavane.judge.facts import is_passed, is_stored, router_ports, switches, whole
from pavane.model.bound import Bound
from pavane.model.problem import Problem


@checks("flows over time", BROADCAST, key="joining")
def by_flow_over_time(problem: Problem, bound: Bound) -> int:
    """Return one step more than are too few to let out of a growing side all that begins there."""
    if not is_stored(problem):
        raise InputError("flows over time are about store-and-forward, where a step covers one channel")
    receiver = whole(bound.certificate["receiver"])
    if receiver not in problem.collective.receivers:
        raise ValueError(f"processor {receiver} is not a receiver")
    homes = problem.network.router_of.tolist()
    side: set[int] = set()
    sides = []
    for routers in bound.certificate["joining"]:
        side = side | {whole(router) for router in routers}
        sides.append(side)
    if not side <= set(range(problem.network.num_routers)):
        raise ValueError("it names routers that do not exist")
    if not sides or homes[receiver] in side:
        raise ValueError("its receiver is on the origins' side")
    wanted = sum(homes[origin] in sides[0] for (origin,) in problem.ends.tolist())
    sending, receiving = router_ports(problem, counts_switches=True)
    for now, then in pairwise(sides):
        sent, received = _crossing(problem, now, then)
        wanted -= min((sent & sending).total(), (received & receiving).total())
    if wanted <= 0:
        raise ValueError("all that it counts can arrive in time")
    return len(sides)


def _crossing(problem: Problem, now: set[int], then: set[int]) -> tuple[Counter[int], Counter[int]]:
    """Return what channels carry in a step from each router of a side, and to each router not on the next side."""
    network = problem.network
    sent, received = Counter[int](), Counter[int]()
    passed = switches(problem) if is_passed(problem) else set()
    for (tail, head), capacity in zip(network.channels.tolist(), network.capacity.tolist(), strict=True):
        # A router without processors that is passed is on the way while the step lasts, not when it ends.
        if tail in now and head not in (now if head in passed else then):
            sent[tail] += capacity
            received[head] += capacity
    return sent, received
