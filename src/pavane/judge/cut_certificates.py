"""Checks certificates that count what must pass a cut: a set of routers, one processor's ports, or all channels.

For broadcasts. A message with its origin inside a set and a target outside must leave the set at least once.
"""

from __future__ import annotations

from pavane.errors import InputError
from pavane.judge.facts import across, is_stored, links, origins_of, ports, shared, switches, wiring
from pavane.model.arrays import Flags
from pavane.model.problem import Problem


def by_arrivals(problem: Problem, processor: int) -> int:
    """Return the steps in which a processor can receive what it must."""
    _, receiving = ports(problem)
    if not 0 <= processor < len(receiving):
        raise ValueError(f"there is no processor {processor}")
    return shared(len(origins_of(problem, processor)), receiving[processor])


def by_cut(problem: Problem, inside: Flags) -> int:
    """Return the steps in which the channels out of a set can carry what must leave it.

    Under half duplex they carry what must enter it, too.
    """
    of_link = links(problem)
    out, back = set(), set()
    for channel, (tail, head) in enumerate(problem.network.channels.tolist()):
        if inside[tail] and not inside[head]:
            out.add(of_link[channel])
        elif inside[head] and not inside[tail]:
            back.add(of_link[channel])
    num_messages = len(across(problem, inside).origins)
    if problem.rules.duplex == "full":
        return shared(num_messages, len(out))
    return shared(num_messages + len(across(problem, ~inside).origins), len(out | back))


def by_volume(problem: Problem) -> int:
    """Return the steps in which all channels can bring each message into every router where a receiver is."""
    homes = problem.network.router_of.tolist()
    to_enter = {homes[receiver] for receiver in problem.collective.receivers}
    uses = sum(len(to_enter) - (homes[origin] in to_enter) for (origin,) in problem.labels.tolist())
    return shared(uses, len(set(links(problem))))


def by_crossing(problem: Problem, inside: Flags) -> int:
    """Return the start-ups in which all that must leave a set can, where transfers carry any number of messages.

    Who sends over the cut in step t has heard from few origins, and who receives in that step tells few targets:
    nobody hears from, or tells, more others in one step than it has ports.
    """
    if not problem.rules.combining:
        raise InputError("bounds on start-ups are about combining")
    leaving = across(problem, inside)
    if not leaving.num_pairs:
        raise ValueError("nothing must cross this cut")
    sending, receiving = ports(problem)
    crossings = sum(bool(inside[tail] and not inside[head]) for tail, head in problem.network.channels.tolist())
    most_heard, most_told = max(receiving), max(sending)
    if is_stored(problem):
        most_heard = max(most_heard, *(len(tails) for tails in wiring(problem, backwards=True)))
        most_told = max(most_told, *(len(heads) for heads in wiring(problem)))
    if not (is_stored(problem) and switches(problem)):
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
            told = min((most_told + 1) ** (steps - step), len(leaving.targets))
            served += crossings * heard * told
    return steps
