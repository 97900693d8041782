"""Comparisons that are made up, for whatever works on them."""

from __future__ import annotations

from collections.abc import Mapping

from pavane.campaign.network_comparison.compared import Cell, Comparison, ComparisonRow
from pavane.campaign.network_comparison.network_figures import NetworkFigures
from pavane.model.problem import Rules
from pavane.networks import network
from pavane.timing import Costs, Profile


def cell(steps: int | None, *, bound: int | None = None, hops: int = 1) -> Cell:
    """Return what a collective takes; proven unless the bound is lower, not searched for where there are no steps."""
    if steps is None:
        return Cell("not searched")
    is_proven = bound is None or bound == steps
    return Cell("optimal" if is_proven else "feasible", bound or steps, Profile((1,) * steps, (hops,) * steps))


def made_up(
    rows: Mapping[str, tuple[Cell, ...]],
    collectives: tuple[str, ...] = ("AAS",),
    costs: Costs | None = None,
    message_bytes: tuple[int, ...] = (),
) -> Comparison:
    """Return a comparison of real networks with given cells."""
    listed = []
    for name, cells in rows.items():
        where = network(name)
        listed.append(ComparisonRow((name,), where, NetworkFigures.of(where), cells))
    return Comparison(collectives, Rules(), tuple(listed), costs, message_bytes)
