"""The program of each process: what it sends and receives in each step of a schedule.

A process stands for a processor, or for a pure switch at which messages rest. All of it is plain data, so that it can
go to processes that know nothing of pavane.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from pavane.errors import InputError
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


def locations(problem: Problem, schedule: Schedule) -> list[int]:
    """Return the location that each process stands for: all processors, then pure switches that messages rest at."""
    switches = sorted({~end for end in {*schedule.senders.tolist(), *schedule.receivers.tolist()} if end < 0})
    return [*range(problem.network.num_processors), *(~switch for switch in switches)]


def job(
    problem: Problem, schedule: Schedule, size: int, repeat: int, spoil: tuple[int, int] | None = None
) -> dict[str, Any]:
    """Return what the processes need: their programs, the labels of messages, and the library's collective.

    `spoil` names a process and a step, from 0: it sends one wrong byte then, to show that the check finds it.
    """
    reduction = problem.pattern == "reduction"
    if size < 1:
        raise InputError(f"messages of {size} bytes carry nothing to check; give at least 1")
    if reduction and size % 8:
        raise InputError(f"{problem.collective.kind} adds integers of 8 bytes; give a multiple of 8, not {size}")
    if repeat < 1:
        raise InputError(f"{repeat} repeats execute nothing; give at least 1")
    places = locations(problem, schedule)
    process_of = {place: process for process, place in enumerate(places)}
    labels = problem.labels.tolist()
    senders = sorted(problem.collective.senders)
    programs: list[dict[str, Any]] = [
        {
            "starts": [],
            "expects": [],
            "steps": [[[], []] for _ in range(schedule.num_steps)],
            "sums": [[] for _ in range(schedule.num_steps)],
        }
        for _ in places
    ]
    for message, label in enumerate(labels):
        if reduction:
            for sender in senders:
                programs[sender]["starts"].append([message, sender, label[0]])
            programs[label[0]]["expects"].append(message)
        else:
            programs[label[0]]["starts"].append([message, label[0], label[1] if len(label) == 2 else -1])
            for target in label[1:] or problem.collective.receivers:
                if target != label[0]:
                    programs[target]["expects"].append(message)
    contributions = {(message, sender): [sender] for message in range(len(labels)) for sender in senders}
    for step in range(schedule.num_steps):
        between: dict[tuple[int, int], int] = defaultdict(int)
        moving = []
        for number in schedule.of_step(step):
            transfer = schedule.transfer(number)
            here, there = process_of[transfer.sender], process_of[transfer.receiver]
            tag = between[here, there]
            between[here, there] += 1
            programs[here]["steps"][step][0].append([there, tag, list(transfer.messages)])
            programs[there]["steps"][step][1].append([here, tag, list(transfer.messages)])
            if reduction:
                for message in transfer.messages:
                    summands = contributions.pop((message, transfer.sender))
                    programs[there]["sums"][step].append(summands)
                    moving.append((message, transfer.receiver, summands))
        for message, place, summands in moving:
            contributions[message, place] = sorted(contributions.get((message, place), []) + summands)
    return {
        "bytes": size,
        "repeat": repeat,
        "num_steps": schedule.num_steps,
        "reduction": reduction,
        "labels": labels,
        "senders": senders,
        "library": library(problem),
        "programs": programs,
        "spoil": None if spoil is None else list(spoil),
    }


def library(problem: Problem) -> dict[str, Any]:
    """Return the MPI library's collective that does the same, and the processors that take part in it."""
    collective = problem.collective
    senders, receivers = set(collective.senders), set(collective.receivers)
    pairs = list(collective.pairs)
    for source, target in pairs:
        senders.add(source)
        receivers.add(target)
    members = sorted(senders | receivers)
    place = {member: i for i, member in enumerate(members)}
    same = senders == receivers and not pairs
    root = None
    name = {
        "OAB": "Bcast",
        "OAS": "Scatter",
        "AOG": "Gather",
        "AOR": "Reduce",
        "AAB": "Allgather" if same else "Allgatherv",
        "MNB": "Allgather" if same else "Allgatherv",
        "AAS": "Alltoall" if same else "Alltoallv",
        "MNS": "Alltoall" if same else "Alltoallv",
        "PAIRS": "Alltoallv",
        "AAR": "Reduce_scatter_block" if same else "Reduce_scatter",
    }[collective.kind]
    if collective.kind in ("OAB", "OAS"):
        root = place[collective.senders[0]]
    elif collective.kind in ("AOG", "AOR"):
        root = place[collective.receivers[0]]
    if name == "Alltoallv":
        pairs = pairs or [(s, r) for s in sorted(senders) for r in sorted(receivers) if s != r]
    return {
        "name": name,
        "members": members,
        "root": root,
        "senders": sorted(place[s] for s in senders),
        "receivers": sorted(place[r] for r in receivers),
        "pairs": [[place[s], place[r]] for s, r in pairs] if name == "Alltoallv" else [],
    }
