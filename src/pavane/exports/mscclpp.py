"""mscclpp: an execution plan of MSCCL++ in JSON.

Every GPU runs one thread block, in the order of the steps: it puts what it sends into the receivers' buffers, signals,
and waits for the signals of those it receives from. No block of a buffer is written twice, so nothing need be awaited
before a put but that the other side has begun. A `nop` is where the threads of a block wait for each other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np

from pavane.exports.buffers import Block, BufferProgram, Move, buffer_programs, num_inputs, num_outputs
from pavane.exports.export import Export, Options
from pavane.exports.reasons import carried, resting, routed_by_processors
from pavane.judge.result import Result

NAMES = {"AAB": "allgather", "AAS": "alltoall", "AAR": "reducescatter"}
MOST_OPERATIONS = 64
MOST_CHANNELS = 16
MOST_CHANNELS_OF_AN_OPERATION = 8

Op = dict[str, Any]


def _local(block: Block) -> dict[str, Any]:
    return {"type": block.buffer, "index": block.number, "size": 1}


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

    def __init__(self, program: BufferProgram, landings: dict[int, tuple[Block, ...]]) -> None:
        self.program, self.landings = program, landings
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
            {"name": "copy", "src_buff": [_local(source)], "dst_buff": [_local(sink)]}
            for source, sink in self.program.copies
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
        for move in moves:
            for source, sink in zip(move.blocks, self.landings[move.transfer], strict=True):
                buffer = self.remote.index((move.peer, sink.buffer))
                there = {"buffer_id": buffer, "index": sink.number, "size": 1}
                yield {"name": "put", "src_buff": [_local(source)], "dst_buff": [there], "channel_type": "memory"}
        yield {"name": "nop"}
        yield from _on_channels("signal", self._channels(moves))

    def _received(self, moves: list[Move]) -> Iterator[Op]:
        """Wait for what a step receives, and add what is to be added."""
        if not moves:
            return
        yield from _on_channels("wait", self._channels(moves))
        yield {"name": "nop"}
        added = [
            {
                "name": "re",
                "src_buff": [_local(onto), _local(arrived)],
                "dst_buff": [_local(block)],
                "reduce_op": "sum",
            }
            for move in moves
            for block, onto, arrived in zip(move.blocks, move.onto, self.landings[move.transfer], strict=True)
            if onto is not None
        ]
        yield from added
        if added:
            yield {"name": "nop"}


def _gpus(result: Result) -> list[dict[str, Any]]:
    problem, schedule = carried(result)
    programs = buffer_programs(problem, schedule)
    landings = _landings(programs)
    return [_Gpu(program, landings).plan(num_inputs(problem), num_outputs(problem)) for program in programs]


def _refusal(result: Result) -> str | None:
    refused = resting(result, "GPUs hold data")
    if refused is not None:
        return refused
    kind = result.problem.collective.kind
    if kind not in NAMES:
        return f"MSCCL++ gives every GPU an input and an output; it takes AAB, AAS and AAR, and this is {kind}"
    refused = routed_by_processors(result, "GPUs do not route for others")
    if refused is not None:
        return refused
    # A put for each message that is sent: with too many of them the rest need not be counted.
    _, schedule = carried(result)
    sent = np.bincount(schedule.senders, schedule.payloads)
    if sent.max() > MOST_OPERATIONS:
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
