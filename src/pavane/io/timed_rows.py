"""Transfers with start times in schedule files: each is an entry.

Transfers of one message that start together and share channels are one entry, a tree, which has lists of processors in
`from` or `to`. Inputs are the numbers of entries: a transfer of a tree contains what these have brought to its own
sender.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.objects import TimedTransferObject, TransferObject, location_name, location_number
from pavane.io.tree_rows import Branch, branches, joined_rows
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


class Entry(NamedTuple):
    """An entry of a file, and the numbers of the transfers that it stands for."""

    numbers: list[int]
    row: TransferObject


def rows_of_schedule(problem: Problem, schedule: Schedule) -> Iterator[dict[str, Any]]:
    """Yield the entries of a file."""
    entries = _entries(problem, schedule)
    entry_of = {number: at for at, entry in enumerate(entries) for number in entry.numbers}
    for numbers, row in entries:
        inputs = sorted({entry_of[source] for number in numbers for source in schedule.transfer(number).inputs})
        ends = {"from": row.sender, "to": row.receiver, "route": row.route, "carries": row.carries}
        yield {"start": int(schedule.starts[numbers[0]]), **ends} | ({"inputs": inputs} if inputs else {})


def _entries(problem: Problem, schedule: Schedule) -> list[Entry]:
    """Return the transfers as entries: those that say the same as a tree are one."""
    if not problem.has_trees:
        return [_entry(problem, schedule, number) for number in range(len(schedule))]
    together: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, (start, message) in enumerate(zip(schedule.starts.tolist(), schedule.messages.tolist(), strict=True)):
        together[start, message].append(number)
    entries: list[Entry] = []
    for numbers in together.values():
        number_of: dict[Branch, list[int]] = defaultdict(list)
        rows = [_entry(problem, schedule, number).row for number in numbers]
        for number, row in zip(numbers, rows, strict=True):
            number_of[_branch(row)].append(number)
        entries += [
            Entry(sorted(number_of[one].pop(0) for one in branches(problem.network, row, "")), row)
            for row in joined_rows(problem, rows)
        ]
    return _saying_inputs(problem, schedule, sorted(entries, key=lambda entry: entry.numbers))


def _entry(problem: Problem, schedule: Schedule, number: int) -> Entry:
    """Return one transfer as an entry."""
    one = schedule.transfer(number)
    ends = location_name(one.sender), location_name(one.receiver)
    return Entry([number], TransferObject(*ends, list(one.path), [problem.labels[one.messages[0]].tolist()]))


def _branch(row: TransferObject) -> Branch:
    return Branch(row.sender, row.receiver, tuple(row.route))  # type: ignore[arg-type]


def _saying_inputs(problem: Problem, schedule: Schedule, entries: list[Entry]) -> list[Entry]:
    """Return the entries, with the transfers of those apart whose inputs an entry for all could not say."""
    entry_of = {number: at for at, entry in enumerate(entries) for number in entry.numbers}
    found: list[Entry] = []
    for entry in entries:
        if len(entry.numbers) == 1:
            found.append(entry)
            continue
        members = [schedule.transfer(number) for number in entry.numbers]
        arrivals: dict[int, set[int]] = defaultdict(set)
        for at in {entry_of[source] for one in members for source in one.inputs}:
            for source in entries[at].numbers:
                arrivals[int(schedule.receivers[source])].add(source)
        if all(arrivals[one.sender] == set(one.inputs) for one in members):
            found.append(entry)
        else:
            found += [_entry(problem, schedule, number) for number in entry.numbers]
    return sorted(found, key=lambda entry: entry.numbers)


def schedule_of_rows(file: File, problem: Problem, rows: list[TimedTransferObject]) -> Schedule:
    """Return the schedule of the entries of a file."""
    labels = [label for row in rows for label in row.carries]
    width = problem.labels.shape[1]
    for number, row in enumerate(rows):
        if len(row.carries) != 1 or len(row.carries[0]) != width:
            raise InputError(
                f"{file}: transfer {number} carries {row.carries}; it needs one message of {width} numbers"
            )
        if not all(0 <= source < len(rows) for source in row.inputs):
            raise InputError(f"{file}: transfer {number} has inputs {row.inputs[:8]}, and there are no such transfers")
    found, entry_of, inputs = _expanded(problem.network, rows, str(file))
    numbers = problem.message_numbers(np.array(labels, dtype=np.int64).reshape(-1, width))
    try:
        return Schedule.from_start_times(
            [rows[entry].start for entry in entry_of],
            [location_number(branch.sender, str(file)) for branch in found],
            [location_number(branch.receiver, str(file)) for branch in found],
            [branch.route for branch in found],
            numbers[entry_of],
            inputs,
        )
    except OverflowError:
        raise InputError(f"{file}: a number is too large to be a time, a processor or a channel") from None


def _expanded(
    network: Network, rows: list[TimedTransferObject], where: str
) -> tuple[list[Branch], list[int], list[list[int]]]:
    """Return the transfers of entries with their inputs: each transfer, the number of its entry, and its inputs."""
    found: list[Branch] = []
    entry_of: list[int] = []
    members: list[list[int]] = []
    for number, row in enumerate(rows):
        members.append([])
        for branch in branches(network, row, f"{where}: transfer {number}"):
            members[-1].append(len(found))
            found.append(branch)
            entry_of.append(number)
    inputs = []
    for branch, number in zip(found, entry_of, strict=True):
        entries = rows[number].inputs
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
