"""Bounds by cuts: messages that must leave a set of routers, over the channels that leave it.

For broadcasts; the cuts of private messages are prices on the cut's channels. A message with its origin inside and
some target outside must cross at least once. A set of one processor is its port: what it must receive, over its
ejection. All routers together: what must enter each of them, over all channels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pavane.model.problem import Problem


@dataclass(frozen=True)
class Cut:
    """How many messages must cross a cut and how many can in one step."""

    num_messages: int
    per_step: int

    @property
    def steps(self) -> int:
        """Return the number of steps that the crossing takes."""
        return -(-self.num_messages // self.per_step) if self.per_step else 0


def leaving(problem: Problem, inside: npt.NDArray[np.bool_]) -> Cut:
    """Return the cut that messages from routers inside to routers outside must cross.

    Under half duplex a link that messages must cross both ways is shared, so both ways are counted together.
    """
    network = problem.network
    out = inside[network.tails] & ~inside[network.heads]
    if problem.rules.duplex == "full":
        return Cut(_must_leave(problem, inside), int(out.sum()))
    back = inside[network.heads] & ~inside[network.tails]
    units = np.unique(problem.units[out | back])
    return Cut(_must_leave(problem, inside) + _must_leave(problem, ~inside), len(units))


def arriving(problem: Problem, processor: int) -> Cut:
    """Return the cut of one processor: the messages it must receive, over its ejection ports."""
    wanted = problem.labels[:, 0] != processor
    return Cut(int(wanted.sum()) if processor in problem.collective.receivers else 0, int(problem.ejection[processor]))


def volume(problem: Problem) -> Cut:
    """Return the channel uses that a broadcast cannot do without, one per message and router it must enter."""
    home = problem.network.router_of
    to_enter = np.unique(home[list(problem.collective.receivers)])
    origins = home[problem.labels[:, 0]]
    uses = len(origins) * len(to_enter) - int(np.isin(origins, to_enter).sum())
    return Cut(uses, len(np.unique(problem.units)))


def _must_leave(problem: Problem, inside: npt.NDArray[np.bool_]) -> int:
    home = problem.network.router_of
    receivers = np.array(problem.collective.receivers, dtype=np.int64)
    if inside[home[receivers]].all():
        return 0
    return int(inside[home[problem.labels[:, 0]]].sum())
