"""Schedules as people write them: the papers' path notation and the destination table.

Path notation (gecco07 Table 4): for each step the paths of its transfers as sequences of router names, 073 or 01-12-20.
Where the path alone does not say it, processors stand at its ends and the messages behind it. Destination table
(gecco08 Table 3): a row per origin, a column per step, and in it the processors that get its message then. An allreduce
has a row per part of the vector.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pavane.formats.programs import Act, programs_of
from pavane.model.allreduce import is_added
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer

NUMBER = re.compile(r"[\d.,]+( \w+)?")
"""A number, perhaps with its unit."""


def path_lines(problem: Problem, schedule: Schedule, steps: range | None = None) -> Iterator[tuple[int, str]]:
    """Yield the number of each step, from 1, and its transfers."""
    joint = _joint(problem)
    for step in range(schedule.num_steps) if steps is None else steps:
        transfers = (schedule.transfer(i) for i in schedule.of_step(step))
        yield step + 1, ", ".join(_written(problem, transfer, joint) for transfer in transfers)


def _written(problem: Problem, transfer: Transfer, joint: str) -> str:
    text = _path(problem, transfer, joint)
    if not problem.network.is_slim:
        text = f"{_end(transfer.sender)}:{text}:{_end(transfer.receiver)}"
    ends = [problem.ends[message].tolist() for message in transfer.messages]
    if ends == [[transfer.sender, transfer.receiver]] and not problem.has_pieces:
        return text
    return f"{text} [{_carried(problem, transfer)}]"


def _joint(problem: Problem) -> str:
    """Return what stands between the routers of a path: nothing where all names have one character."""
    return "" if all(len(name) == 1 for name in problem.network.routers) else "-"


def _path(problem: Problem, transfer: Transfer, joint: str) -> str:
    names, heads = problem.network.routers, problem.network.heads
    first = names[_router(problem, transfer.sender)]
    return joint.join((first, *(names[heads[channel]] for channel in transfer.path)))


def _carried(problem: Problem, transfer: Transfer) -> str:
    return " ".join(map(problem.message_name, transfer.messages))


def _router(problem: Problem, location: int) -> int:
    return int(problem.network.router_of[location]) if location >= 0 else ~location


def _end(location: int) -> str:
    return f"p{location}" if location >= 0 else f"r{~location}"


def destination_table(problem: Problem, schedule: Schedule) -> list[list[str]]:
    """Return the table with its header row; for reductions a row per target, with those that send to it."""
    reduction = problem.pattern == "reduction"
    members = problem.collective.senders if problem.pattern == "allreduce" else problem.collective.receivers
    rows: dict[int, list[list[int]]] = {}
    for label in problem.labels[:, 0].tolist():
        rows.setdefault(label, [[] for _ in range(schedule.num_steps)])
    for transfer in schedule:
        for message in transfer.messages:
            label = problem.ends[message].tolist()
            location = transfer.sender if reduction else transfer.receiver
            # Stops on the way are no deliveries.
            if location >= 0 and (reduction or location in (label[1:] or members)):
                rows[label[0]][transfer.step].append(location)
    first = {"reduction": "dst", "allreduce": "part"}.get(problem.pattern, "src")
    header = [first, *(str(step + 1) for step in range(schedule.num_steps))]
    cells = [
        [str(owner), *(",".join(map(str, sorted(cell))) for cell in cells)] for owner, cells in sorted(rows.items())
    ]
    return [header, *cells]


def program_lines(problem: Problem, schedule: Schedule, steps: range | None = None) -> Iterator[tuple[str, list[str]]]:
    """Yield each processor (and switch that messages rest at) and its program: what to send and receive, by step."""
    joint = _joint(problem)
    programs = programs_of(problem, schedule, steps)
    added = is_added(problem, schedule).tolist() if problem.pattern == "allreduce" else []
    offsets = schedule.message_offsets.tolist()
    for location, program in sorted(programs.items(), key=lambda item: (item[0] < 0, item[0])):
        if program:
            yield (
                _end(location),
                [
                    f"step {step + 1}: "
                    + "; ".join(_told(problem, act, joint, added[offsets[act.number] :]) for act in acts)
                    for step, acts in program.items()
                ],
            )


def _told(problem: Problem, act: Act, joint: str, added: list[bool]) -> str:
    """Say what is sent or received; of what is received for an allreduce, too, whether it is added."""
    what = _carried(problem, act.transfer)
    if act.receives and added:
        ways = ((False, "receive"), (True, "receive and add"))
        names = [*zip(map(problem.message_name, act.transfer.messages), added, strict=False)]
        told = [f"{verb} {' '.join(name for name, adds in names if adds is way)}" for way, verb in ways]
        return f"{', '.join(text for text in told if not text.endswith(' '))} from {_end(act.peer)}"
    if act.receives:
        return f"receive {what} from {_end(act.peer)}"
    return f"send {what} to {_end(act.peer)} by {_path(problem, act.transfer, joint)}"


def aligned(table: list[list[str]], *, numbers: bool = False) -> Iterator[str]:
    """Yield the lines of a table with aligned columns; with `numbers`, columns of numbers below a header go right."""
    columns = list(zip(*table, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [numbers and all(NUMBER.fullmatch(cell) for cell in column[1:]) for column in columns]
    for row in table:
        cells = zip(row, widths, right, strict=True)
        yield "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width) for cell, width, to_right in cells
        ).rstrip()
