"""The bound by crossing: a narrow cut needs more start-ups, though transfers carry any number of messages.

A sender over a cut in step t has data of at most (k + 1)^(t - 1) origins, and its receiver can inform at most
(k + 1)^(T - t) targets. So each crossing serves only a number of pairs, and few channels need more steps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.cut_loads import ends_across, widths
from pavane.bounds.phrases import Unit
from pavane.bounds.splits import bisection
from pavane.model.arrays import Flags, Longs
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "crossing"

MOST_ROUTERS_CROSSED = 1024
"""Above this only growth bounds the start-ups."""

MOST_CENTRES = 256
"""Balls around at most this many routers are tried as sides of a cut."""

MOST_RADII = 16
"""Balls of at most this many sizes are tried around each."""

MOST_ROUTERS_IN_RUNS = 128
"""Up to this many routers every run of router numbers is tried as a side of a cut."""


def cuts_of_start_ups(problem: Problem) -> Iterator[Bound]:
    """Yield the most start-ups that a cut demands under combining."""
    if not 2 <= problem.network.num_routers <= MOST_ROUTERS_CROSSED:
        return
    sides = _sides(problem)
    fans = _widest(problem)
    cuts, first = np.unique(_figures(problem, sides), axis=0, return_index=True)
    best: Bound | None = None
    for (per_step, heard, informed, pairs), which in zip(cuts.tolist(), first.tolist(), strict=True):
        if not pairs:
            continue
        steps, served = 1, 0
        while (now := per_step * _served(heard, informed, steps, fans)) < pairs:
            steps, served = steps + 1, now
        if best is None or steps > best.figure:
            routers = np.flatnonzero(sides[which]).tolist()
            best = Bound(steps, NAME, {"routers": routers, "pairs": pairs, "per-step": per_step, "served": served})
    if best is not None:
        yield best


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how many pairs lie across the cut, and how many can be served; the unit is always a step."""
    certificate = bound.certificate
    return (
        f"{certificate['pairs']:,} pairs of origin and target lie across a cut around "
        f"{counted(len(certificate['routers']), 'router')}, where "
        f"{counted(certificate['per-step'], 'transfer')} a step can cross; "
        f"in {counted(bound.figure - 1, 'step')} they can serve {certificate['served']:,}"
    )


def _figures(problem: Problem, sides: Flags) -> Longs:
    """Return for each side: crossings a step, origins inside, targets outside, and required pairs of such."""
    network = problem.network
    home = network.router_of
    ends = problem.distinct_ends
    origins = np.unique(ends[:, 0])
    targets = np.unique(ends[:, 1] if problem.pattern == "private" else problem.collective.receivers)
    inside = sides[:, home[origins]].sum(axis=1)
    outside = (~sides[:, home[targets]]).sum(axis=1)
    pairs = inside * outside
    if problem.pattern == "private":
        pairs = ends_across(problem, sides, ends)
    channels = widths(network, sides)
    if problem.rules.switching == "wormhole" or problem.passes_switches or all(network.processors_on):
        # The sender of a crossing is a processor inside, its receiver one outside.
        channels = np.minimum(channels, sides[:, home] @ problem.injection.astype(np.int64))
        channels = np.minimum(channels, ~sides[:, home] @ problem.ejection.astype(np.int64))
    return np.column_stack((channels, inside, outside, pairs))


def _served(heard: int, informed: int, num_steps: int, fans: tuple[int, int]) -> int:
    """Return how many pairs one transfer over a cut in each step can serve."""
    return sum(
        min(heard, (1 + fans[0]) ** step) * min(informed, (1 + fans[1]) ** (num_steps - 1 - step))
        for step in range(num_steps)
    )


def _widest(problem: Problem) -> tuple[int, int]:
    """Return the most transfers that anyone can receive, and send, in a step."""
    into, out = int(problem.ejection.max()), int(problem.injection.max())
    if problem.rules.switching == "store-and-forward":
        into, out = max(into, int(problem.network.in_degrees.max())), max(out, int(problem.network.out_degrees.max()))
    return into, out


def _sides(problem: Problem) -> Flags:
    """Return sets of routers to cut along, one a row: balls, runs of numbers, halves, and the rest of each."""
    network = problem.network
    size = network.num_routers
    centres = np.unique(np.linspace(0, size - 1, min(size, MOST_CENTRES)).astype(np.int64))
    away = network.distance_rows(centres)
    rows = [(away >= 0) & (away <= radius) for radius in range(min(int(away.max()), MOST_RADII))]
    if size <= MOST_ROUTERS_IN_RUNS:
        numbers = np.arange(size)
        rows += [(numbers[None, :] >= first) & (numbers[None, :] <= numbers[first:, None]) for first in range(size)]
        half = np.zeros((1, size), dtype=bool)
        half[0, list(bisection(network).side)] = True
        rows.append(half)
    sides = np.concatenate(rows)
    return np.concatenate((sides, ~sides))
