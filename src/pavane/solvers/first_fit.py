"""First fit for large networks: wormhole scatter, each message in the first step in which some shortest path is free.

What `greedy` does, compiled and on arrays, so that a million messages take seconds; and then better:

1. Free first fit, longest ways first. On networks rich in shortest paths (hypercube, torus) this is the best of all.
2. A plan of paths: each message, shortest ways first, moves to the path whose channels are least loaded, in rounds with
   sharper and sharper prices. Short messages have little choice, the long ones even the loads out. First fit again, in
   which no channel may take more than the plan's largest load. On networks poor in paths (random, dragonfly) the
   largest load is what free first fit wastes.
3. The better of the two is packed again, last step first. A message keeps its path where that is free in the step it
   finds, so what shared a step still fits into one step, and the schedule cannot become longer (iterated greedy, known
   from graph colouring: Culberson 1992).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pavane.kernels import compiled
from pavane.kernels.first_fit import WORDS_AT_ONCE, first_fit
from pavane.problem import Problem
from pavane.result import Provenance, Result
from pavane.schedule import Schedule
from pavane.solvers.budget import Budget

Longs = npt.NDArray[np.int64]

MOST_ROUTERS = 8192
"""Above this the table of distances alone takes more than 128 MB."""

MOST_BYTES = 2**30
"""The most that the table of full steps may take; beyond, there is no answer."""

FEWEST_COMPILED = 600
"""Fewer messages are placed before machine code is even loaded."""

BETWEEN_LOOKS = 1000
"""Messages placed between two looks at the clock."""

NO_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class FirstFit:
    """First fit, free and by a plan of paths; the seed decides the order among equals."""

    name: str = "first-fit"
    sharpness: tuple[float, ...] = (0.1, 0.3, 0.5)
    """Rounds of planning: one more message on a channel raises its price by a factor of 2 to this power."""
    repacks: int = 10
    """How often the better schedule is packed again."""
    most_placements: int = 3_000_000
    """No more repacks once so many messages have been placed: a million messages are placed three times."""

    def supports(self, problem: Problem) -> bool:
        """Say whether every message goes in one transfer on any shortest path, in a network that is not too large."""
        rules = problem.rules
        return (
            problem.pattern == "private"
            and rules.switching == "wormhole"
            and problem.restriction is None
            and not rules.combining
            and problem.network.num_routers <= MOST_ROUTERS
        )

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Return the shortest schedule found; none if all are longer than `num_steps` or time has run out before."""
        best = self._search(_Packing(problem, seed, budget), num_steps)
        if best is None or (num_steps is not None and best.num_steps > num_steps):
            return Result(problem, None, asked=num_steps)
        return Result(problem, best.schedule(problem), provenance=Provenance(self.name, seed), asked=num_steps)

    def _search(self, packing: _Packing, enough: int | None) -> _Packed | None:
        best = packing.pack(packing.longest_first)
        if best is None or _suffices(best, enough):
            return best
        packing.forget()
        for sharpness in self.sharpness:
            if not packing.plan(sharpness):
                return best
        most_load = packing.largest_load
        planned = packing.pack(packing.longest_first, most_load)
        if planned is None:
            return best
        if planned.num_steps <= best.num_steps:
            best = planned
        else:
            most_load = NO_LIMIT
        for repack in range(self.repacks):
            if _suffices(best, enough) or (repack + 3) * packing.num_messages > self.most_placements:
                break
            packing.recall(best)
            again = packing.pack(packing.last_step_first(), most_load)
            if again is None:
                break
            best = again
        return best


@dataclass(frozen=True)
class _Packed:
    """A path and a step for every message."""

    num_steps: int
    step_of: npt.NDArray[np.int32]
    path_lengths: Longs
    paths: npt.NDArray[np.int32]

    def schedule(self, problem: Problem) -> Schedule:
        """Return it as a schedule."""
        messages = np.arange(problem.num_messages, dtype=np.int32)
        origins, targets = problem.labels[:, 0], problem.labels[:, 1]
        counts = np.ones(len(messages), dtype=np.int64)
        return Schedule.from_columns(
            self.num_steps, self.step_of, origins, targets, self.path_lengths, self.paths, counts, messages
        )


def _suffices(packed: _Packed, enough: int | None) -> bool:
    return enough is not None and packed.num_steps <= enough


