"""Messages and channels as columns of numbers, for the kernels that pack whole paths into steps.

With a group of symmetries that move every message and channel (see `quotients`), one of each orbit stands for all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pavane.kernels import compiled
from pavane.kernels.first_fit import WORDS_AT_ONCE, first_fit
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.symmetry import Symmetry
from pavane.workers.budget import Budget

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

MOST_BYTES = 2**30
"""The most that the table of full steps may take; beyond, there is no answer."""

FEWEST_COMPILED = 600
"""Fewer messages are placed before machine code is even loaded."""

BETWEEN_LOOKS = 1000
"""Messages placed between two looks at the clock."""

NO_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class Packed:
    """A path and a step for every message."""

    num_steps: int
    step_of: Ints
    path_lengths: Longs
    paths: Ints


class Columns:
    """The columns that the kernels work on; with a group of symmetries, of one message and one channel per orbit."""

    def __init__(self, problem: Problem, seed: int, budget: Budget, group: Sequence[Symmetry] = ()) -> None:
        network = problem.network
        self.problem, self.group, self.budget = problem, group, budget
        self.messages = _firsts([symmetry.messages for symmetry in group], problem.num_messages)
        self.num_messages = len(self.messages)
        self.placements_left = budget.evaluations
        self.rng = np.random.default_rng(seed)
        self.kernel: Callable[..., int] = first_fit if self.num_messages < FEWEST_COMPILED else compiled(first_fit)
        self.sources, self.targets = (network.router_of[problem.labels[self.messages, side]] for side in (0, 1))
        self.path_lengths = network.distances[self.sources, self.targets].astype(np.int64)
        self.path_offsets = np.concatenate(([0], np.cumsum(self.path_lengths)))
        self.longest_first = np.lexsort((self.rng.permutation(self.num_messages), -self.path_lengths))
        self.ports, self.port_capacity = _ports(problem, self.messages, self.path_lengths)
        in_channels = np.argsort(network.heads, kind="stable")
        in_offsets = np.searchsorted(network.heads[in_channels], np.arange(network.num_routers + 1))
        self.wiring = (
            network.distances,
            in_offsets.astype(np.int32),
            in_channels.astype(np.int32),
            np.ascontiguousarray(network.tails),
            *self._units(),
        )
        self.num_units = int(self.wiring[-1].max(initial=-1)) + 1 if group else network.num_channels
        self.step_of = np.full(self.num_messages, -1, dtype=np.int32)
        self.flat_prices = np.ones(self.num_messages + 1)
        self.num_words = WORDS_AT_ONCE
        self.forget()

    def _units(self) -> tuple[Ints]:
        """Return what each channel counts as: its unit of capacity, or its orbit."""
        if not self.group:
            return (self.problem.units,)
        images = [symmetry.channels for symmetry in self.group]
        firsts = np.minimum.reduce([np.arange(self.problem.network.num_channels), *images])
        return (np.unique(firsts, return_inverse=True)[1].reshape(-1).astype(np.int32),)

    def schedule(self, packed: Packed) -> Schedule:
        """Return what is packed as a schedule of all messages."""
        copies = 1 + len(self.group)
        messages = np.concatenate([self.messages, *(symmetry.messages[self.messages] for symmetry in self.group)])
        paths = np.concatenate([packed.paths, *(symmetry.channels[packed.paths] for symmetry in self.group)])
        labels = self.problem.labels[messages]
        return Schedule.from_columns(
            packed.num_steps,
            np.tile(packed.step_of, copies),
            labels[:, 0],
            labels[:, 1],
            np.tile(packed.path_lengths, copies),
            paths,
            np.ones(len(messages), dtype=np.int64),
            messages,
        )

    def leave(self, seconds: float) -> None:
        """Leave so much of the time for what comes after packing."""
        if self.budget.deadline is not None:
            self.budget = replace(self.budget, deadline=self.budget.deadline - seconds)

    def forget(self) -> None:
        """Take all paths away."""
        self.paths = np.zeros(int(self.path_offsets[-1]), dtype=np.int32)
        self.is_routed = np.zeros(self.num_messages, dtype=bool)
        self.loads = np.zeros(self.num_units, dtype=np.int32)

    def recall(self, packed: Packed) -> None:
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

    def pack(self, order: Longs, most_load: int = NO_LIMIT) -> Packed | None:
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
        return Packed(num_steps, self.step_of.copy(), self.path_lengths, self.paths.copy())

    def _run(
        self,
        order: Longs,
        prices: npt.NDArray[np.float64],
        most_load: int,
        full: npt.NDArray[np.uint64],
        port_loads: Ints,
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


def _firsts(images: Sequence[Longs], size: int) -> Longs:
    """Return the numbers that are the least of their orbits."""
    firsts = np.ones(size, dtype=bool)
    for image in images:
        firsts &= np.arange(size) < image
    return np.flatnonzero(firsts)


def _ports(problem: Problem, messages: Longs, path_lengths: Longs) -> tuple[Ints, Ints]:
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
        ends = problem.labels[messages, side]
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
