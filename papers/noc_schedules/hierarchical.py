"""Hierarchical rings: gather to representatives, exchange among them, distribute again (noc section 3.2, Table 3).

Ring sizes are s_0 ... s_L from level 0 outward, G_l = s_0 ... s_(l-1) is the size of a group of level l and P that of
all. The first router of a group stands for it on the ring of its level.

* OAB: binary jumping on the outermost ring, then on the rings of the next level, and so on inward. A root that does
  not sit on a ring sends through the rings in between, which are idle then. Sum of ceil(log2 s_l) steps: 4 for
  16 = 4*4 processors, 6 for 64 = 4*4*4.
* OAS, combining: the same jumps with the messages for all that the receiver serves, TCO P - 1: 4/15 and 6/63.
  Without combining the root sends one message after the other: 15 and 63 steps.
* AAB, combining: gather by binary jumping backwards, level by level; rotation of whole groups on the outermost ring;
  broadcast by binary jumping, level by level inward. 7 steps for 16, 11 for 64.
* AAS, combining: the same with private messages and a direct exchange on the outermost ring. 7 steps for 16, 11 for 64.

How the TCO of the last two differs from the paper, which has 7/47 and 11/319 for AAB, 7/138 and 11/2658 for AAS: it
counts every transfer as if it carried all there is, 16m in the broadcasts of AAB, and in the gather and scatter of AAS
15m for each processor of the group. But a message may not come to a processor that has it. So the broadcast leaves out
what the receiver itself sent up (14m and 15m for 16m and 16m), and a private message between processors of one group
turns where the ways of the two meet (28m for 30m). What is left is 7/44 and 11/304 for AAB, 7/134 and 11/2518 for AAS.
`as_printed` counts as the paper does, and gives its figures.

Paths are shortest. OAB and OAS run one way only and serve half duplex as well.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from papers.noc_schedules.binary_jumping import Jump, jumps_from, ring_start
from papers.noc_schedules.ring_exchange import exchange_steps
from papers.noc_schedules.shapes import Hierarchy, hierarchy_of
from papers.noc_schedules.steps import (
    Kind,
    RouterStep,
    root_router,
    whole_kind,
)
from pavane.model.arrays import Longs
from pavane.model.problem import Problem


def hierarchical(problem: Problem) -> Iterator[RouterStep] | None:
    """Return the steps: one-to-all, with combining all-to-all, on hierarchical rings; None elsewhere."""
    kind, rules = whole_kind(problem), problem.rules
    if kind is None or rules.switching != "wormhole" or problem.restriction is not None:
        return None
    if kind in ("AAB", "AAS") and not (rules.combining and rules.duplex == "full"):
        return None
    rings = hierarchy_of(problem.network)
    if rings is None:
        return None
    if kind == "OAS" and not rules.combining:
        return _one_after_the_other(problem, rings)
    return _from_root(problem, rings) if kind in ("OAB", "OAS") else _among_all(problem, rings)


def as_printed(sizes: tuple[int, ...], kind: Kind) -> tuple[int, int]:
    """Return start-ups and TCO of a combining collective as noc counts them: transfers carry all there is."""
    rings = Hierarchy(sizes)
    *inner, outermost = sizes
    group, size = rings.strides[-1], rings.num_routers
    logs = sum((ring - 1).bit_length() for ring in inner)
    gathered = group - 1  # the sum of (s_l - 1) G_l over the inner levels
    if kind == "AAB":
        return 2 * logs + outermost - 1, gathered + (outermost - 1) * group + logs * size
    if kind == "AAS":
        exchanges = len(exchange_steps(outermost))
        return 2 * logs + exchanges, 2 * (size - 1) * gathered + exchanges * group**2
    startups = logs + (outermost - 1).bit_length()
    return startups, startups if kind == "OAB" else size - 1


# -- one to all


def _one_after_the_other(problem: Problem, rings: Hierarchy) -> Iterator[RouterStep]:
    root, size = root_router(problem), rings.num_routers
    for target in range(size):
        if target != root:
            yield RouterStep.of(problem.network, [(_shortest_path(rings, root, target), root * size + target)])


def _shortest_path(rings: Hierarchy, sender: int, receiver: int) -> list[int]:
    """Return a shortest path between two routers: up as far as needed, along one ring, and down."""
    level = max(level for level, stride in enumerate(rings.strides) if sender // stride != receiver // stride)
    stride, size = rings.strides[level], rings.sizes[level]
    start, end = sender // stride % size, receiver // stride % size
    ahead = (end - start) % size
    way = range(ahead + 1) if 2 * ahead <= size else range(0, ahead - size - 1, -1)
    return rings.path(level, sender, [(start + hop) % size for hop in way], receiver)


def _from_root(problem: Problem, rings: Hierarchy) -> Iterator[RouterStep]:
    root, size = root_router(problem), rings.num_routers
    for level in reversed(range(len(rings.sizes))):
        stride, length = rings.strides[level], rings.sizes[level]
        for step in jumps_from(length, ring_start(length)):
            moves = []
            for first in range(0, size, stride * length):
                holder = root if first <= root < first + stride * length else first
                line = _line(rings, level, holder)
                for jump in step:
                    sender = holder if jump.sender == ring_start(length) else line[jump.sender]
                    path = [*rings.up(sender, level)[:-1], *(line[index] for index in jump.arc)]
                    targets = _branch(line, jump, stride)
                    codes = np.array([root]) if problem.pattern == "broadcast" else root * size + targets
                    moves.append((path, codes))
            yield RouterStep.of(problem.network, moves)


def _line(rings: Hierarchy, level: int, holder: int) -> list[int]:
    """Return the ring of a level, cut to a line so that the holder's jumps are shortest."""
    ring = rings.ring(level, holder)
    cut = holder // rings.strides[level] % len(ring) - ring_start(len(ring))
    return [ring[(cut + number) % len(ring)] for number in range(len(ring))]


