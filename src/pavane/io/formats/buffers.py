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

import numpy as np

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


def buffer_programs(
    problem: Problem,
    schedule: Schedule,
    in_place: bool = False,
    receive_steps: Sequence[int] | None = None,
    trees: Sequence[Sequence[int]] = (),
) -> list[BufferProgram]:
    """Return the program of every processor; no message may rest at a pure switch.

    With `in_place` the program of an allreduce is right, too, where input and output are the same buffer.
    `receive_steps` lists the steps in which transfers are received, if these are not their own, and `trees` the
    transfers that are one operation.
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
    moves_in_buffers: _Copying | _Summing = _Copying(layout)
    if problem.pattern in ("reduction", "allreduce"):
        must_wait = in_place and problem.pattern == "allreduce"
        moves_in_buffers = _Summing(layout, schedule, waiting_sums(problem, schedule, trees) if must_wait else set())
    programs = []
    for processor, program in programs_of(problem, schedule, receive_steps=receive_steps).items():
        moves, num_scratch, results = moves_in_buffers(processor, program)
        programs.append(BufferProgram(processor, tuple(copies[processor]), tuple(moves), num_scratch, results))
    return programs


class _Moves(NamedTuple):
    """The moves of a processor, the number of its scratch blocks, and what goes from there to the output at last."""

    moves: list[Move]
    num_scratch: int
    results: tuple[Copy, ...] = ()


class _PiecePlaces:
    """Where the pieces of messages lie."""

    def __init__(self, layout: BufferLayout) -> None:
        self.layout = layout
        self.numbers = piece_numbers(layout.problem).tolist()

    def input(self, processor: int, target: int, message: int) -> Block:
        """Return the block of a piece to a target in the input of its origin."""
        return Block("i", self.layout.inputs.start(processor, target) * self.layout.pieces + self.numbers[message])

    def output(self, processor: int, origin: int, message: int) -> Block:
        """Return the block of a piece of an origin in the output of a target."""
        return Block("o", self.layout.outputs.start(processor, origin) * self.layout.pieces + self.numbers[message])

    def move(self, act: Act, blocks: list[Block], onto: list[Block | None] | None = None) -> Move:
        """Return one end of a transfer."""
        beside = (None,) * len(blocks) if onto is None else tuple(onto)
        pieces = tuple(self.numbers[message] % self.layout.pieces for message in act.transfer.messages)
        return Move(act.step, act.number, act.peer, act.receives, tuple(blocks), beside, pieces)


class _Copying:
    """Private and broadcast messages: a block for each message at each processor that ever holds it."""

    def __init__(self, layout: BufferLayout) -> None:
        self.pieces = _PiecePlaces(layout)
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


class _Sum:
    """A sum from when it changes for the first time after it was sent, up to when it is sent or replaced."""

    def __init__(self, block: Block | None = None, order: int = 0) -> None:
        self.block = block
        self.is_kept = block is not None
        """Whether it must stay as it is: it is the input, or has been sent."""
        self.order = order
        """Where its scratch block stands among the others: those of the smallest number first, then by creation."""


class _Summing:
    """Sums: a block for each that is sent; the input is the first, and the last is in the output.

    A partial result of a reduction moves when it is sent, and the running sum of an allreduce stays.
    """

    def __init__(self, layout: BufferLayout, schedule: Schedule, waiting: set[tuple[int, int]]) -> None:
        problem = layout.problem
        self.pieces, self.waiting = _PiecePlaces(layout), waiting
        self.moves_on = problem.pattern == "reduction"
        self.labels = problem.ends[:, 0].tolist()
        """The target of each partial result, or the part of each running sum."""
        self.members = set(problem.collective.senders)
        self.replacing: set[tuple[int, int, int]] = set()
        """Steps, receivers and pieces where what is there is replaced, instead of added to."""
        if not self.moves_on:
            owner = np.repeat(np.arange(len(schedule)), schedule.payloads)
            at = ~is_added(problem, schedule)
            columns = (schedule.starts[owner][at], schedule.receivers[owner][at], schedule.messages[at])
            self.replacing = set(zip(*(column.tolist() for column in columns), strict=True))

    def __call__(self, processor: int, program: Program) -> _Moves:
        """Return the moves of a processor, and what scratch they need."""
        held: dict[int, _Sum] = {}
        sums: list[_Sum] = []
        at_ends: dict[int, list[tuple[_Sum, _Sum | None]]] = {}
        """For each transfer the sums that it takes or makes, and what each arrival is added to."""
        if processor in self.members:
            held = {m: _Sum(self.pieces.input(processor, label, m)) for m, label in enumerate(self.labels)}
        for step, acts in program.items():
            # What leaves in a step left when the step began, before anything arrived.
            for act in acts:
                if not act.receives:
                    at_ends[act.number] = [(held[message], None) for message in act.transfer.messages]
                    for message in act.transfer.messages:
                        held[message].is_kept = True
                        if self.moves_on:
                            del held[message]
            begun: dict[int, _Sum | None] = {}
            """For each piece that arrives in this step what the first of its arrivals is added to."""
            for act in acts:
                if act.receives:
                    at_ends[act.number] = ends = []
                    for message in act.transfer.messages:
                        if message not in begun:
                            begun[message] = self._begun(message, held, sums, (step, processor, message))
                            ends.append((held[message], begun[message]))
                        else:
                            ends.append((held[message], held[message]))
        num_scratch, results = self._place(processor, held, sums)
        acts_in_order = (act for acts in program.values() for act in acts)
        return _Moves([self._moved(act, at_ends[act.number]) for act in acts_in_order], num_scratch, results)

    def _begun(self, message: int, held: dict[int, _Sum], sums: list[_Sum], where: tuple[int, int, int]) -> _Sum | None:
        """Ensure that there is a sum for what arrives in a step; return what its first arrival is added to."""
        before = held.get(message)
        base = None if where in self.replacing else before
        if base is None or base.is_kept:
            order = message - len(self.labels) if self.moves_on and base is not None else 0
            held[message] = _Sum(order=order)
            sums.append(held[message])
        return base

    def _place(self, processor: int, held: dict[int, _Sum], sums: list[_Sum]) -> tuple[int, tuple[Copy, ...]]:
        """Give the sums of a processor their blocks; return the blocks of scratch, and what goes from there at last."""
        last = {
            message: sum_
            for message, sum_ in held.items()
            if sum_.block is None
            and (processor == self.labels[message] if self.moves_on else processor in self.members)
        }
        outputs = {message: self.pieces.output(processor, self.labels[message], message) for message in last}
        for message, sum_ in last.items():
            if (processor, message) not in self.waiting:
                sum_.block = outputs[message]
        in_scratch = sorted((sum_ for sum_ in sums if sum_.block is None), key=lambda sum_: sum_.order)
        for number, sum_ in enumerate(in_scratch):
            sum_.block = Block("s", number)
        results = tuple(
            Copy(sum_.block, outputs[message], 1)
            for message, sum_ in last.items()
            if sum_.block is not None and sum_.block.buffer == "s"
        )
        return len(in_scratch), results

    def _moved(self, act: Act, ends: list[tuple[_Sum, _Sum | None]]) -> Move:
        blocks = [sum_.block for sum_, _ in ends if sum_.block is not None]
        onto = [None if base is None else base.block for _, base in ends]
        return self.pieces.move(act, blocks, onto)
