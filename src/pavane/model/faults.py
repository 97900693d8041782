"""A fault: channels, routers or processors that fail, and the problem that remains without them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from pavane.errors import InputError, PavaneError
from pavane.model.arrays import Flags
from pavane.model.messages import Collective, message_ends, message_pieces
from pavane.model.network import Network
from pavane.model.problem import Problem

Kind = Literal["channel", "link", "router", "processor"]
KINDS: tuple[Kind, ...] = get_args(Kind)

Why = Literal["disconnects", "no root", "nothing"]
"""Why a collective has no schedule: some pair has no path, the root has failed, or no receiver is left."""


class Disconnected(PavaneError):
    """A fault after which the collective cannot be carried out; `why` is a word or two for a table."""

    def __init__(self, why: Why, text: str) -> None:
        super().__init__(text)
        self.why = why


@dataclass(frozen=True)
class Fault:
    """The failed parts, by their numbers in the whole network, and a name to print."""

    name: str
    channels: tuple[int, ...] = ()
    routers: tuple[int, ...] = ()
    processors: tuple[int, ...] = ()


def usual_kind(network: Network) -> Kind:
    """Return channel for a network with one-way channels, and link for others."""
    return "channel" if (network.opposite < 0).any() else "link"


def single_faults(network: Network, kind: Kind | None = None) -> list[Fault]:
    """Return every fault of one channel, link, router or processor, in the order of their numbers."""
    names = network.routers
    ends = [(names[tail], names[head]) for tail, head in network.channels.tolist()]
    kind = usual_kind(network) if kind is None else kind
    if kind == "router":
        return [Fault(f"router {name}", routers=(router,)) for router, name in enumerate(names)]
    if kind == "processor":
        return [Fault(f"processor {p}", processors=(p,)) for p in range(network.num_processors)]
    if kind == "channel":
        return _distinct([Fault(f"{tail}>{head}", (c,)) for c, (tail, head) in enumerate(ends)])
    if kind != "link":
        raise InputError(f"fault kind {kind!r} is not known; choose {' or '.join(KINDS)}")
    links = []
    for channel, back in enumerate(network.opposite.tolist()):
        tail, head = ends[channel]
        if back < 0:
            links.append(Fault(f"{tail}>{head}", (channel,)))
        elif channel < back:
            links.append(Fault(f"{tail}-{head}", (channel, back)))
    return _distinct(links)


def _distinct(faults: list[Fault]) -> list[Fault]:
    """Number the faults of parallel channels, which would have one name."""
    seen: Counter[str] = Counter()
    distinct = []
    for fault in faults:
        seen[fault.name] += 1
        number = seen[fault.name]
        name = fault.name if number == 1 else f"{fault.name} ({number})"
        distinct.append(Fault(name, fault.channels, fault.routers, fault.processors))
    return distinct


def faulty(problem: Problem, fault: Fault) -> Problem:
    """Return the problem that remains after the fault; Disconnected where it has no schedule.

    A channel takes all of its capacity with it, a router its processors. A processor leaves its router behind, as a
    pure switch if it was alone.
    """
    network, collective = problem.network, problem.collective
    gone = np.isin(network.router_of, fault.routers)
    gone[list(fault.processors)] = True
    working = network.without(channels=fault.channels, routers=fault.routers, processors=fault.processors)
    left = _left_of(collective, gone, fault)
    try:
        # Links that half duplex refuses for their capacities say nothing about ways, and are looked at below.
        sound = Problem(working, left, replace(problem.rules, duplex="full"))
    except InputError as error:
        # The problem was sound without the fault, so what is missing now is a way.
        text = str(error).split(";")[0]
        raise Disconnected("disconnects", f"{fault.name} disconnects {collective.kind}: {text}") from None
    return sound if problem.rules.duplex == "full" else replace(sound, rules=problem.rules)


def _left_of(collective: Collective, gone: Flags, fault: Fault) -> Collective:
    """Return a collective without some processors, the others renumbered; pieces and sizes stay with messages."""
    number = (np.cumsum(~gone) - 1).tolist()
    left = [None if out else number[p] for p, out in enumerate(gone.tolist())]

    def kept(processors: Iterable[int]) -> tuple[int, ...] | None:
        found = tuple(left[p] for p in processors)
        return None if None in found else found  # type: ignore[return-value]

    senders, receivers = (
        tuple(p for p in (left[member] for member in members) if p is not None)
        for members in (collective.senders, collective.receivers)
    )
    pairs = tuple(ends for ends in map(kept, collective.pairs) if ends is not None)
    root = {"OAB": senders, "OAS": senders, "AOG": receivers, "AOR": receivers, "ALLREDUCE": receivers}
    if collective.kind in root and not root[collective.kind]:
        raise Disconnected("no root", f"{fault.name} takes the root of {collective.kind} away; name another one")
    nothing = Disconnected("nothing", f"{fault.name} leaves {collective.kind} nothing to send")
    if not pairs and not (senders and receivers and len({*senders, *receivers}) > 1):
        raise nothing
    sized = ((kept(size[:-1]), size[-1]) for size in collective.sizes)
    sizes = tuple((*ends, units) for ends, units in sized if ends is not None)
    found = Collective(collective.kind, senders, receivers, pairs, collective.pieces, sizes)  # type: ignore[arg-type]
    if sizes and not message_pieces(found, message_ends(found)).any():
        raise nothing
    return found
