"""Schedules as people write them: the papers' path notation and the destination table.

Path notation (gecco07 Table 4): for each step the paths of its transfers as sequences of router names, 073 or 01-12-20.
Where the path alone does not say it, processors stand at its ends and the messages behind it. Destination table
(gecco08 Table 3): a row per origin, a column per step, and in it the processors that get its message then.

In an allreduce a sum that the receiver adds to its own is marked: [+3] is a sum of part 3, and in the table, with a row
per part, +1 is processor 1, which adds. Without the mark the sum takes the place of what is there.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

import numpy as np

from pavane.io.programs import Act, programs_of
from pavane.model.allreduce import is_added
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer


def path_lines(
    problem: Problem, schedule: Schedule, steps: range | None = None, *, by_number: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield the number of each step, from 1, and its transfers.

    With `by_number` processors stand at the ends of paths by their numbers wherever routers are called otherwise.
    """
    joint, added = _joint(problem), _added(problem, schedule)
    has_ends = not problem.network.is_slim or (by_number and _is_renamed(problem.network))
    for step in range(schedule.num_steps) if steps is None else steps:
        written = (
            _written(problem, schedule.transfer(i), joint, has_ends, added.get(i, ())) for i in schedule.of_step(step)
        )
        yield step + 1, ", ".join(written)


def _is_renamed(network: Network) -> bool:
    """Return whether some router has another name than the number of its processor."""
    return any(network.routers[router] != str(p) for p, router in enumerate(network.router_of.tolist()))


def processor_text(network: Network, processor: int) -> str:
    """Return the number of a processor, and where routers have names that of its router: 0, or 0 (01)."""
    if network.is_numbered:
        return str(processor)
    return f"{processor} ({network.routers[network.router_of[processor]]})"


def _written(problem: Problem, transfer: Transfer, joint: str, has_ends: bool, added: Iterable[int]) -> str:
    text = _path(problem, transfer, joint)
    if has_ends:
        text = f"{_end(transfer.sender)}:{text}:{_end(transfer.receiver)}"
    ends = [problem.ends[message].tolist() for message in transfer.messages]
    if ends == [[transfer.sender, transfer.receiver]] and not problem.has_pieces:
        return text
    return f"{text} [{_carried(problem, transfer.messages, added)}]"


def _added(problem: Problem, schedule: Schedule) -> dict[int, list[int]]:
    """Return for each transfer of an allreduce the sums that its receiver adds; of other collectives nothing."""
    added: dict[int, list[int]] = {}
    if problem.pattern == "allreduce":
        owner = np.repeat(np.arange(len(schedule)), schedule.payloads)
        for at in np.flatnonzero(is_added(problem, schedule)).tolist():
            added.setdefault(int(owner[at]), []).append(int(schedule.messages[at]))
    return added


def _joint(problem: Problem) -> str:
    """Return what stands between the routers of a path: nothing where all names have one character."""
    return "" if all(len(name) == 1 for name in problem.network.routers) else "-"


def _path(problem: Problem, transfer: Transfer, joint: str) -> str:
    names, heads = problem.network.routers, problem.network.heads
    first = names[_router(problem, transfer.sender)]
    return joint.join((first, *(names[heads[channel]] for channel in transfer.path)))


def _carried(problem: Problem, messages: Iterable[int], added: Iterable[int] = ()) -> str:
    return " ".join(f"{'+' * (message in added)}{problem.message_name(message)}" for message in messages)


def _router(problem: Problem, location: int) -> int:
    return int(problem.network.router_of[location]) if location >= 0 else ~location


def _end(location: int) -> str:
    return f"p{location}" if location >= 0 else f"r{~location}"


def destination_table(problem: Problem, schedule: Schedule) -> list[list[str]]:
    """Return the table with its header row; for reductions a row per target, with those that send to it."""
    reduction = problem.pattern == "reduction"
    rows: dict[int, list[list[tuple[int, str]]]] = {}
    for label in problem.labels[:, 0].tolist():
        rows.setdefault(label, [[] for _ in range(schedule.num_steps)])
    added = _added(problem, schedule)
    for number, transfer in enumerate(schedule):
        for message in transfer.messages:
            label = problem.ends[message].tolist()
            location = transfer.sender if reduction else transfer.receiver
            # Stops on the way are no deliveries; of sums that are added every stop is one.
            adds = message in added.get(number, ())
            if location >= 0 and (reduction or adds or location in (label[1:] or _receivers(problem))):
                rows[label[0]][transfer.start].append((location, "+" * adds))
    first = {"reduction": "dst", "allreduce": "part"}.get(problem.pattern, "src")
    header = [first, *(str(step + 1) for step in range(schedule.num_steps))]
    cells = [
        [str(owner), *(",".join(f"{mark}{location}" for location, mark in sorted(cell)) for cell in cells)]
        for owner, cells in sorted(rows.items())
    ]
    return [header, *cells]


def _receivers(problem: Problem) -> tuple[int, ...]:
    """Return the receivers of shared messages; all members in an allreduce, whose receivers name parts."""
    collective = problem.collective
    return collective.senders if problem.pattern == "allreduce" else collective.receivers


def program_lines(problem: Problem, schedule: Schedule, steps: range | None = None) -> Iterator[tuple[str, list[str]]]:
    """Yield each processor (and switch that messages rest at) and its program: what to send and receive, by step."""
    joint, added = _joint(problem), _added(problem, schedule)
    programs = programs_of(problem, schedule, steps, by_arrival=True)
    for location, program in sorted(programs.items(), key=lambda item: (item[0] < 0, item[0])):
        lines = []
        for step, acts in program.items():
            texts = (_act_text(problem, act, joint, added.get(act.number, ())) for act in acts)
            lines.append(f"{problem.rules.step_word} {step + 1}: {'; '.join(texts)}")
        if lines:
            yield _end(location), lines


def _act_text(problem: Problem, act: Act, joint: str, added: Iterable[int]) -> str:
    """Return in words what one end of a transfer does; sums that are added differ from those that replace a sum."""
    if not act.receives:
        what = _carried(problem, act.transfer.messages)
        return f"send {what} to {_end(act.peer)} by {_path(problem, act.transfer, joint)}"
    copied = [message for message in act.transfer.messages if message not in added]
    words = [f"receive {_carried(problem, copied)}"] * bool(copied)
    words += [f"receive and add {_carried(problem, added)}"] * bool(added)
    return f"{', '.join(words)} from {_end(act.peer)}"


def aligned(table: list[list[str]]) -> Iterator[str]:
    """Yield the lines of a table with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def csv_text(header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    """Return a table as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()
