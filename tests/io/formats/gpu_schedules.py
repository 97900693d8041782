"""Schedules for the formats of GPU libraries: small ones of all kinds, and some for machines and for their limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

from pavane.judge.result import Result
from pavane.model.collectives import in_pieces, named
from pavane.model.duals import dual
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer, time_reversed
from pavane.networks import mi250
from pavane.search.synthesis import solve
from tests.io.formats.allreduces import ALLREDUCES, SWAPPED
from tests.io.formats.pieced import STORED, cut, pieced
from tests.io.formats.schedules import around_a_switch, exchange, solved

RUN = [
    solved("ring:4", "aab"),
    solved("ring:4", "aar"),
    solved("ring:4", "aas", "store-and-forward"),
    solved("ring:5", "aar", "store-and-forward"),
    solved("ring:4", "aas", "store-and-forward", ports=1),
    exchange(),
    around_a_switch("wormhole"),
]
IN_PIECES = [
    result
    for name, result in pieced().items()
    if name[:3] in ("aab", "aas", "aar") and "size" not in name and "one transfer" not in name
]
"""Schedules in pieces, on wide channels and with payloads of several."""
ONE_PORT = replace(STORED, ports=1)
FIRST_FIT = {
    f"{spec} {kind} in {pieces}{' on wide channels' * wide}{', 1-port' * (rules is ONE_PORT)}": partial(
        cut, spec, kind, pieces, (), rules, wide
    )
    for spec, kind, pieces, rules, wide in (
        ("ring:3", "aas", 1, STORED, False),
        ("ring:5", "oab", 1, STORED, False),
        ("ring:5", "oab", 3, STORED, True),
        ("ring:6", "aab", 2, ONE_PORT, False),
        ("ring:6", "aar", 2, ONE_PORT, False),
        ("complete:4", "aas", 3, STORED, False),
        ("complete:4", "aar", 2, STORED, True),
        ("complete:5", "aab", 2, STORED, True),
        ("complete:12", "aar", 1, STORED, False),
        ("hypercube:3", "aab", 3, STORED, False),
        ("hypercube:3", "aas", 1, STORED, True),
        ("hypercube:3", "aar", 1, ONE_PORT, False),
        ("hypercube:3", "oab", 5, STORED, True),
        ("torus:3x3", "aas", 1, STORED, False),
        ("torus:3x3", "aar", 2, STORED, True),
        ("mesh:3x2", "aab", 2, STORED, True),
        ("octagon", "aar", 2, STORED, False),
        ("dgx-1", "aas", 2, STORED, False),
        ("dgx-1", "aar", 3, STORED, False),
        ("dgx-1", "oab", 7, STORED, False),
    )
}


def _cluster(name: str, switch_of: Callable[[int], tuple[tuple[int, int], ...]], num_switches: int) -> Network:
    """Return eight GPUs on some pure switches, by capacities each."""
    capacities: dict[tuple[int, int], int] = {}
    for gpu in range(8):
        for switch, capacity in switch_of(gpu):
            capacities[gpu, 8 + switch] = capacities[8 + switch, gpu] = capacity
    return Network(name, 8 + num_switches, list(capacities), range(8), capacities=list(capacities.values()))


def railed() -> Network:
    """Return two boxes of four GPUs on a switch; the GPUs of one number in both have a rail of their own."""
    return _cluster("rails", lambda gpu: ((gpu // 4, 4), (2 + gpu % 4, 1)), 6)


def spined() -> Network:
    """Return two boxes of four GPUs on a switch, and a slower one for all."""
    return _cluster("spine", lambda gpu: ((gpu // 4, 4), (2, 2)), 3)


def star(count: int) -> Network:
    """Return GPUs around one pure switch."""
    links = [ends for gpu in range(count) for ends in ((gpu, count), (count, gpu))]
    return Network(f"star of {count}", count + 1, links, range(count))


@cache
def over_rails(kind: str, pieces: int) -> Result:
    """Return an AAB over rails, or an AAR as its reversal: to the other box by rail, and to all in one's own."""
    network = railed()
    asked = Problem(network, in_pieces(named(kind, network), pieces))
    problem = asked if kind == "aab" else dual(asked)
    channel = {(int(a), int(b)): i for i, (a, b) in enumerate(problem.network.channels)}
    transfers = []

    def send(step: int, sender: int, receiver: int, switch: int, message: int) -> None:
        path = (channel[sender, 8 + switch], channel[8 + switch, receiver])
        transfers.append(Transfer(step, sender, receiver, path, (message,)))

    for gpu in range(8):
        other, box = (gpu + 4) % 8, gpu // 4
        for piece in range(pieces):
            send(piece, gpu, other, 2 + gpu % 4, gpu * pieces + piece)
            for friend in {*range(4 * box, 4 * box + 4)} - {gpu}:
                send(piece, gpu, friend, box, gpu * pieces + piece)
                send(pieces + piece, gpu, friend, box, other * pieces + piece)
    schedule = Schedule.from_transfers(transfers)
    return Result(asked, schedule if problem is asked else time_reversed(problem, schedule, asked))


@cache
def at_first_fit(made: Network, kind: str, pieces: int = 1, rules: Rules = STORED, root: int = 0) -> Result:
    """Return the schedule that the greedy solver finds."""
    collective = named(kind, made, root=root) if kind == "oab" else named(kind, made)
    return solve(Problem(made, in_pieces(collective, pieces), rules), method="greedy")


MACHINES: dict[str, Callable[[], Result]] = {
    "dgx-1 aab in 6": partial(cut, "dgx-1", "aab", 6),
    "rails aab in 3": partial(over_rails, "aab", 3),
    "rails aar in 3": partial(over_rails, "aar", 3),
    "spine aas in 2": lambda: at_first_fit(spined(), "aas", 2, Rules()),
    "spine aab in 4": lambda: at_first_fit(spined(), "aab", 4, Rules()),
    "spine aar in 2": lambda: at_first_fit(spined(), "aar", 2, Rules()),
    "spine oab in 6": lambda: at_first_fit(spined(), "oab", 6, Rules()),
    "mi250 aab in 3": lambda: at_first_fit(mi250(), "aab", 3),
    "mi250 aas": lambda: at_first_fit(mi250(), "aas"),
    "more peers than a channel has room for": lambda: at_first_fit(star(35), "aas", 1, Rules()),
    "more steps than a block has room for": lambda: cut("ring:3", "aab", 80),
}
"""Schedules for machines, on capacities and through pure switches, and two that are too large for one thread block."""
SMALL = {f"{i}: {each.problem}": each for i, each in enumerate(RUN + IN_PIECES)}
COMBINING = {*SWAPPED, *(name for name, each in SMALL.items() if each.problem.rules.combining)}
"""The names of those whose transfers combine messages."""
EVERYTHING: dict[str, Callable[[], Result]] = {
    **{name: partial(Result, each.problem, each.schedule) for name, each in SMALL.items()},
    **FIRST_FIT,
    **MACHINES,
    **ALLREDUCES,
}
