"""Trees of a schedule as operations of switch channels, by which MSCCL++ lets NVSwitches copy and add.

A switch channel joins a buffer of some GPUs. One of them, the executor, stores a block of its own at the same place of
all of them, or adds the blocks at one place of all of them and stores the sum at one place of the GPUs of a second
channel. So blocks that lie at different places are copied to a common place in scratch first, and what arrives there
goes where it belongs afterwards. A channel has two GPUs at least: with a sum for one GPU alone another one gets a copy
of it in scratch, which it does not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from pavane.io.formats.buffers import Block, BufferProgram
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.trees import Tree, trees_of


@dataclass(frozen=True)
class SwitchOperation:
    """What a switch channel does for a tree."""

    tree: Tree
    executor: int
    loads: tuple[int, ...]
    """The GPUs whose blocks are added; none where a block of the executor is stored as it is."""
    stores: tuple[int, ...]
    """The GPUs that get the result."""
    source: Block
    """Where what is added, or stored, lies at all these GPUs."""
    sink: Block
    """Where the result goes at all GPUs that get it."""
    staged: dict[int, Block]
    """By GPU the block that it copies to the source first."""

    def posts(self) -> Iterator[tuple[int, int, int]]:
        """Yield its signals as phase, GPU and peer: 0 says that data are there, 1 that they have been added."""
        yield from ((0, gpu, self.executor) for gpu in self.loads if gpu != self.executor)
        phase = 1 if self.loads else 0
        others = {*self.loads, *self.stores} - {self.executor}
        yield from ((phase, self.executor, gpu) for gpu in sorted(others))


def carried_trees(problem: Problem, schedule: Schedule) -> list[Tree]:
    """Return the trees that switch channels carry; a GPU gets sums that contain its own block by one tree only."""
    seen: set[tuple[int, int, int]] = set()
    kept = []
    for tree in trees_of(problem, schedule):
        own = {(tree.step, tree.message, gpu) for gpu in tree.receivers if gpu in tree.senders}
        if not own & seen:
            kept.append(tree)
        seen |= own
    return kept


class _Arrivals(NamedTuple):
    """Where transfers leave and what arrives at each GPU in a step."""

    sent: dict[int, Block]
    """By transfer the block that it carries."""
    blocks: dict[tuple[int, int, int], Block]
    """By step, message and receiver the block that gets what arrives."""
    bases: dict[tuple[int, int, int], Block | None]
    """What the first arrival is added to."""
    counts: Counter[tuple[int, int, int]]

    @classmethod
    def of(cls, schedule: Schedule, programs: list[BufferProgram]) -> _Arrivals:
        found = cls({}, {}, {}, Counter())
        for program in programs:
            for move in program.moves:
                if not move.receives:
                    found.sent[move.transfer] = move.blocks[0]
                    continue
                for message, block, onto in zip(
                    schedule.transfer(move.transfer).messages, move.blocks, move.onto, strict=True
                ):
                    place = int(schedule.starts[move.transfer]), message, program.processor
                    found.blocks.setdefault(place, block)
                    found.bases.setdefault(place, onto)
                    found.counts[place] += 1
        return found


def switch_operations(
    problem: Problem, schedule: Schedule, trees: list[Tree], programs: list[BufferProgram], num_scratch: int
) -> list[SwitchOperation]:
    """Return the operations of all trees; common places in scratch begin behind `num_scratch` blocks."""
    arrivals = _Arrivals.of(schedule, programs)
    labels = problem.ends[:, 0].tolist()
    operations = []
    for tree in trees:
        loads, executor, stores = _members(tree, arrivals, labels[tree.message])
        blocks = {int(schedule.senders[number]): arrivals.sent[number] for number in tree.transfers}
        for gpu in set(loads) - set(blocks):
            base = arrivals.bases[tree.step, tree.message, gpu]
            assert base is not None
            blocks[gpu] = base
        source, staged = blocks[executor], {}
        if len(set(blocks.values())) > 1:
            source, staged, num_scratch = Block("s", num_scratch), blocks, num_scratch + 1
        sink = _direct_sink(problem, tree, arrivals, loads, stores, source)
        if sink is None:
            sink, num_scratch = Block("s", num_scratch), num_scratch + 1
        operations.append(SwitchOperation(tree, executor, loads, stores, source, sink, staged))
    return operations


def _members(tree: Tree, arrivals: _Arrivals, label: int) -> tuple[tuple[int, ...], int, tuple[int, ...]]:
    """Return the GPUs whose blocks are added, the executor, and the GPUs that get the result."""
    if len(tree.senders) == 1:
        return (), tree.senders[0], tuple(sorted({*tree.senders, *tree.receivers}))
    loads, receivers = set(tree.senders), set(tree.receivers)
    if len(receivers) == 1 and not receivers & loads:
        place = tree.step, tree.message, tree.receivers[0]
        # What a receiver adds to is added with the rest, so that it executes the operation itself.
        if arrivals.bases[place] is not None and arrivals.counts[place] == len(tree.transfers):
            loads |= receivers
    able = sorted(loads & receivers) or sorted(loads)
    executor = able[label % len(able)]
    stores = receivers | {executor}
    if len(stores) == 1:
        stores.add(min(loads - stores, key=lambda gpu: (gpu // 2 != executor // 2, gpu)))
    return tuple(sorted(loads)), executor, tuple(sorted(stores))


def _direct_sink(
    problem: Problem,
    tree: Tree,
    arrivals: _Arrivals,
    loads: tuple[int, ...],
    stores: tuple[int, ...],
    source: Block,
) -> Block | None:
    """Return where all GPUs have the result, if it needs no copying or adding there."""
    places = [(tree.step, tree.message, gpu) for gpu in tree.receivers]
    blocks = {arrivals.blocks[place] for place in places}
    if len(blocks) > 1 or any(arrivals.counts[place] != _count(tree, place[2]) for place in places):
        return None
    (block,) = blocks
    is_complete = all(gpu in loads or arrivals.bases[tree.step, tree.message, gpu] is None for gpu in tree.receivers)
    # An executor that only sends gets its own block again; that of a broadcast belongs into its output anyway.
    is_own = set(stores) == set(tree.receivers) or (not loads and (source == block or problem.pattern == "broadcast"))
    return block if is_complete and is_own else None


def _count(tree: Tree, receiver: int) -> int:
    return len(tree.senders) - (receiver in tree.senders)
