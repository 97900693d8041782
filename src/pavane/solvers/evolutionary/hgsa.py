"""HGSA, hybrid parallel genetic simulated annealing, for broadcasts from neighbour to neighbour (gecco07 section 3.1).

A chromosome has a gene for every pair of a sender and a receiver: one of the shortest paths between them, and the step
in which each channel of the path is used; a message may rest on its way (gecco07 Fig. 2). Several annealers each work
on a chromosome by Metropolis moves towards fewer conflicts. After a number of moves a master collects their solutions
and sends each of them one, drawn on a roulette wheel, to cross its own with (gecco07 Fig. 1, section 5).

Single channels are valid paths under wormhole and store-and-forward alike, and for AAB and MNB the bounds of the two
coincide. Where ports are scarce, and for OAB, they do not: there a message may also run on over several channels in one
step (`runs_on`), always along a shortest path from its origin.

The papers leave choices open. Each is a field, with the likely reading as its default and the reason beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pavane.bounds import counted_bounds
from pavane.model.arrays import Ints
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.parallel.pools import local_pool
from pavane.solvers.evolutionary.annealers import AnnealerExchange, AnnealingSearch, advanced, rows_of, started
from pavane.solvers.evolutionary.counting import Evaluations
from pavane.solvers.evolutionary.hops import HopEncoding, has_scarce_ports, hops_of, may_start_at_once
from pavane.solvers.evolutionary.kernels.annealing import AnnealingPhase, Moves
from pavane.solvers.evolutionary.kernels.hops import HopTables
from pavane.solvers.solver import Finding, seed_of
from pavane.solvers.solving import solve_by_steps
from pavane.solvers.supports import Supports

MOST_DELIVERIES = 20_000
MOST_ROUTERS = 512
"""Larger problems would take more paths than fit, and more moves than any search makes."""

MOST_COUNTERS = 2**27
"""Of uses, of all annealers together, two bytes each; beyond, a number of steps is refused."""


@dataclass(frozen=True)
class HGSA:
    """Annealers that exchange and cross their solutions; defaults as in gecco07 section 5, where it says.

    Example:
        >>> problem = pavane.Problem(pavane.network("ring:4"), "allgather")
        >>> options = pavane.SearchOptions(evaluations=10_000)
        >>> pavane.solve(problem, options, solver=pavane.solvers.HGSA(), num_steps=2).num_steps
        2
    """

    name: str = "hgsa"
    num_annealers: int = 10
    exchange_every: int = 100
    """Metropolis moves of each annealer between two exchanges."""
    start_temperature: float = 100.0
    moves_per_temperature: int = 200
    cooling: float = 0.99
    first_channel_at_once: bool | None = None
    """Whether the first channel of every path is used in step 1, as the paper says. None: where nothing is lost by it
    (all-port, full duplex, one processor a router); few ports cannot send over all channels in step 1."""
    runs_on: bool | None = None
    """Whether under wormhole successive channels of a path may be used in one step, as one transfer. None: where ports
    are scarce, unless `most_absorbed` counts them, or there is one message. Hop by hop 1-port AAB on mesh 4x4 cannot
    take 15 steps, nor OAB on a hypercube of 64 three, which the paper reports of HGSA (gecco07 Tables 2 and 3)."""
    most_absorbed: int | None = None
    """How many of the messages for it a processor may absorb in a step, besides what the rules require. All-port and 1
    is how the paper seems to count one port: what matters are the messages "that can be absorbed by any node in one
    step" (section 2), not what a processor sends or sends on. Only so does HGSA reach the paper's 1-port figures."""
    new_path: float = 1.0
    """The chance that a move draws another path of the pair; a move changes the values of a gene at random."""
    new_sequence: float = 1.0
    """The chance that a move redraws all steps of a path; otherwise one of them changes, between its neighbours.
    The paper draws all at random at the start and does not say how a move changes them."""
    child_mutation: float = 0.5
    """The chance that a child is mutated: a predefined probability, which the paper does not give."""
    mutated_genes: int = 1
    """How many genes a mutation changes: one, as in the papers' other algorithms."""
    wheel: Literal["inverse", "gap"] = "inverse"
    """The chance of a solution on the wheel: proportional to 1 / (1 + conflicts), the usual way where less is better;
    or to the conflicts it has less than the worst, plus one. The paper requires that the best have the highest."""
    master_keeps: Literal["drawn", "best"] = "drawn"
    """What the master, itself an annealer, crosses its own solution with: it keeps one, drawn like the others."""
    most_paths: int = 120
    """The most shortest paths of a pair; of more a sample is drawn. All of them on a hypercube of 32."""
    most_evaluations: int = 5_000_000
    """Moves for each number of steps; for a requested one a budget of moves counts instead."""

    supports = Supports(
        patterns=("broadcast", "reduction", "allreduce"),
        switching=("wormhole", "store-and-forward"),
        combining=False,
        most_arrivals=MOST_DELIVERIES,
        most_routers=MOST_ROUTERS,
        # A hop through pure switches could break the order of turns.
        where="no pure switches under restricted routing",
        holds=lambda problem: problem.restriction is None or not problem.has_switches,
    )

    def find(self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget) -> Finding:
        """Look for a schedule of `num_steps` steps."""
        evaluations = Evaluations(budget, self.most_evaluations)
        if evaluations.are_over:
            return Finding(None, run=evaluations.run)
        prepared = self.prepared(problem, num_steps, budget)
        if prepared is None or evaluations.are_over:
            return Finding(None, run=evaluations.run)
        hops, search = prepared
        found = self._annealed(search, seed_of(rng), evaluations)
        return Finding(None if found is None else hops.schedule(*found), run=evaluations.run)

    __call__ = solve_by_steps

    @property
    def exchange(self) -> AnnealerExchange:
        """How annealers cool and exchange their solutions."""
        return AnnealerExchange(
            self.num_annealers,
            self.exchange_every,
            self.start_temperature,
            self.moves_per_temperature,
            self.cooling,
            self.wheel,
            self.master_keeps,
        )

    def _runs_on(self, problem: Problem) -> bool:
        turns = problem.restriction
        if problem.rules.switching == "store-and-forward" or not (turns is None or turns.is_whole):
            return False
        if self.runs_on is not None:
            return self.runs_on
        return self.most_absorbed is None and (has_scarce_ports(problem) or problem.num_messages == 1)

    def prepared(self, problem: Problem, num_steps: int, budget: Budget) -> tuple[HopEncoding, AnnealingSearch] | None:
        """Return the encoding and the search; None where no schedule has so few steps, or the time is over before."""
        if num_steps < counted_bounds(problem)[0].figure:
            return None
        hops = hops_of(problem, num_steps, self.most_paths, self._runs_on(problem), budget)
        search = None if hops is None or budget.is_over else self._search(hops, num_steps)
        return None if hops is None or search is None else (hops, search)

    def _search(self, hops: HopEncoding, num_steps: int) -> AnnealingSearch | None:
        """Prepare the search; None where a pair has no path of that many steps or the counters do not fit."""
        if not hops.is_complete:
            return None
        problem, first_path = hops.problem, hops.first_path
        at_once = self.first_channel_at_once
        if at_once is None:
            at_once = may_start_at_once(problem) and not self._runs_on(problem) and self.most_absorbed is None
        capacity, absorption_of = self._absorption(hops)
        tables = HopTables(
            num_steps,
            at_once,
            hops.message_of,
            first_path,
            hops.first_hop,
            hops.hops,
            hops.first_unit,
            hops.units,
            capacity,
            absorption_of,
        )
        free = np.diff(hops.first_hop)[first_path[:-1]] - at_once
        has_choice = (np.diff(first_path) > 1) | ((free > 0) & (free < num_steps - at_once))
        movable = np.flatnonzero(has_choice).astype(np.int32)
        moves = Moves(self.new_path, self.new_sequence, self.child_mutation, self.mutated_genes, movable)
        search = AnnealingSearch(tables, moves)
        return search if search.num_uses * self.num_annealers <= MOST_COUNTERS else None

    def _absorption(self, hops: HopEncoding) -> tuple[Ints, Ints]:
        """Return the capacities of all units, and for each gene the unit of what its receiver absorbs, or -1."""
        capacity = hops.capacity
        if self.most_absorbed is None:
            return capacity, np.full(hops.num_genes, -1, dtype=np.int32)
        absorbed = np.full(hops.problem.network.num_processors, self.most_absorbed, dtype=np.int32)
        return np.concatenate((capacity, absorbed)), hops.receiver_of + np.int32(len(capacity))

    def _annealed(self, search: AnnealingSearch, seed: int, evaluations: Evaluations) -> tuple[Ints, Ints] | None:
        """Run the annealers until one has no conflicts (gecco07 Fig. 1); return its paths and steps."""
        size, budget = self.num_annealers, evaluations.budget
        exchange = self.exchange
        states, wheel = exchange.generators(seed, search.tables.num_steps)
        annealers, counters = started(search, states)
        evaluations.note(int(annealers.conflicts.min()))
        drawn, num_moves = np.zeros(0, dtype=np.int64), 0
        with local_pool(min(budget.workers.local_size, size), search) as pool:
            while annealers.conflicts.min() > 0:
                mates = rows_of(annealers, drawn)
                if evaluations.are_over or not len(search.moves.movable):
                    return None
                each, rest = divmod(min(evaluations.left, size * self.exchange_every), size)
                stretch = AnnealingPhase(
                    mates, exchange.temperatures_until_next(num_moves), each + (np.arange(size) < rest)
                )
                progress = advanced(pool, search, annealers, counters, stretch)
                num_moves += self.exchange_every
                evaluations.made += int(progress.num_moves.sum())
                evaluations.note(int(progress.fewest.min()))
                annealers = progress.annealers
                drawn = exchange.drawn(annealers.conflicts, wheel)
        winner = int(annealers.conflicts.argmin())
        return annealers.paths[winner], annealers.steps[winner]