def _branch(line: list[int], jump: Jump, stride: int) -> Longs:
    """Return the routers of the groups that the receiver of a jump serves."""
    firsts = np.array(line[jump.first : jump.last])
    routers: Longs = (firsts[:, None] + np.arange(stride)).ravel()
    return routers


# -- all to all


def _among_all(problem: Problem, rings: Hierarchy) -> Iterator[RouterStep]:
    levels = range(len(rings.sizes) - 1)
    tree = {level: jumps_from(rings.sizes[level], ring_start(rings.sizes[level])) for level in levels}
    for level in levels:
        for step in reversed(tree[level]):
            yield _tree_step(problem, rings, level, step, upward=True)
    yield from _outermost(problem, rings)
    for level in reversed(levels):
        for step in tree[level]:
            yield _tree_step(problem, rings, level, step, upward=False)


def _tree_step(problem: Problem, rings: Hierarchy, level: int, step: list[Jump], upward: bool) -> RouterStep:
    """Make one step of the gather or of the distribution, on all rings of a level.

    A jump serves a branch: what its sender gathers through it, and distributes through it. What leaves the branch
    moves up, what is for it from outside moves down; the rest turned further down.
    """
    size, stride = rings.num_routers, rings.strides[level]
    everyone = np.arange(size)
    moves = []
    for first in range(0, size, stride * rings.sizes[level]):
        line = _line(rings, level, first)
        for jump in step:
            path = [line[index] for index in jump.arc]
            branch = _branch(line, jump, stride)
            others = np.setdiff1d(everyone, branch)
            origins, targets = (branch, others) if upward else (others, branch)
            codes = origins if problem.pattern == "broadcast" else (origins[:, None] * size + targets).ravel()
            moves.append((path[::-1] if upward else path, codes))
    return RouterStep.of(problem.network, moves)


def _outermost(problem: Problem, rings: Hierarchy) -> Iterator[RouterStep]:
    """Yield the steps among the routers of the outermost ring, which hold all of their groups."""
    group, length, size = rings.strides[-1], rings.sizes[-1], rings.num_routers
    ring = rings.ring(len(rings.sizes) - 1, 0)

    def members(index: int) -> Longs:
        return ring[index % length] + np.arange(group)

    if problem.pattern == "broadcast":
        for step in range(length - 1):
            yield RouterStep.of(
                problem.network,
                (([ring[index], ring[(index + 1) % length]], members(index - step)) for index in range(length)),
            )
    else:
        for arcs in exchange_steps(length):
            yield RouterStep.of(
                problem.network,
                (
                    ([ring[index] for index in arc], (members(arc[0])[:, None] * size + members(arc[-1])).ravel())
                    for arc in arcs
                ),
            )
