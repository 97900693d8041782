"""Ejection search for private messages that run along whole paths, under wormhole switching or tdm: the workhorse.

A conflict-free partial schedule of the requested number of steps is extended by insertions, which eject conflicting
messages, until every message is placed. The setting `paths` says what is inserted:

- "all": each message along any of its candidate paths.
- "mirrored": one message per orbit of a symmetry of order two (in slots, of a group, or of time read backwards),
  lifted to all messages. That halves the messages. Where every channel is busy in every step it is often the only way:
  otherwise a message and its image are searched twice.
- "planned": each message along one path. Where detours are allowed a message has many paths, and few choices of paths
  leave enough room everywhere. An integer program picks paths such that every channel and port has room for its load in
  all steps together, with as few channels in all as possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import cycle
from typing import Any, Literal, NamedTuple

import numpy as np

from pavane.model.arrays import Longs, ranges
from pavane.model.problem import Problem
from pavane.model.routing import Restriction
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.candidates import Candidates, PathFinder, candidate_paths
from pavane.solvers.ejection.assignment import assign_all, assign_in_runs
from pavane.solvers.solver import Finding, seed_of
from pavane.solvers.solving import solve_by_steps
from pavane.solvers.supports import Supports
from pavane.symmetry.groups import free_groups
from pavane.symmetry.involutions import Symmetry, free_involutions
from pavane.symmetry.time_reversal import TimeReversal

MOST_MESSAGES = 20_000
"""The paths of more messages than this take too much memory."""

MOST_MESSAGES_IN_SLOTS = 100_000
"""The same under tdm, which packing does not support."""

MOST_PATHS_IN_ALL = 640_000
"""Of more messages each has fewer paths, so that their list takes no more memory and time."""


@dataclass(frozen=True)
class Ejection:
    """Ejection search over candidate paths: messages eject each other until all have a step."""

    name: str = "ejection"
    paths: Literal["all", "mirrored", "planned"] = "all"
    """All; mirrored ones for messages that a symmetry exchanges; or one for each, planned by an integer program."""
    most_paths: int = 32
    detour: int = 2
    """Under any routing: how many channels more than the shortest a path may have."""
    most_trials: int = 40_000_000
    """How many pairs of a path and a step a run may try; a few seconds' worth."""
    most_branches: int = 1_000
    """How far the integer program may branch; counted, so that the answer does not depend on the machine."""

    supports = Supports(
        patterns=("private",),
        switching=("wormhole", "tdm"),
        combining=False,
        most_messages=MOST_MESSAGES_IN_SLOTS,
        where=f"at most {MOST_MESSAGES:,} messages but in slots",
        holds=lambda problem: problem.rules.has_slots or problem.num_messages <= MOST_MESSAGES,
        takes=("capacities",),
    )

    __call__ = solve_by_steps

    def find(
        self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Insert the messages into `num_steps` steps."""
        if self.paths == "mirrored":
            return self._find_mirrored(problem, num_steps, rng, budget)
        restriction = problem.restriction
        if self.paths == "all" and restriction is not None and restriction.is_whole and seed_of(rng) % 2 == 0:
            # Dimension-order keeps every order, and where it is enough it leaves less to search.
            restriction = Restriction.of(problem.network, "dimension-order")
        candidates = self._candidates(problem, rng, restriction=restriction, period=num_steps)
        if self.paths == "planned":
            routes = None if budget.is_over else self._routes(candidates, num_steps, budget)
            if routes is None:
                return None
            candidates = _only(candidates, routes)
        return assign_all(candidates, num_steps, self.most_trials, rng, budget)

    def _candidates(
        self, problem: Problem, rng: np.random.Generator, restriction: Restriction | None = None, **settings: Any
    ) -> Candidates:
        detour = self.detour if problem.rules.routing == "any" else 0
        most_paths = min(self.most_paths, MOST_PATHS_IN_ALL // problem.num_messages)
        return candidate_paths(problem, PathFinder(problem, rng, most_paths, detour, restriction), **settings)

    def _find_mirrored(
        self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding:
        """Insert one message per orbit into `num_steps` steps; the seed picks the symmetry, in slots the first one."""
        run = assign_in_runs(self._samples(problem, num_steps, rng), num_steps, self.most_trials, rng, budget)
        if run is None or not run.is_full:
            return Finding(None, is_final=run is None, evaluations=0 if run is None else run.moves)
        return run.schedule()

    def _samples(self, problem: Problem, num_steps: int, rng: np.random.Generator) -> Iterator[Candidates]:
        """Yield candidates for one way to pair messages after the other, while some way has paths for all."""
        ways = symmetries_of(problem)
        num_lacking, seed = 0, seed_of(rng)
        for way in cycle(ways[seed % len(ways) :] + ways[: seed % len(ways)] if ways else ()):
            candidates = self._candidates(problem, rng, symmetries=way.group, reversal=way.reversal, period=num_steps)
            if candidates.is_complete:
                num_lacking = 0
                yield candidates
            elif num_lacking == len(ways) - 1 or not problem.rules.has_slots:
                return
            else:
                num_lacking += 1

    def _routes(self, candidates: Candidates, num_steps: int, budget: Budget) -> Longs | None:
        """Pick a path for every message, or piece of one; None where no choice was found that fits.

        Pieces of one message are alike, so the program counts how many of them take each path.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        # Pieces of one message follow each other.
        ends = candidates.problem.ends[candidates.messages]
        firsts = np.flatnonzero(np.concatenate(([True], (ends[1:] != ends[:-1]).any(axis=1))))
        pieces = np.diff(np.append(firsts, len(ends)))
        size, num_listed = len(firsts), np.diff(candidates.first_path)[firsts]
        paths = ranges(candidates.first_path[firsts], num_listed)
        num_paths, owner = len(paths), np.repeat(np.arange(size), num_listed)
        all_pieces = csr_array((np.ones(num_paths), (owner, np.arange(num_paths))), shape=(size, num_paths))
        num_units = np.diff(candidates.unit_offsets)[paths]
        units = candidates.units[ranges(candidates.unit_offsets[paths], num_units)]
        user = np.repeat(np.arange(num_paths), num_units)
        loads = csr_array((np.ones(len(user)), (units, user)), shape=(len(candidates.capacity), num_paths))
        seconds = 1e9 if budget.seconds_left is None else max(0.1, budget.seconds_left)
        answer = milp(
            np.diff(candidates.channel_offsets)[paths].astype(np.float64),
            integrality=np.ones(num_paths, dtype=np.int64),
            bounds=Bounds(0, pieces[owner]),
            constraints=[
                LinearConstraint(all_pieces, pieces, pieces),
                LinearConstraint(loads, -np.inf, candidates.capacity * num_steps),
            ],
            options={"mip_rel_gap": 0.02, "node_limit": self.most_branches, "time_limit": seconds},
        )
        if answer.x is None:
            return None
        # The pieces of a message have the same paths in the same order, and take them one after the other.
        taken = np.repeat(paths - candidates.first_path[firsts][owner], np.rint(answer.x).astype(np.int64))
        if len(taken) != len(candidates.messages):
            return None
        return candidates.first_path[:-1] + taken


class OrbitWay(NamedTuple):
    """What makes several messages one entry: a group of symmetries without the identity, or time read backwards."""

    group: tuple[Symmetry, ...]
    reversal: TimeReversal | None = None


@lru_cache(maxsize=8)
def symmetries_of(problem: Problem) -> tuple[OrbitWay, ...]:
    """Return ways to make several messages one entry, cached: a walk over numbers of steps needs them many times.

    In steps groups have order two. In slots, where images of a path meet in one slot only, also more, the largest
    first; a table may also read the same backwards.
    """
    involutions = tuple(OrbitWay((symmetry,)) for symmetry in free_involutions(problem))
    if not problem.rules.has_slots:
        return involutions
    groups = tuple(OrbitWay(group) for group in free_groups(problem) if group) or involutions
    reversal = TimeReversal.of(problem)
    return groups if reversal is None else (*groups, OrbitWay((), reversal))


def _only(candidates: Candidates, path_of: Longs) -> Candidates:
    """Return candidates with one path per message."""

    def select(offsets: Longs) -> tuple[Longs, Longs]:
        lengths = offsets[path_of + 1] - offsets[path_of]
        return np.concatenate(([0], np.cumsum(lengths))), ranges(offsets[path_of], lengths)

    unit_offsets, units = select(candidates.unit_offsets)
    channel_offsets, channels = select(candidates.channel_offsets)
    return replace(
        candidates,
        first_path=np.arange(len(path_of) + 1),
        unit_offsets=unit_offsets,
        units=candidates.units[units],
        shifts=candidates.shifts[units],
        tolls=np.zeros(len(path_of)),
        channel_offsets=channel_offsets,
        channels=candidates.channels[channels],
    )
