"""All-to-all scatter in slots on tori of equal sides: turned packets at a time fill all channels.

All routers have the same table, so that two packets meet where they use the same kind of channel in the same slot. The
turn of a torus takes (x, y, ..., z) to (y, ..., z, -x), and moves the kinds of channels in one cycle. So a packet of h
channels and its images under all turns, started together, use every kind once in each of h slots. Such blocks follow
each other without a gap. Displacements that some turn keeps, like half way round in every dimension, have fewer images;
these and a few straight ones go into a window behind the blocks, by ejection search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.candidates import PathFinder
from pavane.solvers.ejection.assignment import assign
from pavane.solvers.ejection.translation import Row, Translations
from pavane.solvers.path_blocks import is_exchange
from pavane.solvers.solver import Finding
from pavane.solvers.solving import solve_once
from pavane.symmetry.translation_groups import TranslationGroup, groups_of

MOST_ROUTERS = 1024
"""Paths in larger networks take too much memory."""

MOST_IDLE = 4
"""The most slots that a window may be longer than its hops need: ejection search alone does as well then."""


@dataclass(frozen=True)
class TurnedOrbits:
    """Packets and their turned images in blocks, one after the other; for all-port tori of equal sides in slots."""

    name: str = "turned-orbits"
    most_paths: int = 64
    """Paths of each displacement in the window."""
    most_trials: int = 4_000_000
    """Pairs of a path and a slot that are tried for each window."""

    def supports(self, problem: Problem) -> bool:
        """Supports all-to-all scatter in slots of one hop, all-port, on tori of equal sides."""
        rules = problem.rules
        return (
            rules.has_slots
            and rules.ports == "all"
            and (rules.hop_slots, rules.packet_slots) == (1, 1)
            and is_exchange(problem)
            and problem.is_plain
            and problem.network.num_routers <= MOST_ROUTERS
            and _turned(problem) is not None
        )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Put the blocks one after the other, and the rest into the shortest window that is found."""
        turned = _turned(problem)
        if turned is None:
            return None
        finder, moves = PathFinder(problem, rng, self.most_paths, 0), 0
        for idle in range(MOST_IDLE + 1):
            for rest in turned.rests():
                length = -(-int(turned.distances[rest].sum()) // turned.group.num_kinds) + idle
                blocks = turned.blocks(finder, length, rest)
                num_slots = blocks[-1].start + len(blocks[-1].path) if blocks else length
                num_slots += 0 if problem.rules.wrap else 2  # the first injection and the last ejection
                if budget.is_over or (num_steps is not None and num_slots > num_steps):
                    return Finding(None, evaluations=moves)
                # What ends in a window does not wrap, and a window of channels lies between the uses of ports.
                linear = replace(problem, rules=replace(problem.rules, wrap=False))
                nowhere = np.zeros(problem.network.num_routers, dtype=np.int64)
                translations = Translations(linear, turned.group, nowhere, length + 2)
                window = translations.candidates(finder, rest)
                rows: Sequence[Row] = ()
                if rest:
                    assignment = assign(window, length + 2, self.most_trials, rng, budget)
                    moves += assignment.moves
                    if not assignment.is_full:
                        continue
                    rows = tuple(translations.table(window, assignment))
                return Translations(problem, turned.group, nowhere, num_slots).lift((*blocks, *rows))
        return Finding(None, evaluations=moves)

    __call__ = solve_once


@dataclass(frozen=True, eq=False)
class _Turned:
    """A torus with its turn, which keeps router 0."""

    group: TranslationGroup
    turn: Longs
    """Where the turn takes each router."""

    @property
    def distances(self) -> Longs:
        """Return the distance of every router from router 0."""
        return self.group.network.distances_from(0).astype(np.int64)

    @property
    def orbits(self) -> list[list[int]]:
        """Return the routers other than 0 that turns take to each other, near ones first."""
        is_listed = self.turn < 0
        is_listed[0] = True
        orbits = []
        for router in np.argsort(self.distances, kind="stable").tolist():
            orbit = []
            while not is_listed[router]:
                is_listed[router] = True
                orbit.append(router)
                router = int(self.turn[router])
            orbits += [orbit] if orbit else []
        return orbits

    def rests(self) -> Iterator[list[int]]:
        """Yield what may go into a window: the routers of small orbits, and with more and more of straight orbits.

        A straight packet uses one kind only, so it fits beside others.
        """
        size = self.group.num_kinds
        small = [router for orbit in self.orbits if len(orbit) < size for router in orbit]
        lines = set()
        for hop in self.group.hops.tolist():
            here, ahead = 0, hop
            while self.distances[ahead] > self.distances[here]:
                lines.add(ahead)
                here, ahead = ahead, int(self.group.sums[hop, ahead])
        straight = [orbit for orbit in self.orbits if len(orbit) == size and orbit[0] in lines]
        for number in range(len(straight) // 2 + 1):
            broken = straight[:number] + straight[len(straight) - number :]
            yield small + [router for orbit in broken for router in orbit]

    def blocks(self, finder: PathFinder, start: int, rest: list[int]) -> list[Row]:
        """Return a row for every packet that is not in the rest, in blocks from a slot on."""
        kinds, hops = self.group.kinds, self.group.hops.tolist()
        turned_kind = [hops.index(int(self.turn[hop])) for hop in hops]
        rows = []
        for orbit in self.orbits:
            if orbit[0] in rest:
                continue
            path = finder.between(0, orbit[0])[0]
            word = [int(kinds[channel]) for channel in path]
            for _ in orbit:
                rows.append(Row(start, self._walked(word)))
                word = [turned_kind[kind] for kind in word]
            start += len(path)
        return rows

    def _walked(self, word: list[int]) -> list[int]:
        """Return the channels of the kinds of a word, from router 0 on."""
        router, path = 0, []
        for kind in word:
            path.append(int(self.group.channels[router, kind]))
            router = int(self.group.network.heads[path[-1]])
        return path


@lru_cache(maxsize=4)
def _turned(problem: Problem) -> _Turned | None:
    """Return the torus of equal sides that a network is, if a turn moves its kinds of channels in one cycle."""
    for group in groups_of(problem):
        if len(set(group.sizes)) > 1:
            continue
        first, *others = np.unravel_index(np.arange(problem.network.num_routers), group.sizes)
        turn = np.ravel_multi_index((*others, -first % group.sizes[0]), group.sizes)
        hops = group.hops.tolist()
        cycle = [hops[0]]
        while len(cycle) <= len(hops) and turn[cycle[-1]] != hops[0]:
            cycle.append(int(turn[cycle[-1]]))
        if sorted(cycle) == sorted(hops):
            return _Turned(group, turn)
    return None
