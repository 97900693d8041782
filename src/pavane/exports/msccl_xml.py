"""msccl-xml: a program for MSCCL, NCCL's interpreter of collectives, in XML.

Each pair of processors that talk has a thread block at either end, and a block runs its steps in order. What was
received is sent on when it is there: MSCCL knows dependencies between thread blocks of one GPU, no common steps. Pieces
are MSCCL's chunks: those of a transfer that stand side by side at both ends go in one step of a block, and where
several transfers go between the same two at once, as many of MSCCL's channels carry them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np

from pavane.exports.buffers import Block, Move, buffer_programs, follows
from pavane.exports.export import Export, Options
from pavane.exports.layout import Layout
from pavane.exports.reasons import carried, of_one_size, resting, routed_by_processors
from pavane.exports.templates import one_line
from pavane.judge.result import Result

NAMES = {"AAB": "allgather", "AAS": "alltoall", "AAR": "reduce_scatter", "OAB": "broadcast"}
MOST_STEPS = 256
MOST_BLOCKS = 32
MOST_BLOCKS_OF_A_GPU = 216
MOST_CHANNELS = 32
MOST_COUNT = 71
"""The most chunks that one step of a thread block may name."""


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

    def __init__(self, result: Result) -> None:
        self.problem, self.schedule = carried(result)
        self.programs = buffer_programs(self.problem, self.schedule)
        self.blocks: list[ThreadBlocks] = [{} for _ in self.programs]
        self.writers: dict[tuple[int, Block], _Op] = {}
        """By GPU and block the last step that wrote there."""
        self._parts = self._parts_of_transfers()
        for step in range(self.schedule.num_steps):
            for run in self._runs(step):
                self._send(*run)
        for program, blocks in zip(self.programs, self.blocks, strict=True):
            copies = [_Op("cpy", copy.source, copy.sink, copy.num_blocks) for copy in program.copies]
            if copies:
                blocks[-1, -1, 0] = [part for op in copies for part in _in_reach(op)]
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
        whole messages go one by one over the first.
        """
        at_once: Counter[tuple[int, int]] = Counter()
        for i in self.schedule.of_step(step):
            ends = int(self.schedule.senders[i]), int(self.schedule.receivers[i])
            if self.problem.is_plain:
                yield from ((*ends, 0, [part]) for part in self._parts[i])
                continue
            run: list[_Part] = []
            for part in self._parts[i]:
                if run and not self._joins(*ends, [*run, part]):
                    yield *ends, at_once[ends] % MOST_CHANNELS, run
                    run = []
                run.append(part)
            yield *ends, at_once[ends] % MOST_CHANNELS, run
            at_once[ends] += 1

    def _joins(self, sender: int, receiver: int, run: list[_Part]) -> bool:
        """Whether the last part of a run can go with those before; a step of MSCCL waits for one thread block."""
        before, part = run[-2:]
        if len(run) > MOST_COUNT or not all(follows(*ends) for ends in zip(part, before, strict=True)):
            return False
        ends = ((sender, [part.source for part in run]), (receiver, [part.sink for part in run]))
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
        sinks = [part.sink for part in run]
        self._add(receiver, (-1, sender, channel), op, [] if onto is None else sinks)
        self.writers |= {(receiver, block): op for block in sinks}

    def _add(self, gpu: int, key: Key, op: _Op, needs: list[Block]) -> None:
        """Add a step to a thread block, behind those that wrote what it needs."""
        ops = self.blocks[gpu].setdefault(key, [])
        op.key, op.number = key, len(ops)
        ops.append(op)
        before = [other for other in self._written(gpu, needs) if other.key != key]
        op.after = [max(before, key=lambda other: other.number)] if before else []


def _in_reach(op: _Op) -> Iterator[_Op]:
    """Yield a copy in parts that MSCCL can count."""
    for first in range(0, op.count, MOST_COUNT):
        source, sink = (Block(block.buffer, block.number + first) for block in (op.source, op.sink))
        yield _Op(op.kind, source, sink, min(MOST_COUNT, op.count - first))


