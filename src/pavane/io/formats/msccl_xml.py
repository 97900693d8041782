"""msccl-xml: a program of MSCCL, NCCL's interpreter of collectives, in XML.

Each GPU has thread blocks that run their operations in order, wait for others, send to one peer and receive from one.
There are no common steps and no network in such a file. What MSCCL calls a chunk is a piece here.

Each pair of processors that communicate has a thread block at either end. Dependencies between thread blocks
take the place of steps. Pieces of a transfer that are adjacent at both ends go in one step of a block; parallel
transfers between the same two GPUs use several of MSCCL's channels. The limits are those of MSCCL and of the runtimes
that took it over, the narrower one where they differ. A pair with more steps than fit into a thread block continues in
the blocks of another channel, and more peers than fit into a channel are spread over several.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pavane.io.formats.buffer_layout import BufferLayout
from pavane.io.formats.buffers import Block, Copy, Move, buffer_programs, follows
from pavane.io.formats.export import Export, Options, refuse_for_gpus
from pavane.io.levels import OrderedResult

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


class _BlockMove(NamedTuple):
    """What goes from a block of the sender to a block of the receiver, onto what is there."""

    source: Block
    sink: Block
    onto: Block | None


class _Gpus:
    """The thread blocks of all GPUs, as transfers fill them one step after the other."""

    def __init__(self, ordered: OrderedResult) -> None:
        self.problem, self.schedule = ordered.problem, ordered.schedule
        self.has_starts = ordered.has_times
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

    def _parts_of_transfers(self) -> list[list[_BlockMove]]:
        at_ends: dict[bool, dict[int, Move]] = {False: {}, True: {}}
        for program in self.programs:
            for move in program.moves:
                at_ends[move.receives][move.transfer] = move
        return [
            [
                _BlockMove(*part)
                for part in zip(at_ends[False][i].blocks, at_ends[True][i].blocks, at_ends[True][i].onto, strict=True)
            ]
            for i in range(len(self.schedule))
        ]

    def _runs(self, step: int) -> Iterator[tuple[int, int, int, list[_BlockMove]]]:
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
            run: list[_BlockMove] = []
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

    def _joins(self, sender: int, receiver: int, run: list[_BlockMove]) -> bool:
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

    def _send(self, sender: int, receiver: int, channel: int, run: list[_BlockMove]) -> None:
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


def _refuse(ordered: OrderedResult) -> str | None:
    problem, schedule = ordered.problem, ordered.schedule
    words = "MSCCL has allgather, alltoall, reduce_scatter, broadcast and allreduce (AAB, AAS, AAR, OAB, ALLREDUCE)"
    refused = refuse_for_gpus(ordered, "MSCCL", NAMES, words)
    if refused is not None:
        return refused
    # A step for each message that is sent and for each that is received; joined pieces are counted when they are.
    ends = np.concatenate((schedule.senders, schedule.receivers))
    lengths = np.bincount(ends, np.concatenate((schedule.payloads, schedule.payloads)))
    if problem.is_plain and lengths.max() > MOST_ELEMENTS:
        return f"processor {lengths.argmax()} needs {lengths.max():.0f} steps, and MSCCL has room for {MOST_ELEMENTS}"
    return _too_much(_Gpus(ordered), BufferLayout(problem))


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


def _render(ordered: OrderedResult, options: Options) -> str:
    problem = ordered.problem
    kind, count = problem.collective.kind, problem.network.num_processors
    layout, gpus = BufferLayout(problem), _Gpus(ordered)
    inputs, outputs = layout.inputs.num_units * layout.pieces, layout.outputs.num_units * layout.pieces
    channels = 1 + max(channel for blocks in gpus.blocks for _, _, channel in blocks)
    root = problem.collective.senders[0]
    in_place = int(kind == "ALLREDUCE")
    lines = [
        f'<algo name="{_name(problem.network.name, kind, ordered.length_text)}" proto="Simple" nchannels="{channels}" '
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


MSCCL_XML = Export(
    "msccl-xml",
    "A program for MSCCL in XML, for GPUs joined by links and switches: thread blocks send, receive and add.",
    ".xml",
    _render,
    _refuse,
    has_times=True,
)