class _Packing:
    """The columns that the kernel works on."""

    def __init__(self, problem: Problem, seed: int, budget: Budget) -> None:
        network = problem.network
        self.budget = budget
        self.num_messages = problem.num_messages
        self.placements_left = budget.evaluations
        self.rng = np.random.default_rng(seed)
        self.kernel: Callable[..., int] = first_fit if self.num_messages < FEWEST_COMPILED else compiled(first_fit)
        self.sources, self.targets = (network.router_of[problem.labels[:, side]] for side in (0, 1))
        self.path_lengths = network.distances[self.sources, self.targets].astype(np.int64)
        self.path_offsets = np.concatenate(([0], np.cumsum(self.path_lengths)))
        self.longest_first = np.lexsort((self.rng.permutation(self.num_messages), -self.path_lengths))
        self.ports, self.port_capacity = _ports(problem, self.path_lengths)
        in_channels = np.argsort(network.heads, kind="stable")
        in_offsets = np.searchsorted(network.heads[in_channels], np.arange(network.num_routers + 1))
        self.wiring = (
            network.distances,
            in_offsets.astype(np.int32),
            in_channels.astype(np.int32),
            np.ascontiguousarray(network.tails),
            problem.units,
        )
        self.num_units = network.num_channels
        self.step_of = np.full(self.num_messages, -1, dtype=np.int32)
        self.flat_prices = np.ones(self.num_messages + 1)
        self.num_words = WORDS_AT_ONCE
        self.forget()

    def forget(self) -> None:
        """Take all paths away."""
        self.paths = np.zeros(int(self.path_offsets[-1]), dtype=np.int32)
        self.is_routed = np.zeros(self.num_messages, dtype=bool)
        self.loads = np.zeros(self.num_units, dtype=np.int32)

    def recall(self, packed: _Packed) -> None:
        """Go back to the paths and steps of a schedule."""
        self.paths, self.step_of = packed.paths.copy(), packed.step_of.copy()
        self.loads = np.bincount(self.wiring[-1][self.paths], minlength=self.num_units).astype(np.int32)

    @property
    def largest_load(self) -> int:
        """Return the load of the busiest unit."""
        return int(self.loads.max(initial=0))

    def last_step_first(self) -> Longs:
        """Return an order that keeps the messages of a step together, the longest first."""
        return np.lexsort((self.rng.permutation(self.num_messages), -self.path_lengths, -self.step_of))

    def plan(self, sharpness: float) -> bool:
        """Move every message to its cheapest path, shortest ways first; False if time ran out."""
        middle = max(self.largest_load, self.path_offsets[-1] / max(self.num_units, 1))
        exponents = sharpness * (np.arange(self.num_messages + 1) - middle)
        prices = np.exp2(np.clip(exponents, -300.0, 300.0))
        full = np.zeros((self.num_units + len(self.port_capacity), 0), dtype=np.uint64)
        port_loads = np.zeros((len(self.port_capacity), 0), dtype=np.int32)
        return self._run(self.longest_first[::-1].copy(), prices, NO_LIMIT, full, port_loads) == self.num_messages

    def pack(self, order: Longs, most_load: int = NO_LIMIT) -> _Packed | None:
        """Place every message in the first step that it fits; None if time or memory ran out."""
        num_rows = self.num_units + len(self.port_capacity)
        full = np.zeros((num_rows, self.num_words), dtype=np.uint64)
        port_loads = np.zeros((len(self.port_capacity), 64 * self.num_words), dtype=np.int32)
        done = self._run(order, self.flat_prices, most_load, full, port_loads)
        while done is not None and done < self.num_messages:
            if 2 * (full.nbytes + port_loads.nbytes) > MOST_BYTES:
                return None
            full = np.concatenate((full, np.zeros_like(full)), axis=1)
            port_loads = np.concatenate((port_loads, np.zeros_like(port_loads)), axis=1)
            done = self._run(order, self.flat_prices, most_load, full, port_loads, done)
        if done is None:
            return None
        num_steps = int(self.step_of.max()) + 1
        # The next one starts with just enough words.
        self.num_words = WORDS_AT_ONCE * -(-num_steps // (64 * WORDS_AT_ONCE))
        return _Packed(num_steps, self.step_of.copy(), self.path_lengths, self.paths.copy())

    def _run(
        self,
        order: Longs,
        prices: npt.NDArray[np.float64],
        most_load: int,
        full: npt.NDArray[np.uint64],
        port_loads: npt.NDArray[np.int32],
        done: int = 0,
    ) -> int | None:
        """Call the kernel until all are placed or the steps do not suffice; None if time ran out."""
        while done < self.num_messages:
            last = min(done + BETWEEN_LOOKS, self.num_messages)
            if self.budget.is_over or (self.placements_left is not None and self.placements_left < last - done):
                return None
            reached = self.kernel(
                done,
                last,
                order,
                self.sources,
                self.targets,
                self.ports,
                *self.wiring,
                prices,
                most_load,
                self.path_offsets,
                self.paths,
                self.is_routed,
                self.loads,
                full,
                port_loads,
                self.port_capacity,
                self.step_of,
            )
            if self.placements_left is not None:
                self.placements_left -= reached - done
            done = reached
            if done < last:
                break
        return done


def _ports(problem: Problem, path_lengths: Longs) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the two ports of each message, and the capacity of each port.

    Port 0 stands for all that can never be the bottleneck, because every message through them takes one of no more
    channels: all-port models need no tables.
    """
    network = problem.network
    columns, capacities = [], [np.array([NO_LIMIT])]
    num_ports = 1
    for side, capacity, degrees in (
        (0, problem.injection, network.out_degrees),
        (1, problem.ejection, network.in_degrees),
    ):
        ends = problem.labels[:, side]
        binds = capacity < degrees[network.router_of]
        # Messages within one router take no channel.
        binds[ends[path_lengths == 0]] = True
        mine = np.unique(ends[binds[ends]])
        number_of = np.zeros(network.num_processors, dtype=np.int32)
        number_of[mine] = num_ports + np.arange(len(mine))
        num_ports += len(mine)
        columns.append(number_of[ends])
        capacities.append(capacity[mine])
    return np.column_stack(columns), np.concatenate(capacities).astype(np.int32)
