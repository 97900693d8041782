"""Rotation: allgather over one port in P - 1 steps, which is optimal, on nearly every network.

The processors form a cycle, and in every step each passes to the next the message that it got last (its own in the
first step). Every processor sends and receives one message a step, a new one each time, so after P - 1 steps all have
all; with one port nobody can be faster. What is needed is a cycle whose paths, from each processor to the next, share
no channel. Two known constructions give one:

* The Euler tour of a spanning tree of two-way links, under wormhole and full duplex. Leaves without a member are cut
  off first; then the tour between two first visits climbs from a leaf to a common ancestor and goes straight down to
  the next member, so it IS the tree path, which meets no router twice. The tour runs through every channel of the tree
  once, and the paths are pieces of it, so no two of them share a channel. Paths are not shortest in general; under
  minimal routing several trees are tried, and one counts only if all its paths are shortest.
* A Hamiltonian cycle of the routers that have members. Its paths are single channels, so it also serves
  store-and-forward, half duplex, every routing, and one-way networks (Kautz, de Bruijn). It is looked for by patching
  the cycles of a cycle cover together (Karp 1979), then by backtracking; the effort is counted.

Processors on one router follow each other and need no channel between them. Reductions are solved backwards.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pavane.judge.result import Provenance, Result
from pavane.model.collectives import dual
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed
from pavane.workers.budget import Budget

MOST_TRANSFERS = 2**24
"""Beyond this many transfers the columns of the schedule alone would take gigabytes."""

ROOTS_TRIED = 8
"""Spanning trees of each sort that are tried for shortest paths."""

COVERS_TRIED = 20
"""Cycle covers that are tried for a Hamiltonian cycle."""

MOST_EXTENSIONS = 20_000
"""How often backtracking may extend its path in search of a Hamiltonian cycle."""


@dataclass(frozen=True)
class Rotation:
    """Rotation along a cycle of processors; there is nothing to choose, so all seeds give the same."""

    name: str = "rotation"

    def supports(self, problem: Problem) -> bool:
        """Say whether all members send to all members, and a cycle for them was found."""
        return _cycle(_forwards(problem)) is not None

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Return the rotation, unless it takes more than `num_steps` or there is no time."""
        forwards = _forwards(problem)
        fits = num_steps is None or num_steps >= forwards.num_messages - 1
        cycle = _cycle(forwards) if fits and not budget.is_over else None
        if cycle is None:
            return Result(problem, None, asked=num_steps)
        schedule = cycle.rotation()
        if problem.pattern == "reduction":
            schedule = time_reversed(forwards, schedule, problem)
        return Result(problem, schedule, provenance=Provenance(self.name, seed), asked=num_steps)


def _forwards(problem: Problem) -> Problem:
    return dual(problem) if problem.pattern == "reduction" else problem


@dataclass(frozen=True)
class _Cycle:
    """Processors in a cyclic order, and the path from each to the next."""

    order: tuple[int, ...]
    paths: tuple[tuple[int, ...], ...]

    def rotation(self) -> Schedule:
        """Return the schedule in which everything moves one place on in each step."""
        size = len(self.order)
        num_steps = size - 1
        order = np.array(self.order)
        # Messages are numbered in the order of their origins.
        number = np.argsort(np.argsort(order))
        steps = np.repeat(np.arange(num_steps), size)
        places = np.tile(np.arange(size), num_steps)
        return Schedule.from_columns(
            num_steps,
            steps,
            order[places],
            order[(places + 1) % size],
            np.tile([len(path) for path in self.paths], num_steps),
            np.tile(np.array([channel for path in self.paths for channel in path], dtype=np.int32), num_steps),
            np.ones(len(steps), dtype=np.int64),
            number[(places - steps) % size],
        )


@lru_cache(maxsize=16)
def _cycle(problem: Problem) -> _Cycle | None:
    """Return a cycle of the members whose paths are admissible and share no channel, if one is found."""
    collective, rules = problem.collective, problem.rules
    members = set(collective.senders)
    if (
        problem.pattern != "broadcast"
        or rules.combining
        or members != set(collective.receivers)
        or len(members) ** 2 > MOST_TRANSFERS
    ):
        return None
    if rules.switching == "wormhole" and rules.duplex == "full" and problem.restriction is None:
        tours = _tours(problem.network, members)
        if rules.routing == "any":
            tour = next(tours, None)
        else:
            tour = next((tour for tour in tours if _is_minimal(problem.network, tour)), None)
        if tour is not None:
            return tour
    return _ring(problem, members)


