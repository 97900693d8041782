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

from pavane.exports.export import Export, Options
from pavane.exports.programs import Place, Program, num_inputs, num_outputs, programs_of
from pavane.exports.reasons import carried, resting, routed_by_processors
from pavane.judge.result import Result

NAMES = {"AAB": "allgather", "AAS": "alltoall", "AAR": "reducescatter"}
MOST_OPERATIONS = 64
MOST_CHANNELS = 16
MOST_CHANNELS_OF_AN_OPERATION = 8

Op = dict[str, Any]


def _local(place: Place) -> dict[str, Any]:
    return {"type": place.buffer, "index": place.block, "size": 1}


def _on_channels(name: str, channels: list[int]) -> Iterator[Op]:
    for first in range(0, len(channels), MOST_CHANNELS_OF_AN_OPERATION):
        ids = channels[first : first + MOST_CHANNELS_OF_AN_OPERATION]
        yield {"name": name, "channel_ids": ids, "channel_type": "memory"}


def _landings(programs: list[Program]) -> dict[int, tuple[Place, ...]]:
    """Return where what a transfer carries is put: where it stays, or beside it if it is still to be added."""
    found = {}
    for program in programs:
        waiting = program.num_scratch
        for move in program.moves:
            if not move.receives:
                continue
            places = []
            for place, onto in zip(move.places, move.onto, strict=True):
                if onto is None:
                    places.append(place)
                else:
                    places.append(Place("s", waiting))
                    waiting += 1
            found[move.transfer] = tuple(places)
    return found


def _gpu(program: Program, landings: dict[int, tuple[Place, ...]], inputs: int, outputs: int) -> dict[str, Any]:
    peers = sorted({move.peer for move in program.moves})
    remote = sorted(
        {(move.peer, p.buffer) for move in program.moves if not move.receives for p in landings[move.transfer]}
    )
    buffer_id = {key: number for number, key in enumerate(remote)}
    ops: list[Op] = [
        {"name": "copy", "src_buff": [_local(source)], "dst_buff": [_local(sink)]} for source, sink in program.copies
    ]
    everyone = list(range(len(peers)))
    ops += [*_on_channels("rlxsignal", everyone), *_on_channels("rlxwait", everyone), {"name": "nop"}]
    for _, moves in groupby(program.moves, key=lambda move: move.step):
        now = list(moves)
        sends, receives = ([move for move in now if move.receives is side] for side in (False, True))
        for move in sends:
            for source, sink in zip(move.places, landings[move.transfer], strict=True):
                there = {"buffer_id": buffer_id[move.peer, sink.buffer], "index": sink.block, "size": 1}
                ops.append({"name": "put", "src_buff": [_local(source)], "dst_buff": [there], "channel_type": "memory"})
        if sends:
            channels = sorted({peers.index(move.peer) for move in sends})
            ops += [{"name": "nop"}, *_on_channels("signal", channels)]
        if receives:
            channels = sorted({peers.index(move.peer) for move in receives})
            ops += [*_on_channels("wait", channels), {"name": "nop"}]
        added = False
        for move in receives:
            for place, onto, arrived in zip(move.places, move.onto, landings[move.transfer], strict=True):
                if onto is not None:
                    added = True
                    ops.append(
                        {
                            "name": "re",
                            "src_buff": [_local(onto), _local(arrived)],
                            "dst_buff": [_local(place)],
                            "reduce_op": "sum",
                        }
                    )
        if added:
            ops.append({"name": "nop"})
    if ops[-1]["name"] == "nop":
        ops.pop()
    num_waiting = sum(onto is not None for move in program.moves for onto in move.onto)
    block = {
        "id": 0,
        "ops": ops,
        "channels": [{"channel_type": "memory", "channel_ids": everyone}],
        "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": list(range(len(remote)))}],
    }
    return {
        "id": program.processor,
        "input_chunks": inputs,
        "output_chunks": outputs,
        "scratch_chunks": program.num_scratch + num_waiting,
        "threadblocks": [block],
        "channels": [{"channel_type": "memory", "connected_to": peers}],
        "remote_buffers": [
            {"rank": peer, "type": buffer, "access_channel_types": ["memory"]} for peer, buffer in remote
        ],
        "semaphores": [],
    }


def _gpus(result: Result) -> list[dict[str, Any]]:
    problem, schedule = carried(result)
    programs = programs_of(problem, schedule)
    landings = _landings(programs)
    return [_gpu(program, landings, num_inputs(problem), num_outputs(problem)) for program in programs]


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
