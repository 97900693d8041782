"""An interpreter of MSCCL programs, by the rules of the runtimes that load them; it knows nothing of how they are made.

The rules are those of MSCCL's loader and kernel (microsoft/msccl: src/graph/topo.cc, src/graph/xml.h, msccl.h and
msccl_interpreter.h) and of its successors for NCCL and RCCL (Azure/msccl-executor-nccl and ROCm/rccl: msccl_parser.cc,
msccl_struct.h and the kernel). Where they differ the narrower limit holds, and what any of them asks for must be there;
but for the name of the reduce-scatter, which is MSCCL's: its successors write it in one word.

Thread blocks run their steps in order. A step with `depid` waits until that block of the same GPU has told of its step
`deps` or a later one; only steps with `hasdep` tell. Sends and receives of two GPUs over one channel meet in order, and
a sender is at most `CREDITS` chunks ahead, as when chunks are as large as NCCL's buffers let them be.
"""

from __future__ import annotations

import random
import re
from collections import Counter, deque
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

import defusedxml.ElementTree
import numpy as np

from tests.io.formats.watched_memory import Access, Bytes, Clock, FaultError, WatchedMemory, check

MOST_STEPS = 64
"""RCCL's limit, and that of the executor unless it is built with another; MSCCL's own is 256."""
MOST_BLOCKS = 216
MOST_AWAITED = 128
"""Numbers of awaited blocks are held in eight bits."""
MOST_BLOCKS_OF_A_CHANNEL = 32
MOST_CHANNELS = 32
MOST_COUNT = 71
MOST_ELEMENTS = 4096
MOST_CHILDREN = 1024
CREDITS = 2
TOP = ("name", "proto", "nchannels", "nchunksperloop", "ngpus", "coll", "inplace", "outofplace", "minBytes", "maxBytes")
STEP = ("s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps", "hasdep")
RECEIVING = ("r", "rcs", "rrc", "rrs", "rrcs")
SENDING = ("s", "rcs", "rrs", "rrcs")
READING = ("s", "rrc", "rrs", "rrcs", "cpy", "re")
WRITING = ("r", "rcs", "rrc", "rrcs", "cpy", "re")
MULTIPLIERS = {
    "allgather": ("i", True),
    "reduce_scatter": ("o", True),
    "alltoall": ("i", False),
    "broadcast": ("i", False),
    "allreduce": ("i", False),
}
"""Which buffer is as many times smaller than the loop as there are GPUs, if any is."""


@dataclass
class Step:
    """A step of a thread block."""

    kind: str
    source: tuple[str, int]
    sink: tuple[str, int]
    count: int
    depends: tuple[int, int] | None
    tells: bool


@dataclass
class Block:
    """A thread block, and how far it is."""

    gpu: int
    number: int
    index: int
    """Its number among those of all GPUs."""
    send: int
    receive: int
    channel: int
    steps: list[Step]
    at: int = 0
    part: int = 0
    """How many chunks of the step are done."""
    before: int = 0
    """The chunks of all steps before."""
    told: dict[int, Clock] = field(default_factory=dict)
    clock: Clock = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    @property
    def is_done(self) -> bool:
        """Tell whether all steps are done."""
        return self.at == len(self.steps)


def _numbers(element: Element, *names: str) -> list[int]:
    return [int(element.attrib[name]) for name in names]


