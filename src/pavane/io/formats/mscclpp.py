"""mscclpp: an execution plan of MSCCL++ in JSON.

Every GPU runs its operations in the order of the steps: it puts what it sends into the receivers' buffers, signals,
and waits for the signals of those it receives from. No block of a buffer is written twice, so nothing need be awaited
before a put but that the other side has begun. A `nop` is where the threads of a block wait for each other. Pieces are
the plan's chunks, and those that stand side by side at both ends go in one put. A schedule with start times has levels
for steps, and a GPU waits for what it receives only before it sends that on, or in the end.

A thread block has room for 64 operations and 16 channels. What is longer continues in another thread block of the GPU,
which waits for the one before at a semaphore.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import numpy as np

from pavane.io.formats.buffer_layout import BufferLayout
from pavane.io.formats.buffers import Block, BufferProgram, Move, buffer_programs
from pavane.io.formats.export import Export, Options, length_of, problem_and_schedule, refuse_for_gpus
from pavane.io.levels import TimedLevels, receive_steps
from pavane.judge.result import Result

NAMES = {"AAB": "allgather", "AAS": "alltoall", "AAR": "reducescatter", "ALLREDUCE": "allreduce"}
MOST_OPERATIONS = 64
MOST_CHANNELS = 16
"""Of a thread block; as many buffers of others."""
MOST_CHANNELS_OF_AN_OPERATION = 8
MOST_ADDED = 8
"""The most arrivals that one operation adds; it has room for ten buffers."""
MOST_SEMAPHORES = 16
MOST_BLOCKS = MOST_SEMAPHORES + 1

Op = dict[str, Any]
Row = tuple[Block, ...]
"""Blocks of one message, where it is read and where it is written."""


def _local(block: Block, count: int = 1) -> dict[str, Any]:
    return {"type": block.buffer, "index": block.number, "size": count}


def _on_channels(name: str, channels: list[int]) -> Iterator[Op]:
    for first in range(0, len(channels), MOST_CHANNELS_OF_AN_OPERATION):
        ids = channels[first : first + MOST_CHANNELS_OF_AN_OPERATION]
        yield {"name": name, "channel_ids": ids, "channel_type": "memory"}


def _landings(programs: list[BufferProgram]) -> dict[int, tuple[Block, ...]]:
    """Return where what a transfer carries is put: where it stays, or beside it if it is still to be added."""
    found = {}
    for program in programs:
        waiting = program.num_scratch
        for move in program.moves:
            if not move.receives:
                continue
            blocks = []
            for block, onto in zip(move.blocks, move.onto, strict=True):
                if onto is None:
                    blocks.append(block)
                else:
                    blocks.append(Block("s", waiting))
                    waiting += 1
            found[move.transfer] = tuple(blocks)
    return found


def _signals(programs: list[BufferProgram]) -> dict[int, int]:
    """Return which of the signals between its two GPUs says that a transfer is there, counted from 1."""
    found: dict[int, int] = {}
    for program in programs:
        counts: Counter[int] = Counter()
        for _, moves in groupby(program.moves, key=lambda move: move.step):
            sent = [move for move in moves if not move.receives]
            counts.update({move.peer for move in sent})
            found |= {move.transfer: counts[move.peer] for move in sent}
    return found


class _Gpu:
    """The plan of one GPU, in the words of MSCCL++."""

    def __init__(
        self,
        program: BufferProgram,
        landings: dict[int, tuple[Block, ...]],
        signals: dict[int, int],
        joins: bool,
    ) -> None:
        self.program, self.landings, self.signals, self.joins = program, landings, signals, joins
        self.awaited: Counter[int] = Counter()
        """By peer the signals that have been awaited."""
        self.peers = sorted({move.peer for move in program.moves})
        self.remote = sorted(
            {(move.peer, b.buffer) for move in program.moves if not move.receives for b in landings[move.transfer]}
        )
        """The buffers of others that it puts data into."""

    def plan(self, inputs: int, outputs: int) -> dict[str, Any]:
        """Return the plan, with the numbers of blocks in the input and output buffers."""
        program = self.program
        blocks = _thread_blocks(self._operations(), len(self.peers), len(self.remote))
        num_waiting = sum(onto is not None for move in program.moves for onto in move.onto)
        return {
            "id": program.processor,
            "input_chunks": inputs,
            "output_chunks": outputs,
            "scratch_chunks": program.num_scratch + num_waiting,
            "threadblocks": blocks,
            "channels": [{"channel_type": "memory", "connected_to": self.peers}],
            "remote_buffers": [
                {"rank": peer, "type": buffer, "access_channel_types": ["memory"]} for peer, buffer in self.remote
            ],
            "semaphores": [{"init_value": 0} for _ in blocks[1:]],
        }

    def _operations(self) -> list[Op]:
        ops: list[Op] = [
            {"name": "copy", "src_buff": [_local(source, count)], "dst_buff": [_local(sink, count)]}
            for source, sink, count in self.program.copies
        ]
        everyone = list(range(len(self.peers)))
        ops += [*_on_channels("rlxsignal", everyone), *_on_channels("rlxwait", everyone), {"name": "nop"}]
        for _, moves in groupby(self.program.moves, key=lambda move: move.step):
            now = list(moves)
            ops += self._sent([move for move in now if not move.receives])
            ops += self._received([move for move in now if move.receives])
        results = self._joined((source, sink) for source, sink, _ in self.program.results)
        ops += [
            {"name": "copy", "src_buff": [_local(source, count)], "dst_buff": [_local(sink, count)]}
            for (source, sink), count in results
        ]
        if ops[-1]["name"] == "nop":
            ops.pop()
        return ops

    def _channels(self, moves: list[Move]) -> list[int]:
        return sorted({self.peers.index(move.peer) for move in moves})

    def _sent(self, moves: list[Move]) -> Iterator[Op]:
        """Put what a step sends, and signal that it is there."""
        if not moves:
            return
        for peer, together in groupby(moves, key=lambda move: move.peer):
            ends = [end for move in together for end in zip(move.blocks, self.landings[move.transfer], strict=True)]
            for (source, sink), count in self._joined(sorted(ends) if self.joins else ends):
                there = {"buffer_id": self.remote.index((peer, sink.buffer)), "index": sink.number, "size": count}
                here = _local(source, count)
                yield {"name": "put", "src_buff": [here], "dst_buff": [there], "channel_type": "memory"}
        yield {"name": "nop"}
        yield from _on_channels("signal", self._channels(moves))

    def _received(self, moves: list[Move]) -> Iterator[Op]:
        """Wait for what a step receives, and add what is to be added."""
        if not moves:
            return
        needed = dict.fromkeys(sorted({move.peer for move in moves}), 0)
        for move in moves:
            needed[move.peer] = max(needed[move.peer], self.signals[move.transfer] - self.awaited[move.peer])
        for count in range(max(needed.values())):
            yield from _on_channels("wait", [self.peers.index(peer) for peer in needed if needed[peer] > count])
        self.awaited.update(needed)
        yield {"name": "nop"}
        yield from self._added(moves)

    def _added(self, moves: list[Move]) -> Iterator[Op]:
        """Add what has arrived to what is there; what is added to the same block in one operation, or one by one."""
        arrivals: dict[Block, list[Block]] = {}
        for move in moves:
            for block, onto, arrived in zip(move.blocks, move.onto, self.landings[move.transfer], strict=True):
                if onto is not None:
                    arrivals.setdefault(block, [onto]).append(arrived)
        while arrivals:
            rows = ((block, *sources[: 1 + MOST_ADDED]) for block, sources in arrivals.items())
            for (block, *sources), count in self._joined(rows):
                yield {
                    "name": "re",
                    "src_buff": [_local(source, count) for source in sources],
                    "dst_buff": [_local(block, count)],
                    "reduce_op": "sum",
                }
            yield {"name": "nop"}
            rest = {block: sources[1 + MOST_ADDED :] for block, sources in arrivals.items()}
            arrivals = {block: [block, *sources] for block, sources in rest.items() if sources}

    def _joined(self, rows: Iterable[Row]) -> Iterator[tuple[Row, int]]:
        """Yield the first of rows of blocks that stand side by side, and their number; one by one without pieces."""
        first: Row | None = None
        count = 0
        for row in rows:
            if first is not None:
                behind = (Block(block.buffer, block.number + count) for block in first)
                if self.joins and row == tuple(behind):
                    count += 1
                    continue
                yield first, count
            first, count = row, 1
        if first is not None:
            yield first, count


class _Body:
    """What one thread block does, and the channels and buffers that it uses for it."""

    def __init__(self) -> None:
        self.ops: list[Op] = []
        self.channels: list[int] = []
        self.remote: list[int] = []

    def takes(self, op: Op) -> bool:
        """Add an operation if there is room, beside four to wait for the block before and let the next one continue."""
        channels = [channel for channel in op.get("channel_ids", []) if channel not in self.channels]
        remote = [buffer["buffer_id"] for buffer in _puts_into(op) if buffer["buffer_id"] not in self.remote]
        most = max(len(self.channels) + len(channels), len(self.remote) + len(remote))
        if len(self.ops) + 4 >= MOST_OPERATIONS or most > MOST_CHANNELS:
            return False
        self.ops.append(op)
        self.channels += channels
        self.remote += remote
        return True

    def block(self, number: int, is_last: bool) -> dict[str, Any]:
        """Return the thread block of that number, in which channels and buffers have numbers of their own."""
        for op in self.ops:
            if "channel_ids" in op:
                op["channel_ids"] = [self.channels.index(channel) for channel in op["channel_ids"]]
            for buffer in _puts_into(op):
                buffer["buffer_id"] = self.remote.index(buffer["buffer_id"])
        before: list[Op] = [{"name": "sem_acquire", "semaphore_ids": [number - 1]}, {"name": "nop"}] if number else []
        behind: list[Op] = [] if is_last else [{"name": "nop"}, {"name": "sem_release", "semaphore_ids": [number]}]
        return _thread_block(number, [*before, *self.ops, *behind], self.channels, self.remote)


def _puts_into(op: Op) -> list[dict[str, Any]]:
    return op["dst_buff"] if op["name"] == "put" else []


def _thread_block(number: int, ops: list[Op], channels: list[int], remote: list[int]) -> dict[str, Any]:
    return {
        "id": number,
        "ops": ops,
        "channels": [{"channel_type": "memory", "channel_ids": channels}],
        "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": remote}],
    }


def _thread_blocks(ops: list[Op], num_channels: int, num_remote: int) -> list[dict[str, Any]]:
    """Return one thread block if there is room for everything, or several, one after the other."""
    if len(ops) <= MOST_OPERATIONS and max(num_channels, num_remote) <= MOST_CHANNELS:
        return [_thread_block(0, ops, list(range(num_channels)), list(range(num_remote)))]
    bodies = [_Body()]
    for op in ops:
        if not bodies[-1].takes(op):
            bodies.append(_Body())
            bodies[-1].takes(op)
    return [body.block(number, body is bodies[-1]) for number, body in enumerate(bodies)]


def _gpus(result: Result | TimedLevels) -> list[dict[str, Any]]:
    problem, schedule = problem_and_schedule(result)
    received = receive_steps(result) if isinstance(result, TimedLevels) else None
    programs = buffer_programs(problem, schedule, in_place=True, receive_steps=received)
    landings, signals = _landings(programs), _signals(programs)
    layout, joins = BufferLayout(problem), problem.has_pieces
    inputs, outputs = layout.inputs.num_units * layout.pieces, layout.outputs.num_units * layout.pieces
    return [_Gpu(program, landings, signals, joins).plan(inputs, outputs) for program in programs]


def _refuse(result: Result | TimedLevels) -> str | None:
    words = "MSCCL++ gives every GPU an input and an output; it takes AAB, AAS, AAR and ALLREDUCE"
    refused = refuse_for_gpus(result, "MSCCL++", NAMES, words)
    if refused is not None:
        return refused
    # A put for each message that is sent: with too many of them the rest need not be counted.
    _, schedule = problem_and_schedule(result)
    sent = np.bincount(schedule.senders, schedule.payloads)
    room = f"MSCCL++ has room for {MOST_BLOCKS} thread blocks of {MOST_OPERATIONS} operations"
    if sent.max() > MOST_BLOCKS * MOST_OPERATIONS and not result.problem.has_pieces:
        return f"processor {sent.argmax()} needs {sent.max():.0f} operations to send, and {room}"
    for gpu in _gpus(result):
        used = len(gpu["threadblocks"])
        if used > MOST_BLOCKS:
            return f"processor {gpu['id']} needs {used} thread blocks, and {room}"
    return None


def _render(result: Result | TimedLevels, options: Options) -> str:
    problem, _ = problem_and_schedule(result)
    kind = problem.collective.kind
    head = {
        "name": f"{problem.network.name} {NAMES[kind]} {length_of(result)}",
        "collective": NAMES[kind],
        "protocol": "Simple",
        "inplace": kind == "ALLREDUCE",
        "reuse_resources": False,
        "num_threads_per_block": 1024,
        "use_double_scratch_buffer": False,
        "buffer_alignment": 16,
        "min_message_size": 0,
        "max_message_size": 2**64 - 1,
    }
    # A line for each GPU: written by the compiled encoder, which knows no indentation.
    gpus = ",\n ".join(map(json.dumps, _gpus(result)))
    return json.dumps(head, indent=1).removesuffix("\n}") + f',\n "gpus": [\n {gpus}\n ]\n}}\n'


MSCCLPP = Export(
    "mscclpp",
    "An execution plan of MSCCL++ in JSON, for GPUs joined by links and switches: put, signal, wait and add.",
    ".mscclpp.json",
    _render,
    _refuse,
    render_timed=_render,
    refuses_timed=_refuse,
)
