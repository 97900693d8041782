"""Comparisons that are made up, for whatever works on them."""

from __future__ import annotations

from collections.abc import Mapping

from pavane.campaign.comparison import Comparison, ComparisonRow
from pavane.campaign.network_figures import NetworkFigures
from pavane.campaign.runs import RunLine
from pavane.model.problem import Rules
from pavane.networks import network
from pavane.timing import Costs


def run(steps: int | None, *, bound: int | None = None, hops: int = 1) -> RunLine | None:
    """Return what a collective takes; proven unless the bound is lower, not searched for where there are no steps."""
    if steps is None:
        return None
    is_proven = bound is None or bound == steps
    return RunLine(
        method="auto", seed=0, figure=steps, bound=bound or steps, proven=is_proven, tco=steps, hops=hops * steps
    )


def made_up(
    rows: Mapping[str, tuple[RunLine | None, ...]],
    collectives: tuple[str, ...] = ("AAS",),
    costs: Costs | None = None,
    message_bytes: int | None = None,
) -> Comparison:
    """Return a comparison of real networks with given runs."""
    listed = []
    for name, runs in rows.items():
        where = network(name)
        listed.append(ComparisonRow((name,), where, NetworkFigures.of(where), runs, Rules()))
    return Comparison(collectives, tuple(listed), costs, message_bytes)