class MscclProgram:
    """A program as the loaders take it; what they would refuse, or read wrongly, is a fault."""

    def __init__(self, text: str) -> None:
        check(not re.search(r"='|=\s|\s=", text), "values stand in double quotes, right behind the equals sign")
        check(all(len(value) < 255 for value in re.findall(r'"([^"]*)"', text)), "a value is too long")
        algo = defusedxml.ElementTree.fromstring(text)
        check(algo.tag == "algo" and set(TOP) <= set(algo.attrib), f"<algo> has {sorted(algo.attrib)}")
        self.collective = algo.attrib["coll"]
        check(self.collective in MULTIPLIERS, f"there is no collective {self.collective}")
        check(algo.attrib["proto"] in ("Simple", "LL", "LL128"), "the protocol is unknown")
        self.in_place, out_of_place = _numbers(algo, "inplace", "outofplace")
        check(self.in_place in (0, 1) and out_of_place == 1, "the program is for different buffers")
        check(not self.in_place or self.collective == "allreduce", "in place other buffers are shared")
        self.num_channels, self.loop, self.num_gpus = _numbers(algo, "nchannels", "nchunksperloop", "ngpus")
        lowest, highest = _numbers(algo, "minBytes", "maxBytes")
        check(0 <= lowest < 2**27 < highest < 2**63, "most messages are out of bounds")
        check(0 < self.num_channels <= MOST_CHANNELS, f"{self.num_channels} channels")
        check([int(gpu.attrib["id"]) for gpu in algo] == list(range(self.num_gpus)), "GPUs are missing")
        check(self.num_gpus <= MOST_CHILDREN, "there are too many GPUs")
        self.sizes: dict[tuple[int, str], int] = {}
        self.blocks: list[Block] = []
        for gpu in algo:
            self._load(gpu)
        self._check_connections()

    def _load(self, gpu: Element) -> None:
        number = int(gpu.attrib["id"])
        smaller, multiplied = MULTIPLIERS[self.collective]
        for buffer in "ios":
            size = self.sizes[number, buffer] = int(gpu.attrib[f"{buffer}_chunks"])
            times = self.num_gpus if multiplied and buffer == smaller else 1
            check(buffer == "s" or size in (0, self.loop // times), f"{buffer}_chunks is {size}")
        check(1 + self.num_gpus + len(list(gpu.iter())) - 1 <= MOST_ELEMENTS, f"GPU {number} has too many elements")
        check([int(tb.attrib["id"]) for tb in gpu] == list(range(len(gpu))), "thread blocks are missing")
        check(len(gpu) <= MOST_BLOCKS, f"GPU {number} has {len(gpu)} thread blocks")
        for tb in gpu:
            block, send, receive, channel = _numbers(tb, "id", "send", "recv", "chan")
            check({send, receive} <= set(range(-1, self.num_gpus)) - {number}, f"block {block} has no such peers")
            check(0 <= channel < self.num_channels, f"block {block} has no channel {channel}")
            steps = [self._step(step, index) for index, step in enumerate(tb)]
            check(0 < len(steps) <= MOST_STEPS, f"block {block} of GPU {number} has {len(steps)} steps")
            self.blocks.append(Block(number, block, len(self.blocks), send, receive, channel, steps))
            for step in steps:
                check(step.kind not in SENDING or send >= 0, f"block {block} sends to nobody")
                check(step.kind not in RECEIVING or receive >= 0, f"block {block} receives from nobody")

    def _step(self, step: Element, index: int) -> Step:
        check(set(step.attrib) == set(STEP), f"a step has {sorted(step.attrib)}")
        number, source, sink, count, block, awaited, tells = _numbers(
            step, "s", "srcoff", "dstoff", "cnt", "depid", "deps", "hasdep"
        )
        kind = step.attrib["type"]
        check(number == index and tells in (0, 1), f"step {number} stands at {index}")
        check(kind in {*RECEIVING, *SENDING, "cpy", "re", "nop"}, f"there is no step {kind}")
        check(kind == "nop" or 0 < count <= MOST_COUNT, f"step {number} has {count} chunks")
        check(kind != "nop" or not tells, "a nop tells nobody")
        check(-1 <= block < MOST_AWAITED, f"block {block} cannot be awaited")
        return Step(
            kind,
            (step.attrib["srcbuf"], source),
            (step.attrib["dstbuf"], sink),
            count if kind != "nop" else 1,
            (block, awaited) if block >= 0 else None,
            bool(tells),
        )

    def _check_connections(self) -> None:
        sends = Counter((block.gpu, block.send, block.channel) for block in self.blocks if block.send >= 0)
        receives = Counter((block.receive, block.gpu, block.channel) for block in self.blocks if block.receive >= 0)
        check(sends == receives, "who sends over a channel and who receives do not agree")
        check(set(sends.values()) <= {1}, "two blocks of a GPU send over one connection")
        for which in (0, 1):
            for ends in (sends, receives):
                busy = Counter((connection[which], connection[2]) for connection in ends)
                check(max(busy.values(), default=0) <= MOST_BLOCKS_OF_A_CHANNEL, "a channel has too many peers")
        by_number = {(block.gpu, block.number): block for block in self.blocks}
        for block in self.blocks:
            chained = False
            for step in block.steps:
                check(not chained or step.depends is not None, "the last of a chain of waits is no wait")
                chained = step.kind == "nop" and step.depends is not None
                if step.depends is not None:
                    other = by_number.get((block.gpu, step.depends[0]))
                    check(other is not None and step.depends[1] < len(other.steps), f"no block {step.depends}")


class MscclRun:
    """A program that runs, one chunk of one step of one thread block after the other."""

    def __init__(self, program: MscclProgram, seed: int = 0, most_ahead: int = CREDITS, in_place: bool = False) -> None:
        self.program, self.most_ahead = program, most_ahead
        self.memory = WatchedMemory(program.sizes, seed, in_place)
        self.by_number = {(block.gpu, block.number): block for block in program.blocks}
        self.wires: dict[tuple[int, int, int], deque[tuple[Bytes, tuple[int, int], Clock]]] = {}
        for block in program.blocks:
            block.at, block.part, block.before, block.told = 0, 0, 0, {}
            block.clock = np.zeros(len(program.blocks), dtype=np.int32)
            if block.send >= 0:
                self.wires[block.gpu, block.send, block.channel] = deque()

    def run(self, order: random.Random | None = None) -> WatchedMemory:
        """Let blocks go on until all are done: in turns, or in a random order."""
        blocks = [block for block in self.program.blocks if not block.is_done]
        while blocks:
            if order is not None:
                order.shuffle(blocks)
            went = [self._goes_on(block, order) for block in blocks]
            if not any(went):
                stuck = ", ".join(f"GPU {b.gpu} block {b.number} at step {b.at}" for b in blocks[:5])
                raise FaultError(f"deadlock: {stuck}")
            blocks = [block for block in blocks if not block.is_done]
        check(not any(self.wires.values()), "something was sent and never received")
        return self.memory

    def _goes_on(self, block: Block, order: random.Random | None) -> bool:
        """Do one chunk, or under a random order a random number of them, as far as a block can."""
        went = False
        for _ in range(1 if order is None else order.randint(1, 20)):
            if block.is_done or not self._can(block):
                break
            self._do(block)
            went = True
        return went

    def _can(self, block: Block) -> bool:
        step = block.steps[block.at]
        if block.part == 0 and step.depends is not None:
            other, awaited = self.by_number[block.gpu, step.depends[0]], step.depends[1]
            told = [number for number in other.told if number >= awaited]
            if not told:
                return False
            # The first word that suffices: a later one may come too, but nothing may rely on it.
            block.clock = np.maximum(block.clock, other.told[min(told)])
        if step.kind in RECEIVING and not self.wires[block.receive, block.gpu, block.channel]:
            return False
        sends_on = self.wires.get((block.gpu, block.send, block.channel))
        return step.kind not in SENDING or sends_on is None or len(sends_on) < self.most_ahead

    def _do(self, block: Block) -> None:
        step, part = block.steps[block.at], block.part
        access = Access(block.index, block.before + part + 1, (block.index, block.at, part))
        came = here = None
        if step.kind in RECEIVING:
            came, shape, clock = self.wires[block.receive, block.gpu, block.channel].popleft()
            check(shape == (step.count, part), f"{shape} arrive where {(step.count, part)} are expected")
            block.clock = np.maximum(block.clock, clock)
        memory, gpu = self.memory, block.gpu
        if step.kind in READING:
            here = memory.read(memory.cell(gpu, *step.source, step.count, part), access, block.clock)
        sink = memory.cell(gpu, *step.sink, step.count, part) if step.kind in WRITING else None
        if step.kind == "re":
            assert sink is not None
            came = memory.read(sink, access, block.clock)
        data = here if came is None else came if here is None else came + here
        if sink is not None:
            assert data is not None
            memory.write(sink, data, access, block.clock)
        if step.kind in SENDING:
            assert data is not None
            # What arrives has been read before.
            clock = block.clock.copy()
            clock[block.index] = access.epoch
            self.wires[gpu, block.send, block.channel].append((data, (step.count, part), clock))
        block.part += 1
        if block.part == step.count:
            block.part, block.at, block.before = 0, block.at + 1, block.before + step.count
            block.clock[block.index] = block.before
            if step.tells:
                block.told[block.at - 1] = block.clock.copy()


def run_msccl(text: str, kind: str, pieces: int, root: int = 0) -> MscclProgram:
    """Load a program and run it in turns, at random, and with the least room between sender and receiver.

    A program that says it may run in place does so, too.
    """
    program = MscclProgram(text)
    for in_place in range(1 + program.in_place):
        for seed in range(3):
            order = random.Random(seed) if seed else None
            memory = MscclRun(program, seed, CREDITS if seed < 2 else 1, bool(in_place)).run(order)
            memory.check_outputs(kind, program.num_gpus, pieces, root)
    return program
