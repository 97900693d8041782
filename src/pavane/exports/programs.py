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

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

Buffer = Literal["i", "o", "s"]


class Place(NamedTuple):
    """A block of the input, the output or the scratch buffer."""

    buffer: Buffer
    block: int


@dataclass(frozen=True)
class Move:
    """One end of a transfer."""

    step: int
    transfer: int
    """The number of the transfer in the schedule."""
    peer: int
    receives: bool
    places: tuple[Place, ...]
    """Where each carried message is read from, or written to."""
    onto: tuple[Place | None, ...]
    """What is there to be combined with each arriving partial result; None where it comes first, or is no such."""


@dataclass(frozen=True)
class Program:
    """What one processor does, in the order of the schedule."""

    processor: int
    copies: tuple[tuple[Place, Place], ...]
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


def programs_of(problem: Problem, schedule: Schedule) -> list[Program]:
    """Return the program of every processor; no message may rest at a pure switch."""
    moves, num_scratch = _reducing(problem, schedule) if problem.pattern == "reduction" else _copying(problem, schedule)
    copies: list[list[tuple[Place, Place]]] = [[] for _ in range(problem.network.num_processors)]
    # To whom nobody else contributes there is no message.
    reduced = set(problem.labels[:, 0].tolist()) if problem.pattern == "reduction" else set()
    for origin, target, source, sink in deliveries(problem):
        if origin == target and target not in reduced:
            copies[origin].append((Place("i", source), Place("o", sink)))
    return [
        Program(processor, tuple(copies[processor]), tuple(moves[processor]), num_scratch[processor])
        for processor in range(problem.network.num_processors)
    ]


def _input(problem: Problem, target: int) -> int:
    return target if num_inputs(problem) > 1 else 0


def _output(problem: Problem, origin: int) -> int:
    return origin if num_outputs(problem) > 1 else 0


def _copying(problem: Problem, schedule: Schedule) -> tuple[list[list[Move]], list[int]]:
    """Private and broadcast messages: a place for each message at each processor that ever holds it."""
    num_processors = problem.network.num_processors
    moves: list[list[Move]] = [[] for _ in range(num_processors)]
    num_scratch = [0] * num_processors
    known: dict[tuple[int, int], Place] = {}
    labels = problem.labels.tolist()
    receivers = set(problem.collective.receivers)

    def place(processor: int, message: int) -> Place:
        found = known.get((processor, message))
        if found is not None:
            return found
        origin, *target = labels[message]
        if processor == origin:
            found = Place("i", _input(problem, target[0] if target else 0))
        elif processor in (target or receivers):
            found = Place("o", _output(problem, origin))
        else:
            found = Place("s", num_scratch[processor])
            num_scratch[processor] += 1
        known[processor, message] = found
        return found

    for number, transfer in enumerate(schedule):
        nothing = (None,) * len(transfer.messages)
        for here, peer, receives in (
            (transfer.sender, transfer.receiver, False),
            (transfer.receiver, transfer.sender, True),
        ):
            places = tuple(place(here, message) for message in transfer.messages)
            moves[here].append(Move(transfer.step, number, peer, receives, places, nothing))
    return moves, num_scratch


class _Partial:
    """A partial result while it stays at one processor."""

    def __init__(self, processor: int, message: int, contributed: bool) -> None:
        self.processor, self.message, self.contributed = processor, message, contributed
        self.arrivals = 0
        self.place: Place | None = None


def _reducing(problem: Problem, schedule: Schedule) -> tuple[list[list[Move]], list[int]]:
    """Partial results: a place for each stay at a processor; the last stay at the target is in its output."""
    num_processors = problem.network.num_processors
    targets = problem.labels[:, 0].tolist()
    held: dict[tuple[int, int], _Partial] = {}
    for message in range(problem.num_messages):
        for sender in problem.collective.senders:
            held[sender, message] = _Partial(sender, message, True)
    stays = list(held.values())
    ends: list[tuple[list[_Partial], list[tuple[_Partial, int]]]] = [([], []) for _ in range(len(schedule))]
    for step in range(schedule.num_steps):
        numbers = schedule.of_step(step)
        for number in numbers:
            transfer = schedule.transfer(number)
            ends[number][0].extend(held.pop((transfer.sender, message)) for message in transfer.messages)
        for number in numbers:
            transfer = schedule.transfer(number)
            for message in transfer.messages:
                here = held.get((transfer.receiver, message))
                if here is None:
                    here = held[transfer.receiver, message] = _Partial(transfer.receiver, message, False)
                    stays.append(here)
                ends[number][1].append((here, here.arrivals))
                here.arrivals += 1
    num_scratch = [0] * num_processors
    for stay in stays:
        if stay.processor == targets[stay.message] and held.get((stay.processor, stay.message)) is stay:
            stay.place = Place("o", 0)
        elif stay.contributed and not stay.arrivals:
            stay.place = Place("i", _input(problem, targets[stay.message]))
        else:
            stay.place = Place("s", num_scratch[stay.processor])
            num_scratch[stay.processor] += 1
    moves: list[list[Move]] = [[] for _ in range(num_processors)]
    for number, transfer in enumerate(schedule):
        sent, arrived = ends[number]
        # What leaves in a step left when the step began, before anything arrived.
        sources = tuple(_placed(stay) for stay in sent)
        moves[transfer.sender].append(
            Move(transfer.step, number, transfer.receiver, False, sources, (None,) * len(sources))
        )
        onto: list[Place | None] = []
        for stay, before in arrived:
            own = Place("i", _input(problem, targets[stay.message])) if stay.contributed else None
            onto.append(_placed(stay) if before else own)
        sinks = tuple(_placed(stay) for stay, _ in arrived)
        moves[transfer.receiver].append(Move(transfer.step, number, transfer.sender, True, sinks, tuple(onto)))
    return moves, num_scratch


def _placed(stay: _Partial) -> Place:
    assert stay.place is not None
    return stay.place
