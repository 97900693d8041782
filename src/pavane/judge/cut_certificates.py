"""Checks certificates that count what must pass a cut: a set of routers, one processor's ports, or all channels.

For broadcasts, and for private messages that are too many to list. A message with its origin inside a set and a target
outside must leave the set at least once.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pavane.errors import InputError
from pavane.judge.checkers import BROADCAST, TRANSFERS, checks
from pavane.judge.facts import across, carried, holders, is_stored, links, links_out, marked, ports, room, shared, whole
from pavane.model.bound import Bound
from pavane.model.problem import Problem


@checks("arrivals", BROADCAST, key="processor", counts_loads=True, holds_for_trees=True)
def by_arrivals(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps in which a processor can receive what it must."""
    processor, (_, receiving) = whole(bound.certificate["processor"]), ports(problem)
    if not 0 <= processor < len(receiving):
        raise ValueError(f"there is no processor {processor}")
    is_receiver = processor in problem.collective.receivers
    wanted = sum(origin != processor for (origin,) in problem.ends.tolist()) if is_receiver else 0
    return shared(wanted, receiving[processor])


@checks("cuts", BROADCAST, key="routers", counts_loads=True, holds_for_trees=True)
def by_cut(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps in which the channels out of a set can carry what must leave it.

    Under half duplex they carry what must enter it, too.
    """
    inside = marked(problem, bound.certificate["routers"])
    num_messages, out = across(problem, inside).num_messages, links_out(problem, inside)
    if problem.rules.duplex == "full":
        return shared(num_messages, room(problem, out))
    both_ways = out | links_out(problem, ~inside)
    return shared(num_messages + across(problem, ~inside).num_messages, room(problem, both_ways))


@checks("counted cuts", ("private",), "counted-cut")
def by_counted_cut(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps in which the channels out of a set can carry what every sender inside sends to all outside.

    The set is given by runs of routers, or it is one sender with its ports. The messages are counted, not listed.
    """
    network, collective, certificate = problem.network, problem.collective, bound.certificate
    if collective.kind == "PAIRS" or collective.sizes:
        raise InputError("pairs of processors are counted for scatters without sizes only")
    if "sender" in certificate:
        sender = whole(certificate["sender"])
        if sender not in collective.senders:
            raise ValueError(f"processor {sender} sends nothing")
        targets = len(set(collective.receivers) - {sender})
        return shared(targets * collective.pieces, ports(problem)[0][sender])
    inside = np.zeros(network.num_routers, dtype=bool)
    for first, end in certificate["ranges"]:
        if not 0 <= whole(first) < whole(end) <= network.num_routers:
            raise ValueError(f"it names routers that do not exist: {network.num_routers} are there")
        inside[first:end] = True
    senders = sum(bool(inside[network.router_of[sender]]) for sender in collective.senders)
    receivers = sum(not inside[network.router_of[receiver]] for receiver in collective.receivers)
    per_step = network.capacity[inside[network.tails] & ~inside[network.heads]].sum()
    return shared(senders * receivers * collective.pieces, int(per_step))


@checks("volumes", BROADCAST, "volume", counts_loads=True, holds_for_trees=True)
def by_volume(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps in which all channels can bring each message into every router where a receiver is."""
    homes = problem.network.router_of.tolist()
    to_enter = {homes[receiver] for receiver in problem.collective.receivers}
    uses = sum(len(to_enter) - (homes[origin] in to_enter) for (origin,) in problem.ends.tolist())
    return shared(uses, room(problem, set(links(problem))))


@checks("crossings", TRANSFERS, "crossing", bounds=("start-ups",), of_contributions=True)
def by_crossing(problem: Problem, bound: Bound) -> int:
    """Return the start-ups in which all that must leave a set can, where transfers carry any number of messages.

    A sender over the cut in step t has data of few origins, and a receiver in that step informs few targets:
    no processor receives from, or sends to, more others in one step than it has ports.
    """
    inside = marked(problem, bound.certificate["routers"])
    leaving = across(problem, inside)
    if not leaving.num_pairs:
        raise ValueError("nothing must cross this cut")
    sending, receiving = ports(problem)
    crossings = sum(
        capacity
        for (tail, head), capacity in zip(
            problem.network.channels.tolist(), problem.network.capacity.tolist(), strict=True
        )
        if inside[tail] and not inside[head]
    )
    most_heard, most_informed = max(receiving), max(sending)
    if is_stored(problem):
        most_heard = max(most_heard, *carried(problem, backwards=True).values())
        most_informed = max(most_informed, *carried(problem).values())
    if not holders(problem):
        # The sender of a crossing is a processor inside, its receiver one outside.
        homes = problem.network.router_of.tolist()
        out = sum(count for home, count in zip(homes, sending, strict=True) if inside[home])
        into = sum(count for home, count in zip(homes, receiving, strict=True) if not inside[home])
        crossings = min(crossings, out, into)
    if not crossings:
        raise ValueError("nothing can cross this cut")
    steps, served = 0, 0
    while served < leaving.num_pairs:
        steps += 1
        served = 0
        for step in range(1, steps + 1):
            heard = min((most_heard + 1) ** (step - 1), len(leaving.origins))
            informed = min((most_informed + 1) ** (steps - step), len(leaving.targets))
            served += crossings * heard * informed
    return steps