def _is_minimal(network: Network, cycle: _Cycle) -> bool:
    homes = network.router_of[list(cycle.order)].tolist()
    starts = [(home, following) for home, following in zip(homes, homes[1:] + homes[:1], strict=True)]
    lengths = [len(path) for path in cycle.paths]
    # Longest first: those are the ones that fail.
    asked = sorted((pair for pair in zip(lengths, starts, strict=True) if pair[0] > 1), reverse=True)
    return all(network.distances_from(start)[end] == length for length, (start, end) in asked)


# -- Euler tours of spanning trees


def _tours(network: Network, members: set[int]) -> Iterator[_Cycle]:
    """Yield Euler tours of spanning trees from several roots, nothing if two-way links do not join the members."""
    homes = sorted({int(network.router_of[member]) for member in members})
    roots = homes[:: max(1, len(homes) // ROOTS_TRIED)][:ROOTS_TRIED]
    for depth_first in (False, True):
        for root in roots:
            down = _spanning_tree(network, root, depth_first)
            if not all(home == root or home in down for home in homes):
                return
            yield _tour(network, root, down, members)


def _spanning_tree(network: Network, root: int, depth_first: bool) -> dict[int, int]:
    """Return for each router that two-way links join to the root the channel of the tree that leads to it."""
    heads, opposite = network.heads.tolist(), network.opposite.tolist()
    down: dict[int, int] = {}
    if depth_first:
        met = {root}
        branches = [iter(network.out_channels[root])]
        while branches:
            for channel in branches[-1]:
                if opposite[channel] >= 0 and heads[channel] not in met:
                    met.add(heads[channel])
                    down[heads[channel]] = channel
                    branches.append(iter(network.out_channels[heads[channel]]))
                    break
            else:
                branches.pop()
        return down
    queue = deque([root])
    while queue:
        for channel in network.out_channels[queue.popleft()]:
            head = heads[channel]
            if opposite[channel] >= 0 and head != root and head not in down:
                down[head] = channel
                queue.append(head)
    return down


def _tour(network: Network, root: int, down: dict[int, int], members: set[int]) -> _Cycle:
    """Return the members as the tour first meets them, with the pieces of the tour between them."""
    tails, opposite = network.tails.tolist(), network.opposite.tolist()
    residents: dict[int, list[int]] = {}
    for member in sorted(members):
        residents.setdefault(int(network.router_of[member]), []).append(member)
    # Branches without members are left out: start from the members and climb.
    children: dict[int, list[int]] = {}
    kept = {root}
    for home in residents:
        router = home
        while router not in kept:
            kept.add(router)
            children.setdefault(tails[down[router]], []).append(router)
            router = tails[down[router]]
    stops: list[int] = []
    pieces: list[tuple[int, ...]] = []
    piece: list[int] = []
    todo = [(root, False)]
    while todo:
        router, is_left = todo.pop()
        if is_left:
            piece.append(opposite[down[router]])
            continue
        if router != root:
            piece.append(down[router])
            todo.append((router, True))
        if router in residents:
            if stops:
                pieces.append(tuple(piece))
            piece = []
            stops += residents[router]
            pieces += [()] * (len(residents[router]) - 1)
        todo += [(child, False) for child in reversed(children.get(router, []))]
    pieces.append(tuple(piece))
    return _Cycle(tuple(stops), tuple(pieces))


# -- Hamiltonian cycles


def _ring(problem: Problem, members: set[int]) -> _Cycle | None:
    """Return a cycle of single channels through all routers that have members."""
    network = problem.network
    homes = sorted({int(network.router_of[member]) for member in members})
    if len(homes) == 1:
        return _Cycle(tuple(sorted(members)), ((),) * len(members))
    number_of = {home: number for number, home in enumerate(homes)}
    channel_from: list[dict[int, int]] = [{} for _ in homes]
    for channel, (tail, head) in enumerate(network.channels.tolist()):
        if tail in number_of and head in number_of:
            # Of parallel channels the last one out and the first one back differ in their link under half duplex.
            ways = channel_from[number_of[tail]]
            if tail < head or number_of[head] not in ways:
                ways[number_of[head]] = channel
    after = [sorted(ways) for ways in channel_from]
    following = _patched_covers(after) or _backtracked(after)
    if following is None:
        return None
    order: list[int] = []
    paths: list[tuple[int, ...]] = []
    here = 0
    for _ in homes:
        residents = [member for member in network.processors_on[homes[here]] if member in members]
        order += residents
        paths += [()] * (len(residents) - 1) + [(channel_from[here][following[here]],)]
        here = following[here]
    used = problem.units[[channel for path in paths for channel in path]]
    return _Cycle(tuple(order), tuple(paths)) if len(np.unique(used)) == len(used) else None


def _patched_covers(after: list[list[int]]) -> list[int] | None:
    """Return the successor of each router on a Hamiltonian cycle, from cycle covers whose cycles are joined.

    Two cycles with channels a > b and c > d become one by a > d and c > b, where the network has those.
    """
    size = len(after)
    is_channel = [set(row) for row in after]
    rng = np.random.default_rng(size)
    for number, following in enumerate(_covers(after, rng)):
        before = np.argsort(following).tolist()
        label = _cycles_of(following)
        num_cycles = max(label) + 1
        tails = rng.permutation(size).tolist() if number else list(range(size))
        for a in [*tails, *tails]:
            for d in after[a]:
                b, c = following[a], before[d]
                if label[a] != label[c] and b in is_channel[c]:
                    following[a], following[c], before[d], before[b] = d, b, a, c
                    gone, stays = label[c], label[a]
                    label = [stays if cycle == gone else cycle for cycle in label]
                    num_cycles -= 1
        if num_cycles == 1:
            return following
    return None


def _covers(after: list[list[int]], rng: np.random.Generator) -> Iterator[list[int]]:
    """Yield cycle covers, as the successor of each router; none if there is none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    size = len(after)
    # Pairs of neighbours in the order of numbers lie side by side on meshes, tori and hypercubes, which patches well.
    partner = [-1] * size
    for router in range(size):
        for head in after[router]:
            if partner[router] < 0 and partner[head] < 0 and router in after[head]:
                partner[router], partner[head] = head, router
    if min(partner) >= 0:
        yield partner
    tails = np.repeat(np.arange(size), [len(heads) for heads in after])
    heads = np.array([head for row in after for head in row], dtype=np.int64)
    for _ in range(COVERS_TRIED):
        names, other_names = rng.permutation(size), rng.permutation(size)
        ones = np.ones(len(tails), dtype=np.int8)
        shuffled = csr_array((ones, (names[tails], other_names[heads])), shape=(size, size))
        match = maximum_bipartite_matching(shuffled, perm_type="column")
        if (match < 0).any():
            return
        yield np.argsort(other_names)[match[names]].tolist()


def _cycles_of(following: list[int]) -> list[int]:
    """Number the cycles of a permutation."""
    label = [-1] * len(following)
    num_cycles = 0
    for start in range(len(following)):
        here = start
        while label[here] < 0:
            label[here] = num_cycles
            here = following[here]
        num_cycles += label[start] == num_cycles
    return label


def _backtracked(after: list[list[int]]) -> list[int] | None:
    """Return the successor of each router on a Hamiltonian cycle, by depth-first search, fewest ways on first."""
    size = len(after)
    path, met = [0], {0}
    choices = [iter(after[0])]
    extensions = 0
    while choices and extensions < MOST_EXTENSIONS:
        for head in choices[-1]:
            if head not in met:
                extensions += 1
                path.append(head)
                met.add(head)
                onward = [(sum(far not in met for far in after[way]), way) for way in after[head] if way not in met]
                choices.append(iter([way for _, way in sorted(onward)]))
                break
        else:
            if len(path) == size and 0 in after[path[-1]]:
                following = [0] * size
                for router, successor in zip(path, path[1:] + path[:1], strict=True):
                    following[router] = successor
                return following
            choices.pop()
            met.discard(path.pop())
    return None
