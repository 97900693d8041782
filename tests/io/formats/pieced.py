"""Small schedules of pieces and sizes, and on channels of several capacities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from pavane.judge.result import Result
from pavane.model.collectives import in_pieces, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network
from pavane.search.synthesis import solve
from tests.io.formats.schedules import MEMBERS

STORED = Rules("store-and-forward")


def widened(made: Network) -> Network:
    """Return a network whose links have capacities 1, 2, 3, 1, 2, ... by their lower and upper end."""
    capacities = 1 + np.sort(made.channels, axis=1).sum(axis=1) % 3
    return Network(f"wide {made.name}", made.routers, made.channels, made.router_of, capacities=capacities)


@cache
def cut(spec: str, kind: str, pieces: int = 1, sizes: Any = (), rules: Rules = STORED, wide: bool = False) -> Result:
    """Return a schedule in pieces for a catalogue network."""
    made = widened(network(spec)) if wide else network(spec)
    collective = in_pieces(named(kind, made, **MEMBERS.get(kind, {})), pieces, sizes)
    return solve(Problem(made, collective, rules), method="greedy")


def together(result: Result, pieces: int) -> Result:
    """Return a schedule whose transfers carry all pieces of each message that they carried whole, by combining."""
    whole, schedule = result.problem, result.schedule
    assert schedule is not None
    problem = Problem(whole.network, in_pieces(whole.collective, pieces), replace(whole.rules, combining=True))
    transfers = [
        t._replace(messages=tuple(m * pieces + piece for m in t.messages for piece in range(pieces))) for t in schedule
    ]
    return Result(problem, Schedule.from_transfers(transfers))


def uneven(kind: str, count: int) -> Any:
    """Return sizes 0 to 3 for the messages of a collective of all processors."""
    if kind == "aas":
        return tuple((s, t, (s + 2 * t) % 4) for s in range(count) for t in range(count) if s != t)
    return tuple((p, (p + 1) % 4) for p in range(count))


PIECED: dict[str, Callable[[], Result]] = {
    "aab in 3": partial(cut, "ring:4", "aab", 3),
    "aab in 6 on dgx-1": partial(cut, "dgx-1", "aab", 6),
    "aas in 2, one transfer each": partial(cut, "octagon", "aas", 2, rules=Rules()),
    "oab in 4": partial(cut, "ring:4", "oab", 4),
    "oas in 3": partial(cut, "ring:4", "oas", 3),
    "aas of sizes": partial(cut, "torus:3x3", "aas", 1, uneven("aas", 9)),
    "aas of sizes in 2": partial(cut, "ring:4", "aas", 2, uneven("aas", 4)),
    "aab of sizes in 3": partial(cut, "ring:4", "aab", 3, uneven("aab", 4)),
    "aar of sizes in 2": partial(cut, "ring:4", "aar", 2, uneven("aar", 4)),
    "oas of sizes": partial(cut, "ring:4", "oas", 1, ((0, 1, 3), (0, 2, 0))),
    "aog of sizes in 2": partial(cut, "ring:4", "aog", 2, ((1, 0, 3), (2, 0, 0))),
    "oab of a size": partial(cut, "ring:4", "oab", 1, ((0, 3),)),
    "aor of a size": partial(cut, "ring:4", "aor", 2, ((0, 3),)),
    "pairs of sizes": partial(cut, "ring:4", "pairs", 1, ((0, 2, 2),)),
    "aar in 4 on wide channels": partial(cut, "ring:4", "aar", 4, wide=True),
    "aas in 2 on wide channels": partial(cut, "ring:4", "aas", 2, wide=True),
    "aar in 3, packed": lambda: together(cut("ring:4", "aar"), 3),
}
"""Schedules of every kind, in pieces, with sizes, both, and on wide channels."""
