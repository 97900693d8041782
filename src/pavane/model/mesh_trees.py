"""A schedule of allgather, reduce-scatter or allreduce on a mesh of any size, given by trees that follow its lines.

The message of a router spreads by *legs*, one along each dimension. The first goes along the line of its router, both
ways. The next one goes along the next dimension, from every router that has the message, on all these lines in the same
steps; after the last dimension comes the first. So each router receives each message once, and two numbers say when a
leg starts: upwards and downwards. A leg goes one channel in each step.

Which dimension is the first may differ from message to message, and this spreads the load: a corner of a mesh of d
dimensions receives over d channels. The table is as large as the mesh, and the deliveries are as many as its pairs of
routers (`judge.mesh_tree_rules` has the proof). A reduce-scatter is an allgather read backwards; an allreduce is first
the one and then the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Flags, Ints, Longs, ranges
from pavane.model.channel_kinds import ChannelKinds
from pavane.model.mesh_table import channels_between
from pavane.model.messages import MOST_MESSAGES
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.text import counted


@dataclass(frozen=True, eq=False, repr=False)
class MeshTrees:
    """Trees along the lines of a mesh: the first dimension of each message, and when its legs start.

    Example:
        >>> problem = pavane.Problem(pavane.network("mesh:5x5"), "allgather")
        >>> pavane.solve_by_table(problem).table
        <MeshTrees: trees along the lines of 5x5 routers in 14 steps>
    """

    num_steps: int
    """The steps of an allgather; an allreduce has twice as many as one of its phases."""
    sizes: tuple[int, ...]
    """The sides of the mesh, whose routers are numbered row by row."""
    first_axes: Ints
    """The dimension of the first leg of each router's message."""
    starts: Longs
    """The step in which a leg starts, upwards (0) and downwards (1): starts[leg, way, router]. Nothing is meant where a
    leg has no channel that way. For reductions these are steps of the allgather that is read backwards."""

    def __len__(self) -> int:
        return len(self.first_axes)

    def __repr__(self) -> str:
        sides = "x".join(map(str, self.sizes))
        return f"<MeshTrees: trees along the lines of {sides} routers in {counted(self.num_steps, 'step')}>"

    @property
    def num_routers(self) -> int:
        """Return the number of routers."""
        return int(np.prod(self.sizes, dtype=np.int64))

    @property
    def num_bytes(self) -> int:
        """Return the bytes that its columns take."""
        return self.first_axes.nbytes + self.starts.nbytes

    def num_phase_steps(self, problem: Problem) -> int:
        """Return the number of steps of one phase: an allreduce has two, and all else one."""
        return self.num_steps // 2 if problem.pattern == "allreduce" else self.num_steps

    def num_transfers(self, problem: Problem) -> int:
        """Return the number of transfers of all messages: one for each delivery, in each phase."""
        return self.num_routers * (self.num_routers - 1) * (2 if problem.pattern == "allreduce" else 1)

    def axis_of(self, leg: int) -> Longs:
        """Return the dimension along which a leg of each message goes."""
        return (self.first_axes.astype(np.int64) + leg) % len(self.sizes)

    def lengths(self, leg: int) -> Longs:
        """Return how many channels a leg of each message has on a line, upwards and downwards: lengths[way, router]."""
        axes, places = self.axis_of(leg), self._places
        here = np.take_along_axis(places, axes[None, :], axis=0)[0]
        return np.stack([np.array(self.sizes, dtype=np.int64)[axes] - 1 - here, here])

    def kinds(self, network: Network) -> ChannelKinds:
        """Return the channels of each router by the way they go: 2 * dimension upwards, one more downwards.

        Where a way leaves the mesh there is -1.
        """
        routers = np.arange(self.num_routers).reshape(self.sizes)
        heads = np.full((len(self.sizes), 2, *self.sizes), -1, dtype=np.int32)
        for axis, of_axis in enumerate(heads):
            lines, ends = np.moveaxis(routers, axis, 0), np.moveaxis(of_axis, axis + 1, 1)
            ends[0, :-1], ends[1, 1:] = lines[1:], lines[:-1]
        heads = np.ascontiguousarray(heads.reshape(-1, self.num_routers).T)
        tails, ways = np.nonzero(heads >= 0)
        channels = np.full_like(heads, -1)
        channels[tails, ways] = channels_between(network, tails, heads[tails, ways].astype(np.int64))
        return ChannelKinds(heads, channels)

    # -- what it says of single routers and steps

    def transfers_of(self, problem: Problem, router: int, target: int | None = None) -> list[Transfer]:
        """Return the transfers of the message of a router, in the order of their steps."""
        if target is not None:
            raise InputError(
                f"messages of {problem.collective.kind} are for all processors, so they have no one target"
            )
        chosen = np.zeros(self.num_routers, dtype=bool)
        chosen[router] = True
        return list(self._schedule(problem, [*self._hops(chosen)]))

    def expand_step(self, problem: Problem, step: int) -> Schedule:
        """Return the transfers of all routers in one step."""
        if not 0 <= step < self.num_steps:
            raise InputError(f"the table has {counted(self.num_steps, 'step')}, so there is no step {step}")
        span, of_phase = self.num_phase_steps(problem), step
        if problem.pattern == "reduction" or (problem.pattern == "allreduce" and step < span):
            of_phase = span - 1 - step
        elif problem.pattern == "allreduce":
            of_phase = step - span
        return self._schedule(problem, [*self._hops(np.ones(self.num_routers, dtype=bool), of_phase)], step)

    def expand(self, problem: Problem) -> Schedule:
        """Return the schedule with the transfers of all messages; refuses what would be too many."""
        count = self.num_transfers(problem)
        if count > MOST_MESSAGES:
            raise InputError(
                f"{problem.collective.kind} on {problem.network.name} has {count:,} transfers; at most "
                f"{MOST_MESSAGES:,} are written out: use the table, or single steps of it"
            )
        return self._schedule(problem, [*self._hops(np.ones(self.num_routers, dtype=bool))])

    # -- how it is written out

    @property
    def _places(self) -> Longs:
        """Return the coordinates of all routers, a row for each dimension."""
        return np.stack(np.unravel_index(np.arange(self.num_routers), self.sizes)).astype(np.int64)

    def _schedule(self, problem: Problem, blocks: list[Longs], step: int | None = None) -> Schedule:
        """Return hops of an allgather as a schedule: as they are, backwards, or both; perhaps of one step only."""
        hops = np.concatenate([np.zeros((4, 0), dtype=np.int64), *blocks], axis=1)
        if problem.pattern != "broadcast":
            span, (steps, tails, heads, messages) = self.num_phase_steps(problem), hops
            phases = [np.stack([span - 1 - steps, heads, tails, messages])]
            if problem.pattern == "allreduce":
                phases.append(np.stack([span + steps, tails, heads, messages]))
            hops = np.concatenate(phases, axis=1)
        steps, tails, heads, messages = hops if step is None else hops[:, hops[0] == step]
        paths = np.ones_like(steps), channels_between(problem.network, tails, heads)
        return Schedule.from_columns(self.num_steps, steps, tails, heads, paths, messages)

    def _hops(self, chosen: Flags, step: int | None = None) -> Iterator[Longs]:
        """Yield steps, tails, heads and messages of the hops of some messages; if a step is given, of this one only."""
        axes, places = range(len(self.sizes)), self._places
        strides = [int(np.prod(self.sizes[axis + 1 :], dtype=np.int64)) for axis in axes]
        for leg in axes:
            lengths, starts = self.lengths(leg), self.starts[leg]
            for axis in axes:
                # The leg starts at all routers that differ from the origin in the dimensions of the legs before.
                before = [(axis - earlier) % len(self.sizes) for earlier in range(1, leg + 1)]
                others = np.zeros(1, dtype=np.int64)
                for each in before:
                    others = (others[:, None] + np.arange(self.sizes[each]) * strides[each]).reshape(-1)
                routers = np.flatnonzero(chosen & (self.axis_of(leg) == axis))
                for way, stride in enumerate((strides[axis], -strides[axis])):
                    counts, waits = lengths[way, routers], np.zeros_like(routers)
                    if step is not None:
                        waits = step - starts[way, routers]
                        counts = ((waits >= 0) & (waits < counts)).astype(np.int64)
                    origins, passed = np.repeat(routers, counts), ranges(waits, counts)
                    ends = origins + stride * passed - sum(places[each, origins] * strides[each] for each in before)
                    tails = (ends[:, None] + others).reshape(-1)
                    times, messages = (
                        np.repeat(each, len(others)) for each in (starts[way, origins] + passed, origins)
                    )
                    yield np.stack([times, tails, tails + stride, messages])
