"""Broadcasts in steps of different widths: what start-ups and rounds under combining come down to.

Under store-and-forward with all ports a transfer that carries several messages is as good as several transfers of one
each over a wider channel. So a schedule of T start-ups with a given largest payload of each is one of T steps in which
every channel carries its capacity times the width of the step (the rounds of SCCL, Cai et al. 2021, section 3).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.broadcast.broadcast_state import BroadcastState
from pavane.solvers.broadcast.rarest_first import RarestFirst


def spread_with_widths(
    problem: Problem, widths: Sequence[int], rng: np.random.Generator, budget: Budget, most_effort: int = 300_000
) -> Schedule | None:
    """Look for a broadcast in len(widths) steps in which channels carry capacity * widths[step] messages each.

    The problem is one of broadcasts (AAB, MNB, OAB, in pieces or not) under store-and-forward with all ports; its
    rule of combining is not looked at, and ports are as wide as the step. Every transfer runs over one channel
    (none between processors of one router) and carries one message, so several transfers of a step may share a
    channel: combining makes one transfer of them. Where switches pass, a transfer runs over a way to another
    processor, and the widths[step] messages that share it have that way in common. The schedule has exactly
    len(widths) steps; one may be empty. None means that nothing was found in the effort (transfers made) or time;
    it proves nothing. The generator decides among restarts, and advances with every call.
    """
    if problem.pattern != "broadcast" or problem.rules.switching != "store-and-forward" or not widths:
        raise ValueError("widths are for broadcasts under store-and-forward, in one step at least")
    if problem.rules.ports != "all":
        raise ValueError("steps of different widths need all ports")
    num_steps = len(widths)
    spread, seed = BroadcastState(problem, budget, widths), int(rng.integers(2**62))
    log = RarestFirst(most_effort=most_effort).shortest(spread, num_steps, num_steps, seed)
    return None if log is None else log.schedule(problem, num_steps)
