"""Rarest first: broadcasts of several messages (AAB, MNB; OAB too), step by step from neighbour to neighbour.

In every step the channels into each processor are matched to messages that the neighbours hold and it lacks, the
rarest message first: what few have is what many will request. Single channels are valid paths under wormhole and
store-and-forward and under every routing, and they waste nothing: a message enters each router once, so a schedule that
keeps all channels busy meets the bound by volume or in-degree (gecco08 Table 2). The papers search for AAB
schedules with MBOA and HGSA for hours (gecco08 Table 6); most networks need no search at all.

Where the bound leaves no slack a few messages come too late, because the last channels of a processor lead to the wrong
neighbours. They are repaired first: what a processor got in earlier steps is exchanged along augmenting paths. Then the
last steps are done again, with other ties (tail restarts); then the whole. Under wormhole, whole restarts by turns also
let processors with ports to spare fetch messages from farther away, which pure switches and few ports call for.

What is rarest in the whole network is not what a ring behind a bridge needs most: there two neighbours would fetch the
same over the only two channels. So where there are bottlenecks, whole restarts by turns first let in what is new to
them. Hierarchical rings of 64 meet their bound at once then, and are half as long again without. Under half duplex a
link that one end receives over is closed to the other, so by turns the receivers that lack the most choose first.

One message in pieces begins with few copies, whose ports are all that limits a step. So under wormhole whole restarts
scatter the first copies over the network before neighbours are served.

Where pure switches join processors under wormhole and there are pieces or capacities, processors on one switch are
neighbours (kernels/rarest_first_switched.py), and no message enters a bottleneck twice before the last steps. Where
switches pass under store-and-forward, processors that any way over switches joins are.

Processors and (under store-and-forward) switches that want nothing relay with what capacity is left; what turns out
not to have been passed on is taken out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from pavane.bounds import counted_bounds
from pavane.bounds.bottlenecks import tight_sets
from pavane.bounds.steps import is_time_for_distances
from pavane.model.arrays import Flags
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.broadcast.broadcast_state import BroadcastState, TransferLog, may_reach_far
from pavane.solvers.broadcast.kernels.rarest_first_switched import WaysIn
from pavane.solvers.broadcast.switch_ways import (
    MOST_WAYS,
    num_ways_in,
    processor_sets,
    ways_in,
)
from pavane.solvers.solver import argument, seed_of
from pavane.solvers.solving import solve_once
from pavane.solvers.supports import Supports

MOST_ARRIVALS = 2**26
"""The most pairs of a location and a message; the table of arrivals then takes 256 MB."""

LONGEST_TAIL = 48
"""The most steps that are done again at the end, but for the whole."""

NO_LIMIT = 2**31 - 1
"""More steps than any schedule has."""


class Strategy(NamedTuple):
    """The choices of one attempt."""

    reaches_far: bool = False
    """Whether processors with ports to spare fetch messages from farther away."""
    neediest_first: bool = False
    """Whether the receivers that lack the most choose first, which matters under half duplex."""
    sets: Flags | None = None
    """The bottlenecks that new messages are let into first, one row a set; None: there are none."""
    scattering_steps: int = 0
    """In how many of the first steps copies go far before they go near."""
    ways: WaysIn | None = None
    """The ways through switches; None: messages come from neighbours, and then from afar."""
    loose_steps: int = 0
    """In how many of the last steps messages may enter a bottleneck twice, where they come through switches."""


@dataclass(frozen=True)
class RarestFirst:
    """Rarest-first matching with restarts; the seed decides among the equally rare."""

    name: str = "rarest-first"
    tail_restarts: int = 60
    """How often the last steps are done again before everything is."""
    most_effort: int = 3_000_000
    """Transfers made after which there are no more restarts; the first schedule is finished whatever it takes."""
    least_steps: int = argument(0)
    """A lower bound on the steps, by better arguments than counting."""

    supports = Supports(
        patterns=("broadcast", "reduction", "allreduce"),
        switching=("wormhole", "store-and-forward"),
        combining=False,
        where=f"at most {MOST_ARRIVALS:,} arrivals, and single channels or few enough paths that serve them",
        holds=lambda problem: _is_served(problem),
        takes=("capacities",),
    )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Return the shortest schedule found; none if all are longer than `num_steps` or time has run out before."""
        if not is_time_for_distances(problem.network, budget.deadline):
            return None
        lowest = max((bound.figure for bound in counted_bounds(problem)), default=1)
        lowest = max(lowest, self.least_steps)
        if num_steps is not None and num_steps < lowest:
            return None
        state = BroadcastState(problem, budget)
        log = self.shortest(state, lowest, num_steps, seed_of(rng))
        return None if log is None else log.schedule(problem)

    __call__ = solve_once

    def shortest(
        self, state: BroadcastState, lowest: int, requested_steps: int | None, seed: int
    ) -> TransferLog | None:
        """Restart until the bound or the requested number of steps is reached, or the effort is spent."""
        best: TransferLog | None = None
        enough = lowest if requested_steps is None else requested_steps
        limit = NO_LIMIT if requested_steps is None else requested_steps
        through = _strategies_through_switches(state.problem)
        strategies, whole = through or [Strategy()], 0
        while not state.is_out and (whole == 0 or state.effort < self.most_effort):
            strategy = strategies[whole % len(strategies)]
            state.set_bottlenecks(strategy.sets)
            state.pass_switches(strategy.ways, enough - strategy.loose_steps)
            state.start(
                np.random.default_rng((seed, whole)),
                reaches_far=state.needs_far or strategy.reaches_far,
                neediest_first=strategy.neediest_first,
                scattering_steps=strategy.scattering_steps,
            )
            state.run(limit)
            if whole == 0 and not through and not (state.is_done and state.step <= enough):
                strategies = _strategies(state.problem)
            # Where there are bottlenecks, or links go one way, the last steps are not what the first attempt lacks.
            hurries = whole == 0 and any(other.sets is not None or other.neediest_first for other in strategies)
            tail_restarts = 0 if hurries and not through else self.tail_restarts
            shorter = self._shortened(state, limit, enough, tail_restarts)
            if shorter is not None:
                best, limit = shorter, shorter.num_steps - 1
                if best.num_steps <= enough:
                    break
            whole += 1
        return best

    def _shortened(self, state: BroadcastState, limit: int, enough: int, tail_restarts: int) -> TransferLog | None:
        """Do the last steps again until that has helped often enough, or not for long; return the shortest log."""
        best: TransferLog | None = None
        tails = 0
        # What is complete is taken, also where the time ended with it.
        while not state.is_out or (best is None and state.is_done):
            if state.is_done:
                best = state.log()
                if best.num_steps <= enough:
                    break
                state.budget = state.budget.report_first(partial(best.schedule, state.problem))
                state.budget.on_improvement(partial(best.schedule, state.problem))
                limit = best.num_steps - 1
                state.undo(limit)
                state.repair(limit)
                tails = 0
                continue
            if tails == tail_restarts or state.effort >= self.most_effort:
                break
            state.redo_tail(_tail(tails, limit), limit)
            tails += 1
        return best


