"""Sums in the buffers of MSCCL programs, held against those that an allreduce has here.

In a program a GPU may keep several sums of a piece, and send any of them; here a processor has one running sum of each
piece, to which all that arrives is added. So the program is run once more with the contributions in every buffer. Where
it sends another sum than the running one it is refused, because nothing here can say that. Where it loses in the end
what has arrived, or counts a contribution twice, the arrival is struck out, for the judge to see what lacks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.formats.msccl_operations import REDUCING, SENDING, STORING, Address, Marks, Operation

Carried = list[tuple[Operation, Marks]]

Label = tuple[int, ...]


class Sent(NamedTuple):
    """A sum of a piece that goes from GPU to GPU; a set of contributions is the bits of a number."""

    step: int
    operation: Operation
    label: Label
    sum: int


def sums_judged(file: File, start: dict[Address, Label], ordered: list[Operation], carried: Carried) -> Carried:
    """Return what is carried, without arrivals that are lost in the end."""
    held = {address: 1 << address[0] for address in start}
    labels = dict(start)
    sums = _run(ordered, held, labels, {id(op): marks for op, marks in carried})
    arrived = _arrived(file, [each for op, marks in carried for each in _sent(op, marks, sums[id(op)])])
    kept: dict[tuple[int, Label], int] = {}
    for address, label in labels.items():
        best = kept.get((address[0], label), 0)
        kept[address[0], label] = max(best, held.get(address, 0), key=int.bit_count)
    lost = {key for key, sum_ in arrived.items() if sum_ & ~kept.get(key, 0)}
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


def _sent(op: Operation, marks: Marks, sums: list[int]) -> Iterator[Sent]:
    """Yield the sums that an operation sends, each in its step."""
    steps = [each.step for each in op.laid for _ in range(each.num_pieces)] or [op.begun] * len(marks)
    for step, mark, sum_ in zip(steps, marks, sums, strict=True):
        if mark is not None and sum_:
            yield Sent(step, op, mark, sum_)


def _arrived(file: File, sent: list[Sent]) -> dict[tuple[int, Label], int]:
    """Return the sum of all that comes to each GPU; refuse a program that sends another than that by then."""
    running: dict[tuple[int, Label], int] = {}
    later: deque[Sent] = deque()
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


def _add(running: dict[tuple[int, Label], int], sent: Sent) -> None:
    """Let a sum arrive."""
    key = sent.operation.receiver, sent.label
    running[key] = running.get(key, 1 << sent.operation.receiver) | sent.sum
