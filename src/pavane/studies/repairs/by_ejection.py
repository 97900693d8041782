"""Mending scatter by ejection search: start from what is left of the old schedule, which is heavy and mostly stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pavane.kernels import compiled
from pavane.kernels.ejection import eject_search
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer
from pavane.solvers.candidates import Candidates, candidate_paths
from pavane.studies.repairs.timetable import Hop
from pavane.workers.budget import Budget

MOST_TRIALS = 4_000_000


def packed(
    problem: Problem, num_steps: int, homes: dict[int, Hop], detour: int, seed: int, weight: float, budget: Budget
) -> list[Transfer] | None:
    """Return transfers for all messages, at their homes where that can be; None where none were found.

    A message that still has its old place weighs so much at first, the others 1.
    """
    rng = np.random.default_rng(seed)
    candidates = _with_paths(candidate_paths(problem, rng, detour=detour), homes)
    size = len(candidates.messages)
    first_slot = np.concatenate(([0], np.cumsum(candidates.capacity)[:-1]))
    table = _Table(candidates, first_slot, num_steps)
    home_path = table.home_paths(homes)
    weights = np.ones(size)
    for message, hop in homes.items():
        if table.put(message, int(home_path[message]), hop.step):
            weights[message] = weight
    left = np.flatnonzero(table.step_of < 0)
    outside, num_outside = np.zeros(size, dtype=np.int64), len(left)
    outside[:num_outside] = left
    trials_per_move = max(1, len(candidates.tolls) * num_steps // size)
    moves_left = max(10 * size, MOST_TRIALS // trials_per_move)
    share = max(100, 2_000_000 // trials_per_move)
    kernel = compiled(eject_search)
    while num_outside and moves_left > 0 and not budget.is_over:
        made, num_outside = kernel(
            candidates.first_path,
            candidates.unit_offsets,
            candidates.units,
            candidates.shifts,
            candidates.tolls,
            first_slot,
            candidates.capacity,
            table.occupant,
            table.step_of,
            table.path_of,
            weights,
            outside,
            num_outside,
            min(share, moves_left),
            rng,
        )
        moves_left -= made
    if num_outside:
        return None
    table.go_home(homes, home_path)
    return table.transfers()


class _Table:
    """Who is where: the arrays that the kernel works on."""

    def __init__(self, candidates: Candidates, first_slot: np.ndarray[tuple[int], np.dtype[np.int64]], steps: int):
        self.candidates, self.first_slot = candidates, first_slot
        size = len(candidates.messages)
        self.occupant = np.full((int(candidates.capacity.sum()), steps), -1, dtype=np.int32)
        self.step_of, self.path_of = np.full(size, -1, dtype=np.int64), np.full(size, -1, dtype=np.int64)

    def home_paths(self, homes: dict[int, Hop]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return the number of the path by which each message came in the old schedule, or -1."""
        found = np.full(len(self.step_of), -1, dtype=np.int64)
        for message, hop in homes.items():
            first, last = self.candidates.first_path[message : message + 2].tolist()
            found[message] = next(path for path in range(first, last) if self._channels(path) == hop.path)
        return found

    def _channels(self, path: int) -> tuple[int, ...]:
        first, last = self.candidates.channel_offsets[path : path + 2].tolist()
        return tuple(self.candidates.channels[first:last].tolist())

    def put(self, message: int, path: int, step: int) -> bool:
        """Put a message into its place, if there is room on all of its way."""
        first, last = self.candidates.unit_offsets[path : path + 2].tolist()
        places = []
        for unit in self.candidates.units[first:last].tolist():
            start = int(self.first_slot[unit])
            column = self.occupant[start : start + int(self.candidates.capacity[unit]), step]
            free = np.flatnonzero(column < 0)
            if not len(free):
                return False
            places.append(start + int(free[0]))
        self.occupant[places, step] = message
        self.step_of[message], self.path_of[message] = step, path
        return True

    def take_out(self, message: int) -> None:
        """Take a message out of its place."""
        column = self.occupant[:, self.step_of[message]]
        column[column == message] = -1
        self.step_of[message] = -1

    def go_home(self, homes: dict[int, Hop], home_path: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
        """Bring messages back to their old places as long as some place is free."""
        moved = True
        while moved:
            moved = False
            for message, hop in homes.items():
                step, path = int(self.step_of[message]), int(self.path_of[message])
                if (step, path) != (hop.step, home_path[message]):
                    self.take_out(message)
                    if self.put(message, int(home_path[message]), hop.step):
                        moved = True
                    else:
                        self.put(message, path, step)

    def transfers(self) -> list[Transfer]:
        """Return the transfers."""
        labels = self.candidates.problem.labels.tolist()
        places = zip(self.step_of.tolist(), self.path_of.tolist(), strict=True)
        return [
            Transfer(step, labels[message][0], labels[message][1], self._channels(path), (message,))
            for message, (step, path) in enumerate(places)
        ]


def _with_paths(candidates: Candidates, homes: dict[int, Hop]) -> Candidates:
    """Add the old path of a message to its candidates where a sample has missed it."""
    channels, units = candidates.channels.tolist(), candidates.units.tolist()
    channel_at, unit_at = candidates.channel_offsets.tolist(), candidates.unit_offsets.tolist()
    first_path, tolls = candidates.first_path.tolist(), candidates.tolls.tolist()
    problem = candidates.problem
    ports_matter = any(unit >= problem.network.num_channels for unit in units)
    unit_of = problem.units.tolist()
    new_paths: list[tuple[list[int], list[int], float]] = []
    new_first = [0]
    for message in range(len(first_path) - 1):
        listed = range(first_path[message], first_path[message + 1])
        new_paths += [
            (channels[channel_at[p] : channel_at[p + 1]], units[unit_at[p] : unit_at[p + 1]], tolls[p]) for p in listed
        ]
        hop = homes.get(message)
        known = new_paths[new_first[-1] :]
        if hop is not None and list(hop.path) not in [path for path, _, _ in known]:
            used = [unit_of[channel] for channel in hop.path]
            if ports_matter:
                first = problem.network.num_channels
                used += [first + hop.sender, first + problem.network.num_processors + hop.receiver]
            shortest = min((len(path) for path, _, _ in known), default=len(hop.path))
            new_paths.append((list(hop.path), used, 0.25 * max(0, len(hop.path) - shortest)))
        new_first.append(len(new_paths))
    return replace(
        candidates,
        first_path=np.array(new_first),
        unit_offsets=np.concatenate(([0], np.cumsum([len(u) for _, u, _ in new_paths]))).astype(np.int64),
        units=np.array([unit for _, u, _ in new_paths for unit in u], dtype=np.int32),
        shifts=np.zeros(sum(len(u) for _, u, _ in new_paths), dtype=np.int32),
        tolls=np.array([toll for _, _, toll in new_paths]),
        channel_offsets=np.concatenate(([0], np.cumsum([len(c) for c, _, _ in new_paths]))).astype(np.int64),
        channels=np.array([channel for c, _, _ in new_paths for channel in c], dtype=np.int32),
    )
