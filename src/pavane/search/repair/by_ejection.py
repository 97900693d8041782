"""Mending scatter by ejection search: start from what is left of the old schedule, which is heavy and mostly stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer
from pavane.parallel.budget import Budget
from pavane.search.repair.timetable import Hop
from pavane.solvers.candidates import Candidates, candidate_paths
from pavane.solvers.ejection.assignment import Assignment

MOST_TRIALS = 4_000_000


def packed(
    problem: Problem, num_steps: int, homes: dict[int, Hop], detour: int, seed: int, weight: float, budget: Budget
) -> list[Transfer] | None:
    """Return transfers for all messages, at their homes where that can be; None where none were found.

    A message that still has its old step and path begins with that weight, the others with 1.
    """
    rng = np.random.default_rng(seed)
    candidates = _with_paths(candidate_paths(problem, rng, detour=detour), homes)
    assignment = Assignment(candidates, num_steps)
    home_path = _home_paths(candidates, homes)
    for message, hop in homes.items():
        if assignment.put(message, int(home_path[message]), hop.step):
            assignment.weigh(message, weight)
    if not assignment.fill(assignment.moves_for(MOST_TRIALS), rng, budget):
        return None
    _go_home(assignment, homes, home_path)
    return _transfers(candidates, assignment)


def _home_paths(candidates: Candidates, homes: dict[int, Hop]) -> Longs:
    """Return the number of the path by which each message came in the old schedule, or -1."""
    found = np.full(len(candidates.messages), -1, dtype=np.int64)
    for message, hop in homes.items():
        first, last = candidates.first_path[message : message + 2].tolist()
        found[message] = next(path for path in range(first, last) if _channels(candidates, path) == hop.path)
    return found


def _channels(candidates: Candidates, path: int) -> tuple[int, ...]:
    first, last = candidates.channel_offsets[path : path + 2].tolist()
    return tuple(candidates.channels[first:last].tolist())


def _go_home(assignment: Assignment, homes: dict[int, Hop], home_path: Longs) -> None:
    """Bring messages back to their old steps and paths as long as there is room for one."""
    moved = True
    while moved:
        moved = False
        for message, hop in homes.items():
            step, path = int(assignment.step_of[message]), int(assignment.path_of[message])
            if (step, path) != (hop.step, home_path[message]):
                assignment.take_out(message)
                if assignment.put(message, int(home_path[message]), hop.step):
                    moved = True
                else:
                    assignment.put(message, path, step)


def _transfers(candidates: Candidates, assignment: Assignment) -> list[Transfer]:
    labels = candidates.problem.ends.tolist()
    found = zip(assignment.step_of.tolist(), assignment.path_of.tolist(), strict=True)
    return [
        Transfer(step, labels[message][0], labels[message][1], _channels(candidates, path), (message,))
        for message, (step, path) in enumerate(found)
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
        # Room that all messages together could not fill needs no memory.
        capacity=np.minimum(candidates.capacity, max(1, len(candidates.messages))),
    )
