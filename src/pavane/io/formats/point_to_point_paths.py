"""Private messages of programs that copy: what is left is the way of each from its origin to its target.

In foreign programs data stay where they were sent from, so a private message may be copied to a processor that is not
on its way, or sent on by its target. Here it moves. Useless copies are left out; whatever else may be
wrong with a schedule is left as it is, for the judge to see.
"""

from __future__ import annotations

from pavane.io.files import File
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.text import counted

Arrivals = dict[int, tuple[int, int]]
"""For each location to which a message comes: in which step, and from where."""


def numbers_by_piece(problem: Problem) -> dict[tuple[int, ...], int]:
    """Return the number of each piece by its message's ends and its own number, which is 0 where there is one."""
    labels = problem.labels.tolist()
    return {tuple(label if problem.has_pieces else (*label, 0)): number for number, label in enumerate(labels)}


def remove_copies(file: File, problem: Problem, schedule: Schedule) -> Schedule:
    """Leave out useless copies of private messages, and steps of nothing else, with a note."""
    if problem.pattern != "private":
        return schedule
    arrivals: list[Arrivals] = [{} for _ in range(problem.num_messages)]
    are_trees = [True] * problem.num_messages
    for transfer in schedule:
        for message in transfer.messages:
            if 0 <= message < problem.num_messages:
                are_trees[message] &= transfer.receiver not in arrivals[message]
                arrivals[message][transfer.receiver] = transfer.step, transfer.sender
    useless = {
        (message, location)
        for message, (origin, target) in enumerate(problem.ends.tolist())
        if are_trees[message] and _is_held(arrivals[message], origin) and target in arrivals[message]
        for location in arrivals[message].keys() - _stops(arrivals[message], origin, target)
    }
    if not useless:
        return schedule
    arrivals_of = f"{counted(len(useless), 'arrival')} of private messages that are not needed"
    file.note(f"left out: {arrivals_of}; here a private message moves, and copies of it do not stay behind")
    return _without(schedule, useless)


def _is_held(arrivals: Arrivals, origin: int) -> bool:
    """Return whether a message comes to each location from one that has it by then, and never to its origin."""
    since = {location: step for location, (step, _) in arrivals.items()} | {origin: -1}
    return origin not in arrivals and all(
        sender in since and since[sender] < step for step, sender in arrivals.values()
    )


def _stops(arrivals: Arrivals, origin: int, target: int) -> set[int]:
    """Return the locations on the way to the target; every one but the origin has an arrival."""
    stops, location = set(), target
    while location != origin:
        stops.add(location)
        location = arrivals[location][1]
    return stops


def _without(schedule: Schedule, useless: set[tuple[int, int]]) -> Schedule:
    """Leave out arrivals, by message and location, and the steps that have nothing else."""
    remaining: list[Transfer] = []
    emptied: set[int] = set()
    for transfer in schedule:
        carried = tuple(m for m in transfer.messages if (m, transfer.receiver) not in useless)
        if carried or not transfer.messages:
            remaining.append(transfer._replace(messages=carried))
        else:
            emptied.add(transfer.step)
    emptied -= {transfer.step for transfer in remaining}
    left = [step for step in range(schedule.num_steps) if step not in emptied]
    index_of = {step: index for index, step in enumerate(left)}
    return Schedule.from_transfers([t._replace(step=index_of[t.step]) for t in remaining], len(left))
