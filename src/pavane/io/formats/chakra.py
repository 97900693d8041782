"""chakra: execution traces of Chakra, one for each processor, as ASTRA-sim and other simulators read them.

A trace is a sequence of protobuf messages, each behind its length: the version, then a node for each send and each
receive (mlcommons/chakra, schema/protobuf/et_def.proto). A send depends on the data that it passes on (`data_deps`),
and on those before it on its channels (`ctrl_deps`); a receive depends on nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from pavane.io.dependences import Waits, waits_of
from pavane.io.formats.export import Export, Options, refuse_resting
from pavane.io.levels import OrderedResult
from pavane.io.programs import Act, programs_of

VERSION = "0.0.4"
"""The version of the format."""
SEND, RECEIVE = 5, 6
"""Types of nodes."""
MOST_INTEGER = 2**31 - 1
"""The largest tag."""


def _varint(value: int) -> bytes:
    """Return an integer in groups of 7 bits, the lowest first."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


def _whole(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _text(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _attribute(name: str, field: int, value: int) -> bytes:
    """Return an attribute; `field` says its type: 7 a small integer, 9 a large one, 27 true or false."""
    return _text(10, _text(1, name.encode()) + _whole(field, value))


def _node(act: Act, processor: int, size: int, waits: Waits) -> bytes:
    """Return a node; transfer i is node 2i where it is sent, and 2i + 1 where it is received."""
    ends = (act.peer, processor) if act.receives else (processor, act.peer)
    parts = [
        _whole(1, 2 * act.number + act.receives),
        _text(2, f"{'recv' if act.receives else 'send'} {act.number}".encode()),
        _whole(3, RECEIVE if act.receives else SEND),
    ]
    if not act.receives:
        # What the sender has sent itself is node 2i there, and what it has received 2i + 1.
        parts += [_whole(4, 2 * number) for number in waits.sent]
        parts += [_whole(4, 2 * number + 1) for number in waits.received]
        parts += [_whole(5, 2 * number + 1) for number in waits.data]
    parts += [
        _attribute("is_cpu_op", 27, 0),
        _attribute("comm_size", 9, size),
        _attribute("comm_src", 7, ends[0]),
        _attribute("comm_dst", 7, ends[1]),
        _attribute("comm_tag", 7, act.number),
    ]
    return b"".join(parts)


def _traces(ordered: OrderedResult, options: Options) -> Iterator[tuple[str, bytes]]:
    problem, schedule = ordered.problem, ordered.schedule
    sizes, waits = ordered.transfer_bytes(options.size).tolist(), waits_of(problem, schedule)
    head = _text(1, VERSION.encode())
    for processor, program in programs_of(problem, schedule).items():
        acts = [act for together in program.values() for act in together]
        nodes = [_node(act, processor, sizes[act.number], waits[act.number]) for act in acts]
        yield f".{processor}.et", b"".join(_varint(len(part)) + part for part in (head, *nodes))


def _render(ordered: OrderedResult, options: Options) -> dict[str, bytes]:
    return dict(_traces(ordered, options))


def _refuse(ordered: OrderedResult) -> str | None:
    if len(ordered.schedule) > MOST_INTEGER:
        return f"it has {len(ordered.schedule):,} transfers, and a tag counts to {MOST_INTEGER:,}"
    return refuse_resting(ordered, "Chakra sends and receives")


CHAKRA = Export(
    "chakra",
    "Execution traces of Chakra, a file for each processor: sends and receives with what each depends on.",
    ".0.et",
    _render,
    _refuse,
    num_files=0,
    sized=True,
    has_times=True,
)
