"""Reads and writes programs of MSCCL, NCCL's interpreter of collectives, in XML.

Each GPU has thread blocks that run their operations in order, wait for others, send to one peer and receive from one.
There are no common steps and no network in such a file. What MSCCL calls a chunk is a piece here.

Reading: the network is that of the connections, with a channel for each sender, receiver and MSCCL channel. A transfer
gets the first step that the order of operations allows. On a network that the user names, transfers go between its
processors, over switches too, each piece in the first step with room. What a transfer carries follows from running the
program: messages are marked where they lie at the start, and the marks move. The judge checks which processor gets
which message, and when; not where in the buffers of a GPU it ends up.

Writing: each pair of processors that communicate has a thread block at either end. Dependencies between thread blocks
take the place of steps. Pieces of a transfer that are adjacent at both ends go in one step of a block; parallel
transfers between the same two GPUs use several of MSCCL's channels. The limits are those of MSCCL and of the runtimes
that took it over, the narrower one where they differ. A pair with more steps than fit into a thread block continues in
the blocks of another channel, and more peers than fit into a channel are spread over several.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Claim, Format
from pavane.io.formats.buffer_layout import BufferLayout
from pavane.io.formats.buffers import Block, Copy, Move, buffer_programs, follows
from pavane.io.formats.epochs import Loads, Send, in_used_steps, note_unjoined, problem_on, ways_of
from pavane.io.formats.export import Export, Options, length_of, problem_and_schedule, refuse_for_gpus
from pavane.io.formats.msccl_programs import LOCAL, RECEIVING, SENDING, STORING, Address, Marks, Operation, check_sums
from pavane.io.formats.point_to_point_paths import numbers_by_piece, remove_copies
from pavane.io.levels import TimedLevels
from pavane.io.parsing import begins_with_element, root_of, shown, whole
from pavane.judge.result import Provenance, Result
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.text import counted

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MOST_PROCESSORS = 4096
MOST_COUNT = 1_000_000
MOST_MOVED = 2_000_000
"""The most parts that all operations together move."""


@dataclass
class MscclProgram:
    """A whole file."""

    name: str
    collective: str
    in_place: bool
    num_inputs: list[int] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    sends: dict[tuple[int, int, int], list[Operation]] = field(default_factory=dict)
    receives: dict[tuple[int, int, int], list[Operation]] = field(default_factory=dict)

    @property
    def is_one_buffer(self) -> bool:
        """Whether input and output are the same, from the first part to the last."""
        return self.in_place and self.collective == "allreduce"


def read_schedule(file: File, network: Network | None = None) -> Claim:
    """Read what the program is for, and its transfers as a schedule: on its connections, or on a network."""
    program = _program(file)
    count = len(program.num_inputs)
    if network is not None and count != network.num_processors:
        raise InputError(
            f"{file}: it has {counted(count, 'GPU')}, and {network.name} has "
            f"{counted(network.num_processors, 'processor')}; name the network that it is for"
        )
    collective = _collective(file, program, count)
    ordered = _in_order(file, program)
    problem = None if network is None else problem_on(network, collective)
    if problem is not None:
        _place(file, problem, ordered)
    carried = _carried(file, program, collective, ordered)
    if collective.kind == "ALLREDUCE":
        carried = check_sums(file, dict(_start(program, collective)), ordered, carried)
    if problem is not None:
        schedule = _schedule_on(problem, carried)
    else:
        problem = _own_problem(file, program, collective, any(len(messages) > 1 for _, messages in carried))
        schedule = _schedule(problem, carried)
    return Claim(problem, remove_copies(file, problem, schedule), (), Provenance("MSCCL"), is_foreign=True)


def _own_problem(file: File, program: MscclProgram, collective: Collective, combining: bool) -> Problem:
    """Return the problem on the network of the connections, which are numbered here."""
    connections = sorted(program.sends)
    for number, connection in enumerate(connections):
        for operation in program.sends[connection]:
            operation.channel = number
    name = f"connections of {file.stem}" if file.stem else "connections"
    try:
        network = Network(name, len(program.num_inputs), [(tail, head) for tail, head, _ in connections])
        problem = Problem(network, collective, Rules("store-and-forward", combining=combining))
    except InputError as error:
        reason = str(error).partition(";")[0]
        raise InputError(f"{file}: its connections cannot carry the collective: {reason}") from None
    file.note(
        "MSCCL names no network: it is taken to be the connections of thread blocks, each step the earliest; to judge "
        "it on a machine, verify it with `on`",
    )
    return problem


# -- the file


def _program(file: File) -> MscclProgram:
    root = root_of(file)
    if root.tag != "algo":
        raise InputError(f"{file}: an MSCCL program begins with <algo>, found <{root.tag}>")
    gpus = [element for element in root if element.tag == "gpu"]
    if not gpus:
        raise InputError(f"{file}: no <gpu> in it; the file may be cut off")
    if len(gpus) > MOST_PROCESSORS:
        raise InputError(f"{file}: {len(gpus):,} GPUs are too many; at most {MOST_PROCESSORS:,} are read")
    numbers = sorted(whole(gpu.get("id"), f"{file}: the id of a <gpu>") for gpu in gpus)
    if numbers != list(range(len(gpus))):
        raise InputError(f"{file}: the ids of its {len(gpus)} GPUs must be 0 to {len(gpus) - 1}, each once")
    num_gpus = root.get("ngpus")
    if num_gpus is not None and whole(num_gpus, f"{file}: ngpus") != len(gpus):
        raise InputError(f"{file}: ngpus is {num_gpus}, but there are {len(gpus)} GPUs; the file may be cut off")
    program = MscclProgram(
        root.get("name", ""),
        root.get("coll", "").lower().replace("all_reduce", "allreduce"),
        root.get("inplace", "0") == "1",
    )
    program.num_inputs = [0] * len(gpus)
    for gpu in gpus:
        number = int(gpu.get("id", "0"))
        program.num_inputs[number] = whole(gpu.get("i_chunks", "0"), f"{file}: i_chunks of GPU {number}")
        # In place a GPU may have no input of its own: its data are the whole output, or its part of an allgather's.
        times = {"allreduce": 1, "allgather": len(gpus), "all_gather": len(gpus)}.get(program.collective, 0)
        if program.in_place and times and not program.num_inputs[number]:
            outputs = whole(gpu.get("o_chunks", "0"), f"{file}: o_chunks of GPU {number}")
            program.num_inputs[number] = outputs // times
        _blocks(file, program, gpu, number)
    moved = sum(operation.count for operation in program.operations)
    if moved > MOST_MOVED:
        raise InputError(
            f"{file}: its operations move {moved:,} parts in all (`cnt`); {MOST_MOVED:,} are read, so give fewer"
        )
    for tail, head, chan in sorted(program.sends.keys() | program.receives.keys()):
        sent = program.sends.get((tail, head, chan), [])
        received = program.receives.get((tail, head, chan), [])
        if len(sent) != len(received):
            raise InputError(
                f"{file}: GPU {tail} sends {len(sent)} times to GPU {head} over channel {chan}, which receives "
                f"{len(received)} times; the program would wait for ever"
            )
        for one, other in zip(sent, received, strict=True):
            if one.count != other.count:
                raise InputError(
                    f"{file}: GPU {tail} sends {one.count} parts at once to GPU {head}, which receives {other.count}; "
                    "let `cnt` be the same"
                )
            other.partner, one.receiver = one, head
    return program


def _blocks(file: File, program: MscclProgram, gpu: Element, number: int) -> None:
    """Read the thread blocks of a GPU."""
    operations: dict[tuple[int, int], Operation] = {}
    waits: list[tuple[Operation, int, int]] = []
    for block in gpu.iter("tb"):
        where = f"{file}, GPU {number}, tb {block.get('id')}"
        tb = whole(block.get("id"), f"{where}: the id")
        peers = {side: whole(block.get(side, "-1"), f"{where}: `{side}`", -1) for side in ("send", "recv")}
        channel = whole(block.get("chan", "0"), f"{where}: the channel")
        last: Operation | None = None
        for index, step in enumerate(block):
            at = whole(step.get("s", str(index)), f"{where}: the number of a step")
            operation = _operation(f"{where}, step {at}", step, number, program.is_one_buffer)
            if (tb, at) in operations:
                raise InputError(f"{where}: step {at} is there twice; number the steps of a block from 0")
            operations[tb, at] = operation
            operation.block, operation.number = tb, at
            if last is not None:
                operation.before.append(last)
            last = operation
            awaited = whole(step.get("depid", "-1"), f"{where}: `depid`", -1)
            if awaited >= 0:
                waits.append((operation, awaited, whole(step.get("deps", "-1"), f"{where}: `deps`", -1)))
            _connect(where, program, operation, peers, channel)
            program.operations.append(operation)
    for operation, tb, at in waits:
        if (tb, at) not in operations:
            raise InputError(
                f"{file}, GPU {number}: it waits for step {at} of tb {tb}, which does not exist; it may be cut off"
            )
        operation.before.append(operations[tb, at])


def _connect(where: str, program: MscclProgram, operation: Operation, peers: dict[str, int], channel: int) -> None:
    """Add an operation to those of the connections that its thread block has; its peers are GPUs, or -1."""
    gpu = operation.gpu
    for side, kinds, table in (("send", SENDING, program.sends), ("recv", RECEIVING, program.receives)):
        if operation.kind in kinds:
            peer = peers[side]
            if not 0 <= peer < len(program.num_inputs) or peer == gpu:
                text = f"{where}, step {operation.number}: `{side}` is {peer}, which is not another GPU of the file"
                raise InputError(text)
            ends = (gpu, peer) if side == "send" else (peer, gpu)
            table.setdefault((*ends, channel), []).append(operation)


def _operation(where: str, step: Element, gpu: int, is_one_buffer: bool) -> Operation:
    kind = step.get("type", "")
    if kind not in RECEIVING | SENDING | LOCAL:
        raise InputError(f"{where}: type {shown(kind)} is not known; write s, r, rcs, rrc, rrs, rrcs, cpy, re or nop")
    count = whole(step.get("cnt", "1"), f"{where}: `cnt`", -1)
    if count > MOST_COUNT or (count < 1 and kind != "nop"):
        raise InputError(f"{where}: `cnt` is {count}; give 1 or more, at most {MOST_COUNT:,}")
    source, sink = (
        (
            gpu,
            _buffer(step.get(f"{side}buf", "i"), is_one_buffer),
            whole(step.get(f"{side}off", "-1"), f"{where}: `{side}off`", -1),
        )
        for side in ("src", "dst")
    )
    return Operation(gpu, kind, source, sink, max(count, 0))


def _buffer(name: str, is_one_buffer: bool) -> str:
    """Return the buffer that is meant: input and output may be one."""
    return "i" if is_one_buffer and name == "o" else name


# -- what it is for


def _collective(file: File, program: MscclProgram, count: int) -> Collective:
    everyone = tuple(range(count))
    kind = program.collective.replace("_", "").replace("-", "")
    parts = {"allgather": 1, "alltoall": count, "reducescatter": count, "broadcast": 1}
    # The vector is in parts, one for each GPU, where that can be.
    parts["allreduce"] = count if max(program.num_inputs) % count == 0 else 1
    if kind not in parts:
        known = "allgather, alltoall, reduce_scatter, allreduce and broadcast"
        raise InputError(f"{file}: coll is {shown(program.collective)}; read are {known}")
    pieces = _pieces(file, program, kind, parts[kind])
    if kind == "broadcast":
        having = [gpu for gpu, inputs in enumerate(program.num_inputs) if inputs]
        hearing = {head for _, head, _ in program.receives}
        roots = having if len(having) == 1 else [gpu for gpu in everyone if gpu not in hearing]
        if len(roots) != 1:
            raise InputError(f"{file}: which GPU broadcasts is not said: {len(roots)} receive nothing, one should")
        return Collective("OAB", tuple(roots), tuple(gpu for gpu in everyone if gpu != roots[0]), pieces=pieces)
    if kind == "allreduce":
        return Collective("ALLREDUCE", everyone, everyone[: parts[kind]], pieces=pieces)
    name = {"allgather": "AAB", "alltoall": "AAS", "reducescatter": "AAR"}[kind]
    units = (
        [inputs // pieces for inputs in program.num_inputs] if kind == "allgather" and any(program.num_inputs) else []
    )
    return Collective(name, everyone, everyone, pieces=pieces, sizes=tuple(enumerate(units)))


def _pieces(file: File, program: MscclProgram, kind: str, parts: int) -> int:
    """Return how many pieces the units of messages have; those of an allgather may have different numbers of units."""
    inputs = {count for count in program.num_inputs if count}
    if not inputs:
        return 1
    if max(inputs) > MOST_COUNT:
        raise InputError(f"{file}: {max(inputs):,} input chunks are too many; at most {MOST_COUNT:,} are read")
    if kind == "allgather":
        return math.gcd(*inputs)
    if len(inputs) > 1 or max(inputs) % parts:
        raise InputError(
            f"{file}: GPUs have {' and '.join(map(str, sorted(inputs)[:3]))} input chunks for {parts} parts; give each "
            "GPU the same multiple of that number"
        )
    return max(inputs) // parts


def _start(program: MscclProgram, collective: Collective) -> Iterator[tuple[Address, tuple[int, ...]]]:
    """Yield where the pieces of messages lie at the start."""
    everyone, pieces = range(len(program.num_inputs)), collective.pieces
    units = dict.fromkeys(everyone, 1) | {size[0]: size[1] for size in collective.sizes}
    first = 0
    for gpu in everyone:
        if collective.pattern == "broadcast":
            for piece in range(units[gpu] * pieces) if gpu in collective.senders else ():
                yield (gpu, "i", piece), (gpu, piece)
                # In place the input is a part of the output; a broadcast's root has it in both.
                if program.in_place or collective.kind == "OAB":
                    yield (gpu, "o", first + piece), (gpu, piece)
            first += units[gpu] * pieces if collective.kind == "AAB" else 0
            continue
        for other in collective.receivers:
            for piece in range(pieces):
                is_private = collective.kind == "AAS"
                label = (gpu, other, piece) if is_private else (other, piece)
                yield (gpu, "i", other * pieces + piece), label
                is_whole = is_private or collective.kind == "ALLREDUCE"
                if program.in_place and (is_whole or other == gpu):
                    yield (gpu, "o", (other * pieces if is_whole else 0) + piece), label


# -- when what happens


def _in_order(file: File, program: MscclProgram) -> list[Operation]:
    """Return the operations in an order that they can run in, each with its step; refuse circles."""
    left = {id(op): len(op.after) for op in program.operations}
    following = _following(program.operations)
    ready = [op for op in program.operations if not left[id(op)]]
    ordered: list[Operation] = []
    for op in ready:  # grows while it is walked
        ordered.append(op)
        for later in following.get(id(op), []):
            left[id(later)] -= 1
            if not left[id(later)]:
                ready.append(later)
    if len(ordered) < len(program.operations):
        stuck = next(op for op in program.operations if left[id(op)])
        raise InputError(f"{file}: operations of GPU {stuck.gpu} wait for each other in a circle; it would never end")
    for op in ordered:
        op.begun = max((first.done for first in op.after), default=0)
        for first in op.before:
            for block, number in (*first.seen.items(), (first.block, first.number)):
                op.seen[block] = max(number, op.seen.get(block, -1))
    return ordered


def _following(operations: list[Operation]) -> dict[int, list[Operation]]:
    """Return the operations that wait for each, by its identity."""
    following: dict[int, list[Operation]] = {}
    for op in operations:
        for first in op.after:
            following.setdefault(id(first), []).append(op)
    return following


def _place(file: File, problem: Problem, ordered: list[Operation]) -> None:
    """Give every send its steps and ways: those first that can begin first, of these the longest chains."""
    ways, loads = ways_of(problem), Loads(problem.network.capacity.tolist())
    note_unjoined(file, problem, ways, {(op.gpu, op.receiver) for op in ordered if op.kind in SENDING})
    left, following = {id(op): len(op.after) for op in ordered}, _following(ordered)
    index_of = {id(op): index for index, op in enumerate(ordered)}
    chain: dict[int, int] = {}
    for op in reversed(ordered):
        after = max((chain[id(later)] for later in following.get(id(op), [])), default=0)
        chain[id(op)] = after + (op.kind in SENDING)
    ready = [(0, -chain[id(op)], index) for index, op in enumerate(ordered) if not left[id(op)]]
    heapq.heapify(ready)
    while ready:
        begun, _, index = heapq.heappop(ready)
        op = ordered[index]
        op.begun = begun
        if op.kind in SENDING:
            send = Send(begun, op.gpu, op.receiver, (), 0, op.count)
            op.laid = loads.place(send, ways.get((op.gpu, op.receiver), [()]), begin=begun)
        for later in following.get(id(op), []):
            left[id(later)] -= 1
            if not left[id(later)]:
                start = max(first.done for first in later.after)
                heapq.heappush(ready, (start, -chain[id(later)], index_of[id(later)]))


def _carried(
    file: File, program: MscclProgram, collective: Collective, ordered: list[Operation]
) -> list[tuple[Operation, Marks]]:
    """Run the program and return what each send carries, None where that is nothing known."""
    held: dict[Address, tuple[int, ...]] = dict(_start(program, collective))
    ever: dict[Address, tuple[int, ...]] = {}
    arriving: dict[int, Marks] = {}
    carried: list[tuple[Operation, Marks]] = []
    unknown: list[tuple[Marks, int, Address]] = []
    writer: dict[Address, Operation] = {}
    hasty: list[tuple[Operation, Operation]] = []

    def looked_up(address: Address, count: int) -> Marks:
        gpu, buffer, offset = address
        found: Marks = []
        for at in range(count):
            label = held.get((gpu, buffer, offset + at))
            if label is None:
                unknown.append((found, at, (gpu, buffer, offset + at)))
            found.append(label)
        return found

    # What arrives in a step, or is copied after it, can be sent in the next; what arrives later is not there yet.
    for op in sorted(ordered, key=lambda op: (op.begun, op.kind == "s")):
        got = [] if op.partner is None else arriving.pop(id(op.partner))
        if op.kind == "cpy":
            got = looked_up(op.source, op.count)
        if op.kind in STORING or op.kind == "cpy":
            gpu, buffer, offset = op.sink
            for at, label in enumerate(got):
                if label is not None:
                    held[gpu, buffer, offset + at] = ever[gpu, buffer, offset + at] = label
                    writer[gpu, buffer, offset + at] = op
        if op.kind in SENDING:
            out = looked_up(op.source, op.count) if op.kind == "s" else got
            arriving[id(op)] = out
            before = writer.get(op.source) if op.kind == "s" else None
            if before is not None and before.block != op.block and op.seen.get(before.block, -1) < before.number:
                hasty.append((op, before))
            carried.append((op, out))
    if hasty:
        op, before = hasty[0]
        file.note(
            f"{counted(len(hasty), 'send')} without waiting for what is sent, as on GPU {op.gpu} step {op.number} of "
            f"tb {op.block} for step {before.number} of tb {before.block}; in step with all others it is there",
        )
    # Sent before it was there: what comes there later was meant, and the judge will say that it is not held.
    for found, at, address in unknown:
        found[at] = ever.get(address)
    return carried


def _schedule(problem: Problem, carried: list[tuple[Operation, Marks]]) -> Schedule:
    """Return the schedule on the connections; all that an operation sends is one transfer."""
    number_of = numbers_by_piece(problem)
    transfers = []
    for op, labels in carried:
        messages = sorted({-1 if label is None else number_of.get(label, -1) for label in labels})
        transfers.append(Transfer(op.begun, op.gpu, op.receiver, (op.channel,), tuple(messages)))
    return in_used_steps(transfers)


def _schedule_on(problem: Problem, carried: list[tuple[Operation, Marks]]) -> Schedule:
    """Return the schedule on a network that the user names; every piece is a transfer."""
    number_of = numbers_by_piece(problem)
    return in_used_steps(
        [
            Transfer(each.step, op.gpu, op.receiver, each.way, (-1 if label is None else number_of.get(label, -1),))
            for op, labels in carried
            for each in op.laid
            for label in labels[each.first : each.first + each.num_pieces]
        ]
    )


MSCCL_XML = Format(
    "msccl-xml",
    "program of MSCCL in XML: GPUs are processors, the connections of thread blocks channels",
    begins_with_element("algo"),
    lambda file: read_schedule(file).problem,
    read_schedule,
)


NAMES = {"AAB": "allgather", "AAS": "alltoall", "AAR": "reduce_scatter", "OAB": "broadcast", "ALLREDUCE": "allreduce"}
MOST_STEPS = 64
"""RCCL's limit; MSCCL itself has room for 256 steps in a thread block."""
MOST_BLOCKS = 32
"""The most thread blocks of a GPU that send over one channel, or receive."""
MOST_BLOCKS_OF_A_GPU = 216
MOST_BLOCKS_AWAITED = 128
"""The most thread blocks of a GPU that others may wait for, since their numbers are signed bytes."""
MOST_CHANNELS = 32
MOST_CHUNKS_OF_A_STEP = 71
"""The most chunks that one step of a thread block may name."""
MOST_CHUNKS = 2**15 - 1
"""The most chunks of a buffer, since offsets have two bytes."""
MOST_ELEMENTS = 4096
"""The most XML elements that are read for one GPU: its steps and thread blocks, and all GPUs."""
MOST_BYTES = 2**63 - 1
"""The largest message that a program says it is for: there is no limit."""
MOST_LETTERS = 63
"""The longest name; the rest is cut off."""


