"""mscclpp: an execution plan of MSCCL++ in JSON.

Every GPU runs its operations in the order of the steps: it puts what it sends into the receivers' buffers, signals,
and waits for the signals of those it receives from. No block of a buffer is written twice, so nothing need be awaited
before a put but that the other side has begun. A `nop` is where the threads of a block wait for each other. Pieces are
the plan's chunks, and those that stand side by side at both ends go in one put. A schedule with start times has levels
for steps, and a GPU waits for what it receives only before it sends that on, or in the end.

A thread block has room for 64 operations and 16 channels. What is longer continues in another thread block of the GPU,
which waits for the one before at a semaphore.

Where switches copy and add, a tree of transfers is one operation of a switch channel (`switch_channels`): `gstore` or
`glres`. A sum is made when all have signalled that what is added is there, and then all are signalled that it is over.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from pavane.io.formats.buffers import Block, BufferProgram, Move
from pavane.io.formats.export import Export, Options, refuse_for_gpus, refuse_routing_processors
from pavane.io.formats.program_buffers import ProgramBuffers, refuse_several_buffers
from pavane.io.formats.switch_channels import SwitchOperation, carried_trees, switch_operations
from pavane.io.levels import OrderedResult, receive_steps
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.trees import Tree

NAMES = {"AAB": "allgather", "AAS": "alltoall", "AAR": "reducescatter", "ALLREDUCE": "allreduce"}
JOINT = "custom"
"""The name of several collectives at once, which is none that libraries call by themselves."""
MOST_OPERATIONS = 64
MOST_CHANNELS = 16
"""Of a thread block; as many buffers of others."""
MOST_CHANNELS_OF_AN_OPERATION = 8
MOST_ADDED = 8
"""The most arrivals that one operation adds; it has room for ten buffers."""
MOST_BUFFER_BYTES = 2**32 - 1
"""The largest buffer, scratch included: offsets have four bytes."""
DIGEST_LETTERS = 12
MOST_SEMAPHORES = 16
MOST_BLOCKS = MOST_SEMAPHORES + 1
ROOM = f"MSCCL++ has room for {MOST_BLOCKS} thread blocks of {MOST_OPERATIONS} operations"

Op = dict[str, Any]
Row = tuple[Block, ...]
"""Blocks of one message, where it is read and where it is written."""


def _local(block: Block, count: int = 1) -> dict[str, Any]:
    return {"type": block.buffer, "index": block.number, "size": count}


def _copied(source: Block, sink: Block, count: int) -> Op:
    return {"name": "copy", "src_buff": [_local(source, count)], "dst_buff": [_local(sink, count)]}


def _on_channels(name: str, channels: list[int]) -> Iterator[Op]:
    for first in range(0, len(channels), MOST_CHANNELS_OF_AN_OPERATION):
        ids = channels[first : first + MOST_CHANNELS_OF_AN_OPERATION]
        yield {"name": name, "channel_ids": ids, "channel_type": "memory"}


class _Exchange:
    """What the GPUs of a plan have in common: where data land, what switches do, and signals."""

    def __init__(
        self, schedule: Schedule, programs: list[BufferProgram], problem: Problem, trees: Sequence[Tree]
    ) -> None:
        in_trees = [tree.transfers for tree in trees]
        self.steps: list[int] = schedule.starts.tolist()
        self.programs = programs
        self.landings: dict[int, tuple[Block, ...]] = {}
        """By transfer where its data are put: where they stay, or beside it if they are still to be added."""
        self.num_scratch: list[int] = []
        for program in self.programs:
            self._land(program, {number for numbers in in_trees for number in numbers})
        self.operations: list[SwitchOperation] = []
        if trees:
            self.operations = switch_operations(problem, schedule, [*trees], programs, max(self.num_scratch))
        self.operation_of = {number: each for each in self.operations for number in each.tree.transfers}
        if self.operations:
            # The buffers that a switch channel joins have one size.
            blocks = [block for each in self.operations for block in (each.source, each.sink)]
            common = max((block.number + 1 for block in blocks if block.buffer == "s"), default=0)
            self.num_scratch = [max(*self.num_scratch, common)] * len(self.programs)
        self.signals = self._numbered_signals()
        """By GPU, step and phase the GPUs that it signals, and how many signals each has had from it then."""
        self.groups = sorted(
            {(each.stores, each.sink.buffer) for each in self.operations}
            | {(each.loads, each.source.buffer) for each in self.operations if each.loads}
        )
        """The switch channels by their GPUs and their buffer, in the order in which all GPUs open them."""

    def _land(self, program: BufferProgram, in_trees: set[int]) -> None:
        waiting = program.num_scratch
        for move in program.moves:
            if not move.receives or move.transfer in in_trees:
                continue
            blocks = []
            for block, onto in zip(move.blocks, move.onto, strict=True):
                if onto is None:
                    blocks.append(block)
                else:
                    blocks.append(Block("s", waiting))
                    waiting += 1
            self.landings[move.transfer] = tuple(blocks)
        self.num_scratch.append(waiting)

    def _numbered_signals(self) -> dict[tuple[int, int, int], dict[int, int]]:
        posted: dict[tuple[int, int, int], set[int]] = defaultdict(set)
        for program in self.programs:
            for move in program.moves:
                if not move.receives and move.transfer not in self.operation_of:
                    posted[program.processor, self.steps[move.transfer], 0].add(move.peer)
        for operation in self.operations:
            for phase, gpu, peer in operation.posts():
                posted[gpu, operation.tree.step, phase].add(peer)
        counts: Counter[tuple[int, int]] = Counter()
        signals = {}
        for (gpu, step, phase), peers in sorted(posted.items()):
            counts.update((gpu, peer) for peer in peers)
            signals[gpu, step, phase] = {peer: counts[gpu, peer] for peer in sorted(peers)}
        return signals


class _Gpu:
    """The plan of one GPU, in the words of MSCCL++."""

    def __init__(self, program: BufferProgram, exchange: _Exchange, joins: bool) -> None:
        self.program, self.exchange, self.joins = program, exchange, joins
        self.me = program.processor
        self.awaited: Counter[int] = Counter()
        """By peer the signals that have been awaited."""
        sent = [move for move in program.moves if not move.receives and move.transfer not in exchange.operation_of]
        own = {id(each): each for move in program.moves if (each := exchange.operation_of.get(move.transfer))}
        ends = [end for each in own.values() for _, *end in each.posts() if self.me in end]
        single = {move.peer for move in program.moves if move.transfer not in exchange.operation_of}
        self.peers = sorted(single | {end for both in ends for end in both if end != self.me})
        self.remote = sorted({(move.peer, b.buffer) for move in sent for b in exchange.landings[move.transfer]})
        """The buffers of others that it puts data into."""
        self.groups = [group for group in exchange.groups if self.me in group[0]]
        """Its switch channels."""

    def plan(self, inputs: int, outputs: int) -> dict[str, Any]:
        """Return the plan, with the numbers of blocks in the input and output buffers."""
        blocks = _thread_blocks(self._operations(), len(self.peers), len(self.remote), len(self.groups))
        switches = [
            {
                "channel_type": "switch",
                "buffer_type": buffer,
                "rank_groups": [{"size": len(ranks), "ranks": list(ranks)}],
            }
            for ranks, buffer in self.groups
        ]
        return {
            "id": self.me,
            "input_chunks": inputs,
            "output_chunks": outputs,
            "scratch_chunks": self.exchange.num_scratch[self.me],
            "threadblocks": blocks,
            "channels": [{"channel_type": "memory", "connected_to": self.peers}, *switches],
            "remote_buffers": [
                {"rank": peer, "type": buffer, "access_channel_types": ["memory"]} for peer, buffer in self.remote
            ],
            "semaphores": [{"init_value": 0} for _ in blocks[1:]],
        }

    def _operations(self) -> list[Op]:
        ops: list[Op] = [_copied(source, sink, count) for source, sink, count in self.program.copies]
        everyone = list(range(len(self.peers)))
        ops += [*_on_channels("rlxsignal", everyone), *_on_channels("rlxwait", everyone), {"name": "nop"}]
        for step, moves in groupby(self.program.moves, key=lambda move: move.step):
            now = list(moves)
            found = {id(each): each for move in now if (each := self.exchange.operation_of.get(move.transfer))}
            of_switches = sorted(found.values(), key=lambda each: each.tree)
            ops += self._sent(step, [move for move in now if not move.receives], of_switches)
            ops += self._summed(step, of_switches)
            ops += self._received(step, [move for move in now if move.receives], of_switches)
        results = self._joined((source, sink) for source, sink, _ in self.program.results)
        ops += [_copied(source, sink, count) for (source, sink), count in results]
        if ops[-1]["name"] == "nop":
            ops.pop()
        return [op for op, behind in pairwise([*ops, {"name": "end"}]) if not op["name"] == behind["name"] == "nop"]

    def _signal(self, step: int, phase: int) -> Iterator[Op]:
        """Let the threads wait for each other, and signal others that data are there."""
        peers = self.exchange.signals.get((self.me, step, phase))
        if peers:
            yield {"name": "nop"}
            yield from _on_channels("signal", [self.peers.index(peer) for peer in peers])

    def _wait(self, numbers: dict[int, int]) -> Iterator[Op]:
        """Wait until each of some peers has sent so many signals."""
        missing = {peer: numbers[peer] - self.awaited[peer] for peer in sorted(numbers)}
        for count in range(max(missing.values(), default=0)):
            yield from _on_channels("wait", [self.peers.index(peer) for peer in missing if missing[peer] > count])
        self.awaited.update({peer: count for peer, count in missing.items() if count > 0})
        yield {"name": "nop"}

    def _sent(self, step: int, moves: list[Move], of_switches: list[SwitchOperation]) -> Iterator[Op]:
        """Put what a step sends, store what switches copy, and signal that it is there."""
        exchange = self.exchange
        puts = [move for move in moves if move.transfer not in exchange.operation_of]
        for peer, together in groupby(puts, key=lambda move: move.peer):
            ends = [end for move in together for end in zip(move.blocks, exchange.landings[move.transfer], strict=True)]
            for (source, sink), count in self._joined(sorted(ends) if self.joins else ends):
                there = {"buffer_id": self.remote.index((peer, sink.buffer)), "index": sink.number, "size": count}
                here = _local(source, count)
                yield {"name": "put", "src_buff": [here], "dst_buff": [there], "channel_type": "memory"}
        staged = [(each.staged[self.me], each.source) for each in of_switches if self.me in each.staged]
        for (source, sink), count in self._joined(sorted(staged)):
            yield _copied(source, sink, count)
        stored = [each for each in of_switches if each.executor == self.me and not each.loads]
        # A store writes its executor's block as well, which other operations of the step may read or write.
        is_first = not puts
        while stored:
            blocks: set[Block] = set()
            now = []
            for each in stored:
                if not blocks & {each.source, each.sink}:
                    now.append(each)
                    blocks |= {each.source, each.sink}
            if not is_first:
                yield {"name": "nop"}
            is_first, stored = False, [each for each in stored if each not in now]
            yield from self._by_switches(now)
        yield from self._signal(step, 0)

    def _summed(self, step: int, of_switches: list[SwitchOperation]) -> Iterator[Op]:
        """Add by switches what is ready at all GPUs, and signal that it has been added."""
        own = [each for each in of_switches if each.executor == self.me and each.loads]
        if own:
            yield from self._wait(self._numbers((gpu, step, 0) for each in own for gpu in each.loads))
            yield from self._by_switches(own)
        yield from self._signal(step, 1)

    def _by_switches(self, operations: list[SwitchOperation]) -> Iterator[Op]:
        """Store or add by the switch channels of some operations."""
        for (stores, loads, *_), together in groupby(
            sorted((each.stores, each.loads, each.source, each.sink) for each in operations),
            key=lambda each: (*each[:2], each[2].buffer, each[3].buffer),
        ):
            for (source, sink), count in self._joined(each[2:] for each in together):
                there = self._in_group(stores, sink, count)
                if loads:
                    here = self._in_group(loads, source, count)
                    op: Op = {"name": "glres", "src_buff": [here], "dst_buff": [there], "channel_type": "switch"}
                    yield op | {"reduce_op": "sum"}
                else:
                    here = _local(source, count)
                    yield {"name": "gstore", "src_buff": [here], "dst_buff": [there], "channel_type": "switch"}

    def _in_group(self, ranks: tuple[int, ...], block: Block, count: int) -> dict[str, Any]:
        channel = self.groups.index((ranks, block.buffer))
        return {"switch_channel_id": channel, "index": block.number, "size": count}

    def _numbers(self, posts: Iterable[tuple[int, int, int]]) -> dict[int, int]:
        """Return by peer the number of the last of some signals to this GPU."""
        numbers: dict[int, int] = {}
        for post in posts:
            if post[0] != self.me:
                numbers[post[0]] = max(numbers.get(post[0], 0), self.exchange.signals[post][self.me])
        return numbers

    def _received(self, step: int, moves: list[Move], of_switches: list[SwitchOperation]) -> Iterator[Op]:
        """Wait for what a step receives, and until switches have read what it sends; add what is to be added."""
        exchange = self.exchange
        posts = [(move.peer, exchange.steps[move.transfer], 0) for move in moves]
        posts = [post for post, move in zip(posts, moves, strict=True) if move.transfer not in exchange.operation_of]
        posts += [(gpu, step, phase) for each in of_switches for phase, gpu, peer in each.posts() if peer == self.me]
        if posts:
            yield from self._wait(self._numbers(posts))
            yield from self._added(moves)

    def _added(self, moves: list[Move]) -> Iterator[Op]:
        """Add what has arrived to what is there; what is added to the same block in one operation, or one by one."""
        arrivals = {block: sources for block, sources in self._arrivals(moves).items() if sources != [block]}
        while arrivals:
            rows = ((block, *sources[: 1 + MOST_ADDED]) for block, sources in arrivals.items())
            for (block, *sources), count in self._joined(rows):
                if len(sources) == 1:
                    yield _copied(sources[0], block, count)
                    continue
                yield {
                    "name": "re",
                    "src_buff": [_local(source, count) for source in sources],
                    "dst_buff": [_local(block, count)],
                    "reduce_op": "sum",
                }
            yield {"name": "nop"}
            rest = {block: sources[1 + MOST_ADDED :] for block, sources in arrivals.items()}
            arrivals = {block: [block, *sources] for block, sources in rest.items() if sources}

    def _arrivals(self, moves: list[Move]) -> dict[Block, list[Block]]:
        """Return for each block what is added in it: what was there, unless a switch has added it, and arrivals."""
        bases: dict[Block, list[Block]] = {}
        arrivals: dict[Block, list[Block]] = defaultdict(list)
        for move in moves:
            operation = self.exchange.operation_of.get(move.transfer)
            landings = self.exchange.landings[move.transfer] if operation is None else (operation.sink,)
            for block, onto, landing in zip(move.blocks, move.onto, landings, strict=True):
                bases.setdefault(block, [] if onto is None else [onto])
                if landing not in arrivals[block]:
                    arrivals[block].append(landing)
                if operation is not None and self.me in operation.loads:
                    bases[block] = []
        return {block: [*bases[block], *came] for block, came in arrivals.items()}

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
        self.used: dict[str, list[int]] = {"channel_ids": [], "buffer_id": [], "switch_channel_id": []}
        """The channels, buffers of others and switch channels by their numbers at the GPU."""

    def takes(self, op: Op) -> bool:
        """Add an operation if there is room, beside four to wait for the block before and let the next one continue."""
        new = {
            key: [number for number in dict.fromkeys(_numbers_in(op, key)) if number not in known]
            for key, known in self.used.items()
        }
        most = max(len(self.used[key]) + len(numbers) for key, numbers in new.items())
        if len(self.ops) + 4 >= MOST_OPERATIONS or most > MOST_CHANNELS:
            return False
        self.ops.append(op)
        for key, numbers in new.items():
            self.used[key] += numbers
        return True

    def block(self, number: int, is_last: bool) -> dict[str, Any]:
        """Return the thread block of that number, in which channels and buffers have numbers of their own."""
        for op in self.ops:
            if "channel_ids" in op:
                op["channel_ids"] = [self.used["channel_ids"].index(channel) for channel in op["channel_ids"]]
            for buffer in (*op.get("src_buff", ()), *op.get("dst_buff", ())):
                for key in buffer.keys() & self.used.keys():
                    buffer[key] = self.used[key].index(buffer[key])
        before: list[Op] = [{"name": "sem_acquire", "semaphore_ids": [number - 1]}, {"name": "nop"}] if number else []
        behind: list[Op] = [] if is_last else [{"name": "nop"}, {"name": "sem_release", "semaphore_ids": [number]}]
        return _thread_block(number, [*before, *self.ops, *behind], *self.used.values())


def _numbers_in(op: Op, key: str) -> list[int]:
    """Return the channels or the buffers of others that an operation uses."""
    if key == "channel_ids":
        return list(op.get(key, ()))
    return [buffer[key] for buffer in (*op.get("src_buff", ()), *op.get("dst_buff", ())) if key in buffer]


def _thread_block(
    number: int, ops: list[Op], channels: list[int], remote: list[int], switches: list[int]
) -> dict[str, Any]:
    of_switches = [{"channel_type": "switch", "channel_ids": switches}] if switches else []
    return {
        "id": number,
        "ops": ops,
        "channels": [{"channel_type": "memory", "channel_ids": channels}, *of_switches],
        "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": remote}],
    }


def _thread_blocks(ops: list[Op], *counts: int) -> list[dict[str, Any]]:
    """Return one thread block if there is room for everything, or several, one after the other.

    `counts` are the numbers of channels, buffers of others and switch channels.
    """
    if len(ops) <= MOST_OPERATIONS and max(counts) <= MOST_CHANNELS:
        channels, remote, switches = (list(range(count)) for count in counts)
        return [_thread_block(0, ops, channels, remote, switches)]
    bodies = [_Body()]
    for op in ops:
        if not bodies[-1].takes(op):
            bodies.append(_Body())
            bodies[-1].takes(op)
    return [body.block(number, body is bodies[-1]) for number, body in enumerate(bodies)]


def _gpus(ordered: OrderedResult) -> list[dict[str, Any]]:
    problem, schedule = ordered.problem, ordered.schedule
    # A sum of a switch is received when it is made.
    received = receive_steps(ordered) if ordered.has_times and not problem.has_trees else None
    trees = [] if problem.has_several else carried_trees(problem, schedule)
    buffers = ProgramBuffers.of(ordered, True, received, [tree.transfers for tree in trees])
    exchange = _Exchange(schedule, buffers.programs, problem, trees)
    inputs, outputs = (units * buffers.pieces for units in buffers.num_units)
    return [_Gpu(program, exchange, problem.has_pieces).plan(inputs, outputs) for program in buffers.programs]


def _refuse_between_boxes(ordered: OrderedResult) -> str | None:
    """Refuse transfers between machines: `memory` channels, which the executor opens here, do not leave one."""
    problem, schedule = ordered.problem, ordered.schedule
    boxes = problem.network.boxes
    if boxes is None:
        return None
    ends = np.stack((schedule.senders, schedule.receivers))
    leaving = np.flatnonzero(np.diff(boxes[problem.network.router_of[ends]], axis=0)[0])
    if not len(leaving):
        return None
    sender, receiver = ends[:, leaving[0]].tolist()
    return (
        f"processors {sender} and {receiver} are in different machines, and memory channels of MSCCL++ do not leave "
        "one; export to msccl-xml or mpi-c, or solve on one machine"
    )


def _refuse(ordered: OrderedResult) -> str | None:
    problem, schedule = ordered.problem, ordered.schedule
    words = "MSCCL++ gives every GPU an input and an output; it takes AAB, AAS, AAR and ALLREDUCE"
    if not problem.has_several:
        refused = refuse_for_gpus(ordered, "MSCCL++", NAMES, words, has_trees=True)
    elif problem.has_trees:
        refused = (
            "routers copy and add here, and plans of several collectives have no switch channels; solve without copying"
        )
    else:
        refused = refuse_several_buffers(ordered, "GPUs hold data") or refuse_routing_processors(
            ordered, "GPUs do not route for others"
        )
    refused = refused or _refuse_between_boxes(ordered)
    if refused is not None:
        return refused
    # A put for each message that is sent: with too many of them the rest need not be counted.
    sent = np.bincount(schedule.senders, schedule.payloads)
    if sent.max() > MOST_BLOCKS * MOST_OPERATIONS and not (problem.has_pieces or problem.has_trees):
        return f"processor {sent.argmax()} needs {sent.max():.0f} operations to send, and {ROOM}"
    return _too_long(_gpus(ordered))


def _too_long(gpus: list[dict[str, Any]]) -> str | None:
    """Refuse plans with more thread blocks than a GPU has."""
    for gpu in gpus:
        used = len(gpu["threadblocks"])
        if used > MOST_BLOCKS:
            return f"processor {gpu['id']} needs {used} thread blocks, and {ROOM}"
    return None


def _render(ordered: OrderedResult, options: Options) -> str:
    problem = ordered.problem
    kind = JOINT if problem.has_several else NAMES[problem.collective.kind]
    name = f"{problem.network.name} {problem.title if problem.has_several else kind} {ordered.length_text}"
    return _plan(name, kind, _gpus(ordered), in_place=problem.pattern == "allreduce")


def _plan(name: str, collective: str, gpus: list[dict[str, Any]], in_place: bool) -> str:
    """Return a plan as text; the executor keeps plans by name, so that each content has a name of its own."""
    # A line for each GPU: written by the compiled encoder, which knows no indentation.
    lines = ",\n ".join(map(json.dumps, gpus))
    digest = hashlib.sha256(f"{collective} {in_place} {lines}".encode()).hexdigest()[:DIGEST_LETTERS]
    buffers = [gpu[f"{side}_chunks"] for gpu in gpus for side in ("input", "output", "scratch")]
    message = min(gpu[f"{side}_chunks"] for gpu in gpus for side in ("input", "output"))
    head = {
        "name": f"{name} {digest}",
        "collective": collective,
        "protocol": "Simple",
        "inplace": in_place,
        "reuse_resources": False,
        "num_threads_per_block": 1024,
        "use_double_scratch_buffer": False,
        "buffer_alignment": 16,
        "min_message_size": 0,
        "max_message_size": MOST_BUFFER_BYTES * message // max(buffers),
    }
    return json.dumps(head, indent=1).removesuffix("\n}") + f',\n "gpus": [\n {lines}\n ]\n}}\n'


MSCCLPP = Export(
    "mscclpp",
    "An execution plan of MSCCL++ in JSON, for GPUs joined by links and switches: put, signal, wait and add.",
    ".mscclpp.json",
    _render,
    _refuse,
    has_times=True,
    has_several=True,
)
