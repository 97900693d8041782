"""mscclpp: an execution plan of MSCCL++ in JSON.

Every GPU runs one thread block, in the order of the steps: it puts what it sends into the receivers' buffers, signals,
and waits for the signals of those it receives from. No block of a buffer is written twice, so nothing need be awaited
before a put but that the other side has begun. A `nop` is where the threads of a block wait for each other. Pieces are
the plan's chunks, and those that stand side by side at both ends go in one put.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import numpy as np

from pavane.exports.buffers import Block, BufferProgram, Move, buffer_programs
from pavane.exports.export import Export, Options
from pavane.exports.layout import Layout
from pavane.exports.reasons import carried, of_one_size, resting, routed_by_processors
from pavane.judge.result import Result

NAMES = {"AAB": "allgather", "AAS": "alltoall", "AAR": "reducescatter"}
MOST_OPERATIONS = 64
MOST_CHANNELS = 16
MOST_CHANNELS_OF_AN_OPERATION = 8

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


class _Gpu:
    """The plan of one GPU, in the words of MSCCL++."""

    def __init__(self, program: BufferProgram, landings: dict[int, tuple[Block, ...]], joins: bool) -> None:
        self.program, self.landings, self.joins = program, landings, joins
        self.peers = sorted({move.peer for move in program.moves})
        self.remote = sorted(
            {(move.peer, b.buffer) for move in program.moves if not move.receives for b in landings[move.transfer]}
        )
        """The buffers of others that it puts data into."""

    def plan(self, inputs: int, outputs: int) -> dict[str, Any]:
        """Return the plan, with the numbers of blocks in the input and output buffers."""
        program = self.program
        block = {
            "id": 0,
            "ops": self._operations(),
            "channels": [{"channel_type": "memory", "channel_ids": list(range(len(self.peers)))}],
            "remote_buffer_refs": [
                {"access_channel_type": "memory", "remote_buffer_ids": list(range(len(self.remote)))}
            ],
        }
        num_waiting = sum(onto is not None for move in program.moves for onto in move.onto)
        return {
            "id": program.processor,
            "input_chunks": inputs,
            "output_chunks": outputs,
            "scratch_chunks": program.num_scratch + num_waiting,
            "threadblocks": [block],
            "channels": [{"channel_type": "memory", "connected_to": self.peers}],
            "remote_buffers": [
                {"rank": peer, "type": buffer, "access_channel_types": ["memory"]} for peer, buffer in self.remote
            ],
            "semaphores": [],
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
        yield from _on_channels("wait", self._channels(moves))
        yield {"name": "nop"}
        ends = [
            (onto, arrived, block)
            for move in moves
            for block, onto, arrived in zip(move.blocks, move.onto, self.landings[move.transfer], strict=True)
            if onto is not None
        ]
        added = [
            {
                "name": "re",
                "src_buff": [_local(onto, count), _local(arrived, count)],
                "dst_buff": [_local(block, count)],
                "reduce_op": "sum",
            }
            for (onto, arrived, block), count in self._joined(ends)
        ]
        yield from added
        if added:
            yield {"name": "nop"}

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


def _gpus(result: Result) -> list[dict[str, Any]]:
    problem, schedule = carried(result)
    programs = buffer_programs(problem, schedule)
    landings = _landings(programs)
    layout, joins = Layout(problem), problem.has_pieces
    inputs, outputs = layout.num_input_blocks * layout.pieces, layout.num_output_blocks * layout.pieces
    return [_Gpu(program, landings, joins).plan(inputs, outputs) for program in programs]


def _refusal(result: Result) -> str | None:
    refused = resting(result, "GPUs hold data")
    if refused is not None:
        return refused
    kind = result.problem.collective.kind
    if kind not in NAMES:
        return f"MSCCL++ gives every GPU an input and an output; it takes AAB, AAS and AAR, and this is {kind}"
    refused = of_one_size(result, "MSCCL++") or routed_by_processors(result, "GPUs do not route for others")
    if refused is not None:
        return refused
    # A put for each message that is sent: with too many of them the rest need not be counted.
    _, schedule = carried(result)
    sent = np.bincount(schedule.senders, schedule.payloads)
    if sent.max() > MOST_OPERATIONS and not result.problem.has_pieces:
        processor, most = int(sent.argmax()), int(sent.max())
        return (
            f"processor {processor} sends {most} messages, and an MSCCL++ plan has {MOST_OPERATIONS} operations at most"
        )
    for gpu in _gpus(result):
        block = gpu["threadblocks"][0]
        used = len(block["ops"])
        if used > MOST_OPERATIONS:
            return f"processor {gpu['id']} needs {used} operations, and an MSCCL++ plan has room for {MOST_OPERATIONS}"
        peers = max(len(gpu["channels"][0]["connected_to"]), len(gpu["remote_buffers"]))
        if peers > MOST_CHANNELS:
            return f"processor {gpu['id']} needs {peers} channels, and an MSCCL++ plan has room for {MOST_CHANNELS}"
    return None


def _write(result: Result, options: Options) -> dict[str, bytes]:
    problem, schedule = carried(result)
    kind = problem.collective.kind
    plan = {
        "name": f"{problem.network.name} {NAMES[kind]} in {schedule.num_steps} steps",
        "collective": NAMES[kind],
        "protocol": "Simple",
        "inplace": False,
        "reuse_resources": False,
        "gpus": _gpus(result),
        "num_threads_per_block": 1024,
        "use_double_scratch_buffer": False,
        "buffer_alignment": 16,
        "min_message_size": 0,
        "max_message_size": 2**64 - 1,
    }
    return {f"{options.stem}.mscclpp.json": (json.dumps(plan, indent=1) + "\n").encode()}


MSCCLPP = Export(
    "mscclpp",
    "An execution plan of MSCCL++ in JSON, for GPUs joined by links and switches: put, signal, wait and add.",
    ".mscclpp.json",
    _refusal,
    _write,
)
