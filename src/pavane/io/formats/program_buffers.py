"""The programs of all processors and their buffers, of one collective or of several at once.

Of several the input buffer of a processor is that of each collective, one after the other, and so is its output. The
collectives have blocks as they have alone (`buffer_layout`), all of one size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from pavane.io.formats.buffer_layout import BufferLayout, Delivery, buffers_in_words
from pavane.io.formats.buffers import Block, BufferProgram, Copy, Move, buffer_programs
from pavane.io.formats.export import refuse_resting, refuse_unordered
from pavane.io.levels import OrderedResult
from pavane.model.problem import Problem
from pavane.model.several import owners_of, split


@dataclass(frozen=True)
class ProgramBuffers:
    """The programs of all processors, and where the blocks of each collective begin."""

    problem: Problem
    layouts: list[BufferLayout]
    inputs: list[int]
    """The block at which the input of each collective begins, and last the number of blocks."""
    outputs: list[int]
    programs: list[BufferProgram]
    groups: list[list[int]]
    """The processors that take part in each of several collectives: members, and others that pass messages on."""
    group_of: list[int]
    """The collective of each transfer, if there are several."""

    @classmethod
    def of(
        cls,
        ordered: OrderedResult,
        in_place: bool = False,
        receive_steps: Sequence[int] | None = None,
        trees: Sequence[Sequence[int]] = (),
    ) -> ProgramBuffers:
        """Return the buffers of a schedule; of one collective with the other arguments of `buffer_programs`."""
        problem, schedule = ordered.problem, ordered.schedule
        layouts = [BufferLayout(part) for part in problem.parts]
        inputs, outputs = (
            list(accumulate((side.num_blocks for side in sides), initial=0))
            for sides in ([each.inputs for each in layouts], [each.outputs for each in layouts])
        )
        if not problem.has_several:
            programs = buffer_programs(problem, schedule, in_place, receive_steps, trees)
            return cls(problem, layouts, inputs, outputs, programs, [], [])
        owners = owners_of(problem, schedule)
        whole = [BufferProgram(processor, (), (), 0) for processor in range(problem.network.num_processors)]
        groups = []
        for number, (part, own) in enumerate(zip(problem.parts, split(problem, schedule), strict=True)):
            pieces, numbers = layouts[number].pieces, np.flatnonzero(owners == number).tolist()
            firsts = {"i": inputs[number] * pieces, "o": outputs[number] * pieces}
            programs = buffer_programs(part, own)
            whole = [_joined(*both, firsts, numbers) for both in zip(whole, programs, strict=True)]
            ends = {delivery[side] for delivery in layouts[number].deliveries() for side in (0, 1)}
            groups.append(sorted(ends | {*own.senders.tolist(), *own.receivers.tolist()}))
        in_order = [replace(each, moves=tuple(sorted(each.moves, key=lambda move: move.step))) for each in whole]
        return cls(problem, layouts, inputs, outputs, in_order, groups, owners.tolist())

    @property
    def name(self) -> str:
        """Return the name of the function that carries the schedule out."""
        return "pavane_joint" if self.groups else f"pavane_{self.problem.collective.kind.lower()}"

    @property
    def pieces(self) -> int:
        """Return the number of pieces of a unit."""
        return self.layouts[0].pieces

    @property
    def is_even(self) -> bool:
        """Whether all blocks have one size."""
        return self.layouts[0].is_even

    @property
    def num_units(self) -> tuple[int, int]:
        """Return the units of an input and of an output buffer."""
        layouts = self.layouts
        return sum(each.inputs.num_units for each in layouts), sum(each.outputs.num_units for each in layouts)

    def deliveries(self) -> Iterator[Delivery]:
        """Yield all that must arrive or contribute, collective by collective."""
        for layout, first_input, first_output in zip(self.layouts, self.inputs, self.outputs, strict=False):
            for each in layout.deliveries():
                yield each._replace(source=first_input + each.source, sink=first_output + each.sink)

    def ends(self, move: Move) -> list[int]:
        """Return the rank of the other end of a transfer, and of several collectives the number of its own."""
        if not self.groups:
            return [move.peer]
        group = self.group_of[move.transfer]
        return [self.groups[group].index(move.peer), group]

    def words(self) -> Iterator[str]:
        """Yield a description of the buffers for the head of a generated file."""
        if not self.groups:
            yield from buffers_in_words(self.layouts[0])
            return
        yield "Blocks of send and recv, all of one size, by collective:"
        for number, layout in enumerate(self.layouts):
            sent, received = (line.split(": ", 1)[1].rstrip(".") for line in buffers_in_words(layout))
            from_input, from_output = (
                f"{ends[number]} to {ends[number + 1] - 1}" for ends in (self.inputs, self.outputs)
            )
            kind = layout.problem.collective.kind
            yield f"{number} {kind}: send {from_input}: {sent}; recv {from_output}: {received}."


def refuse_several_buffers(ordered: OrderedResult, who: str) -> str | None:
    """Refuse what has no place in common buffers, or at processors."""
    collectives = ordered.problem.collectives
    if any(each.sizes for each in collectives):
        return "messages have sizes of their own, and the common buffers have blocks of one size"
    if len({each.pieces for each in collectives}) > 1:
        return "the collectives are cut into different numbers of pieces; give all of them the same"
    return refuse_resting(ordered, who)


def refuse_processes(ordered: OrderedResult) -> str | None:
    """Refuse what programs of MPI cannot do."""
    refuse = refuse_several_buffers if ordered.problem.has_several else refuse_unordered
    return refuse(ordered, "MPI processes run")


def _joined(whole: BufferProgram, own: BufferProgram, firsts: dict[str, int], numbers: list[int]) -> BufferProgram:
    """Return the program of a processor with that of one more collective, whose blocks begin elsewhere."""
    starts = {**firsts, "s": whole.num_scratch}

    def moved(block: Block) -> Block:
        return Block(block.buffer, block.number + starts[block.buffer])

    copies = [Copy(moved(each.source), moved(each.sink), each.num_blocks) for each in own.copies]
    moves = [
        replace(
            move,
            transfer=numbers[move.transfer],
            blocks=tuple(map(moved, move.blocks)),
            onto=tuple(None if block is None else moved(block) for block in move.onto),
        )
        for move in own.moves
    ]
    return BufferProgram(
        whole.processor, (*whole.copies, *copies), (*whole.moves, *moves), whole.num_scratch + own.num_scratch
    )
