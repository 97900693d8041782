"""The bound of an allreduce by a cut that the first and the last step cross badly, where switches add and copy.

In the first step nothing is added yet but what switches add on the way. So a piece that crosses a cut in that step only
takes a channel for every few members behind it; and so does one that crosses in the last step only, for the members
that it must reach. All other pieces cross in the steps between.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.bounds import separation
from pavane.bounds.cuts import marked, some_routers
from pavane.bounds.phrases import Unit
from pavane.model.arrays import Flags
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.switch_domains import domains_of
from pavane.text import counted

NAME = "first-and-last"


@dataclass(frozen=True)
class CrowdedCut:
    """What crosses a cut in the first step and the last, and in those between."""

    num_pieces: int
    per_step: int
    num_first: int
    num_last: int

    @property
    def steps(self) -> int:
        """Return the number of steps that it takes; 0 where it shows nothing."""
        between = self.num_pieces - self.num_first - self.num_last
        return 2 - (-between // self.per_step) if between > 0 and self.per_step else 0


def narrowest(problem: Problem, lowest: int, deadline: float | None = None) -> Bound | None:
    """Return the bound of the narrowest cut; None where it does not apply, or shows nothing."""
    if problem.rules.switching != "store-and-forward" or not problem.has_trees:
        return None
    cut = separation.narrowest(problem, lowest, deadline)
    if cut is None:
        return None
    steps = _crowded(problem, marked(problem.network, cut.certificate["routers"])).steps
    return Bound(steps, NAME, cut.certificate) if steps else None


def _crowded(problem: Problem, inside: Flags) -> CrowdedCut:
    network = problem.network
    homes = network.router_of[list(problem.collective.senders)].tolist()
    near: dict[int, set[int]] = {home: {home} for home in homes}
    """To each router the homes of members that one step joins with it."""
    for domain in domains_of(problem):
        beside = {int(network.router_of[processor]) for processor in domain.processors} & set(homes)
        near |= dict.fromkeys(domain.routers, beside)
    out = np.flatnonzero(inside[network.tails] & ~inside[network.heads])
    per_step = int(network.capacity[np.unique(problem.units[out])].sum())
    crossed = []
    for ends, side in ((network.tails, inside), (network.heads, ~inside)):
        most = max(sum(bool(side[home]) for home in near.get(router, ())) for router in ends[out].tolist())
        behind = sum(bool(side[home]) for home in set(homes))
        crossed.append(per_step // -(-behind // most) if most else 0)
    return CrowdedCut(problem.num_messages, per_step, *crossed)


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how many sums cross the cut when."""
    inside = marked(problem.network, bound.certificate["routers"])
    cut, routers = _crowded(problem, inside), some_routers(problem.network, inside)
    return (
        f"{counted(cut.num_pieces, 'sum')} must leave {routers}: at most {cut.num_first} in the first step alone, "
        f"{cut.num_last} in the last, and {cut.per_step} in each between"
    )