def _is_served(problem: Problem) -> bool:
    """Return whether single channels or free paths serve a problem, and fit into memory."""
    is_stored = problem.rules.switching == "store-and-forward"
    num_locations = problem.network.num_processors + is_stored * problem.network.num_routers
    if num_locations * problem.num_messages > MOST_ARRIVALS:
        return False
    if problem.passes_switches:
        return num_ways_in(problem) <= MOST_WAYS
    return is_stored or not problem.has_switches or may_reach_far(problem)


def _strategies(problem: Problem) -> list[Strategy]:
    """List the strategies to try by turns: near and far, with and without bottlenecks or the neediest first."""
    if problem.num_messages == 1:
        return [Strategy(), Strategy(reaches_far=True)]
    if len(problem.distinct_ends) == 1 and may_reach_far(problem):
        return [Strategy(reaches_far=True, scattering_steps=steps) for steps in (1, 2, 1, 3)]
    is_half, sets = problem.rules.duplex == "half", tight_sets(problem)
    aware = [Strategy(far, is_half, sets) for far in (False, True)] if len(sets) else []
    needy = [Strategy(neediest_first=True)] if is_half else []
    return [Strategy(), *aware, *needy, Strategy(reaches_far=True)]


def _strategies_through_switches(problem: Problem) -> list[Strategy]:
    """List the ways that take switches for ports: how soon bottlenecks may be entered twice differs.

    Under wormhole, problems without pieces and capacities keep the schedules that they have always had.
    """
    is_all = problem.passes_switches
    if not problem.has_switches or (problem.rules.switching != "wormhole" and not is_all):
        return []
    if not is_all and (problem.is_plain or not may_reach_far(problem) or problem.restriction is not None):
        return []
    if num_ways_in(problem) > MOST_WAYS:
        return []
    sets = processor_sets(problem, tight_sets(problem))
    through = ways_in(problem, sets)
    # One message in pieces begins with few holders: a processor without any makes another.
    is_needy = len(problem.distinct_ends) == 1
    ways = [Strategy(neediest_first=is_needy, sets=sets, ways=through, loose_steps=loose) for loose in (1, 0, 1, 2)]
    return ways if is_all else [*ways, Strategy()]


def _tail(number: int, num_steps: int) -> int:
    """Return how many of the last steps to do again: 2, 3, 4, 6, 8, 12, ... by turns."""
    lengths = [2]
    while lengths[-1] < min(num_steps, LONGEST_TAIL):
        lengths.append(lengths[-1] * 3 // 2 if len(lengths) % 2 else lengths[-2] * 2)
    return min(lengths[number % len(lengths)], num_steps)
