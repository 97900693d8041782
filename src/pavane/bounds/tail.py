"""The bound by cuts with a tail: what enters a set of routers late has no time to spread there.

For broadcasts. Take some sets of routers, the blocks. A message must reach all m receivers of every block that it does
not begin in. It enters with transfers that cross into the block and end there. One that does so when j steps are left
informs at most ball(j) receivers, because a holder of the message has few ports and channels, and under
store-and-forward one channel a step. So it is worth min(1, ball(j) / m) of what must enter, and what all steps can let
in must be worth as much as what must enter.

A step lets in as much as the channels into blocks can carry (under half duplex a link once, whichever way), as the
ports inside can take, and under store-and-forward as the ports on the routers before those channels can send. One block
with no time lost in it is the bound by a cut; all routers, each alone, are the bound by volume. Blocks may lie in one
another: what crosses a channel that leads into several counts for each. Where all processors are in blocks that lie
apart, a wormhole leaves one block to enter another. Under half duplex it takes a link of each, or one that joins both.

A bound for some of the receivers holds for all. Under store-and-forward those far from every way into their block are
tried alone: what enters with fewer steps left than the distance is then worth nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import lcm

import numpy as np

from pavane.bounds.bottlenecks import tight_sets
from pavane.bounds.phrases import Unit, carried, some_of
from pavane.jit import clock
from pavane.model.bound import Bound
from pavane.model.maximum_flow import MaximumFlow
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "tail"

MOST_ROUTERS = 256
"""On larger networks looking for blocks takes longer than it is worth."""

Block = frozenset[int]
"""The routers of a block."""

Share = tuple[int, int]
"""What an entry over a channel is worth, and how many entries it has room for in a step."""

Worth = list[int]
"""What an entry is worth when 0, 1, 2, ... steps are left, until that does not change any more.

In whole numbers: receivers that will know, then parts of a message (`_Entries.parts`) that are alike for all blocks.
"""


def best_tail(problem: Problem, lowest: int, deadline: float | None = None) -> Bound | None:
    """Return a bound above `lowest`, found before a moment of clock.now(); None where there is none."""
    if problem.pattern != "broadcast" or problem.rules.combining or problem.network.num_routers > MOST_ROUTERS:
        return None
    best: Bound | None = None
    for blocks in _families(problem, lowest):
        if deadline is not None and clock.now() >= deadline:
            break
        steps, listed = steps_needed(problem, blocks), [sorted(block) for block in blocks]
        if steps > lowest:
            lowest = steps
            best = Bound(steps, NAME, {"blocks": listed})
        for depth, far in _far_receivers(problem, blocks):
            # Far receivers delay a block by their distance at most.
            if steps + depth > lowest and (needed := steps_needed(_for_some(problem, far), blocks)) > lowest:
                lowest = needed
                best = Bound(needed, NAME, {"blocks": listed, "receivers": far})
    return best


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State what must enter which block, and that late entries count for less; the unit is always a step."""
    blocks = [frozenset(block) for block in bound.certificate["blocks"]]
    some = bound.certificate.get("receivers")
    if some is not None:
        problem = _for_some(problem, some)
    wanted = sum(_must_enter(problem, block) for block in blocks)
    names = [problem.network.routers[router] for router in sorted(blocks[0])]
    what = f"routers {some_of(names)}" if len(names) > 1 else f"router {names[0]}"
    others = f" and {counted(len(blocks) - 1, 'other block')}" if len(blocks) > 1 else ""
    entries = _Entries(problem, blocks)
    each = entries.most(10**9) // entries.parts
    too_late = "spread" if some is None else f"reach {counted(len(some), 'far receiver')}"
    return (
        f"{carried(problem)}s must enter {what}{others} {counted(wanted, 'time')} in all, {each} a step, "
        f"and what enters late cannot {too_late} in time"
    )


