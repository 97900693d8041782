"""Bounds by cuts: messages that must leave a set of routers, over the channels that leave it.

For broadcasts; the cuts of private messages are prices on the cut's channels. A message with its origin inside and
some target outside must cross at least once. A set of one processor is its port: what it must receive, over its
ejection. All routers together: what must enter each of them, over all channels.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from pavane.bounds.phrases import Unit, carried, some_of
from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.bound import Bound
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.text import counted


@dataclass(frozen=True)
class RouterCut:
    """How many messages must cross a cut and how many can in one step."""

    num_messages: int
    per_step: int

    @property
    def steps(self) -> int:
        """Return the number of steps that the crossing takes."""
        return -(-self.num_messages // self.per_step) if self.per_step else 0

    @property
    def exact(self) -> Fraction:
        """Return the same before it is rounded up."""
        return Fraction(self.num_messages, self.per_step) if self.per_step else Fraction(0)

    def bound(self, argument: str, certificate: dict[str, Any]) -> Bound:
        """Return the bound that it proves."""
        return Bound(self.steps, argument, certificate, self.exact)


def marked(network: Network, routers: Sequence[int]) -> Flags:
    """Return which routers are among those of a list."""
    inside = np.zeros(network.num_routers, dtype=bool)
    inside[list(routers)] = True
    return inside


def least_enough(is_enough: Callable[[int], bool], too_few: int = 0) -> int:
    """Return the least number of steps, or other units of time, that is enough, where a number is known that is not."""
    most = max(1, 2 * too_few)
    while not is_enough(most):
        most *= 2
    return bisect_left(range(most), True, lo=most // 2 + 1, key=is_enough)


def leaving(problem: Problem, inside: Flags) -> RouterCut:
    """Return the cut that messages from routers inside to routers outside must cross.

    Under half duplex a link that messages must cross both ways is shared, so both ways are counted together.
    """
    network = problem.network
    out = inside[network.tails] & ~inside[network.heads]
    if problem.rules.duplex == "full":
        return RouterCut(_must_leave(problem, inside), int(network.capacity[out].sum()))
    back = inside[network.heads] & ~inside[network.tails]
    units = np.unique(problem.units[out | back])
    return RouterCut(_must_leave(problem, inside) + _must_leave(problem, ~inside), int(network.capacity[units].sum()))


def widths(network: Network, sides: Flags) -> Longs:
    """Return how many messages can leave each set of routers in a step; one row a set."""
    # A thousand rows at a time, and real numbers, which libraries of linear algebra multiply quickly.
    capacity = network.capacity.astype(np.float64)
    blocks = np.array_split(sides, -(-len(sides) // 1000))
    leaving_each = [(some[:, network.tails] & ~some[:, network.heads]).astype(np.float64) @ capacity for some in blocks]
    return np.concatenate(leaving_each).astype(np.int64)


def ends_across(problem: Problem, sides: Flags, ends: Ints) -> Longs:
    """Return how many of the pairs of origin and target begin inside and end outside each set of routers."""
    size, home = problem.network.num_routers, problem.network.router_of.astype(np.int64)
    demand = np.bincount(home[ends[:, 0]] * size + home[ends[:, 1]], minlength=size * size).astype(np.float64)
    across: Longs = ((sides @ demand.reshape(size, size)) * ~sides).sum(axis=1).astype(np.int64)
    return across


def arriving(problem: Problem, processor: int) -> RouterCut:
    """Return the cut of one processor: the messages it must receive, over its ejection ports."""
    wanted = problem.labels[:, 0] != processor
    return RouterCut(
        int(wanted.sum()) if processor in problem.collective.receivers else 0, int(problem.ejection[processor])
    )


def entering(problem: Problem) -> RouterCut:
    """Return the channel uses that a broadcast cannot do without, one per message and router it must enter."""
    home = problem.network.router_of
    to_enter = np.unique(home[list(problem.collective.receivers)])
    origins = home[problem.labels[:, 0]]
    uses = len(origins) * len(to_enter) - int(np.isin(origins, to_enter).sum())
    is_unit = np.zeros(problem.network.num_channels, dtype=bool)
    is_unit[problem.units] = True
    return RouterCut(uses, int(problem.network.capacity[is_unit].sum()))


def explain_leaving(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how many messages must leave the routers of a certificate."""
    inside = marked(problem.network, bound.certificate["routers"])
    cut = leaving(problem, inside)
    messages = counted(cut.num_messages, carried(problem))
    return f"{messages} must leave {_routers(problem.network, inside)}, {cut.per_step} {unit.each}"


def _routers(network: Network, inside: Flags) -> str:
    if 1 < inside.sum() == network.num_routers - 1:
        return f"the rest for router {network.routers[int(np.flatnonzero(~inside)[0])]}"
    return some_routers(network, inside)


def some_routers(network: Network, inside: Flags) -> str:
    """Return the names of the first few routers of a set, and how many there are."""
    names = [network.routers[router] for router in np.flatnonzero(inside)]
    return f"router {names[0]}" if len(names) == 1 else f"the {len(names)} routers {some_of(names)}"


def _must_leave(problem: Problem, inside: Flags) -> int:
    home = problem.network.router_of
    receivers = np.array(problem.collective.receivers, dtype=np.int64)
    if inside[home[receivers]].all():
        return 0
    return int(inside[home[problem.labels[:, 0]]].sum())
