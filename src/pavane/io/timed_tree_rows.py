"""Trees in timed schedule files: transfers of one message that start together and share channels are one entry.

Such an entry has lists of processors in `from` or `to`. Inputs are the numbers of entries: a transfer of a tree
contains what these have brought to its own sender.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from pavane.errors import InputError
from pavane.io.objects import TransferObject, location_name
from pavane.io.tree_rows import Branch, branches, joined_rows
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.timed import TimedSchedule


def timed_rows(problem: Problem, schedule: TimedSchedule) -> Iterator[dict[str, Any]]:
    """Yield the entries of a file."""
    members = _members(problem, schedule)
    row_of = {number: row for row, numbers in enumerate(members) for number in numbers}
    for numbers in members:
        (entry,) = _objects(problem, schedule, numbers)
        inputs = sorted({row_of[source] for number in numbers for source in schedule.transfer(number).inputs})
        ends = {"from": entry.sender, "to": entry.receiver, "route": entry.route, "carries": entry.carries}
        yield {"start": int(schedule.starts[numbers[0]]), **ends} | ({"inputs": inputs} if inputs else {})


def _objects(problem: Problem, schedule: TimedSchedule, numbers: list[int]) -> list[TransferObject]:
    """Return transfers as entries: those that say the same as a tree are one."""
    objects = []
    for number in numbers:
        one = schedule.transfer(number)
        ends = location_name(one.sender), location_name(one.receiver)
        objects.append(TransferObject(*ends, list(one.path), [problem.labels[one.messages[0]].tolist()]))
    return objects if len(numbers) == 1 else list(joined_rows(problem, objects))


def _members(problem: Problem, schedule: TimedSchedule) -> list[list[int]]:
    """Return the transfers of each entry."""
    if not problem.has_trees:
        return [[number] for number in range(len(schedule))]
    together: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, (start, message) in enumerate(zip(schedule.starts.tolist(), schedule.messages.tolist(), strict=True)):
        together[start, message].append(number)
    members: list[list[int]] = []
    for numbers in together.values():
        number_of: dict[Branch, list[int]] = defaultdict(list)
        for number in numbers:
            one = schedule.transfer(number)
            number_of[_branch(one.sender, one.receiver, one.path)].append(number)
        members += [
            sorted(number_of[branch].pop() for branch in branches(problem.network, entry, ""))
            for entry in _objects(problem, schedule, numbers)
        ]
    members.sort()
    return _saying_inputs(schedule, members)


def _branch(sender: int, receiver: int, path: tuple[int, ...]) -> Branch:
    return Branch(location_name(sender), location_name(receiver), path)


def _saying_inputs(schedule: TimedSchedule, members: list[list[int]]) -> list[list[int]]:
    """Return the transfers of each entry, with those apart whose inputs an entry for all could not say."""
    row_of = {number: row for row, numbers in enumerate(members) for number in numbers}
    found = []
    for numbers in members:
        rows = {row_of[source] for number in numbers for source in schedule.transfer(number).inputs}
        arrivals: dict[int, set[int]] = defaultdict(set)
        for row in rows if len(numbers) > 1 else ():
            for source in members[row]:
                arrivals[int(schedule.receivers[source])].add(source)
        is_said = all(
            arrivals[one.sender] == set(one.inputs) for one in (schedule.transfer(number) for number in numbers)
        )
        found += [numbers] if len(numbers) == 1 or is_said else [[number] for number in numbers]
    return sorted(found)


def expanded(
    network: Network, rows: list[tuple[TransferObject, list[int]]], where: str
) -> tuple[list[Branch], list[int], list[list[int]]]:
    """Return the transfers of entries with their inputs: each transfer, the number of its entry, and its inputs."""
    found: list[Branch] = []
    entry_of: list[int] = []
    members: list[list[int]] = []
    for number, (row, _) in enumerate(rows):
        members.append([])
        for branch in branches(network, row, f"{where}: transfer {number}"):
            members[-1].append(len(found))
            found.append(branch)
            entry_of.append(number)
    inputs = []
    for branch, number in zip(found, entry_of, strict=True):
        entries = rows[number][1]
        brought = {entry: members[entry] for entry in entries}
        if any(len(members[entry]) > 1 for entry in (*entries, number)):
            # Trees bring their data to several places.
            places = {found[member].sender for member in members[number]}
            for entry in entries:
                if not places & {found[source].receiver for source in members[entry]}:
                    raise InputError(f"{where}: transfer {number} has input {entry}, which brings it nothing")
                brought[entry] = [source for source in members[entry] if found[source].receiver == branch.sender]
        inputs.append([source for entry in entries for source in brought[entry]])
    return found, entry_of, inputs
