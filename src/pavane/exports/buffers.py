"""What each processor does, and in which buffers: the common ground of all exports that run.

A processor has an input buffer and an output buffer of blocks, one message each, as MPI's collectives have them, and
scratch blocks for what it passes on. Where a kind has many messages at one end, block p belongs to processor p:

* private: input block = target (AOG: 0), output block = origin (OAS: 0);
* broadcast: input block = 0, output block = origin (OAB: 0);
* reduction: input block = target (AOR: 0), output block = 0.

Who is sender and receiver at once also gets its own: copied, or as its contribution. A partial result moves, so what
comes after it was sent on is a new one and has a block of its own: no block is ever written while it is still needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pavane.formats.programs import Act, Program, programs_of
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

Buffer = Literal["i", "o", "s"]


class Block(NamedTuple):
    """A block of the input, the output or the scratch buffer."""

    buffer: Buffer
    number: int


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
    """What is there to be combined with each arriving partial result; None where it comes first, or is no such."""


@dataclass(frozen=True)
class BufferProgram:
    """What one processor does with its buffers, in the order of the schedule."""

    processor: int
    copies: tuple[tuple[Block, Block], ...]
    """What a processor has for itself: from the input to the output."""
    moves: tuple[Move, ...]
    num_scratch: int


def num_inputs(problem: Problem) -> int:
    """Return the number of blocks of an input buffer."""
    many = problem.pattern != "broadcast" and problem.collective.kind not in ("AOG", "AOR")
    return problem.network.num_processors if many else 1


def num_outputs(problem: Problem) -> int:
    """Return the number of blocks of an output buffer."""
    many = problem.pattern != "reduction" and problem.collective.kind not in ("OAS", "OAB")
    return problem.network.num_processors if many else 1


def deliveries(problem: Problem) -> Iterator[tuple[int, int, int, int]]:
    """Yield origin, target, input block and output block of all that must arrive or contribute, one's own included."""
    collective = problem.collective
    if collective.kind == "PAIRS":
        ends = sorted(collective.pairs)
    else:
        ends = [(o, t) for o in sorted(collective.senders) for t in sorted(collective.receivers)]
    for origin, target in ends:
        yield origin, target, _input(problem, target), _output(problem, origin)


def code(block: Block | None) -> int:
    """Return a block as one number, which the generated programs call a place, and -1 for none."""
    return -1 if block is None else 3 * block.number + "ios".index(block.buffer)


def buffers_in_words(problem: Problem) -> list[str]:
    """Say what stands in the buffers, for the head of a generated file."""
    many_in, many_out = num_inputs(problem) > 1, num_outputs(problem) > 1
    if problem.pattern == "reduction":
        sent = "block t is the contribution to processor t" if many_in else "the contribution to the root"
        got = "the combined contributions of all senders"
    elif problem.pattern == "broadcast":
        sent = "the message to all receivers"
        got = "block s is the message of processor s" if many_out else "the message of the root"
    else:
        sent = "block t is the message to processor t" if many_in else "the message to the root"
        got = "block s is the message of processor s" if many_out else "the message of the root"
    return [f"send: {sent}.", f"recv: {got}."]


def buffer_programs(problem: Problem, schedule: Schedule) -> list[BufferProgram]:
    """Return the program of every processor; no message may rest at a pure switch."""
    copies: list[list[tuple[Block, Block]]] = [[] for _ in range(problem.network.num_processors)]
    # To whom nobody else contributes there is no message.
    reduced = set(problem.ends[:, 0].tolist()) if problem.pattern == "reduction" else set()
    for origin, target, source, sink in deliveries(problem):
        if origin == target and target not in reduced:
            copies[origin].append((Block("i", source), Block("o", sink)))
    moves_in_buffers = _Reducing(problem) if problem.pattern == "reduction" else _Copying(problem)
    made = []
    for processor, program in programs_of(problem, schedule).items():
        moves, num_scratch = moves_in_buffers(processor, program)
        made.append(BufferProgram(processor, tuple(copies[processor]), tuple(moves), num_scratch))
    return made


def _input(problem: Problem, target: int) -> int:
    return target if num_inputs(problem) > 1 else 0


def _output(problem: Problem, origin: int) -> int:
    return origin if num_outputs(problem) > 1 else 0


def _move(act: Act, blocks: list[Block], onto: list[Block | None] | None = None) -> Move:
    beside = (None,) * len(blocks) if onto is None else tuple(onto)
    return Move(act.transfer.step, act.number, act.peer, act.receives, tuple(blocks), beside)


class _Copying:
    """Private and broadcast messages: a block for each message at each processor that ever holds it."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.labels = problem.ends.tolist()
        self.receivers = set(problem.collective.receivers)

    def __call__(self, processor: int, program: Program) -> tuple[list[Move], int]:
        """Return the moves of a processor, and the number of its scratch blocks."""
        blocks: dict[int, Block] = {}
        num_scratch = 0
        moves = []
        for acts in program.values():
            for act in acts:
                for message in act.transfer.messages:
                    if message not in blocks:
                        blocks[message] = self._end(processor, message) or Block("s", num_scratch)
                        num_scratch += blocks[message].buffer == "s"
                moves.append(_move(act, [blocks[message] for message in act.transfer.messages]))
        return moves, num_scratch

    def _end(self, processor: int, message: int) -> Block | None:
        """Return the block of a message at its origin or a target; None where it only passes by."""
        origin, *target = self.labels[message]
        if processor == origin:
            return Block("i", _input(self.problem, target[0] if target else 0))
        if processor in (target or self.receivers):
            return Block("o", _output(self.problem, origin))
        return None


class _Partial:
    """A partial result while it stays at one processor."""

    def __init__(self, message: int, contributed: bool) -> None:
        self.message, self.contributed = message, contributed
        self.arrivals = 0
        self.block = Block("s", -1)


class _Reducing:
    """Partial results: a block for each stay at a processor; the last stay at the target is in its output."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.targets = problem.ends[:, 0].tolist()
        self.senders = set(problem.collective.senders)

    def __call__(self, processor: int, program: Program) -> tuple[list[Move], int]:
        """Return the moves of a processor, and the number of its scratch blocks."""
        contributed = range(self.problem.num_messages) if processor in self.senders else ()
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
                stay.block = Block("o", 0)
            elif stay.contributed and not stay.arrivals:
                stay.block = self._own(stay.message)
            else:
                stay.block = Block("s", num_scratch)
                num_scratch += 1
        return [self._moved(act, at_ends[act.number]) for acts in program.values() for act in acts], num_scratch

    def _own(self, message: int) -> Block:
        return Block("i", _input(self.problem, self.targets[message]))

    def _moved(self, act: Act, partials: list[tuple[_Partial, int]]) -> Move:
        blocks = [stay.block for stay, _ in partials]
        if not act.receives:
            return _move(act, blocks)
        onto = [
            stay.block if before else self._own(stay.message) if stay.contributed else None for stay, before in partials
        ]
        return _move(act, blocks, onto)


def _arrived(message: int, held: dict[int, _Partial], stays: list[_Partial]) -> tuple[_Partial, int]:
    """Add to the partial result that is there, or begin one; return it, and how often it was added to before."""
    here = held.get(message)
    if here is None:
        here = held[message] = _Partial(message, False)
        stays.append(here)
    here.arrivals += 1
    return here, here.arrivals - 1
