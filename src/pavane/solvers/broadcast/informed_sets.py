"""Broadcast from one origin by a search over informed sets, with maximum flows as the oracle; reduce by reversal.

A wormhole broadcast of one message is a chain of sets: who is informed after 0, 1, 2, ... steps. Copies are alike, so
one step leads from the informed set I to a larger set J exactly if a flow of unit channels does: an informed processor
emits at most its injection ports, a new one absorbs one unit. What a maximum flow cannot do, a minimum cut forbids, and
the cut says which sources stand on the wrong side. Processors of one router are alike too, so routers are the vertices.

The search runs backwards from "all targets are informed". For a set J it looks for a set I of a given size that can
inform it: it begins with a random one and moves sources across the minimum cut, from where ports are left over to where
targets are left out, until the flow is complete. The sizes are decisive: growth by the ports of gecco07 eq. (4) in the
first steps, where few paths run and do not meet, then equal factors, so that what slack there is helps the last steps.

Minimal routing: let h be a height of routers that no channel raises by more than one. A path that rises by one on every
channel is then shortest between its own ends, because no path between them is shorter than their difference in height.
The distance from the nearest informed router is such a height, and so is the distance from a few of the informed
routers only. So flows that rise consist of shortest paths. A second flow with other heights takes what the first one
leaves of channels and ports, which lets a source reach targets that are nearer to another. Not every set of shortest
paths is found so: the search may miss schedules, but what it finds is valid.

Half duplex costs nothing: flows that meet on a link cancel, and what is left is a flow with the same ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pavane.bounds.growth import informed
from pavane.errors import InputError
from pavane.judge.result import Provenance, Result
from pavane.model.collectives import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer, time_reversed
from pavane.workers.budget import Budget

Bits = npt.NDArray[np.bool_]
Longs = npt.NDArray[np.int64]

MOST_ROUTERS_TABLED = 1024
"""Up to so many routers the distances between all of them are kept; beyond, each search for levels walks anew."""

OVERHEAD = 1000
"""What one flow costs besides its arcs, in arcs."""

FEW = 32
"""Where no more than these are left out, or a quarter, a second flow may reach them by other shortest paths."""

PATIENCE = 60
"""How many moves without a gain of a tenth are made before a set is given up, or made larger."""

PARTS = 24
"""In so many parts a large set is drawn."""

PER_LEVEL = 100
"""What a level of heights costs where they are not tabled, in arcs."""

FAR = 1 << 30
"""The height of routers that are not reached."""


class _OutOfEffort(Exception):
    """The flows that a search may spend, or the time, are used up."""


@dataclass(frozen=True)
class InformedSets:
    """A search over informed sets, for one broadcast message or one reduction."""

    name: str = "informed-sets"
    most_flows: int = 6000
    """The most flows for one number of steps."""
    most_arcs: int = 120_000_000
    """The most arcs of all these flows together: large networks get fewer flows."""

    def supports(self, problem: Problem) -> bool:
        """Say whether one message goes to many by wormhole, or the reverse, and may take any or any shortest path."""
        return (
            problem.pattern in ("broadcast", "reduction")
            and problem.num_messages == 1
            and problem.rules.switching == "wormhole"
            and problem.restriction is None
        )

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Look for a schedule of at most `num_steps` steps; None: of as few as can be, from the bound upwards."""
        if not self.supports(problem):
            raise InputError(f"method {self.name} needs one broadcast or reduction by wormhole, not {problem}")
        if problem.pattern == "reduction":
            mirror = dual(problem)
            forwards = self._broadcast(mirror, num_steps, seed, budget)
            schedule = None if forwards is None else time_reversed(mirror, forwards, problem)
        else:
            schedule = self._broadcast(problem, num_steps, seed, budget)
        return Result(problem, schedule, (), Provenance(self.name, seed), num_steps)

    def _broadcast(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Schedule | None:
        root = int(problem.labels[0, 0])
        targets = np.setdiff1d(problem.collective.receivers, [root])
        growth = informed(problem, root, len(targets))
        oracle = _Oracle(problem, budget)
        search = _Search(oracle, root, targets, growth)
        rng = np.random.default_rng(seed)
        try:
            chain = search.forwards(num_steps, rng)
        except _OutOfEffort:
            return None
        least = len(growth) - 1
        if num_steps is None:
            tries = range(least, len(chain or ()) - 1)
        else:
            tries = range(max(least, num_steps), num_steps + 1 if chain is None else 0)
        for tried in tries:
            # Far above the bound the sets have room, and what is not found soon is not found at all.
            flows = max(1, min(self.most_flows, self.most_arcs // oracle.size))
            if tried >= least + 2 and tried != num_steps:
                flows = min(flows, 1000)
            try:
                shorter = search.backwards(tried, rng, flows)
            except _OutOfEffort:
                shorter = None
            if shorter is not None:
                chain = shorter
                break
            if oracle.is_over:
                break
        return None if chain is None else _schedule(oracle, chain, targets)


class _Flow(NamedTuple):
    """A flow of one step: routers that send, channels that carry, routers that receive."""

    emitted: Longs
    """What the processors of each router send, together."""
    on_channels: Longs
    """The channels that carry one unit."""
    absorbed: Longs
    """How many processors of each router are informed."""


class _Step(NamedTuple):
    """What an informed set can do in one step for those who are to be informed."""

    missing: int
    """How many are left out."""
    emitted: Longs
    absorbed: Longs
    surplus: Bits
    """The routers on the sources' side of a minimum cut: more could be sent from there, to nobody."""
    flows: tuple[_Flow, ...]
    """Together they fit into one step; a flow takes what channels and ports those before it leave."""


class _Oracle:
    """Answers what one step can do, and counts how often it is asked."""

    def __init__(self, problem: Problem, budget: Budget) -> None:
        network = problem.network
        self.problem, self.budget = problem, budget
        self.num_routers, self.num_channels = network.num_routers, network.num_channels
        self.tails = np.ascontiguousarray(network.tails, dtype=np.int32)
        self.heads = np.ascontiguousarray(network.heads, dtype=np.int32)
        self.home = network.router_of.astype(np.int64)
        self.ports = problem.injection.astype(np.int64)
        self.is_minimal = problem.rules.routing == "minimal"
        self.is_half = problem.rules.duplex == "half"
        self.size = network.num_channels + network.num_routers + OVERHEAD
        if self.is_minimal and network.num_routers > MOST_ROUTERS_TABLED:
            depth = network.distances_from(int(self.home[problem.labels[0, 0]])).max()
            self.size += PER_LEVEL * int(depth)
        self.num_flows = 0
        self.most_flows: int | None = None
        # Loaded only where a flow is wanted: it takes a third of a second.
        from ortools.graph.python import max_flow

        self._maker: Any = max_flow.SimpleMaxFlow

    @property
    def is_over(self) -> bool:
        """Whether the budget of the whole search is used up."""
        evaluations = self.budget.evaluations
        return self.budget.is_over or (evaluations is not None and self.num_flows >= evaluations)

    def step(
        self,
        holders: Bits,
        wanted: Bits,
        *,
        shortest: bool = False,
        again: bool = True,
        base: Longs | None = None,
    ) -> _Step:
        """Return the most that the holders can inform of those who want the message.

        Heights are distances from the base, a set of routers: those of all holders if nothing else is said.
        Minimal routing, `again`: where a few are left out, the sources with ports left over make a second flow, and so
        on, each with heights of its own. So a target may hear from a source that is not the nearest.
        """
        count = self.num_routers
        supply = np.bincount(self.home[holders], self.ports[holders], count).astype(np.int64)
        demand = np.bincount(self.home[wanted], minlength=count)
        whole = int(demand.sum())
        is_free = np.ones(self.num_channels, dtype=bool)
        rising = shortest or self.is_minimal
        flow, surplus = self._flow(supply, demand, is_free, rising=rising, base=base)
        flows, emitted, absorbed = [flow], flow.emitted, flow.absorbed
        while rising and again and 0 < whole - absorbed.sum() <= max(whole // 4, FEW):
            is_free[flows[-1].on_channels] = False
            if self.is_half:
                back = self.problem.network.opposite[flows[-1].on_channels]
                is_free[back[back >= 0]] = False
            flow, _ = self._flow(supply - emitted, demand - absorbed, is_free, rising=True)
            gained, missing = int(flow.absorbed.sum()), int(whole - absorbed.sum())
            if gained:
                flows.append(flow)
                emitted, absorbed = emitted + flow.emitted, absorbed + flow.absorbed
            if not gained or (missing > FEW and 4 * gained < missing):
                break
        return _Step(int(whole - absorbed.sum()), emitted, absorbed, surplus, tuple(flows))

    def _flow(
        self, supply: Longs, demand: Longs, is_free: Bits, *, rising: bool, base: Longs | None = None
    ) -> tuple[_Flow, Bits]:
        """Return a maximum flow and the sources' side of a minimum cut."""
        if self.is_over or (self.most_flows is not None and self.num_flows >= self.most_flows):
            raise _OutOfEffort
        self.num_flows += 1
        count = self.num_routers
        emitted, absorbed = np.zeros((2, count), dtype=np.int64)
        surplus = np.zeros(count + 2, dtype=bool)
        sources, sinks = np.flatnonzero(supply), np.flatnonzero(demand)
        if not (len(sources) and len(sinks)):
            surplus[sources] = True
            return _Flow(emitted, np.zeros(0, dtype=np.int64), absorbed), surplus[:count]
        if rising:
            heights = self.heights(sources if base is None else base)
            low = heights[self.tails]
            is_free = is_free & (low + 1 == heights[self.heads]) & (low < FAR)
        usable = np.flatnonzero(is_free)
        source, sink = count, count + 1
        search = self._maker()
        arcs = search.add_arcs_with_capacity(
            np.concatenate((self.tails[usable], np.full(len(sources), source), sinks)).astype(np.int32),
            np.concatenate((self.heads[usable], sources, np.full(len(sinks), sink))).astype(np.int32),
            np.concatenate((np.ones(len(usable), dtype=np.int64), supply[sources], demand[sinks])),
        )
        if search.solve(source, sink) != search.OPTIMAL:
            raise RuntimeError("no maximum flow was found")
        flows = np.asarray(search.flows(arcs), dtype=np.int64)
        emitted[sources] = flows[len(usable) : len(usable) + len(sources)]
        absorbed[sinks] = flows[len(usable) + len(sources) :]
        if absorbed.sum() < demand.sum():
            surplus[search.get_source_side_min_cut()] = True
        return _Flow(emitted, usable[flows[: len(usable)] > 0], absorbed), surplus[:count]

    def heights(self, routers: Longs) -> Longs:
        """Return the distance of every router from the nearest of the given ones."""
        if self.num_routers <= MOST_ROUTERS_TABLED:
            nearest: Longs = self._distances[routers].min(axis=0, initial=FAR).astype(np.int64)
            return nearest
        first, neighbours = self._neighbours
        heights = np.full(self.num_routers, FAR, dtype=np.int64)
        heights[routers] = 0
        frontier, level = routers, 0
        while len(frontier):
            level += 1
            counts = first[frontier + 1] - first[frontier]
            offsets = np.repeat(first[frontier] - np.cumsum(counts) + counts, counts)
            found = neighbours[offsets + np.arange(len(offsets))]
            frontier = np.unique(found[heights[found] == FAR])
            heights[frontier] = level
        return heights

    @cached_property
    def _distances(self) -> npt.NDArray[np.int32]:
        table = self.problem.network.distances.astype(np.int32)
        table[table < 0] = FAR
        return table

    @cached_property
    def _neighbours(self) -> tuple[Longs, Longs]:
        order = np.argsort(self.tails, kind="stable")
        first = np.searchsorted(self.tails[order], np.arange(self.num_routers + 1))
        return first.astype(np.int64), self.heads[order].astype(np.int64)


class _Set(NamedTuple):
    """An informed set, and the step that informed it, where that is known already."""

    members: Bits
    step: _Step | None = None


class _Search:
    """Chains of informed sets, from the root alone to all targets."""

    def __init__(self, oracle: _Oracle, root: int, targets: Longs, growth: list[int]) -> None:
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

    def forwards(self, most_steps: int | None, rng: np.random.Generator) -> list[_Set] | None:
        """Inform as many as can be in every step; there is always an answer, though seldom a short one."""
        oracle = self.oracle
        chain = [_Set(self.start)]
        while (waiting := self.goal & ~chain[-1].members).any():
            if most_steps is not None and len(chain) > most_steps:
                return None
            # Only as many as there are ports, drawn by chance: a flow to all would inform those near by and get stuck.
            most = int(oracle.ports[chain[-1].members].sum())
            asked = np.flatnonzero(waiting)
            waiting = np.zeros_like(waiting)
            waiting[rng.permutation(asked)[:most]] = True
            step = oracle.step(chain[-1].members, waiting, again=False)
            served = np.flatnonzero(waiting)
            homes = oracle.home[served]
            # The first processors of a router that wait there; rank counts those before within the router.
            order = np.argsort(homes, kind="stable")
            ranks = np.arange(len(order)) - np.searchsorted(homes[order], homes[order])
            later = chain[-1].members.copy()
            later[served[order][ranks < step.absorbed[homes[order]]]] = True
            chain.append(_Set(later))
        return chain

    def backwards(self, num_steps: int, rng: np.random.Generator, most_flows: int) -> list[_Set] | None:
        """Look for a chain of so many steps, starting anew until the flows are used up."""
        oracle = self.oracle
        oracle.most_flows = oracle.num_flows + most_flows
        try:
            if num_steps == 1:
                step = oracle.step(self.start, self.goal & ~self.start)
                return None if step.missing else [_Set(self.start), _Set(self.goal, step)]
            attempt = 0
            while True:
                # Relays come second: those who want the message anyway cost nothing.
                chain = self._chain(num_steps, attempt, rng, relays=self.has_relays and attempt % 3 > 0)
                if chain is not None:
                    return chain
                attempt += 1
        finally:
            oracle.most_flows = None

    def _chain(self, num_steps: int, attempt: int, rng: np.random.Generator, *, relays: bool) -> list[_Set] | None:
        sizes = self._sizes(num_steps, 1 + attempt % (num_steps - 1))
        if attempt >= num_steps and attempt % 2:
            # Bottlenecks grow less than ports allow; then smaller sets are the ones that can be informed in time.
            sizes = [max(1, int(np.ceil(size * rng.uniform(0.5, 1.0)))) for size in sizes]
        later, chain, first = self.goal, list[_Set](), None
        for number in range(num_steps - 1, 0, -1):
            state = self._before(later, sizes[number], self._most(number), rng, is_first=number == 1, relays=relays)
            if state is None:
                return None
            chain.append(_Set(later, state.to_later))
            later, first = state.holders, state.to_holders
        return [_Set(self.start), _Set(later, first), *reversed(chain)]

    def _most(self, number: int) -> int:
        """Return how many can be informed after so many steps."""
        return self.growth[min(number, len(self.growth) - 1)]

    def _sizes(self, num_steps: int, num_perfect: int) -> list[int]:
        """Return the sizes of the sets: grown as far as can be in the first steps, then by equal factors."""
        whole = int(self.goal.sum())
        sizes = [min(self._most(number), whole) for number in range(num_perfect + 1)]
        factor = (whole / sizes[-1]) ** (1 / max(1, num_steps - num_perfect))
        for number in range(num_perfect + 1, num_steps):
            sizes.append(min(self._most(number), int(np.ceil(sizes[num_perfect] * factor ** (number - num_perfect)))))
        return [*sizes, whole]

    # -- one step back

    def _before(
        self, later: Bits, size: int, most: int, rng: np.random.Generator, *, is_first: bool, relays: bool
    ) -> _State | None:
        """Look for a set that can inform the later one: of the given size, or a little larger."""
        pool = self.can_relay if relays else self.can_send & later
        holders = self._scattered(pool, size, rng, later)
        state = self._state(holders, later, holders, is_first=is_first)
        mark, waited, stride = state.cost, 0, 0.5
        # Large sets have room enough; in small ones it matters who is nearest to whom.
        is_small = self.oracle.is_minimal and size <= FEW
        while state.cost:
            if is_small and state.to_later.missing and rng.random() < 0.5:
                other = self._state(state.holders, later, self._grounded(state, rng), is_first=is_first)
            else:
                changed = self._moved(state, pool, most, stride, rng)
                if changed is None:
                    return None
                ground = (state.ground & changed) | (changed & ~state.holders)
                other = self._state(changed, later, ground, is_first=is_first)
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
                state = self._state(wider, later, wider, is_first=is_first)
                mark, waited = state.cost, 0
        return state

    def _state(self, holders: Bits, later: Bits, ground: Bits, *, is_first: bool) -> _State:
        """Ask the oracle what a set can do."""
        oracle = self.oracle
        to_holders = oracle.step(self.start, holders & ~self.start) if is_first else None
        base = np.unique(oracle.home[ground & (oracle.ports > 0)]) if oracle.is_minimal else None
        to_later = oracle.step(holders, later & ~holders, base=base)
        return _State(holders, later, ground, to_later, to_holders)

    def _grounded(self, state: _State, rng: np.random.Generator) -> Bits:
        """Measure heights from other holders: so a target may hear from a source that is not the nearest."""
        ground: Bits = state.holders & (rng.random(len(state.holders)) < rng.random())
        return ground if (ground & (self.oracle.ports > 0)).any() else self.start

    def _scattered(self, pool: Bits, size: int, rng: np.random.Generator, later: Bits) -> Bits:
        """Draw a set; of a large one, each part away from the parts before it."""
        oracle, holders = self.oracle, self.start.copy()
        for part in range(1, PARTS) if size > FEW else ():
            heights = oracle.heights(np.unique(oracle.home[holders]))
            apart = np.flatnonzero(pool & ~holders & (heights >= 2)[oracle.home])
            holders[self._drawn(apart, size * part // PARTS - int(holders.sum()), rng, later)] = True
        missing = size - int(holders.sum())
        holders[self._drawn(np.flatnonzero(pool & ~holders), missing, rng, later)] = True
        return holders

    def _drawn(self, choice: Longs, count: int, rng: np.random.Generator, later: Bits) -> Longs:
        """Draw processors, those with many ports more often and those outside the later set seldom."""
        if count <= 0 or not len(choice):
            return choice[:0]
        weights = self.weights[choice] * np.where(later[choice], 1.0, 0.3)
        keys = rng.exponential(size=len(choice)) / weights
        if count < len(choice):
            return choice[np.argpartition(keys, count - 1)[:count]]
        return choice

    def _moved(self, state: _State, pool: Bits, most: int, stride: float, rng: np.random.Generator) -> Bits | None:
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

    def _arriving(self, state: _State, pool: Bits, count: int, rng: np.random.Generator) -> Longs:
        """Choose new sources beyond the cut: mostly those who are left out themselves."""
        home, step = self.oracle.home, state.to_later
        waiting = state.later & ~state.holders
        demand = np.bincount(home[waiting], minlength=self.oracle.num_routers)
        free = pool & ~state.holders
        choice = np.flatnonzero(free & waiting & (demand > step.absorbed)[home])
        if not len(choice) or rng.random() < 0.3:
            beyond = np.flatnonzero(free & ~step.surplus[home])
            choice = beyond if len(beyond) else np.flatnonzero(free)
        return self._drawn(choice, count, rng, state.later)

    def _widened(self, state: _State, pool: Bits, size: int, rng: np.random.Generator) -> Bits:
        """Add sources to a set that is too small."""
        holders = state.holders.copy()
        holders[self._arriving(state, pool, max(1, size - int(holders.sum())), rng)] = True
        return holders


class _State(NamedTuple):
    """An informed set, the later set that it is to inform, and how far that goes."""

    holders: Bits
    later: Bits
    ground: Bits
    """The holders from whom heights are measured."""
    to_later: _Step
    to_holders: _Step | None
    """The first step, from the root alone, where the set is the first after it."""

    @property
    def cost(self) -> int:
        """Return how many are left out."""
        return self.to_later.missing + (self.to_holders.missing if self.to_holders else 0)


# -- from sets to transfers


def _schedule(oracle: _Oracle, chain: list[_Set], targets: Longs) -> Schedule:
    """Take the flow of every step apart, and leave out relays that pass nothing on."""
    oracle.most_flows, oracle.budget = None, Budget()
    needed = set(targets.tolist())
    steps: list[list[Transfer]] = []
    for before, after in reversed(list(pairwise(chain))):
        useful = [transfer for transfer in _transfers(oracle, before, after) if transfer.receiver in needed]
        needed |= {transfer.sender for transfer in useful}
        steps += [useful] if useful else []
    return Schedule.from_transfers(
        transfer._replace(step=number) for number, step in enumerate(reversed(steps)) for transfer in step
    )


def _transfers(oracle: _Oracle, before: _Set, after: _Set) -> Iterator[Transfer]:
    """Yield the transfers of one step, not yet numbered: its flows as simple paths."""
    holders, wanted = before.members, after.members & ~before.members
    step = after.step
    if step is None or not oracle.is_minimal:
        # Shortest paths where they are enough: a flow over all channels wanders.
        short = oracle.step(holders, wanted, shortest=True)
        step = short if not short.missing else step or oracle.step(holders, wanted)
    receivers: dict[int, list[int]] = {}
    for receiver in np.flatnonzero(wanted).tolist():
        receivers.setdefault(int(oracle.home[receiver]), []).append(receiver)
    senders: dict[int, list[int]] = {}
    for sender in np.flatnonzero(holders).tolist():
        senders.setdefault(int(oracle.home[sender]), []).extend([sender] * int(oracle.ports[sender]))
    for flow in step.flows:
        for start, path, end in _paths(oracle, flow):
            yield Transfer(0, senders[start].pop(), receivers[end].pop(), path, (0,))


def _paths(oracle: _Oracle, flow: _Flow) -> Iterator[tuple[int, tuple[int, ...], int]]:
    """Take a flow apart into simple paths, each with the routers at its ends."""
    channels = flow.on_channels
    if oracle.is_half:
        back = oracle.problem.network.opposite[channels]
        channels = channels[(back < 0) | ~np.isin(back, channels)]
    head_of = dict(zip(channels.tolist(), oracle.heads[channels].tolist(), strict=True))
    leaving: dict[int, list[int]] = {}
    for channel, tail in zip(channels.tolist(), oracle.tails[channels].tolist(), strict=True):
        leaving.setdefault(tail, []).append(channel)
    ending = flow.absorbed.tolist()
    for start in np.repeat(np.arange(oracle.num_routers), flow.emitted).tolist():
        router, path, met = start, [], {start: 0}
        while not ending[router]:
            channel = leaving[router].pop()
            router = head_of[channel]
            path.append(channel)
            if router in met:
                # A round trip that the flow makes is left out of the path.
                for lost in path[met[router] : -1]:
                    del met[head_of[lost]]
                del path[met[router] :]
            else:
                met[router] = len(path)
        ending[router] -= 1
        yield start, tuple(path), router
