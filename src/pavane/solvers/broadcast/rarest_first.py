"""Rarest first: broadcasts of several messages (AAB, MNB; OAB too), step by step from neighbour to neighbour.

In every step the channels into each processor are matched to messages that the neighbours hold and it lacks, the
rarest message first: what few have is what many will ask for. Single channels are valid paths under wormhole and
store-and-forward and under every routing, and they waste nothing: a message enters each router once, so a schedule that
keeps all channels busy meets the bound by volume or in-degree (gecco08 Table 2). The papers search for AAB
schedules with MBOA and HGSA for hours (gecco08 Table 6); most networks need no search at all.

Where the bound leaves no slack a few messages come too late, because the last channels of a processor lead to the wrong
neighbours. They are mended first: what a processor got in earlier steps is exchanged along augmenting paths. Then the
last steps are done again, with other ties (tail restarts); then the whole. Under wormhole, whole restarts by turns also
let processors with ports to spare fetch messages from farther away, which pure switches and few ports call for.

Processors and (under store-and-forward) switches that want nothing relay with what capacity is left; what turns out
not to have been passed on is taken out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.bounds import lower_bounds
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.solvers.broadcast.spread import Log, Spread, has_switches, may_reach_far
from pavane.solvers.solver import answer, seed_of
from pavane.workers.budget import Budget

MOST_ARRIVALS = 2**26
"""The most pairs of a location and a message; the table of arrivals then takes 256 MB."""

LONGEST_TAIL = 48
"""The most steps that are done again at the end, but for the whole."""

NO_LIMIT = 2**31 - 1
"""More steps than any schedule has."""


@dataclass(frozen=True)
class RarestFirst:
    """Rarest-first matching with restarts; the seed decides among the equally rare."""

    name: str = "rarest-first"
    tail_restarts: int = 60
    """How often the last steps are done again before everything is."""
    most_effort: int = 3_000_000
    """Transfers made after which there are no more restarts; the first schedule is finished whatever it takes."""

    def supports(self, problem: Problem) -> bool:
        """Say whether it is a broadcast or a reduction without combining that single channels or free paths serve."""
        network, rules = problem.network, problem.rules
        num_locations = network.num_processors + (rules.switching == "store-and-forward") * network.num_routers
        return (
            problem.pattern != "private"
            and not rules.combining
            and num_locations * problem.num_messages <= MOST_ARRIVALS
            and (not has_switches(problem) or rules.switching == "store-and-forward" or may_reach_far(problem))
        )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Return the shortest schedule found; none if all are longer than `num_steps` or time has run out before."""
        lowest = max((bound.steps for bound in lower_bounds(problem)), default=1)
        if num_steps is not None and num_steps < lowest:
            return None
        log = self._shortest(Spread(problem, budget), lowest, num_steps, seed_of(rng))
        return None if log is None else log.schedule(problem)

    __call__ = answer

    def _shortest(self, spread: Spread, lowest: int, asked: int | None, seed: int) -> Log | None:
        """Restart until the bound or what was asked for is reached, or the effort is spent."""
        best: Log | None = None
        enough = lowest if asked is None else asked
        limit = NO_LIMIT if asked is None else asked
        whole = 0
        while not spread.is_out and (whole == 0 or spread.effort < self.most_effort):
            spread.start(np.random.default_rng((seed, whole)), reaches_far=spread.needs_far or whole % 2 == 1)
            spread.run(limit)
            tails = 0
            while not spread.is_out:
                if spread.is_done:
                    best = spread.log()
                    if best.num_steps <= enough:
                        return best
                    limit = best.num_steps - 1
                    spread.undo(limit)
                    spread.mend(limit)
                    tails = 0
                    continue
                if tails == self.tail_restarts or spread.effort >= self.most_effort:
                    break
                spread.redo_tail(_tail(tails, limit), limit)
                tails += 1
            whole += 1
        return best


def _tail(number: int, num_steps: int) -> int:
    """Return how many of the last steps to do again: 2, 3, 4, 6, 8, 12, ... by turns."""
    lengths = [2]
    while lengths[-1] < min(num_steps, LONGEST_TAIL):
        lengths.append(lengths[-1] * 3 // 2 if len(lengths) % 2 else lengths[-2] * 2)
    return min(lengths[number % len(lengths)], num_steps)
