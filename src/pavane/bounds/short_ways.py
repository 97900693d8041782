"""The bound by prices on ways that are short enough: in T steps a message takes T hops at most.

For private messages under store-and-forward. Prices are those of `channel_prices`, but each message buys the cheapest
way of at most T hops. If all of them together cost more than T steps sell, there is no schedule of T steps. On
`mi250:2` messages between the boxes fill the links of the switch for two steps. GPUs of one box that are three hops
apart without the switch need it as well, so two steps are not enough.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from pavane.bounds.channel_prices import priced_by_load
from pavane.bounds.phrases import Unit, carried
from pavane.bounds.prices import CertificatePrices, cheapest_stop, price_list, sold_per_step
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.routing import FAR
from pavane.model.switch_hops import MOST_ALIKE, hops
from pavane.text import counted

NAME = "short-ways"

MOST_ROUTERS = 128
"""On larger networks the ways of all messages take longer than they are worth."""

MOST_STEPS = 8
"""With more steps hardly a cheapest way is too long."""


def most_within(problem: Problem, lowest: int, deadline: float | None = None) -> Bound | None:
    """Return a bound above `lowest`, found before a moment of clock.now(); None where there is none."""
    rules = problem.rules
    if problem.pattern != "private" or rules.switching != "store-and-forward" or rules.combining:
        return None
    if problem.passes_switches and rules.routing != "minimal":
        return None
    if not 0 < lowest <= MOST_STEPS or problem.network.num_routers > MOST_ROUTERS:
        return None
    listed = priced_by_load(problem, deadline)
    if listed is None or listed.steps < lowest:
        return None
    prices = price_list(problem, listed.certificate)
    sold, steps = sold_per_step(problem, prices), lowest
    while steps <= MOST_STEPS and (cost := _bought(problem, prices, steps)) is not None and cost > steps * sold:
        steps += 1
    return Bound(steps, NAME, {**listed.certificate, "within": steps - 1}) if steps > lowest else None


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State what the cheapest ways of so many hops cost, and what the steps sell; the unit is always a step."""
    prices, steps = price_list(problem, bound.certificate), bound.certificate["within"]
    cost = _bought(problem, prices, steps)
    return (
        f"by ways of at most {counted(steps, 'hop')} the {carried(problem)}s load priced channels and ports "
        f"{cost:,} times in all, and {counted(steps, 'step')} {'has' if steps == 1 else 'have'} room for "
        f"{steps * sold_per_step(problem, prices):,}"
    )


def _bought(problem: Problem, prices: CertificatePrices, most_hops: int) -> int | None:
    """Return what the cheapest ways of at most so many hops cost together; None where some of them are not known."""
    network = problem.network
    one_hop = np.full((network.num_routers, network.num_routers), FAR, dtype=np.int64)
    num_alike = Counter[tuple[int, int]]()
    for path, tail, head in hops(problem):
        one_hop[tail, head] = min(one_hop[tail, head], prices.channels[list(path)].sum())
        num_alike[tail, head] += 1
    if problem.passes_switches and max(num_alike.values(), default=0) >= MOST_ALIKE:
        return None
    stop, ways = cheapest_stop(network, prices), one_hop
    for _ in range(most_hops - 1):
        longer = ways.copy()
        for router in range(network.num_routers):
            np.minimum(longer, (ways[:, router] + stop[router])[:, None] + one_hop[router], out=longer)
        ways = longer
    np.fill_diagonal(ways, 0)
    homes = network.router_of[problem.ends]
    costs = ways[homes[:, 0], homes[:, 1]]
    if (costs >= FAR).any():
        return None
    ports = prices.injection[problem.ends[:, 0]] + prices.ejection[problem.ends[:, 1]]
    return int((costs + ports).sum())
