"""What each processor does, and in which buffers: the common ground of all exports that run.

A processor has an input buffer and an output buffer, which `layout` describes, and scratch for what it passes on. A
block of a buffer is a message, or one of its pieces.

A processor that is sender and receiver also gets its own: copied, or as its contribution. A partial result moves, so
what comes after it was sent on is new and has a block of its own: no block is ever written while it is still needed.
The running sums of an allreduce stay when they are sent, and what comes later makes a new one, in another block.
Where its output may be its input, some of the last sums wait in scratch (`in_place`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pavane.io.formats.buffer_layout import BufferLayout
from pavane.io.formats.in_place import waiting_sums
from pavane.io.programs import Act, Program, piece_numbers, programs_of
from pavane.model.allreduce import is_added
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

Buffer = Literal["i", "o", "s"]


class Block(NamedTuple):
    """A block of the input, the output or the scratch buffer: a message, or a piece of one."""

    buffer: Buffer
    number: int


class Copy(NamedTuple):
    """What a processor has for itself, as blocks that follow each other: from the input to the output."""

    source: Block
    sink: Block
    num_blocks: int


def follows(block: Block | None, before: Block | None) -> bool:
    """Whether a block stands right behind another, or there is none in either case."""
    if block is None or before is None:
        return block is before
    return block == Block(before.buffer, before.number + 1)


def code(block: Block | None, piece: int = 0, pieces: int = 1) -> int:
    """Return a block as one number, which the generated programs call a place, and -1 for none.

    Blocks of scratch are not in the order of pieces, so their number includes the piece of the unit.
    """
    if block is None:
        return -1
    number = block.number * pieces + piece if block.buffer == "s" else block.number
    return 3 * number + "ios".index(block.buffer)


@dataclass(frozen=True)
class Move:
    """One end of a transfer."""

    step: int
    transfer: int
    """The number of the transfer in the schedule."""
    peer: int
    receives: bool
    blocks: tuple[Block, ...]
    """Where each carried message is read from, or written to."""
    onto: tuple[Block | None, ...]
    """What is there to be combined with each arriving partial result; None where it comes first, takes the place of
    what is there, or is not a partial result."""
    pieces: tuple[int, ...]
    """Which piece of a unit each carried message is; 0 where messages are whole."""

    def codes(self, blocks: Sequence[Block | None], pieces: int) -> list[int]:
        """Return some of its blocks as numbers, of messages in that many pieces a unit."""
        return [code(block, piece, pieces) for block, piece in zip(blocks, self.pieces, strict=True)]


@dataclass(frozen=True)
class BufferProgram:
    """What one processor does with its buffers, in the order of the schedule."""

    processor: int
    copies: tuple[Copy, ...]
    moves: tuple[Move, ...]
    num_scratch: int
    results: tuple[Copy, ...] = ()
    """What has waited in scratch and goes to the output when all is over that reads the input there."""


def buffer_programs(problem: Problem, schedule: Schedule, in_place: bool = False) -> list[BufferProgram]:
    """Return the program of every processor; no message may rest at a pure switch.

    With `in_place` the program of an allreduce is right, too, where input and output are the same buffer.
    """
    layout = BufferLayout(problem)
    copies: list[list[Copy]] = [[] for _ in range(problem.network.num_processors)]
    # A target without other contributors has no message.
    reduced = set(problem.ends[:, 0].tolist()) if problem.pattern == "reduction" else set()
    if problem.pattern == "allreduce" and problem.num_messages:
        reduced = set(problem.collective.senders)
    each = layout.pieces
    for origin, target, source, sink, units in layout.deliveries():
        if origin == target and target not in reduced:
            copies[origin].append(Copy(Block("i", source * each), Block("o", sink * each), units * each))
    moves_in_buffers: _Copying | _Reducing | _Adding
    if problem.pattern == "allreduce":
        moves_in_buffers = _Adding(layout, schedule, waiting_sums(problem, schedule) if in_place else set())
    else:
        moves_in_buffers = _Reducing(layout) if problem.pattern == "reduction" else _Copying(layout)
    made = []
    for processor, program in programs_of(problem, schedule).items():
        moves, num_scratch, results = moves_in_buffers(processor, program)
        made.append(BufferProgram(processor, tuple(copies[processor]), tuple(moves), num_scratch, results))
    return made


class _Moves(NamedTuple):
    """The moves of a processor, the number of its scratch blocks, and what goes from there to the output at last."""

    moves: list[Move]
    num_scratch: int
    results: tuple[Copy, ...] = ()


class _Pieces:
    """Where the pieces of messages lie."""

    def __init__(self, layout: BufferLayout) -> None:
        self.layout = layout
        self.numbers = piece_numbers(layout.problem).tolist()

    def input(self, processor: int, target: int, message: int) -> Block:
        """Return the block of a piece to a target in the input of its origin."""
        return Block("i", self.layout.input_of(processor, target) * self.layout.pieces + self.numbers[message])

    def output(self, processor: int, origin: int, message: int) -> Block:
        """Return the block of a piece of an origin in the output of a target."""
        return Block("o", self.layout.output_of(processor, origin) * self.layout.pieces + self.numbers[message])

    def move(self, act: Act, blocks: list[Block], onto: list[Block | None] | None = None) -> Move:
        """Return one end of a transfer."""
        beside = (None,) * len(blocks) if onto is None else tuple(onto)
        pieces = tuple(self.numbers[message] % self.layout.pieces for message in act.transfer.messages)
        return Move(act.transfer.step, act.number, act.peer, act.receives, tuple(blocks), beside, pieces)


class _Copying:
    """Private and broadcast messages: a block for each message at each processor that ever holds it."""

    def __init__(self, layout: BufferLayout) -> None:
        self.pieces = _Pieces(layout)
        self.labels = layout.problem.ends.tolist()
        self.receivers = set(layout.problem.collective.receivers)

    def __call__(self, processor: int, program: Program) -> _Moves:
        """Return the moves of a processor, and what scratch they need."""
        blocks: dict[int, Block] = {}
        num_scratch = 0
        moves = []
        for acts in program.values():
            for act in acts:
                for message in act.transfer.messages:
                    if message not in blocks:
                        blocks[message] = self._end(processor, message) or Block("s", num_scratch)
                        num_scratch += blocks[message].buffer == "s"
                moves.append(self.pieces.move(act, [blocks[message] for message in act.transfer.messages]))
        return _Moves(moves, num_scratch)

    def _end(self, processor: int, message: int) -> Block | None:
        """Return the block of a message at its origin or a target; None where it only passes by."""
        origin, *target = self.labels[message]
        if processor == origin:
            return self.pieces.input(processor, target[0] if target else 0, message)
        if processor in (target or self.receivers):
            return self.pieces.output(processor, origin, message)
        return None


class _Partial:
    """A partial result while it stays at one processor."""

    def __init__(self, message: int, contributed: bool) -> None:
        self.message, self.contributed = message, contributed
        self.arrivals = 0
        self.block = Block("s", -1)


class _Reducing:
    """Partial results: a block for each stay at a processor; the last stay at the target is in its output."""

    def __init__(self, layout: BufferLayout) -> None:
        self.pieces = _Pieces(layout)
        self.targets = layout.problem.ends[:, 0].tolist()
        self.senders = set(layout.problem.collective.senders)

    def __call__(self, processor: int, program: Program) -> _Moves:
        """Return the moves of a processor, and what scratch they need."""
        contributed = range(len(self.targets)) if processor in self.senders else ()
        held = {message: _Partial(message, True) for message in contributed}
        stays = list(held.values())
        at_ends: dict[int, list[tuple[_Partial, int]]] = {}
        """For each transfer the partial results that it takes or adds to, and how many had been added before."""
        for acts in program.values():
            # What leaves in a step left when the step began, before anything arrived.
            for act in acts:
                if not act.receives:
                    at_ends[act.number] = [(held.pop(message), 0) for message in act.transfer.messages]
            for act in acts:
                if act.receives:
                    at_ends[act.number] = [_arrived(message, held, stays) for message in act.transfer.messages]
        num_scratch = 0
        for stay in stays:
            if processor == self.targets[stay.message] and held.get(stay.message) is stay:
                stay.block = self.pieces.output(processor, 0, stay.message)
            elif stay.contributed and not stay.arrivals:
                stay.block = self._own(processor, stay.message)
            else:
                stay.block = Block("s", num_scratch)
                num_scratch += 1
        acts_in_order = (act for acts in program.values() for act in acts)
        return _Moves([self._moved(processor, act, at_ends[act.number]) for act in acts_in_order], num_scratch)

    def _own(self, processor: int, message: int) -> Block:
        return self.pieces.input(processor, self.targets[message], message)

    def _moved(self, processor: int, act: Act, partials: list[tuple[_Partial, int]]) -> Move:
        blocks = [stay.block for stay, _ in partials]
        if not act.receives:
            return self.pieces.move(act, blocks)
        onto = [
            stay.block if before else self._own(processor, stay.message) if stay.contributed else None
            for stay, before in partials
        ]
        return self.pieces.move(act, blocks, onto)


def _arrived(message: int, held: dict[int, _Partial], stays: list[_Partial]) -> tuple[_Partial, int]:
    """Add to the partial result that is there, or begin one; return it, and how often it was added to before."""
    here = held.get(message)
    if here is None:
        here = held[message] = _Partial(message, False)
        stays.append(here)
    here.arrivals += 1
    return here, here.arrivals - 1


class _Sum:
    """A running sum from when it changes for the first time after it was sent, up to when it is sent or replaced."""

    def __init__(self, block: Block | None = None) -> None:
        self.block = block
        self.is_kept = block is not None
        """Whether it must stay as it is: it is the input, or has been sent."""


class _Adding:
    """Running sums: a block for each that is sent; the input is the first, and a member's output the last."""

    def __init__(self, layout: BufferLayout, schedule: Schedule, waiting: set[tuple[int, int]]) -> None:
        self.pieces, self.layout, self.waiting = _Pieces(layout), layout, waiting
        self.parts = layout.problem.ends[:, 0].tolist()
        self.members = set(layout.problem.collective.senders)
        self.replacing: set[tuple[int, int, int]] = set()
        """Steps, receivers and pieces where what is there is replaced, instead of added to."""
        added = is_added(layout.problem, schedule).tolist()
        for i, first in enumerate(schedule.message_offsets[:-1].tolist()):
            for at in range(first, int(schedule.message_offsets[i + 1])):
                if not added[at]:
                    where = (int(schedule.steps[i]), int(schedule.receivers[i]), int(schedule.messages[at]))
                    self.replacing.add(where)

    def __call__(self, processor: int, program: Program) -> _Moves:
        """Return the moves of a processor, and what scratch they need."""
        held: dict[int, _Sum] = {}
        made: list[_Sum] = []
        at_ends: dict[int, list[tuple[_Sum, _Sum | None]]] = {}
        """For each transfer the sums that it takes or makes, and what each arrival is added to."""
        if processor in self.members:
            held = {message: _Sum(self._block("i", message)) for message in range(len(self.parts))}
        for step, acts in program.items():
            for act in acts:
                if not act.receives:
                    at_ends[act.number] = [(held[message], None) for message in act.transfer.messages]
                    for message in act.transfer.messages:
                        held[message].is_kept = True
            begun: dict[int, _Sum | None] = {}
            """For each piece that arrives in this step what the first of its arrivals is added to."""
            for act in acts:
                if act.receives:
                    at_ends[act.number] = ends = []
                    for message in act.transfer.messages:
                        if message not in begun:
                            begun[message] = self._begun(message, held, made, (step, processor, message))
                            ends.append((held[message], begun[message]))
                        else:
                            ends.append((held[message], held[message]))
        last = {message: one for message, one in held.items() if one.block is None and processor in self.members}
        for message, one in last.items():
            if (processor, message) not in self.waiting:
                one.block = self._block("o", message)
        in_scratch = [one for one in made if one.block is None]
        for number, one in enumerate(in_scratch):
            one.block = Block("s", number)
        results = tuple(
            Copy(one.block, self._block("o", message), 1)
            for message, one in last.items()
            if one.block is not None and one.block.buffer == "s"
        )
        acts_in_order = (act for acts in program.values() for act in acts)
        return _Moves([self._moved(act, at_ends[act.number]) for act in acts_in_order], len(in_scratch), results)

    def _begun(self, message: int, held: dict[int, _Sum], made: list[_Sum], where: tuple[int, int, int]) -> _Sum | None:
        """See to it that there is a sum for what arrives in a step; return what its first arrival is added to."""
        before = held.get(message)
        base = None if where in self.replacing else before
        if base is None or base.is_kept:
            held[message] = _Sum()
            made.append(held[message])
        return base

    def _block(self, buffer: Buffer, message: int) -> Block:
        start = self.layout.part_of(self.parts[message]) * self.layout.pieces
        return Block(buffer, start + self.pieces.numbers[message])

    def _moved(self, act: Act, ends: list[tuple[_Sum, _Sum | None]]) -> Move:
        blocks = [one.block for one, _ in ends if one.block is not None]
        onto = [None if base is None else base.block for _, base in ends]
        return self.pieces.move(act, blocks, onto)