def steps_needed(problem: Problem, blocks: Sequence[Block]) -> int:
    """Return how many steps the blocks need to let in what must enter them; 0 where nothing must or can."""
    entries = _Entries(problem, blocks)
    wanted = entries.parts * sum(_must_enter(problem, block) for block in blocks)
    whole = entries.most(10**9)
    if not wanted or not whole:
        return 0
    steps = 0
    while steps < entries.longest_tail and wanted > 0:
        wanted -= entries.most(steps)
        steps += 1
    return steps + max(0, -(-wanted // whole))


def _is_stored(problem: Problem) -> bool:
    """Return whether a step covers one channel; where switches pass, a hop is like a wormhole over them."""
    return problem.rules.switching == "store-and-forward" and not problem.passes_switches


def _must_enter(problem: Problem, block: Block) -> int:
    """Return the number of messages that receivers of a block must get from outside."""
    homes = problem.network.router_of
    if not any(int(homes[receiver]) in block for receiver in problem.collective.receivers):
        return 0
    return sum(router not in block for router in homes[problem.ends[:, 0]].tolist())


class _Entries:
    """The channels into blocks, what an entry over each is worth, and what ports and links leave of that."""

    def __init__(self, problem: Problem, blocks: Sequence[Block]) -> None:
        self.problem = problem
        self.inject, eject = _ports_of_routers(problem)
        self.room = [sum(eject[router] for router in block) for block in blocks]
        self.entries: list[tuple[int, int, Worth]] = []
        """Of each channel into a block: the channel, the block, and what entries are worth."""
        num_receivers = [_num_receivers(problem, block) for block in blocks]
        self.parts = lcm(*(number for number in num_receivers if number))
        """The parts that make a whole message."""
        for number, block in enumerate(blocks):
            worths = {
                router: [self.parts // num_receivers[number] * part for part in worth]
                for router, worth in _worths(problem, block).items()
            }
            for channel, (tail, head) in enumerate(problem.network.channels.tolist()):
                if head in worths and tail not in block:
                    self.entries.append((channel, number, worths[head]))
        self.most_between = _most_between(problem, blocks)
        self.longest_tail = max((len(worth) for *_, worth in self.entries), default=0)

    def most(self, left: int) -> int:
        """Return the most that all entries of a step can be worth; `left` is the number of steps after it."""
        by_channel: dict[int, int] = {}
        by_block: dict[int, list[Share]] = {}
        capacity = self.problem.network.capacity.tolist()
        for channel, block, worth in self.entries:
            now = worth[min(left, len(worth) - 1)]
            by_channel[channel] = now + by_channel.get(channel, 0)
            by_block.setdefault(block, []).append((now, capacity[channel]))
        by_unit: dict[int, list[Share]] = {}
        by_tail: dict[int, list[Share]] = {}
        for channel, worth_of_all in by_channel.items():
            share = worth_of_all, capacity[channel]
            by_unit.setdefault(int(self.problem.units[channel]), []).append(share)
            by_tail.setdefault(int(self.problem.network.tails[channel]), []).append(share)
        limits = [_largest(by_unit, capacity), _largest(by_block, self.room)]
        if self.most_between is not None:
            every = [share for some in by_block.values() for share in some]
            limits.append(_largest({0: every}, [self.most_between]))
        if _is_stored(self.problem):
            limits.append(_largest(by_tail, self.inject))
        return min(limits)


def _most_between(problem: Problem, blocks: Sequence[Block]) -> int | None:
    """Return how many transfers links let through from block to block in a step; None where they do not limit them."""
    ends = link_ends(problem, blocks)
    return (
        None
        if ends is None
        else sum(number * int(problem.network.capacity[unit]) for unit, number in ends.items()) // 2
    )


def link_ends(problem: Problem, blocks: Sequence[Block]) -> dict[int, int] | None:
    """Return how many ends in blocks each link between routers of different blocks, or of one and none, has.

    Wormholes under half duplex, where all processors are in blocks that lie apart: a transfer from block to block takes
    a link that has both ends in blocks, or two links, one out of a block and one into another. None where it may not.
    """
    network = problem.network
    if _is_stored(problem) or problem.rules.duplex != "half":
        return None
    block_of = {router: number for number, block in enumerate(blocks) for router in block}
    if len(block_of) < sum(map(len, blocks)) or not block_of.keys() >= set(network.router_of.tolist()):
        return None
    return {
        int(problem.units[channel]): (tail in block_of) + (head in block_of)
        for channel, (tail, head) in enumerate(network.channels.tolist())
        if block_of.get(tail, -1) != block_of.get(head, -1)
    }


def _largest(groups: dict[int, list[Share]], room: Sequence[int]) -> int:
    """Return the sum of the largest worths of each group, as many as it has room for."""
    total = 0
    for key, some in groups.items():
        left = room[key]
        for worth, times in sorted(some, reverse=True):
            total += worth * min(times, left)
            left -= min(times, left)
    return total


def _ports_of_routers(problem: Problem) -> tuple[list[int], list[int]]:
    """Return how many transfers the locations of each router send, and receive; switches are limited by channels."""
    network = problem.network
    sides = []
    for ports, degrees in ((problem.injection, network.out_degrees), (problem.ejection, network.in_degrees)):
        totals = np.bincount(network.router_of, ports, network.num_routers).astype(np.int64)
        if _is_stored(problem):
            totals[problem.is_switch] = degrees[problem.is_switch]
        sides.append(totals.tolist())
    return sides[0], sides[1]


# -- what an entry is worth


def _worths(problem: Problem, block: Block) -> dict[int, Worth]:
    """Return for each router of a block what an entry there is worth; nothing where the block has no receivers."""
    num_receivers = _num_receivers(problem, block)
    if not num_receivers:
        return {}
    fans = _fans(problem, block)
    if not _is_stored(problem):
        # A path may continue inside to any processor there.
        worth = _worth(num_receivers, _growth(max(map(max, fans.values())), fans))
        return dict.fromkeys(block, worth)
    return {
        router: _worth(num_receivers, map(min, _growth(max(fans[router]), fans), _near(problem, block, router)))
        for router in fans
    }


def _num_receivers(problem: Problem, block: Block) -> int:
    """Return the number of receivers in a block."""
    homes = problem.network.router_of.tolist()
    return sum(homes[receiver] in block for receiver in problem.collective.receivers)


def _worth(num_receivers: int, balls: Iterable[int]) -> Worth:
    """Return what an entry is worth that lets so many know after 0, 1, 2, ... more steps."""
    worth = [min(ball, num_receivers) for ball in balls]
    while len(worth) > 1 and worth[-2] == worth[-1]:
        worth.pop()
    return worth


def _fans(problem: Problem, block: Block) -> dict[int, list[int]]:
    """Return for each router of a block how many others inside each of its locations can inform in a step."""
    network = problem.network
    fans: dict[int, list[int]] = {}
    for router in sorted(block):
        onward = sum(
            int(network.capacity[channel])
            for channel in network.out_channels[router]
            if int(network.heads[channel]) in block
        )
        here = network.processors_on[router]
        fans[router] = [min(int(problem.injection[processor]), onward + len(here) - 1) for processor in here]
        if not here and _is_stored(problem):
            fans[router] = [onward]
    return {router: some for router, some in fans.items() if some}


def _growth(first: int, fans: dict[int, list[int]]) -> Iterator[int]:
    """Yield how many locations can know 0, 1, 2, ... steps after one does that informs `first` others, until all do."""
    others = sorted((fan for some in fans.values() for fan in some), reverse=True)
    others.remove(first)
    known, sending = 1, first
    yield known
    for _ in range(len(fans) + len(others)):
        more = others[known - 1 : known - 1 + sending]
        known += len(more)
        sending += sum(more)
        yield known


def _near(problem: Problem, block: Block, start: int) -> Iterator[int]:
    """Yield how many receivers of a block are no more than 0, 1, 2, ... channels of the block away from a router."""
    network = problem.network
    receivers = network.router_of[list(problem.collective.receivers)].tolist()
    met, rim = {start}, {start}
    yield min(1, receivers.count(start))
    while True:
        rim = {int(network.heads[channel]) for router in rim for channel in network.out_channels[router]}
        rim = (rim & block) - met
        met |= rim
        yield sum(router in met for router in receivers)


# -- which receivers


def _for_some(problem: Problem, receivers: Sequence[int]) -> Problem:
    """Return the problem with some of its receivers only."""
    return Problem(problem.network, replace(problem.collective, kind="MNB", receivers=tuple(receivers)), problem.rules)


def _far_receivers(problem: Problem, blocks: Sequence[Block]) -> Iterator[tuple[int, list[int]]]:
    """Yield 1, 2, ... and the receivers in blocks that are so many channels or more away from every way in."""
    if not _is_stored(problem):
        return
    network = problem.network
    tails, heads = network.tails.tolist(), network.heads.tolist()
    depth_of: dict[int, int] = {}
    for block in blocks:
        rim = {head for tail, head in zip(tails, heads, strict=True) if head in block and tail not in block}
        met, depth = set(rim), 0
        while rim:
            for router in rim:
                depth_of[router] = min(depth, depth_of.get(router, depth))
            rim = ({heads[channel] for router in rim for channel in network.out_channels[router]} & block) - met
            met |= rim
            depth += 1
    homes, collective = network.router_of.tolist(), problem.collective
    for depth in range(1, 1 + max(depth_of.values(), default=0)):
        far = [one for one in collective.receivers if depth_of.get(homes[one], 0) >= depth]
        if far and len({*collective.senders, *far}) > 1:
            yield depth, far


# -- which blocks


def _families(problem: Problem, lowest: int) -> Iterator[list[Block]]:
    """Yield sets of blocks that may prove something: bottlenecks, several alike, and routers that few can send to."""
    network = problem.network
    everyone = frozenset(range(network.num_routers))
    homes = sorted(set(network.router_of[list(problem.collective.receivers)].tolist()))
    alone = [frozenset([router]) for router in homes]
    yield alone
    yield [frozenset([router]) for router in _crowded(problem, lowest)]
    bottlenecks = _bottlenecks(problem)
    for block in [*bottlenecks, frozenset(homes)]:
        yield [block]
        if problem.rules.duplex == "half":
            yield [block, everyone - block]
    if problem.rules.duplex == "half" or _is_stored(problem):
        yield from _joined(problem, [alone, *_alike(bottlenecks)])


def _bottlenecks(problem: Problem) -> list[Block]:
    return [frozenset(np.flatnonzero(row).tolist()) for row in tight_sets(problem)]


def _alike(bottlenecks: list[Block]) -> list[list[Block]]:
    """Return for each size the bottlenecks of that size of which no two have a router in common, if there are some."""
    sizes = sorted({len(block) for block in bottlenecks})
    alike = [_disjoint([block for block in bottlenecks if len(block) == size]) for size in sizes]
    return [blocks for blocks in alike if len(blocks) > 1]


def _disjoint(blocks: list[Block]) -> list[Block]:
    """Return some of the blocks, of which no two have a router in common."""
    chosen: list[Block] = []
    for block in blocks:
        if all(block.isdisjoint(other) for other in chosen):
            chosen.append(block)
    return chosen


def _joined(problem: Problem, families: list[list[Block]]) -> Iterator[list[Block]]:
    """Yield each family of blocks, then with others as long as that needs more steps."""
    for first in families:
        chosen, steps = first, steps_needed(problem, first)
        yield chosen
        while True:
            wider = [[*chosen, *other] for other in families if other[0] not in chosen]
            needed = [steps_needed(problem, blocks) for blocks in wider]
            most = max(needed, default=steps)
            if most <= steps:
                break
            chosen, steps = wider[needed.index(most)], most
            yield chosen


def _crowded(problem: Problem, lowest: int) -> list[int]:
    """Return routers that their neighbours have too few ports for, by a maximum flow over `lowest` steps.

    Store-and-forward: a copy that enters a router was sent from a neighbour. Where flows of what must be sent do not
    fit, the minimum cut has the routers on one side that too few ports serve.
    """
    if not _is_stored(problem):
        return []
    network = problem.network
    size, (inject, eject) = network.num_routers, _ports_of_routers(problem)
    demand = [_must_enter(problem, frozenset([router])) for router in range(size)]
    source, sink, routers = 3 * size, 3 * size + 1, np.arange(size)
    room = lowest * np.concatenate((inject, eject, network.capacity)).astype(np.int64)
    flow = MaximumFlow(
        np.concatenate((np.full(size, source), size + routers, network.tails, 2 * size + routers)),
        np.concatenate((routers, 2 * size + routers, size + network.heads, np.full(size, sink))),
        np.append(room, demand),
        source,
        sink,
    )
    if flow.value == sum(demand):
        return []
    reached = flow.source_side(sink + 1)
    return [router for router in range(size) if demand[router] and not reached[size + router]]