def _refusal(result: Result) -> str | None:
    refused = resting(result, "GPUs hold data")
    if refused is not None:
        return refused
    problem, schedule = carried(result)
    kind, everyone = problem.collective.kind, problem.network.num_processors
    if kind not in NAMES:
        return f"MSCCL has allgather, alltoall, reduce_scatter and broadcast (AAB, AAS, AAR, OAB), and {kind} is none"
    if kind == "OAB" and len({*problem.collective.senders, *problem.collective.receivers}) < everyone:
        return "MSCCL's broadcast goes to all, and this OAB to some"
    refused = of_one_size(result, "MSCCL") or routed_by_processors(result, "GPUs do not route for others")
    if refused is not None:
        return refused
    if not problem.is_plain:
        return _too_much(result)
    # A pair of processors has a thread block at either end, with a step for each message.
    pairs, which = np.unique(np.stack((schedule.senders, schedule.receivers)), axis=1, return_inverse=True)
    lengths = np.bincount(which.ravel(), schedule.payloads)
    if lengths.max() > MOST_STEPS:
        gpu = int(pairs[0, lengths.argmax()])
        return f"processor {gpu} needs {lengths.max():.0f} steps in a thread block, and MSCCL has room for {MOST_STEPS}"
    for side in pairs:
        peers = np.bincount(side)
        if peers.max() > MOST_BLOCKS:
            return (
                f"processor {peers.argmax()} has {peers.max()} peers, and a channel of MSCCL has room for {MOST_BLOCKS}"
            )
    return None


def _too_much(result: Result) -> str | None:
    """Refuse programs of pieces that are larger than MSCCL has room for."""
    for gpu, blocks in enumerate(_Gpus(result).blocks):
        longest = max(map(len, blocks.values()), default=0)
        if longest > MOST_STEPS:
            return f"processor {gpu} needs {longest} steps in a thread block, and MSCCL has room for {MOST_STEPS}"
        for side in (0, 1):
            peers = max(Counter(key[2] for key in blocks if key[side] >= 0).values(), default=0)
            if peers > MOST_BLOCKS:
                return f"processor {gpu} has {peers} peers, and a channel of MSCCL has room for {MOST_BLOCKS}"
        if len(blocks) > MOST_BLOCKS_OF_A_GPU:
            return (
                f"processor {gpu} needs {len(blocks)} thread blocks for what goes at once, and MSCCL has room for "
                f"{MOST_BLOCKS_OF_A_GPU}"
            )
    return None


def _write(result: Result, options: Options) -> dict[str, bytes]:
    problem, schedule = carried(result)
    kind, count = problem.collective.kind, problem.network.num_processors
    layout, gpus = Layout(problem), _Gpus(result)
    inputs, outputs = layout.num_input_blocks * layout.pieces, layout.num_output_blocks * layout.pieces
    channels = 1 + max(channel for blocks in gpus.blocks for _, _, channel in blocks)
    root = problem.collective.senders[0]
    name = one_line(f"{problem.network.name} {NAMES[kind]} in {schedule.num_steps} steps")
    lines = [
        f'<algo name={quoteattr(name)} proto="Simple" nchannels="{channels}" nchunksperloop="{max(inputs, outputs)}" '
        f'ngpus="{count}" coll="{NAMES[kind]}" inplace="0">'
    ]
    for gpu, (program, made) in enumerate(zip(gpus.programs, gpus.blocks, strict=True)):
        # Nobody but the root of a broadcast has an input; the root's output is its own copy.
        own = inputs if kind != "OAB" or gpu == root else 0
        lines.append(f'  <gpu id="{gpu}" i_chunks="{own}" o_chunks="{outputs}" s_chunks="{program.num_scratch}">')
        blocks = dict(sorted(made.items()))
        if kind == "OAB" and gpu == root and root not in problem.collective.receivers:
            blocks[-1, -1, 0] = [*_in_reach(_Op("cpy", Block("i", 0), Block("o", 0), inputs))]
        numbers = {key: number for number, key in enumerate(blocks)}
        for key in blocks:
            lines += _block_lines(numbers, key, blocks[key])
        lines.append("  </gpu>")
    return {f"{options.stem}.xml": ("\n".join(lines) + "\n</algo>\n").encode()}


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
    "A program for MSCCL in XML, for GPUs joined by links and switches: thread blocks that send, receive and add.",
    ".xml",
    _refusal,
    _write,
)
