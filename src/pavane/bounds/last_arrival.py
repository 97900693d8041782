"""The bound of an allreduce by late arrivals: a sum that comes late must still go further.

Under store-and-forward nothing that one member contributes comes to another, e steps away, before step e. So the
last sum of every piece comes there in step e or later, over the ports that it has; and read backwards, the other must
have sent every piece e - 1 steps before the end.

Where only one router joins c parts of the network, every part must send it a sum of each piece. The last of these first
arrivals must still be sent to the c - 1 other parts; and read backwards, what leaves first has come from them before.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.phrases import Unit
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.switch_hops import steps_from
from pavane.text import counted

NAME = "last-arrival"


MOST_CENTRES = 32
"""Only so many routers, those with the most channels, are looked at as the only one between parts of the network."""


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of two members that are far apart and have few ports, or of a router between parts."""
    if problem.rules.combining or problem.rules.switching != "store-and-forward":
        return
    yield max(_of_far_members(problem), _of_centres(problem), key=lambda bound: bound.figure)


def _of_far_members(problem: Problem) -> Bound:
    members = np.array(sorted(problem.collective.senders))
    homes = problem.network.router_of[members]
    best = (0, 0, 0)
    for source, home in zip(members.tolist(), homes.tolist(), strict=True):
        away = np.maximum(steps_from(problem, home)[homes], 1)
        ports = np.minimum(problem.ejection[members], problem.injection[source])
        steps = away - 1 + -(-problem.num_messages // ports)
        steps[members == source] = 0
        latest = int(steps.argmax())
        best = max(best, (int(steps[latest]), -source, -int(members[latest])))
    return Bound(best[0], NAME, {"from": -best[1], "to": -best[2]})


def _of_centres(problem: Problem) -> Bound:
    """Return the bound of the router that has the most to receive and to send; of 0 steps where none joins parts."""
    network = problem.network
    homes = np.unique(network.router_of)
    centres = homes[np.argsort(-network.in_degrees[homes], kind="stable")][:MOST_CENTRES].tolist()
    bounds = [Bound(_steps_of_centre(problem, centre), NAME, {"router": centre}) for centre in centres]
    return max(bounds, key=lambda bound: bound.figure)


def _steps_of_centre(problem: Problem, centre: int) -> int:
    ports, num_parts = _ports_of_router(problem, centre), _num_parts(problem, centre)
    if num_parts < 2 or not all(ports):
        return 0
    sums, others = num_parts * problem.num_messages, num_parts - 1
    return max(-(-sums // first) + -(-others // then) for first, then in (ports, ports[::-1]))


def _ports_of_router(problem: Problem, router: int) -> tuple[int, int]:
    """Return how many transfers a router's processors can receive, and send, in a step, over its channels."""
    network, here = problem.network, problem.network.router_of == router
    into = min(int(problem.ejection[here].sum()), int(network.in_degrees[router]))
    return into, min(int(problem.injection[here].sum()), int(network.out_degrees[router]))


def _num_parts(problem: Problem, centre: int) -> int:
    """Return into how many parts with members the network falls without a router."""
    network = problem.network
    tails, heads = network.tails.tolist(), network.heads.tolist()
    met, num_parts = {centre}, 0
    for home in set(network.router_of[list(problem.collective.senders)].tolist()) - met:
        num_parts += home not in met
        reached = [] if home in met else [home]
        met.add(home)
        while reached:
            router = reached.pop()
            around = {heads[channel] for channel in network.out_channels[router]}
            around |= {tails[channel] for channel in network.in_channels[router]}
            reached += around - met
            met |= around
    return num_parts


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how far apart two processors are, or what a router joins, and how many sums come late, always in steps."""
    if "router" in bound.certificate:
        centre = bound.certificate["router"]
        num_parts, per_step = _num_parts(problem, centre), min(_ports_of_router(problem, centre))
        return (
            f"only router {problem.network.routers[centre]} joins {counted(num_parts, 'part')} of the network: "
            f"{counted(num_parts * problem.num_messages, 'sum')} must enter and leave it, {per_step} a step, "
            f"and the last to enter must then go to {counted(num_parts - 1, 'other part')}"
        )
    source, target = bound.certificate["from"], bound.certificate["to"]
    home = problem.network.router_of
    away = max(1, int(steps_from(problem, int(home[source]))[home[target]]))
    ports = min(int(problem.injection[source]), int(problem.ejection[target]))
    return (
        f"processor {target} is {counted(away, 'step')} away from processor {source}, so that "
        f"{counted(problem.num_messages, 'last sum')} come in step {away} or later, {ports} a step"
    )