@dataclass(eq=False)
class _Op:
    """A step of a thread block, in MSCCL's words."""

    kind: str
    source: Block
    sink: Block
    count: int = 1
    after: list[_Op] = field(default_factory=list)
    key: Key = (-1, -1, 0)
    number: int = -1
    awaited: bool = False


_NOWHERE = Block("i", -1)

Key = tuple[int, int, int]
"""What a thread block serves: send peer, receive peer (or -1), and MSCCL's channel."""
ThreadBlocks = dict[Key, list[_Op]]


class _Part(NamedTuple):
    """What goes from a block of the sender to a block of the receiver, onto what is there."""

    source: Block
    sink: Block
    onto: Block | None


class _Gpus:
    """The thread blocks of all GPUs, as transfers fill them one step after the other."""

    def __init__(self, result: Result | TimedLevels) -> None:
        self.problem, self.schedule = problem_and_schedule(result)
        self.has_starts = isinstance(result, TimedLevels)
        self.programs = buffer_programs(self.problem, self.schedule, in_place=True)
        self.blocks: list[ThreadBlocks] = [{} for _ in self.programs]
        self.writers: dict[tuple[int, Block], _Op] = {}
        """By GPU and block the last step that wrote there."""
        self.readers: dict[tuple[int, Block], list[_Op]] = {}
        """By GPU and block of its input the steps that read there."""
        # Peers at the same distance in the order of numbers share channels: a GPU has few in each group, both ways.
        self._num_groups = max(1, -(-(len(self.programs) - 1) // MOST_BLOCKS))
        self._lanes: dict[tuple[int, int, int], int] = {}
        """Which of the channels of a pair each of the transfers takes that go between the two at once."""
        self._num_lanes: Counter[tuple[int, int]] = Counter()
        self._paths: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        """The paths between two GPUs, where each has channels of its own."""
        self._parts = self._parts_of_transfers()
        for step in range(self.schedule.num_steps):
            for run in self._runs(step):
                self._send(*run)
        root = self.problem.collective.senders[0]
        for gpu, (program, blocks) in enumerate(zip(self.programs, self.blocks, strict=True)):
            copies = [_Op("cpy", copy.source, copy.sink, copy.num_blocks) for copy in program.copies]
            if self.problem.collective.kind == "OAB" and gpu == root and not copies:
                copies = [_Op("cpy", Block("i", 0), Block("o", 0), self.problem.collective.pieces)]
            if copies:
                blocks[-1, -1, 0] = [part for op in copies for part in _in_reach(op)]
            self._add_results(gpu, program.results)
            for ops in blocks.values():
                for before in (before for op in ops for before in op.after):
                    before.awaited = True

    def _parts_of_transfers(self) -> list[list[_Part]]:
        at_ends: dict[bool, dict[int, Move]] = {False: {}, True: {}}
        for program in self.programs:
            for move in program.moves:
                at_ends[move.receives][move.transfer] = move
        return [
            [
                _Part(*part)
                for part in zip(at_ends[False][i].blocks, at_ends[True][i].blocks, at_ends[True][i].onto, strict=True)
            ]
            for i in range(len(self.schedule))
        ]

    def _runs(self, step: int) -> Iterator[tuple[int, int, int, list[_Part]]]:
        """Yield sender, receiver, MSCCL's channel and what goes together, one after the other.

        Neighbouring pieces of a transfer go together, and transfers between the same two over channels of their own;
        whole messages go one by one over one. Without steps every path has a channel, so that what runs along it
        follows in order and waits for nothing else.
        """
        at_once: Counter[tuple[int, int]] = Counter()
        for i in self.schedule.of_step(step):
            ends = int(self.schedule.senders[i]), int(self.schedule.receivers[i])
            if self.has_starts:
                known, path = self._paths.setdefault(ends, []), self.schedule.transfer(i).path
                known += [] if path in known else [path]
                yield *ends, self._channel(*ends, known.index(path)), self._parts[i]
                continue
            if self.problem.is_plain:
                for part in self._parts[i]:
                    yield *ends, self._channel(*ends, 0), [part]
                continue
            run: list[_Part] = []
            for part in self._parts[i]:
                if run and not self._joins(*ends, [*run, part]):
                    yield *ends, self._channel(*ends, at_once[ends]), run
                    run = []
                run.append(part)
            yield *ends, self._channel(*ends, at_once[ends]), run
            at_once[ends] += 1

    def _channel(self, sender: int, receiver: int, number: int) -> int:
        """Return MSCCL's channel for one of the transfers that go between two at once: the same until it is full."""
        group = (receiver - sender - 1) % len(self.programs) % self._num_groups
        which = sender, receiver, number % (MOST_CHANNELS // self._num_groups)
        if which in self._lanes:
            channel = self._lanes[which] * self._num_groups + group
            if len(self.blocks[sender][receiver, -1, channel]) < MOST_STEPS:
                return channel
        self._lanes[which] = self._num_lanes[sender, receiver]
        self._num_lanes[sender, receiver] += 1
        return self._lanes[which] * self._num_groups + group

    def _joins(self, sender: int, receiver: int, run: list[_Part]) -> bool:
        """Whether the last part of a run can go with those before; a step of MSCCL waits for one thread block."""
        before, part = run[-2:]
        if len(run) > MOST_CHUNKS_OF_A_STEP or not all(follows(*ends) for ends in zip(part, before, strict=True)):
            return False
        added = [part.onto for part in run if part.onto is not None]
        ends = ((sender, [part.source for part in run]), (receiver, added))
        return all(len({op.key for op in self._written(gpu, blocks)}) <= 1 for gpu, blocks in ends)

    def _written(self, gpu: int, blocks: list[Block]) -> list[_Op]:
        """Return the steps that wrote some blocks of a GPU."""
        return [self.writers[gpu, block] for block in blocks if (gpu, block) in self.writers]

    def _send(self, sender: int, receiver: int, channel: int, run: list[_Part]) -> None:
        """Let one GPU send, and the other receive, what goes together."""
        source, sink, onto = run[0]
        self._add(sender, (receiver, -1, channel), _Op("s", source, sink, len(run)), [part.source for part in run])
        # recvReduceCopy adds what arrives to the source and puts it at the sink.
        op = _Op("r", _NOWHERE, sink, len(run)) if onto is None else _Op("rrc", onto, sink, len(run))
        self._add(receiver, (-1, sender, channel), op, [part.onto for part in run if part.onto is not None])
        self.writers |= {(receiver, part.sink): op for part in run}

    def _add_results(self, gpu: int, results: tuple[Copy, ...]) -> None:
        """Copy to the output what has waited in scratch, behind all that read the input there.

        A step waits for one thread block; `nop` steps before it wait for more.
        """
        runs: list[list[Copy]] = []
        for copy in results:
            beside = runs and all(follows(*ends) for ends in zip(copy[:2], runs[-1][-1][:2], strict=True))
            if beside and len(runs[-1]) < MOST_CHUNKS_OF_A_STEP:
                runs[-1].append(copy)
            else:
                runs.append([copy])
        ops: list[_Op] = []
        channel = 0
        for run in runs:
            awaited: dict[Key, _Op] = {}
            for source, sink, _ in run:
                for op in (*self._written(gpu, [source]), *self.readers.get((gpu, Block("i", sink.number)), [])):
                    awaited[op.key] = max(awaited.get(op.key, op), op, key=lambda one: one.number)
            first, *others = awaited.values()
            waits = [_Op("nop", _NOWHERE, _NOWHERE, 0, [op]) for op in others]
            if not ops or len(ops) + len(waits) >= MOST_STEPS:
                ops = self.blocks[gpu][-1, -1, channel] = []
                channel += 1
            ops += [*waits, _Op("cpy", run[0].source, run[0].sink, len(run), [first])]

    def _add(self, gpu: int, key: Key, op: _Op, needs: list[Block]) -> None:
        """Add a step to a thread block, behind those that wrote what it needs."""
        ops = self.blocks[gpu].setdefault(key, [])
        op.key, op.number = key, len(ops)
        ops.append(op)
        for block in needs:
            if block.buffer == "i":
                self.readers.setdefault((gpu, block), []).append(op)
        before = [other for other in self._written(gpu, needs) if other.key != key]
        op.after = [max(before, key=lambda other: other.number)] if before else []


def _in_reach(op: _Op) -> Iterator[_Op]:
    """Yield a copy in parts that MSCCL can count."""
    for first in range(0, op.count, MOST_CHUNKS_OF_A_STEP):
        source, sink = (Block(block.buffer, block.number + first) for block in (op.source, op.sink))
        yield _Op(op.kind, source, sink, min(MOST_CHUNKS_OF_A_STEP, op.count - first))


def _refuse(result: Result | TimedLevels) -> str | None:
    problem, schedule = problem_and_schedule(result)
    words = "MSCCL has allgather, alltoall, reduce_scatter, broadcast and allreduce (AAB, AAS, AAR, OAB, ALLREDUCE)"
    refused = refuse_for_gpus(result, "MSCCL", NAMES, words)
    if refused is not None:
        return refused
    members = {*problem.collective.senders, *problem.collective.receivers}
    if problem.collective.kind == "OAB" and len(members) < problem.network.num_processors:
        return "MSCCL's broadcast goes to all, and this OAB to some"
    # A step for each message that is sent and for each that is received; joined pieces are counted when they are.
    ends = np.concatenate((schedule.senders, schedule.receivers))
    lengths = np.bincount(ends, np.concatenate((schedule.payloads, schedule.payloads)))
    if problem.is_plain and lengths.max() > MOST_ELEMENTS:
        return f"processor {lengths.argmax()} needs {lengths.max():.0f} steps, and MSCCL has room for {MOST_ELEMENTS}"
    return _too_much(_Gpus(result), BufferLayout(problem))


def _too_much(gpus: _Gpus, layout: BufferLayout) -> str | None:
    """Refuse programs that are larger than MSCCL has room for."""
    num_blocks = max(layout.inputs.num_units, layout.outputs.num_units) * layout.pieces
    for gpu, blocks in enumerate(gpus.blocks):
        receiving = sum(key[0] < 0 for key in blocks)
        needs = (
            (max(num_blocks, gpus.programs[gpu].num_scratch), "chunks in a buffer", MOST_CHUNKS),
            (1 + max((key[2] for key in blocks), default=0), "channels", MOST_CHANNELS),
            (len(blocks), "thread blocks", MOST_BLOCKS_OF_A_GPU),
            (receiving, "thread blocks that receive", MOST_BLOCKS_AWAITED),
            (max(map(len, blocks.values()), default=0), "steps in a thread block", MOST_STEPS),
            (1 + len(gpus.blocks) + len(blocks) + sum(map(len, blocks.values())), "XML elements", MOST_ELEMENTS),
        )
        for needed, what, most in needs:
            if needed > most:
                return f"processor {gpu} needs {needed} {what}, and MSCCL has room for {most}"
    return None


def _render(result: Result | TimedLevels, options: Options) -> str:
    problem, _ = problem_and_schedule(result)
    kind, count = problem.collective.kind, problem.network.num_processors
    layout, gpus = BufferLayout(problem), _Gpus(result)
    inputs, outputs = layout.inputs.num_units * layout.pieces, layout.outputs.num_units * layout.pieces
    channels = 1 + max(channel for blocks in gpus.blocks for _, _, channel in blocks)
    root = problem.collective.senders[0]
    in_place = int(kind == "ALLREDUCE")
    lines = [
        f'<algo name="{_name(problem.network.name, kind, length_of(result))}" proto="Simple" nchannels="{channels}" '
        f'nchunksperloop="{max(inputs, outputs)}" ngpus="{count}" coll="{NAMES[kind]}" inplace="{in_place}" '
        f'outofplace="1" minBytes="0" maxBytes="{MOST_BYTES}">'
    ]
    for gpu, (program, unordered) in enumerate(zip(gpus.programs, gpus.blocks, strict=True)):
        # Only the root of a broadcast has an input; the root's output is its own copy.
        own = inputs if kind != "OAB" or gpu == root else 0
        lines.append(f'  <gpu id="{gpu}" i_chunks="{own}" o_chunks="{outputs}" s_chunks="{program.num_scratch}">')
        blocks = dict(sorted(unordered.items()))
        numbers = {key: number for number, key in enumerate(blocks)}
        for key in blocks:
            lines += _block_lines(numbers, key, blocks[key])
        lines.append("  </gpu>")
    return "\n".join(lines) + "\n</algo>\n"


def _name(network: str, kind: str, length: str) -> str:
    """Return a name that MSCCL's reader of XML takes as it is: short, in plain letters, and without quotes."""
    behind = f" {NAMES[kind]} {length}"
    return re.sub(r"[^ !#-%'-;=?-~]", "_", network)[: MOST_LETTERS - len(behind)] + behind


def _block_lines(numbers: dict[Key, int], key: Key, ops: list[_Op]) -> Iterator[str]:
    send, receive, channel = key
    yield f'    <tb id="{numbers[key]}" send="{send}" recv="{receive}" chan="{channel}">'
    for index, op in enumerate(ops):
        before = (numbers[op.after[0].key], op.after[0].number) if op.after else (-1, -1)
        yield (
            f'      <step s="{index}" type="{op.kind}" srcbuf="{op.source.buffer}" srcoff="{op.source.number}" '
            f'dstbuf="{op.sink.buffer}" dstoff="{op.sink.number}" cnt="{op.count}" depid="{before[0]}" '
            f'deps="{before[1]}" hasdep="{int(op.awaited)}"/>'
        )
    yield "    </tb>"


MSCCL_XML_EXPORT = Export(
    "msccl-xml",
    "A program for MSCCL in XML, for GPUs joined by links and switches: thread blocks send, receive and add.",
    ".xml",
    _render,
    _refuse,
    render_timed=_render,
    refuses_timed=_refuse,
)
