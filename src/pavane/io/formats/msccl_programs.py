"""Operations of MSCCL programs, and the check of the sums of an allreduce.

In a program a GPU may have several sums of a piece, and send any of them; here a processor has one running sum of each
piece, to which all that arrives is added. So the program is run once more with the contributions in every buffer. A
program that sends another sum than the running one is refused, because a schedule cannot express that. Where it loses
what has arrived, or counts a contribution twice, the arrival is removed, and the judge reports the missing data.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.formats.epochs import PlacedSend

RECEIVING = {"r", "rcs", "rrc", "rrs", "rrcs"}
SENDING = {"s", "rcs", "rrs", "rrcs"}
STORING = {"r", "rcs", "rrc", "rrcs"}
LOCAL = {"cpy", "re", "nop"}
REDUCING = {"rrc", "rrs", "rrcs"}
"""Those that add what they receive to what lies at their source."""

Address = tuple[int, str, int]
"""GPU, buffer and offset."""


@dataclass(eq=False)
class Operation:
    """What a thread block does at one time."""

    gpu: int
    kind: str
    source: Address
    sink: Address
    count: int
    before: list[Operation] = field(default_factory=list)
    """What must be done first."""
    partner: Operation | None = None
    """Where it receives: the operation that sends."""
    channel: int = -1
    """Where it sends: the channel."""
    receiver: int = -1
    block: int = -1
    number: int = -1
    """Its thread block, and its step there."""
    begun: int = 0
    """After which step it can run: all that it waits for is done, and what it receives is there."""
    laid: list[PlacedSend] = field(default_factory=list)
    """Where it sends over a network that the user names: when, and over which way."""

    seen: dict[int, int] = field(default_factory=dict)
    """Up to which step it knows the other blocks of its GPU to be done."""

    @property
    def done(self) -> int:
        """Return the step after which others can continue; a send takes one unless it is laid, all else no time."""
        return self.laid[-1].step + 1 if self.laid else self.begun + (self.kind in SENDING)

    @property
    def after(self) -> tuple[Operation, ...]:
        """Return all operations that come before it, also where it receives from."""
        return tuple(self.before) if self.partner is None else (*self.before, self.partner)


Marks = list[tuple[int, ...] | None]
"""The pieces that an operation moves, by their messages and numbers; None where nothing is known."""


Carried = list[tuple[Operation, Marks]]

Label = tuple[int, ...]


class SentSum(NamedTuple):
    """A sum of a piece that goes from GPU to GPU; a set of contributions is the bits of a number."""

    step: int
    operation: Operation
    label: Label
    sum: int


def check_sums(file: File, start: dict[Address, Label], ordered: list[Operation], carried: Carried) -> Carried:
    """Return what is carried, without arrivals that are lost in the end."""
    held = {address: 1 << address[0] for address in start}
    labels = dict(start)
    sums = _run(ordered, held, labels, {id(op): marks for op, marks in carried})
    arrived = _arrived(file, [each for op, marks in carried for each in _sent(op, marks, sums[id(op)])])
    remaining: dict[tuple[int, Label], int] = {}
    for address, label in labels.items():
        best = remaining.get((address[0], label), 0)
        remaining[address[0], label] = max(best, held.get(address, 0), key=int.bit_count)
    lost = {key for key, sum_ in arrived.items() if sum_ & ~remaining.get(key, 0)}
    return [
        (
            op,
            [
                None if not sum_ or (op.receiver, mark) in lost else mark
                for mark, sum_ in zip(marks, sums[id(op)], strict=True)
            ],
        )
        for op, marks in carried
    ]


def _run(
    ordered: list[Operation], held: dict[Address, int], labels: dict[Address, Label], marks: dict[int, Marks]
) -> dict[int, list[int]]:
    """Run the program on sums, and return what every send sends."""
    sums: dict[int, list[int]] = {}
    for op in sorted(ordered, key=lambda op: (op.begun, op.kind == "s")):
        got = [] if op.partner is None else list(sums[id(op.partner)])
        if op.kind in REDUCING:
            got = [_added(each, held.get(_at(op.source, at), 0)) for at, each in enumerate(got)]
        elif op.kind in ("s", "cpy", "re"):
            got = [held.get(_at(op.source, at), 0) for at in range(op.count)]
        if op.kind == "re":
            got = [_added(each, held.get(_at(op.sink, at), 0)) for at, each in enumerate(got)]
        if op.kind in STORING or op.kind in ("cpy", "re"):
            arrived = marks[id(op.partner)] if op.partner is not None else []
            for at, each in enumerate(got):
                label = arrived[at] if op.partner is not None else labels.get(_at(op.source, at))
                held[_at(op.sink, at)] = each
                if label is not None:
                    labels[_at(op.sink, at)] = label
        if op.kind in SENDING:
            sums[id(op)] = got
    return sums


def _added(one: int, other: int) -> int:
    """Return the sum of two; where a contribution would count twice it is worth nothing."""
    return 0 if one & other else one | other


def _at(address: Address, index: int) -> Address:
    gpu, buffer, offset = address
    return gpu, buffer, offset + index


def _sent(op: Operation, marks: Marks, sums: list[int]) -> Iterator[SentSum]:
    """Yield the sums that an operation sends, each in its step."""
    steps = [each.step for each in op.laid for _ in range(each.num_pieces)] or [op.begun] * len(marks)
    for step, mark, sum_ in zip(steps, marks, sums, strict=True):
        if mark is not None and sum_:
            yield SentSum(step, op, mark, sum_)


def _arrived(file: File, sent: list[SentSum]) -> dict[tuple[int, Label], int]:
    """Return the sum of all that comes to each GPU; refuse a program that sends another than that by then."""
    running: dict[tuple[int, Label], int] = {}
    later: deque[SentSum] = deque()
    for each in sorted(sent, key=lambda each: each.step):
        while later and later[0].step < each.step:
            _add(running, later.popleft())
        op = each.operation
        has = running.get((op.gpu, each.label), 1 << op.gpu)
        if each.sum != has:
            raise InputError(
                f"{file}, GPU {op.gpu}, tb {op.block}, step {op.number}: it sends a sum of {each.sum.bit_count()} "
                f"contributions where {has.bit_count()} have come to it; here a processor sends all that it has of a "
                "piece, so let it add what arrives (rrc) before it sends on"
            )
        later.append(each)
    for each in later:
        _add(running, each)
    return running


def _add(running: dict[tuple[int, Label], int], sent: SentSum) -> None:
    """Let a sum arrive."""
    key = sent.operation.receiver, sent.label
    running[key] = running.get(key, 1 << sent.operation.receiver) | sent.sum
