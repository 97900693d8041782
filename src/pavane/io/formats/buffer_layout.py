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
from functools import cached_property
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


class BufferLayout:
    """The units of the buffers of all processors."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.num_processors = problem.network.num_processors
        self.pieces = problem.collective.pieces
        """Pieces of a unit."""
        self.is_even = not problem.collective.sizes
        kind = problem.collective.kind
        self.has_many_inputs = problem.pattern != "broadcast" and kind not in ("AOG", "AOR")
        self.has_many_outputs = problem.pattern != "reduction" and kind not in ("OAS", "OAB")
        self._parts = sorted(problem.collective.receivers) if problem.pattern == "allreduce" else None

    @property
    def num_input_blocks(self) -> int:
        """Return the number of blocks of an input."""
        if self._parts is not None:
            return len(self._parts)
        return self.num_processors if self.has_many_inputs else 1

    @property
    def num_output_blocks(self) -> int:
        """Return the number of blocks of an output."""
        if self._parts is not None:
            return len(self._parts)
        return self.num_processors if self.has_many_outputs else 1

    @property
    def num_input_units(self) -> int:
        """Return the units of an input where all inputs have as many: without sizes, and in an allreduce."""
        return self._num_units if self._parts is not None else self.num_input_blocks

    @property
    def num_output_units(self) -> int:
        """Return the units of an output where all outputs have as many."""
        return self._num_units if self._parts is not None else self.num_output_blocks

    def input_of(self, processor: int, target: int) -> int:
        """Return the unit of a processor's input at which its message to a target, or a part of the vector, begins."""
        if self._parts is not None:
            return self._part_starts[target]
        if not self.has_many_inputs:
            return 0
        return target if self.is_even else self.input_starts(processor)[target]

    def output_of(self, processor: int, origin: int) -> int:
        """Return the unit of a processor's output at which the message of an origin, or a part of the sum, begins."""
        if self._parts is not None:
            return self._part_starts[origin]
        if not self.has_many_outputs:
            return 0
        return origin if self.is_even else self.output_starts(processor)[origin]

    def input_starts(self, processor: int) -> list[int]:
        """Return the units at which the blocks of a processor's input begin, with sizes, and last where they end."""
        return self._starts[0][processor]

    def output_starts(self, processor: int) -> list[int]:
        """Return the units at which the blocks of a processor's output begin, with sizes, and last where they end."""
        return self._starts[1][processor]

    def deliveries(self) -> Iterator[Delivery]:
        """Yield all that must arrive or contribute, one's own included; the vector of an allreduce as a whole."""
        if self._parts is not None:
            members = sorted(self.problem.collective.senders)
            units = self._num_units
            yield from (Delivery(origin, target, 0, 0, units) for origin in members for target in members if units)
            return
        for origin, target in self._ends():
            units = self._units(origin, target)
            if units:
                yield Delivery(origin, target, self.input_of(origin, target), self.output_of(target, origin), units)

    def _ends(self) -> list[tuple[int, int]]:
        collective = self.problem.collective
        if collective.kind == "PAIRS":
            return sorted(collective.pairs)
        return [(o, t) for o in sorted(collective.senders) for t in sorted(collective.receivers)]

    def _units(self, origin: int, target: int) -> int:
        ends = {"private": (origin, target), "broadcast": (origin,), "reduction": (target,)}[self.problem.pattern]
        return self._sizes.get(ends, 1)

    @cached_property
    def _sizes(self) -> dict[tuple[int, ...], int]:
        return {size[:-1]: size[-1] for size in self.problem.collective.sizes}

    @cached_property
    def _num_units(self) -> int:
        return sum(self._sizes.get((part,), 1) for part in self._parts or [])

    @cached_property
    def _part_starts(self) -> dict[int, int]:
        parts = self._parts or []
        return dict(zip(parts, accumulate((self._sizes.get((part,), 1) for part in parts), initial=0), strict=False))

    @cached_property
    def _starts(self) -> tuple[list[list[int]], list[list[int]]]:
        everyone = range(self.num_processors)
        if self._parts is not None:
            members, units = set(self.problem.collective.senders), [self._sizes.get((p,), 1) for p in self._parts]
            starts = [[0, *accumulate(units if p in members else [0] * len(units))] for p in everyone]
            return starts, starts
        into = [[0] * self.num_input_blocks for _ in everyone]
        out = [[0] * self.num_output_blocks for _ in everyone]
        for origin, target in self._ends():
            into[origin][target if self.has_many_inputs else 0] = self._units(origin, target)
            out[target][origin if self.has_many_outputs else 0] = self._units(origin, target)
        return [[0, *accumulate(counts)] for counts in into], [[0, *accumulate(counts)] for counts in out]


def buffers_in_words(layout: BufferLayout) -> list[str]:
    """Return a description of the buffers for the head of a generated file."""
    pattern = layout.problem.pattern
    many_in, many_out = layout.has_many_inputs, layout.has_many_outputs
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
