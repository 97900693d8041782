"""Chains of informed sets, from the root alone to all targets.

The search runs backwards from "all targets are informed". For a set J it looks for a set I of a given size that can
inform it: it begins with a random one and moves sources across the minimum cut, from where ports are left over to where
targets are left out, until the flow is complete. The sizes are decisive: growth by the ports of gecco07 eq. (4) in the
first steps, where few paths run and do not meet, then equal factors, so that what slack there is helps the last steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Flags, Longs
from pavane.solvers.broadcast.step_oracle import FEW, Oracle, OracleStep

PATIENCE = 60
"""How many moves without a gain of a tenth are made before a set is given up, or made larger."""

PARTS = 24
"""The number of parts in which a large set is drawn."""


class InformedSet(NamedTuple):
    """An informed set, and the step that informed it, where that is known already."""

    members: Flags
    step: OracleStep | None = None


class ChainState(NamedTuple):
    """An informed set, the later set that it is to inform, and how far that goes."""

    holders: Flags
    later: Flags
    ground: Flags
    """The holders from which heights are measured."""
    to_later: OracleStep
    to_holders: OracleStep | None
    """The first step, from the root alone, where the set is the first after it."""

    @property
    def cost(self) -> int:
        """Return how many are left out."""
        return self.to_later.missing + (self.to_holders.missing if self.to_holders else 0)


class Chains:
    """Chains of informed sets, from the root alone to all targets."""

    def __init__(self, oracle: Oracle, root: int, targets: Longs, growth: list[int]) -> None:
        self.oracle, self.root, self.growth = oracle, root, growth
        size = len(oracle.home)
        self.start = np.zeros(size, dtype=bool)
        self.start[root] = True
        self.goal = self.start.copy()
        self.goal[targets] = True
        ejection = oracle.problem.ejection
        self.can_send = (oracle.ports > 0) & ~self.start
        self.can_relay = self.can_send & (ejection > 0)
        self.has_relays = bool((self.can_relay & ~self.goal).any())
        self.weights = oracle.ports.astype(np.float64)

    def forwards(self, most_steps: int | None, rng: np.random.Generator) -> list[InformedSet] | None:
        """Inform as many as possible in every step; there is always an answer, though seldom a short one."""
        oracle = self.oracle
        chain = [InformedSet(self.start)]
        while (waiting := self.goal & ~chain[-1].members).any():
            if most_steps is not None and len(chain) > most_steps:
                return None
            # Only as many as there are ports, drawn by chance: a flow to all would inform those near by and get stuck.
            most = int(oracle.ports[chain[-1].members].sum())
            candidates = np.flatnonzero(waiting)
            waiting = np.zeros_like(waiting)
            waiting[rng.permutation(candidates)[:most]] = True
            step = oracle.step(chain[-1].members, waiting, again=False)
            served = np.flatnonzero(waiting)
            homes = oracle.home[served]
            # The first processors of a router that wait there; `before` counts those ahead of each within the router.
            order = np.argsort(homes, kind="stable")
            before = np.arange(len(order)) - np.searchsorted(homes[order], homes[order])
            later = chain[-1].members.copy()
            later[served[order][before < step.absorbed[homes[order]]]] = True
            chain.append(InformedSet(later))
        return chain

    def flooded(self, most_steps: int) -> list[InformedSet] | None:
        """Inform all at distance 1, 2, ... from the root in turn, if that takes few steps and ports allow it.

        Where most pairs of routers have one shortest path, as in Kautz networks, little else is as short.
        """
        oracle = self.oracle
        away = oracle.heights(oracle.home[[self.root]])[oracle.home]
        farthest = int(away[self.goal].max())
        chain = [InformedSet(self.start)]
        for distance in range(1, farthest + 1 if farthest <= most_steps else 0):
            held = chain[-1].members
            reached: Flags = held | ((self.goal | self.can_relay) & (away <= distance))
            step = oracle.step(held, reached & ~held)
            if step.missing:
                return None
            chain.append(InformedSet(reached, step))
        return None if (self.goal & ~chain[-1].members).any() else chain

    def backwards(self, num_steps: int, rng: np.random.Generator, most_flows: int) -> list[InformedSet] | None:
        """Look for a chain of `num_steps` steps, starting over until the flows are used up."""
        oracle = self.oracle
        oracle.most_flows = oracle.num_flows + most_flows
        try:
            if num_steps == 1:
                step = oracle.step(self.start, self.goal & ~self.start)
                return None if step.missing else [InformedSet(self.start), InformedSet(self.goal, step)]
            attempt = 0
            while True:
                # Relays come second: targets need the message anyway.
                chain = self._chain(num_steps, attempt, rng, relays=self.has_relays and attempt % 3 > 0)
                if chain is not None:
                    return chain
                attempt += 1
        finally:
            oracle.most_flows = None

    def _chain(
        self, num_steps: int, attempt: int, rng: np.random.Generator, *, relays: bool
    ) -> list[InformedSet] | None:
        sizes = self._sizes(num_steps, 1 + attempt % (num_steps - 1), int(self.goal.sum()))
        if attempt >= num_steps and attempt % 2:
            # Bottlenecks grow less than ports allow; then smaller sets are the ones that can be informed in time.
            sizes = [max(1, int(np.ceil(size * rng.uniform(0.5, 1.0)))) for size in sizes]
        later, chain, first = self.goal, list[InformedSet](), None
        for number in range(num_steps - 1, 0, -1):
            state = self._before(later, sizes[number], self._most(number), rng, is_first=number == 1, relays=relays)
            if state is None:
                return None
            chain.append(InformedSet(later, state.to_later))
            later, first = state.holders, state.to_holders
        return [InformedSet(self.start), InformedSet(later, first), *reversed(chain)]

    def _most(self, number: int) -> int:
        """Return how many can be informed after a number of steps."""
        return self.growth[min(number, len(self.growth) - 1)]

    def _sizes(self, num_steps: int, num_perfect: int, whole: int) -> list[int]:
        """Return the sizes of the sets: grown as far as possible in the first steps, then by equal factors."""
        sizes = [min(self._most(number), whole) for number in range(num_perfect + 1)]
        factor = (whole / sizes[-1]) ** (1 / max(1, num_steps - num_perfect))
        for number in range(num_perfect + 1, num_steps):
            sizes.append(min(self._most(number), int(np.ceil(sizes[num_perfect] * factor ** (number - num_perfect)))))
        return [*sizes, whole]

    # -- one step back

    def _before(
        self, later: Flags, size: int, most: int, rng: np.random.Generator, *, is_first: bool, relays: bool
    ) -> ChainState | None:
        """Look for a set that can inform the later one: of the given size, or a little larger."""
        pool = self.can_relay if relays else self.can_send & later
        holders = self._scattered(pool, size, rng, later)
        state = self._state(holders, later, holders, is_first=is_first)
        mark, waited, stride = state.cost, 0, 0.5
        # Large sets have room enough; in small ones it matters which sources are nearest.
        is_small = self.oracle.is_minimal and size <= FEW
        while state.cost:
            if is_small and state.to_later.missing and rng.random() < 0.5:
                other = self._state(state.holders, later, self._grounded(state, rng), is_first=is_first, like=state)
            else:
                changed = self._moved(state, pool, most, stride, rng)
                if changed is None:
                    return None
                ground = (state.ground & changed) | (changed & ~state.holders)
                other = self._state(changed, later, ground, is_first=is_first, like=state)
            stride = min(0.5, 1.5 * stride) if other.cost < state.cost else max(0.02, 0.7 * stride)
            if other.cost <= state.cost or (other.cost <= state.cost + 2 and rng.random() < 0.1):
                state = other
            waited += 1
            if state.cost < 0.9 * mark:
                mark, waited = state.cost, 0
            held = int(state.holders.sum())
            # A few more among thousands cost little; among few they are dear, and patience is better.
            if waited > (5 if held > 500 and 20 * state.cost < held else PATIENCE):
                if held >= most or is_first:
                    return None
                wider = self._widened(state, pool, min(most, held + state.cost), rng)
                state = self._state(wider, later, wider, is_first=is_first, like=state)
                mark, waited = state.cost, 0
        return state

    def _state(
        self, holders: Flags, later: Flags, ground: Flags, *, is_first: bool, like: ChainState | None = None
    ) -> ChainState:
        """Query the oracle for what a set can do; `like` is a set that differs little."""
        oracle = self.oracle
        to_holders = to_later = None
        if like is not None:
            to_holders, to_later = like.to_holders, like.to_later
        to_holders = oracle.step(self.start, holders & ~self.start, like=to_holders) if is_first else None
        base = np.unique(oracle.home[ground & (oracle.ports > 0)]) if oracle.is_minimal else None
        to_later = oracle.step(holders, later & ~holders, base=base, like=to_later)
        return ChainState(holders, later, ground, to_later, to_holders)

    def _grounded(self, state: ChainState, rng: np.random.Generator) -> Flags:
        """Measure heights from other holders: so a target may receive from a source that is not the nearest."""
        ground: Flags = state.holders & (rng.random(len(state.holders)) < rng.random())
        return ground if (ground & (self.oracle.ports > 0)).any() else self.start

    def _scattered(self, pool: Flags, size: int, rng: np.random.Generator, later: Flags) -> Flags:
        """Draw a set; of a large one, each part away from the parts before it."""
        oracle, holders = self.oracle, self.start.copy()
        for part in range(1, PARTS) if size > FEW else ():
            heights = oracle.heights(np.unique(oracle.home[holders]))
            apart = np.flatnonzero(pool & ~holders & (heights >= 2)[oracle.home])
            holders[self._drawn(apart, size * part // PARTS - int(holders.sum()), rng, later)] = True
        missing = size - int(holders.sum())
        holders[self._drawn(np.flatnonzero(pool & ~holders), missing, rng, later)] = True
        return holders

    def _drawn(self, choice: Longs, count: int, rng: np.random.Generator, later: Flags) -> Longs:
        """Draw processors, those with many ports more often and those outside the later set seldom."""
        if count <= 0 or not len(choice):
            return choice[:0]
        weights = self.weights[choice] * np.where(later[choice], 1.0, 0.3)
        keys = rng.exponential(size=len(choice)) / weights
        if count < len(choice):
            return choice[np.argpartition(keys, count - 1)[:count]]
        return choice

    def _moved(
        self, state: ChainState, pool: Flags, most: int, stride: float, rng: np.random.Generator
    ) -> Flags | None:
        """Move some sources across the minimum cut; of the first set, also those that the root cannot reach."""
        holders, later = state.holders.copy(), state.later
        home = self.oracle.home
        others = np.flatnonzero(holders & ~self.start)
        to_later, to_holders = state.to_later, state.to_holders
        if to_holders is not None and to_holders.missing and (not to_later.missing or rng.random() < 0.5):
            lost = others[to_holders.absorbed[home[others]] == 0]
            lost = lost if len(lost) else others
            count = max(1, int(stride * to_holders.missing))
            leaving = rng.permutation(lost)[:count]
            # The root may reach fewer than its ports: where the later set is safe, try with fewer.
            count = 0 if rng.random() < (0.3 if to_later.missing else 0.6) else len(leaving)
            arriving = self._drawn(np.flatnonzero(pool & ~holders), count, rng, later)
        else:
            count = max(1, int(stride * to_later.missing))
            arriving = self._arriving(state, pool, count, rng)
            # Where ports are left over first; among equals, by chance.
            keys = to_later.emitted[home[others]] + 1.5 * rng.random(len(others))
            keys[~to_later.surplus[home[others]]] += 1e6
            leaving = others[np.argsort(keys)[: len(arriving)]]
            has_room = to_holders is not None and not to_holders.missing and len(others) + len(arriving) < most
            if has_room and rng.random() < 0.5:
                leaving = leaving[:0]
            if not len(arriving):
                return None
        holders[leaving] = False
        holders[arriving] = True
        return holders

    def _arriving(self, state: ChainState, pool: Flags, count: int, rng: np.random.Generator) -> Longs:
        """Choose new sources beyond the cut: mostly those that are left out themselves."""
        home, step = self.oracle.home, state.to_later
        waiting = state.later & ~state.holders
        demand = np.bincount(home[waiting], minlength=self.oracle.num_routers)
        free = pool & ~state.holders
        choice = np.flatnonzero(free & waiting & (demand > step.absorbed)[home])
        if not len(choice) or rng.random() < 0.3:
            beyond = np.flatnonzero(free & ~step.surplus[home])
            choice = beyond if len(beyond) else np.flatnonzero(free)
        return self._drawn(choice, count, rng, state.later)

    def _widened(self, state: ChainState, pool: Flags, size: int, rng: np.random.Generator) -> Flags:
        """Add sources to a set that is too small."""
        holders = state.holders.copy()
        holders[self._arriving(state, pool, max(1, size - int(holders.sum())), rng)] = True
        return holders
