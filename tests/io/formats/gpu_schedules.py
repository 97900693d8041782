"""Schedules for the formats of GPU libraries: small ones of all kinds, and some for machines and for their limits."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from pavane.judge.result import Result
from pavane.model.collectives import in_pieces, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.search.synthesis import solve
from tests.io.formats.pieced import STORED, cut


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
def at_first_fit(made: Network, kind: str, pieces: int = 1, rules: Rules = STORED, root: int = 0) -> Result:
    """Return the schedule that the greedy solver finds."""
    collective = named(kind, made, root=root) if kind == "oab" else named(kind, made)
    return solve(Problem(made, in_pieces(collective, pieces), rules), method="greedy")


MACHINES: dict[str, Callable[[], Result]] = {
    "dgx-1 aab in 6": partial(cut, "dgx-1", "aab", 6),
    "dgx-1 oab in 7": partial(cut, "dgx-1", "oab", 7),
    "rails aar in 3": lambda: at_first_fit(railed(), "aar", 3, Rules()),
    "spine aas in 2": lambda: at_first_fit(spined(), "aas", 2, Rules()),
    "more peers than a channel has room for": lambda: at_first_fit(star(35), "aas", 1, Rules()),
    "more steps than a block has room for": lambda: cut("ring:3", "aab", 80),
}
"""Schedules for machines, on capacities and through pure switches, and two that are too large for one thread block."""
