"""The program of each process: what it sends and receives in each step of a schedule.

A process stands for a processor, or for a pure switch at which messages rest. All of it is plain data, so that it can
go to processes that know nothing of pavane.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from pavane.errors import InputError
from pavane.execution.timed_jobs import timed_programs
from pavane.io.programs import Act, piece_numbers, programs_of
from pavane.model.allreduce import is_added
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.timed import TimedProblem, TimedSchedule

INTEGER = 8
"""Bytes of the integers that reductions add up."""
ADDING = ("reduction", "allreduce")
"""Patterns whose messages are sums."""


def locations(problem: Problem, schedule: Schedule | TimedSchedule) -> list[int]:
    """Return the location that each process stands for: all processors, then pure switches that messages rest at."""
    switches = sorted({~end for end in {*schedule.senders.tolist(), *schedule.receivers.tolist()} if end < 0})
    return [*range(problem.network.num_processors), *(~switch for switch in switches)]


def element_width(problem: Problem) -> int:
    """Return the bytes between which messages may be cut: reductions add integers."""
    return INTEGER if problem.pattern in ADDING else 1


def plain_problem(problem: Problem | TimedProblem) -> Problem:
    """Return the problem without its links."""
    return problem.problem if isinstance(problem, TimedProblem) else problem


def job(
    given: Problem | TimedProblem,
    schedule: Schedule | TimedSchedule,
    size: int,
    repeat: int,
    spoil: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """Return what the processes need: their programs, the ends of messages, and the library's collective.

    `spoil` names a process and a step, from 0: it sends one wrong byte then, to show that the check finds it. A timed
    schedule is one step.
    """
    problem = plain_problem(given)
    if size < 1:
        raise InputError(f"messages of {size} bytes carry nothing to check; give at least 1")
    if problem.pattern in ADDING and size % INTEGER:
        raise InputError(f"{problem.collective.kind} adds integers of 8 bytes; give a multiple of 8, not {size}")
    pieces, width = problem.collective.pieces, element_width(problem)
    if size < pieces * width:
        raise InputError(
            f"messages of {size} bytes cannot be cut into {pieces} pieces that carry something; give at least "
            f"{pieces * width}"
        )
    if repeat < 1:
        raise InputError(f"{repeat} repeats execute nothing; give at least 1")
    return {
        "bytes": size,
        "repeat": repeat,
        "num_steps": schedule.num_steps if isinstance(schedule, Schedule) else 1,
        "self_timed": isinstance(schedule, TimedSchedule),
        "sums": problem.pattern in ADDING,
        "moves": problem.pattern == "reduction",
        "labels": problem.ends.tolist(),
        "pieces": pieces,
        "numbers": piece_numbers(problem).tolist() if problem.has_pieces else None,
        "width": width,
        "senders": sorted(problem.collective.senders),
        "library": library(problem),
        "programs": _programs(given, schedule),
        "spoil": None if spoil is None else list(spoil),
    }


def _programs(given: Problem | TimedProblem, schedule: Schedule | TimedSchedule) -> list[dict[str, Any]]:
    """Return what each process starts with, expects, and does."""
    problem = plain_problem(given)
    ends = locations(problem, schedule)
    starts, expects = _starts(problem), _expected(problem)
    if isinstance(schedule, Schedule):
        programs = _step_programs(problem, schedule, ends)
    else:
        assert isinstance(given, TimedProblem)
        programs = timed_programs(given, schedule, ends)
    return [
        {"starts": starts.get(location, []), "expects": expects.get(location, []), **program}
        for location, program in zip(ends, programs, strict=True)
    ]


def _step_programs(problem: Problem, schedule: Schedule, ends: list[int]) -> Iterator[dict[str, Any]]:
    """Yield what each process does in each step."""
    process_of = {location: process for process, location in enumerate(ends)}
    programs = programs_of(problem, schedule)
    summands = _summands(problem, schedule)
    added = _added(problem, schedule)
    nothing: list[Act] = []
    for location in ends:
        steps = [programs[location].get(step, nothing) for step in range(schedule.num_steps)]
        yield {
            "steps": [[_tagged(acts, side, process_of) for side in (False, True)] for acts in steps],
            "sums": [[part for act in acts if act.receives for part in summands.get(act.number, [])] for acts in steps],
            "added": [[adds for act in acts if act.receives for adds in added[act.number]] for acts in steps],
        }


def _tagged(acts: list[Act], receives: bool, process_of: dict[int, int]) -> list[list[Any]]:
    """Return peer, tag and messages of each send, or receive, in a step; tags count what goes between the same two."""
    seen: Counter[int] = Counter()
    tagged: list[list[Any]] = []
    for act in acts:
        if act.receives is receives:
            peer = process_of[act.peer]
            tagged.append([peer, seen[peer], list(act.transfer.messages)])
            seen[peer] += 1
    return tagged


def _starts(problem: Problem) -> dict[int, list[list[int]]]:
    """Return what each processor has at the start: message, origin, and target (or part) or -1."""
    starts: dict[int, list[list[int]]] = defaultdict(list)
    for message, label in enumerate(problem.ends.tolist()):
        if problem.pattern in ADDING:
            for sender in problem.collective.senders:
                starts[sender].append([message, sender, label[0]])
        else:
            starts[label[0]].append([message, label[0], label[1] if len(label) == 2 else -1])
    return starts


def _expected(problem: Problem) -> dict[int, list[int]]:
    """Return the messages that each processor must have in the end."""
    expects: dict[int, list[int]] = defaultdict(list)
    for message, label in enumerate(problem.ends.tolist()):
        if problem.pattern == "reduction":
            expects[label[0]].append(message)
            continue
        if problem.pattern == "allreduce":
            for member in problem.collective.senders:
                expects[member].append(message)
            continue
        for target in label[1:] or problem.collective.receivers:
            if target != label[0]:
                expects[target].append(message)
    return expects


def _summands(problem: Problem, schedule: Schedule) -> dict[int, list[list[int]]]:
    """Return by the number of a transfer whose contributions are in each sum that it carries.

    A partial result of a reduction moves; a running sum of an allreduce is copied.
    """
    if problem.pattern not in ADDING:
        return {}
    senders, moves = problem.collective.senders, problem.pattern == "reduction"
    sums = {(message, sender): {sender} for message in range(problem.num_messages) for sender in senders}
    carried: dict[int, list[list[int]]] = {}
    for step in range(schedule.num_steps):
        transfers = {number: schedule.transfer(number) for number in schedule.of_step(step)}
        for number, transfer in transfers.items():
            keys = [(message, transfer.sender) for message in transfer.messages]
            carried[number] = [sorted(sums.pop(key) if moves else sums[key]) for key in keys]
        for number, transfer in transfers.items():
            for message, summands in zip(transfer.messages, carried[number], strict=True):
                sums[message, transfer.receiver] = sums.get((message, transfer.receiver), set()) | {*summands}
    return carried


def _added(problem: Problem, schedule: Schedule) -> list[list[bool]]:
    """Return for each transfer whether what it carries is added to what the receiver has, or takes its place.

    Partial results are always added: where they come first, to nothing.
    """
    if problem.pattern == "allreduce":
        flags = is_added(problem, schedule).tolist()
    else:
        flags = [problem.pattern == "reduction"] * len(schedule.messages)
    ends = schedule.message_offsets.tolist()
    return [flags[ends[i] : ends[i + 1]] for i in range(len(schedule))]


NAMES = {
    "OAB": ("Bcast", "Bcast"),
    "OAS": ("Scatter", "Scatter"),
    "AOG": ("Gather", "Gather"),
    "AOR": ("Reduce", "Reduce"),
    "AAB": ("Allgather", "Allgatherv"),
    "MNB": ("Allgather", "Allgatherv"),
    "AAS": ("Alltoall", "Alltoallv"),
    "MNS": ("Alltoall", "Alltoallv"),
    "PAIRS": ("Alltoallv", "Alltoallv"),
    "AAR": ("Reduce_scatter_block", "Reduce_scatter"),
    "ALLREDUCE": ("Allreduce", "Allreduce"),
}
"""The collective of MPI for each kind: where senders and receivers are the same, and where they are not."""

WITH_COUNTS = {"Scatter": "Scatterv", "Gather": "Gatherv", "Reduce_scatter_block": "Reduce_scatter"}
WITH_COUNTS |= {"Allgather": "Allgatherv", "Alltoall": "Alltoallv"}
"""The collective of MPI for messages of different sizes."""


def library(problem: Problem) -> dict[str, Any]:
    """Return the MPI library's collective that does the same, and the processors that take part in it.

    Where messages have sizes, `units` has those of each pair, or those of each member's message; an allreduce always
    has those of the whole vector.
    """
    collective = problem.collective
    pairs = list(collective.pairs)
    senders = {*collective.senders, *(source for source, _ in pairs)}
    receivers = {*collective.receivers, *(target for _, target in pairs)}
    members = sorted(senders | receivers)
    index_of = {member: index for index, member in enumerate(members)}
    name = NAMES[collective.kind][senders != receivers]
    root = None
    if collective.kind in ("OAB", "OAS"):
        root = index_of[collective.senders[0]]
    elif collective.kind in ("AOG", "AOR"):
        root = index_of[collective.receivers[0]]
    if collective.sizes:
        name = WITH_COUNTS.get(name, name)
    if name == "Alltoallv":
        pairs = pairs or [(s, r) for s in sorted(senders) for r in sorted(receivers) if s != r]
    about = {
        "name": name,
        "members": members,
        "root": root,
        "senders": sorted(index_of[s] for s in senders),
        "receivers": sorted(index_of[r] for r in receivers),
        "pairs": [[index_of[s], index_of[r]] for s, r in pairs] if name == "Alltoallv" else [],
    }
    if collective.kind == "ALLREDUCE":
        about["units"] = [sum(_units(problem, [(part,) for part in collective.receivers]))]
    elif collective.sizes:
        about["units"] = _units(problem, pairs) if name == "Alltoallv" else _units_of_members(problem, members)
    return about


def _units(problem: Problem, ends: Iterable[tuple[int, ...]]) -> list[int]:
    """Return the units of messages."""
    sizes = {size[:-1]: size[-1] for size in problem.collective.sizes}
    return [sizes.get(tuple(label), 1) for label in ends]


def _units_of_members(problem: Problem, members: list[int]) -> list[int]:
    """Return the units of the one message that each member sends or gets; 0 for members without."""
    ends = problem.distinct_ends.tolist()
    units = _units(problem, map(tuple, ends))
    kind = problem.collective.kind
    if kind in ("OAB", "AOR"):
        return units * len(members)
    # A scatter's messages are identified by their targets, all others by their origins.
    found = {label[1 if kind == "OAS" else 0]: count for label, count in zip(ends, units, strict=True)}
    return [found.get(member, 0) for member in members]
