"""Restricted routing: shortest paths of the grid without faults, with hops in an order (noc section 2)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.judge.case import Verification
from pavane.judge.path_rules import Walks
from pavane.judge.violation import Violation
from pavane.model.arrays import Flags, Longs
from pavane.model.grid import Grid


def grid_rules(case: Verification, walks: Walks) -> Iterator[Violation]:
    """Report paths that are longer than in the grid, and forbidden turns of the others."""
    rules, lengths = case.problem.rules, case.schedule.path_lengths
    if rules.switching == "store-and-forward" or rules.routing in ("minimal", "any"):
        return
    grid = case.network.grid
    if grid is None:
        raise ValueError(f"{rules.routing} routing on {case.network.name}, which is not a grid")
    checked = np.flatnonzero(walks.is_sound & (lengths > 1))
    shortest = np.zeros(len(case.schedule), dtype=np.int64)
    shortest[checked] = _apart(case, grid, checked)
    longer = np.zeros(len(case.schedule), dtype=bool)
    longer[checked] = lengths[checked] > shortest[checked]
    yield from _not_minimal(case, shortest, longer)
    yield from _forbidden_turn(case, grid, checked, longer)


def _not_minimal(case: Verification, shortest: Longs, longer: Flags) -> Iterator[Violation]:
    """Under restricted routing a path is as short as the grid without faults allows."""
    lengths, routing = case.schedule.path_lengths, case.problem.rules.routing
    return case.of_transfers(
        "not-minimal",
        longer,
        lambda i: (
            f"its path has {lengths[i]} channels, but the grid without faults has one of {shortest[i]}; "
            f"{routing} routing takes only those"
        ),
    )


def _forbidden_turn(case: Verification, grid: Grid, checked: Longs, longer: Flags) -> Iterator[Violation]:
    """Hops come in the order of the routing: x before y, west before all else, or north after all else."""
    owner, axis, is_forward = _hops(case, grid, checked)
    routing = case.problem.rules.routing
    if routing == "dimension-order":
        wrong = axis[1:] > axis[:-1]
        text = "it turns back to an earlier dimension; dimension-order routing goes in x first, then in y and so on"
    elif routing == "west-first":
        west = (axis == 1) & ~is_forward
        wrong = west[1:] & ~west[:-1]
        text = "it turns to the west; west-first routing goes west before all else"
    else:
        north = (axis == 0) & ~is_forward
        wrong = north[:-1] & ~north[1:]
        text = "it turns from the north; north-last routing goes north after all else"
    turned = np.zeros(len(case.schedule), dtype=bool)
    turned[owner[1:][wrong & (owner[1:] == owner[:-1])]] = True
    return case.of_transfers("forbidden-turn", turned & ~longer, lambda _: text)


def _apart(case: Verification, grid: Grid, checked: Longs) -> Longs:
    """Return how far apart the ends of paths are in the grid without faults."""
    schedule, network = case.schedule, case.network
    firsts, lasts = schedule.path_offsets[checked], schedule.path_offsets[checked + 1] - 1
    start = np.array(np.unravel_index(network.tails[schedule.path_channels[firsts]], grid.sizes))
    end = np.array(np.unravel_index(network.heads[schedule.path_channels[lasts]], grid.sizes))
    apart = np.abs(start - end)
    for axis in np.flatnonzero(grid.wraps).tolist():
        apart[axis] = np.minimum(apart[axis], grid.sizes[axis] - apart[axis])
    total: Longs = apart.sum(axis=0)
    return total


def _hops(case: Verification, grid: Grid, checked: Longs) -> tuple[Longs, Longs, Flags]:
    """Return the transfer of each hop, the dimension that it goes along, and whether it goes on or back in it."""
    mine = np.isin(case.path_owner, checked)
    owner, channels = case.path_owner[mine], case.schedule.path_channels[mine]
    ends = case.network.channels[channels].astype(np.int64)
    if grid.is_reversed:
        # Read backwards, so that hops go and follow each other as on the network itself.
        owner, ends = owner[::-1], ends[::-1, ::-1]
    tails, heads = (np.array(np.unravel_index(ends[:, side], grid.sizes)) for side in (0, 1))
    axis = (tails != heads).argmax(axis=0)
    hop = (heads - tails)[axis, np.arange(len(axis))]
    # A hop of more than one wraps around: it goes the other way than the numbers do.
    return owner, axis, (hop == 1) | (hop < -1)
