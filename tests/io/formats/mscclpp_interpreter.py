"""An interpreter of MSCCL++ execution plans, by the rules of the executor; it knows nothing of how plans are made.

The rules are those of microsoft/mscclpp: execution_plan.cc, executor.cc, execution_common.hpp and execution_kernel.hpp
in src/core, semaphore_device.hpp and concurrency_device.hpp in include/mscclpp.

Thread blocks run their operations in order, but the threads of a block wait for each other only at a `nop`. Between two
of them accesses to the same chunk are a race, what a `wait` saw is known behind the next `nop`, and a `signal` tells of
what was done before the last one. The n-th `wait` on a channel waits for the n-th `signal` of the other side; relaxed
ones count alike, and tell nothing of memory. The m-th channel of a GPU to another belongs to the m-th of that one back.

A switch channel joins one buffer of some GPUs, which open it together: each opens its channels in the order of its
list, so two GPUs must have their common ones in the same order. `gstore` writes a block to one place of all of them,
`glres` adds what all have at one place and writes the sum to one place of all GPUs of the same or another channel.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.io.formats.watched_memory import Access, Bytes, Cell, Clock, FaultError, WatchedMemory, check

MOST_OPERATIONS = 64
MOST_CHANNELS = 16
"""Of a thread block; as many buffers of others."""
MOST_CHANNELS_OF_AN_OPERATION = 8
MOST_BUFFERS_OF_AN_OPERATION = 10
MOST_SEMAPHORES = 16
SIZES = {"i": "input_chunks", "o": "output_chunks", "s": "scratch_chunks"}
COLLECTIVES = {"allgather": "AAB", "alltoall": "AAS", "reducescatter": "AAR", "allreduce": "ALLREDUCE"}
COLLECTIVES["custom"] = "SEVERAL"

Op = dict[str, Any]
Channel = tuple[int, int, int]
"""From a GPU to another, and the number among those between the two."""
Group = tuple[str, tuple[int, ...]]
"""A switch channel: the type of a buffer, and GPUs."""


@dataclass
class Block:
    """A thread block, and how far it is."""

    gpu: int
    index: int
    """Its number among those of all GPUs."""
    ops: list[Op]
    channels: list[Channel]
    remote: list[tuple[int, str]]
    """The buffers of others, by GPU and type."""
    switches: list[Group]
    at: int = 0
    waited: int = 0
    """How many waits of the present operation are over."""
    clock: Clock = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    heard: list[Clock] = field(default_factory=list)
    """What waits have learnt since the threads last waited for each other."""


class Plan:
    """A plan as the executor loads it; what it would refuse, or read wrongly, is a fault."""

    def __init__(self, text: str) -> None:
        plan = json.loads(text)
        check(plan["collective"] in COLLECTIVES and plan["protocol"] == "Simple", "the collective is unknown")
        check(not plan["reuse_resources"] and not plan["use_double_scratch_buffer"], "settings")
        self.in_place: bool = plan["inplace"]
        check(not self.in_place or plan["collective"] == "allreduce", "in place other buffers are shared")
        check(0 <= plan["min_message_size"] < plan["max_message_size"] < 2**64, "no message is of such a size")
        self.kind = COLLECTIVES[plan["collective"]]
        self.gpus: list[dict[str, Any]] = plan["gpus"]
        check([gpu["id"] for gpu in self.gpus] == list(range(len(self.gpus))), "GPUs are missing")
        self.sizes = {(gpu["id"], buffer): gpu[name] for gpu in self.gpus for buffer, name in SIZES.items()}
        self.semaphores = [[each["init_value"] for each in gpu["semaphores"]] for gpu in self.gpus]
        self.channels = [self._channels(gpu) for gpu in self.gpus]
        everything = {channel for channels in self.channels for channel in channels}
        check(all((b, a, m) in everything for a, b, m in everything), "a channel has one end only")
        self.switches = [self._switches(gpu) for gpu in self.gpus]
        self._check_switches()
        self.blocks: list[Block] = []
        for gpu in self.gpus:
            self._load(gpu)

    def _channels(self, gpu: dict[str, Any]) -> list[Channel]:
        found: list[Channel] = []
        count: Counter[int] = Counter()
        for entry in gpu["channels"]:
            if entry["channel_type"] == "switch":
                continue
            check(entry["channel_type"] == "memory", "all channels are to memory or by switches")
            for peer in entry["connected_to"]:
                check(peer != gpu["id"] and 0 <= peer < len(self.gpus), f"there is no GPU {peer}")
                found.append((gpu["id"], peer, count[peer]))
                count[peer] += 1
        return found

    def _switches(self, gpu: dict[str, Any]) -> list[Group]:
        found = []
        for entry in gpu["channels"]:
            for group in entry["rank_groups"] if entry["channel_type"] == "switch" else ():
                ranks = tuple(group["ranks"])
                check(gpu["id"] in ranks and len(ranks) == group["size"] > 1, f"GPU {gpu['id']} in a group {ranks}")
                check(len(set(ranks)) == len(ranks) and max(ranks) < len(self.gpus), f"there are no GPUs {ranks}")
                found.append((entry["buffer_type"], ranks))
        return found

    def _check_switches(self) -> None:
        """Every GPU of a group opens it, and no two wait for each other because their orders differ."""
        for buffer, ranks in {group for groups in self.switches for group in groups}:
            check(len({self.sizes[rank, buffer] for rank in ranks}) == 1, "the buffers of a group differ in size")
        for a, one in enumerate(self.switches):
            for b, other in enumerate(self.switches[:a]):
                common = [[group for group in groups if {a, b} <= set(group[1])] for groups in (one, other)]
                check(common[0] == common[1], f"GPUs {b} and {a} open switch channels in different orders")

    def _load(self, gpu: dict[str, Any]) -> None:
        number = gpu["id"]
        check(gpu["input_chunks"] > 0 and gpu["output_chunks"] > 0, "every GPU has an input and an output")
        check(len(gpu["semaphores"]) <= MOST_SEMAPHORES, f"GPU {number} has {len(gpu['semaphores'])} semaphores")
        buffers = [(buffer["rank"], buffer["type"]) for buffer in gpu["remote_buffers"]]
        check(all(buffer["access_channel_types"] == ["memory"] for buffer in gpu["remote_buffers"]), "no way to memory")
        check([tb["id"] for tb in gpu["threadblocks"]] == list(range(len(gpu["threadblocks"]))), "blocks are missing")
        for tb in gpu["threadblocks"]:
            listed = {
                kind: [i for entry in tb["channels"] if entry["channel_type"] == kind for i in entry["channel_ids"]]
                for kind in ("memory", "switch")
            }
            channels = [self.channels[number][i] for i in listed["memory"]]
            switches = [self.switches[number][i] for i in listed["switch"]]
            remote = [buffers[i] for entry in tb["remote_buffer_refs"] for i in entry["remote_buffer_ids"]]
            check(len(tb["ops"]) <= MOST_OPERATIONS, f"GPU {number} has {len(tb['ops'])} operations")
            check(
                max(len(channels), len(remote), len(switches)) <= MOST_CHANNELS, f"GPU {number} has too many channels"
            )
            for op in tb["ops"]:
                ids, (into, out) = op.get("channel_ids", []), (op.get("src_buff", []), op.get("dst_buff", []))
                check(len(ids) <= MOST_CHANNELS_OF_AN_OPERATION, f"an operation has {len(ids)} channels")
                check(all(0 <= i < len(channels) for i in ids), f"there are no channels {ids}")
                check(max(len(into), len(out)) <= MOST_BUFFERS_OF_AN_OPERATION, "an operation has too many buffers")
                by = "switch" if op["name"] in ("gstore", "glres") else "memory"
                check(op["name"] in ("nop", "copy", "re") or "sem" in op["name"] or op["channel_type"] == by, "type")
            self.blocks.append(Block(number, len(self.blocks), tb["ops"], channels, remote, switches))


class PlanRun:
    """A plan that runs, one operation of one thread block after the other."""

    def __init__(self, plan: Plan, seed: int = 0, in_place: bool = False) -> None:
        self.plan = plan
        self.memory = WatchedMemory(plan.sizes, seed, in_place)
        self.signals: dict[Channel, list[Clock | None]] = {}
        self.waits: Counter[Channel] = Counter()
        self.released: dict[tuple[int, int], list[Clock]] = {}
        for block in plan.blocks:
            block.at, block.waited, block.heard = 0, 0, []
            block.clock = np.zeros(len(plan.blocks), dtype=np.int32)

    def run(self, order: random.Random | None = None) -> WatchedMemory:
        """Let blocks go on until all are done: in turns, or in a random order."""
        blocks = [block for block in self.plan.blocks if block.ops]
        while blocks:
            if order is not None:
                order.shuffle(blocks)
            went = [self._goes_on(block, order) for block in blocks]
            if not any(went):
                stuck = ", ".join(
                    f"GPU {b.gpu} at operation {b.at}, {b.ops[b.at]}" for b in blocks[:3] if b.at < len(b.ops)
                )
                raise FaultError(f"deadlock: {stuck}")
            blocks = [block for block in blocks if block.at < len(block.ops)]
        for (here, there, number), told in self.signals.items():
            check(len(told) == self.waits[there, here, number], f"a signal of GPU {here} to {there} is never awaited")
        check(not any(self.released.values()), "a semaphore is left raised, and the next run begins wrongly")
        return self.memory

    def _goes_on(self, block: Block, order: random.Random | None) -> bool:
        went = False
        for _ in range(1 if order is None else order.randint(1, 10)):
            if block.at == len(block.ops) or not self._does(block, block.ops[block.at]):
                break
            block.at, block.waited, went = block.at + 1, 0, True
        return went

    def _does(self, block: Block, op: Op) -> bool:
        """Carry out an operation, or say that it has to wait."""
        name = op["name"]
        if name == "nop":
            block.clock[block.index] += 1
            block.clock = np.max([block.clock, *block.heard], axis=0)
            block.heard = []
        elif name in ("signal", "rlxsignal"):
            for i in op["channel_ids"]:
                self.signals.setdefault(block.channels[i], []).append(block.clock.copy() if name == "signal" else None)
        elif name in ("wait", "rlxwait"):
            return self._waits(block, op)
        elif name == "sem_release":
            for i in op["semaphore_ids"]:
                check(self.plan.semaphores[block.gpu][i] == 0, "a semaphore begins raised")
                self.released.setdefault((block.gpu, i), []).append(block.clock.copy())
        elif name == "sem_acquire":
            (i,) = op["semaphore_ids"]
            check(i < len(self.plan.semaphores[block.gpu]), f"there is no semaphore {i}")
            if not self.released.get((block.gpu, i)):
                return False
            block.heard.append(self.released[block.gpu, i].pop(0))
        else:
            self._moves(block, op)
        return True

    def _waits(self, block: Block, op: Op) -> bool:
        ids = op["channel_ids"]
        while block.waited < len(ids):
            here, there, number = block.channels[ids[block.waited]]
            told = self.signals.get((there, here, number), [])
            awaited = self.waits[here, there, number]
            if awaited >= len(told):
                return False
            clock = told[awaited]
            if op["name"] == "wait" and clock is not None:
                block.heard.append(clock)
            self.waits[here, there, number] += 1
            block.waited += 1
        return True

    def _moves(self, block: Block, op: Op) -> None:
        """Put into the memory of others, copy, or add."""
        epoch = int(block.clock[block.index]) + 1
        for i, (sources, sinks) in enumerate(self._rows(block, op)):
            access = Access(block.index, epoch, (block.index, block.at, i))
            parts = [self.memory.read(source, access, block.clock) for source in sources]
            total: Bytes = parts[0] if len(parts) == 1 else np.sum(parts, axis=0, dtype=np.uint8)
            for sink in sinks:
                self.memory.write(sink, total, access, block.clock)

    def _rows(self, block: Block, op: Op) -> Iterator[tuple[list[Cell], list[Cell]]]:
        """Yield the cells that an operation reads and adds, and those that it writes the sum to."""
        name, into, out = op["name"], op["src_buff"], op["dst_buff"]
        if name == "put":
            check(len({buffer["type"] for buffer in into}) == 1, "a put reads one buffer")
            for source, sink in zip(into, out, strict=True):
                yield from _side_by_side([self._local(block, source)], [self._remote(block, sink)])
            return
        check(name in ("copy", "re", "gstore", "glres") and len(out) == 1, f"{name} is unknown here")
        check(name == "re" or len(into) == 1, f"a {name} has one source")
        check(name not in ("re", "glres") or op["reduce_op"] == "sum", "only sums are added here")
        sources = self._joined(block, into[0]) if name == "glres" else [self._local(block, buffer) for buffer in into]
        sinks = self._joined(block, out[0]) if name in ("gstore", "glres") else [self._local(block, out[0])]
        yield from _side_by_side(sources, sinks)

    def _joined(self, block: Block, buffer: dict[str, Any]) -> list[list[Cell]]:
        """Return the cells at one place of all GPUs of a switch channel."""
        check(0 <= buffer["switch_channel_id"] < len(block.switches), "there is no such switch channel")
        of_type, ranks = block.switches[buffer["switch_channel_id"]]
        return [self.memory.cells(rank, of_type, buffer["index"], buffer["size"]) for rank in ranks]

    def _local(self, block: Block, buffer: dict[str, Any]) -> list[Cell]:
        return self.memory.cells(block.gpu, buffer["type"], buffer["index"], buffer["size"])

    def _remote(self, block: Block, buffer: dict[str, Any]) -> list[Cell]:
        check(0 <= buffer["buffer_id"] < len(block.remote), f"there is no buffer {buffer['buffer_id']}")
        gpu, of_type = block.remote[buffer["buffer_id"]]
        return self.memory.cells(gpu, of_type, buffer["index"], buffer["size"])


def _side_by_side(sources: list[list[Cell]], sinks: list[list[Cell]]) -> Iterator[tuple[list[Cell], list[Cell]]]:
    check(len({len(cells) for cells in (*sources, *sinks)}) == 1, "sizes differ")
    for i in range(len(sources[0])):
        yield [cells[i] for cells in sources], [cells[i] for cells in sinks]


def run_plan(text: str, kind: str, pieces: int) -> Plan:
    """Load a plan and run it in turns and at random; one that is for buffers in place runs with others, too."""
    plan = Plan(text)
    check(plan.kind == kind, f"the plan is for {plan.kind}")
    for in_place in range(1 + plan.in_place):
        for seed in range(3):
            memory = PlanRun(plan, seed, bool(in_place)).run(random.Random(seed) if seed else None)
            memory.check_outputs(kind, len(plan.gpus), pieces)
    return plan
