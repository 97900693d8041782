"""Where messages lie in the input and the output buffer of each processor, as MPI's collectives have them.

Where a kind has many messages at one end, block p belongs to processor p:

* private: input block = target (AOG: 0), output block = origin (OAS: 0);
* broadcast: input block = 0, output block = origin (OAB: 0);
* reduction: input block = target (AOR: 0), output block = 0;
* allreduce: both are the vector, a block for each part, in the order of the processors that parts are named after.

Without sizes a block is one unit, whether it is used or not, and block p is unit p. With sizes blocks follow each other
as in MPI's collectives with counts: each begins where the one before ends, and what is not sent takes no room.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from pavane.model.problem import Problem


class Delivery(NamedTuple):
    """A message or a contribution, to another processor or to the same one, from unit to unit."""

    origin: int
    target: int
    source: int
    """The unit of the origin's input at which it begins."""
    sink: int
    """The unit of the target's output at which it begins."""
    units: int


class BufferSide(NamedTuple):
    """The input buffers of all processors, or their output buffers."""

    has_many: bool
    """Whether a buffer has a block for each processor, or for each part of a vector, and not one for all."""
    block_of: dict[int, int]
    """The block of a message by the processor at its other end, or of a part of a vector."""
    starts: list[list[int]]
    """By processor the units at which its blocks begin, and last where they end."""

    @property
    def num_blocks(self) -> int:
        """Return the number of blocks of a buffer."""
        return len(self.starts[0]) - 1

    @property
    def num_units(self) -> int:
        """Return the units of a buffer where all that are used have as many: without sizes, and in an allreduce."""
        return max(starts[-1] for starts in self.starts)

    def start(self, processor: int, other: int) -> int:
        """Return the unit of a processor's buffer at which its message to or from another begins, or a part."""
        return self.starts[processor][self.block_of[other]]


class BufferLayout:
    """The units of the buffers of all processors."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.num_processors = problem.network.num_processors
        self.pieces = problem.collective.pieces
        """Pieces of a unit."""
        self.is_even = not problem.collective.sizes
        self._sizes = {size[:-1]: size[-1] for size in problem.collective.sizes}
        kind = problem.collective.kind
        if problem.pattern == "allreduce":
            self.inputs = self.outputs = self._vectors()
        else:
            ends = [] if self.is_even else self._ends()
            has_many_inputs = problem.pattern != "broadcast" and kind not in ("AOG", "AOR")
            self.inputs = self._side(has_many_inputs, [(o, t, self._units(o, t)) for o, t in ends])
            has_many_outputs = problem.pattern != "reduction" and kind not in ("OAS", "OAB")
            self.outputs = self._side(has_many_outputs, [(t, o, self._units(o, t)) for o, t in ends])

    def deliveries(self) -> Iterator[Delivery]:
        """Yield all that must arrive or contribute, one's own included; the vector of an allreduce as a whole."""
        if self.problem.pattern == "allreduce":
            members = sorted(self.problem.collective.senders)
            units = self.inputs.num_units
            yield from (Delivery(origin, target, 0, 0, units) for origin in members for target in members if units)
            return
        for origin, target in self._ends():
            units = self._units(origin, target)
            if units:
                source, sink = self.inputs.start(origin, target), self.outputs.start(target, origin)
                yield Delivery(origin, target, source, sink, units)

    def _ends(self) -> list[tuple[int, int]]:
        collective = self.problem.collective
        if collective.kind == "PAIRS":
            return sorted(collective.pairs)
        return [(o, t) for o in sorted(collective.senders) for t in sorted(collective.receivers)]

    def _units(self, origin: int, target: int) -> int:
        ends = {"private": (origin, target), "broadcast": (origin,), "reduction": (target,)}[self.problem.pattern]
        return self._sizes.get(ends, 1)

    def _vectors(self) -> BufferSide:
        """Return the vectors of the members of an allreduce; other processors have none."""
        parts, members = sorted(self.problem.collective.receivers), set(self.problem.collective.senders)
        whole = [0, *accumulate(self._sizes.get((part,), 1) for part in parts)]
        starts = [whole if processor in members else [0] * len(whole) for processor in range(self.num_processors)]
        return BufferSide(True, {part: block for block, part in enumerate(parts)}, starts)

    def _side(self, has_many: bool, messages: list[tuple[int, int, int]]) -> BufferSide:
        """Return the buffers of messages, each given by the buffer's processor, the other one, and its units."""
        everyone = range(self.num_processors)
        block_of = {processor: processor if has_many else 0 for processor in everyone}
        num_blocks = self.num_processors if has_many else 1
        if self.is_even:
            return BufferSide(has_many, block_of, [list(range(num_blocks + 1))] * self.num_processors)
        units = [[0] * num_blocks for _ in everyone]
        for processor, other, length in messages:
            units[processor][block_of[other]] = length
        return BufferSide(has_many, block_of, [[0, *accumulate(row)] for row in units])


def buffers_in_words(layout: BufferLayout) -> list[str]:
    """Return a description of the buffers for the head of a generated file."""
    pattern = layout.problem.pattern
    many_in, many_out = layout.inputs.has_many, layout.outputs.has_many
    if pattern == "allreduce":
        sent = "the vector that is added up" + (", a block for each of its parts" if many_in else "")
        got = "the sum of the vectors of all members"
    elif pattern == "reduction":
        sent = "block t is the contribution to processor t" if many_in else "the contribution to the root"
        got = "the combined contributions of all senders"
    elif pattern == "broadcast":
        sent = "the message to all receivers"
        got = "block s is the message of processor s" if many_out else "the message of the root"
    else:
        sent = "block t is the message to processor t" if many_in else "the message to the root"
        got = "block s is the message of processor s" if many_out else "the message of the root"
    return [f"send: {sent}.", f"recv: {got}."]
