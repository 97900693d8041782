"""Schedule files: written and read step by step, so that a million transfers fit."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import asdict

from pavane.errors import InputError, expect
from pavane.io.files import SCHEDULE_FORMAT, File, Keys, replacing
from pavane.io.format import Claim, Format
from pavane.io.objects import (
    ScheduleFile,
    TimedTransferObject,
    TransferObject,
    decode,
    location_name,
    location_number,
)
from pavane.io.table_file import table_head
from pavane.judge.result import Provenance, Result
from pavane.model.arrays import Ints, Longs
from pavane.model.bound import Bound
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.several import label_of

OPENING = re.compile(rf'\s*\{{\s*"format"\s*:\s*"{re.escape(SCHEDULE_FORMAT)}"')


def write_schedule(path: str | Path, result: Result) -> None:
    """Write a result to a schedule file, or to a table file, packed (gzip) where its name ends in .gz.

    Args:
        path: The file; an old one is replaced when all is written. `Result.save` writes pages and pictures, too.
        result: A result that has a schedule, or a table that gives it.

    Example:
        >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
        >>> pavane.write_schedule("schedule.json", pavane.solve(problem))
    """
    expect(result, Result, "result", "give what `pavane.solve` returns")
    with replacing(path) as file:
        if str(path).lower().endswith(".gz"):
            # Neither name nor time, so that the same result is the same file.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                _write(packed, result)
        else:
            _write(file, result)


def schedule_bytes(result: Result) -> bytes:
    """Return the schedule file, or the table file, of a result."""
    file = io.BytesIO()
    _write(file, result)
    return file.getvalue()


def _write(file: BinaryIO | gzip.GzipFile, result: Result) -> None:
    encode = msgspec.json.encode
    if result.schedule is not None:
        file.write(b'{"format": "%s",\n "problem": ' % SCHEDULE_FORMAT.encode())
        file.write(encode(result.problem.to_dict()))
        (_write_transfers if result.problem.has_times else _write_steps)(file, result, result.schedule)
    elif result.table is not None:
        file.write(table_head(result.problem, result.table))
    else:
        raise InputError("there is no schedule to write")
    file.write(b',\n "bounds": ')
    # What a file has claimed is written as it was: it stays a claim.
    has_fractions = not result.problem.is_plain
    file.write(encode([bound_record(bound, has_fractions) for bound in (*result.bounds, *result.claims)]))
    about = result.provenance
    file.write(b',\n "provenance": ')
    file.write(encode({"solver": about.solver, "seed": about.seed, "seconds": about.seconds, "version": about.version}))
    file.write(b"}\n")


def _write_steps(file: BinaryIO | gzip.GzipFile, result: Result, schedule: Schedule) -> None:
    """Write the transfers of each step."""
    encode = msgspec.json.encode
    file.write(b',\n "steps": [')
    for step in range(schedule.num_steps):
        file.write(b"\n  [" if step == 0 else b",\n  [")
        file.write(b",\n   ".join(map(encode, transfer_rows(result.problem, schedule, schedule.of_step(step)))))
        file.write(b"]")
    file.write(b"]")


def _write_transfers(file: BinaryIO | gzip.GzipFile, result: Result, schedule: Schedule) -> None:
    """Write the transfers with their start times, and the end."""
    rows = []
    for one, row in zip(schedule, transfer_rows(result.problem, schedule, range(len(schedule))), strict=True):
        inputs = {"inputs": one.inputs} if one.inputs else {}
        rows.append(msgspec.json.encode({"start": one.start, **msgspec.to_builtins(row), **inputs}))
    file.write(b',\n "transfers": [\n  ')
    file.write(b",\n  ".join(rows))
    file.write(b'],\n "finish": %d' % (result.finish or 0))


def bound_record(bound: Bound, has_fractions: bool) -> dict[str, Any]:
    """Return a bound as a file has it; what it was before rounding up, only where pieces or capacities matter."""
    start_ups = {} if bound.num_steps is None else {"start_ups": bound.num_steps}
    written = {bound.objective: bound.figure, **start_ups, "argument": bound.argument, "certificate": bound.certificate}
    if has_fractions and bound.exact is not None:
        written["exact"] = str(bound.exact)
    return written


def transfer_rows(problem: Problem, schedule: Schedule, numbers: range) -> Iterator[TransferObject]:
    """Yield some transfers as a file has them; of several collectives with the number of theirs before each label."""
    span = slice(numbers.start, numbers.stop)
    first, last = numbers.start, numbers.stop
    routes = schedule.path_channels[schedule.path_offsets[first] : schedule.path_offsets[last]].tolist()
    carried = schedule.messages[schedule.message_offsets[first] : schedule.message_offsets[last]]
    if problem.has_several:
        labels = [label_of(problem, message) for message in carried.tolist()]
    else:
        labels = problem.labels[carried].tolist()
    route_at = (schedule.path_offsets[first : last + 1] - schedule.path_offsets[first]).tolist()
    label_at = (schedule.message_offsets[first : last + 1] - schedule.message_offsets[first]).tolist()
    ends = zip(schedule.senders[span].tolist(), schedule.receivers[span].tolist(), strict=True)
    for i, (sender, receiver) in enumerate(ends):
        yield TransferObject(
            location_name(sender),
            location_name(receiver),
            routes[route_at[i] : route_at[i + 1]],
            labels[label_at[i] : label_at[i + 1]],
        )


def is_schedule(file: File) -> bool:
    """Return whether a file names the format of schedule files; where that comes first, the rest is not read."""
    if OPENING.match(file.head):
        return True
    if file.keys is None:  # cut off, perhaps
        return file.first == "{" and SCHEDULE_FORMAT in file.head[:200]
    return bool(file.keys.format == SCHEDULE_FORMAT)


def read_problem_of_schedule(file: File) -> Problem:
    """Read the problem of a schedule file; its steps are not decoded."""
    return _decoded(file).problem.problem()


def read_schedule_file(file: File, network: Network | None = None) -> Claim:
    """Read a schedule file; it names its network itself."""
    if network is not None:
        raise InputError(f"{file}: it says itself which network it is for, so it does not go with `on={network.name}`")
    found = _decoded(file)
    problem = found.problem.problem()
    if found.transfers is not None:
        schedule = _timed_schedule(file, problem, found.transfers)
    else:
        schedule = _schedule(problem, decoded_steps(file, found.steps or []))
    bounds = tuple(bound.bound() for bound in found.bounds)
    return Claim(problem, schedule, bounds, Provenance(**asdict(found.provenance)), finish=found.finish)


def _decoded(file: File) -> ScheduleFile:
    try:
        return decode(file.data, ScheduleFile, file)
    except InputError:
        decode(file.data, Keys, file)  # what is wrong with the JSON is said before what is wrong with its objects
        raise


def decoded_steps(file: File, texts: list[msgspec.Raw]) -> Iterator[tuple[str, list[TransferObject]]]:
    """Yield the transfers of each step, behind its place in error texts; they are decoded one step at a time."""
    for step, text in enumerate(texts):
        where = f"{file}, step {step + 1}"
        yield where, decode(text, list[TransferObject], where)


class _Columns(NamedTuple):
    """Transfers of a file as columns."""

    sizes: list[int]
    """The number of transfers of each group."""
    senders: Ints
    receivers: Ints
    paths: tuple[Ints, Ints]
    messages: Longs
    counts: Ints

    @classmethod
    def of(cls, problem: Problem, groups: Iterable[tuple[str, list[TransferObject]]]) -> _Columns:
        """Return the transfers of groups, each behind its place in error texts."""
        widths = [part.labels.shape[1] for part in problem.parts]
        columns: list[list[Ints]] = [[] for _ in range(6)]
        sizes = []
        for where, rows in groups:
            sizes.append(len(rows))
            labels = chain.from_iterable(_labels(problem, widths, row, where) for row in rows)
            for column, values in zip(
                columns,
                (
                    [location_number(row.sender, where) for row in rows],
                    [location_number(row.receiver, where) for row in rows],
                    [len(row.route) for row in rows],
                    list(chain.from_iterable(row.route for row in rows)),
                    list(chain.from_iterable(labels)),
                    [len(row.carries) for row in rows],
                ),
                strict=True,
            ):
                try:
                    column.append(np.array(values, dtype=np.int32))
                except OverflowError:
                    raise InputError(f"{where}: a number is too large to be a processor or a channel") from None
        none = np.zeros(0, dtype=np.int32)
        senders, receivers, lengths, channels, flat, counts = (np.concatenate([none, *column]) for column in columns)
        messages = _message_numbers(problem, flat.reshape(-1, max(widths) + problem.has_several))
        return cls(sizes, senders, receivers, (lengths, channels), messages, counts)


def _labels(problem: Problem, widths: list[int], row: TransferObject, where: str) -> list[list[int]]:
    """Return the labels of what a transfer carries; of several collectives filled up to the same width."""
    number, numbered = 0, int(problem.has_several)
    if numbered:
        its = {label[0] if label else -1 for label in row.carries}
        if len(its) != 1 or not 0 <= min(its) < len(widths):
            raise InputError(
                f"{where}: a transfer carries messages of one collective, each as its number, 0 to "
                f"{len(widths) - 1}, and its label there; found {row.carries[:4]}"
            )
        number = its.pop()
    for label in row.carries:
        if len(label) != numbered + widths[number]:
            part = problem.parts[number]
            raise InputError(
                f"{where}: {part.collective.kind} carries messages as {_label_form(part)}, found {label[numbered:]}"
            )
    missing = max(widths) - widths[number]
    return [label + [-1] * missing for label in row.carries] if missing else row.carries


def _message_numbers(problem: Problem, labels: Ints) -> Longs:
    """Return the number of the message with each label, and -1 for labels of no message."""
    if not problem.has_several:
        return problem.message_numbers(labels)
    numbers = np.full(len(labels), -1, dtype=np.int64)
    for number, part in enumerate(problem.parts):
        own = np.flatnonzero(labels[:, 0] == number)
        found = part.message_numbers(labels[own, 1 : 1 + part.labels.shape[1]])
        numbers[own] = np.where(found < 0, -1, found + problem.first_messages[number])
    return numbers


def _schedule(problem: Problem, steps: Iterable[tuple[str, list[TransferObject]]]) -> Schedule:
    """Return the schedule whose transfers a file lists step by step."""
    columns = _Columns.of(problem, steps)
    starts = np.repeat(np.arange(len(columns.sizes)), columns.sizes)
    return Schedule.from_columns(len(columns.sizes), starts, *columns[1:])


def _timed_schedule(file: File, problem: Problem, rows: list[TimedTransferObject]) -> Schedule:
    """Return the schedule whose transfers a file lists with their start times."""
    for number, row in enumerate(rows):
        if len(row.carries) != 1:
            raise InputError(f"{file}: transfer {number} carries {row.carries}; it needs one message")
        if not all(0 <= source < len(rows) for source in row.inputs):
            raise InputError(f"{file}: transfer {number} has inputs {row.inputs[:8]}, and there are no such transfers")
    columns = _Columns.of(problem, [(str(file), [*rows])])
    try:
        return Schedule.from_start_times(
            [row.start for row in rows],
            columns.senders,
            columns.receivers,
            [row.route for row in rows],
            columns.messages,
            [row.inputs for row in rows],
        )
    except OverflowError:
        raise InputError(f"{file}: a number is too large to be a time") from None


def _label_form(problem: Problem) -> str:
    """Return the form of a message in a file, for error texts."""
    parts = {
        "private": ["origin", "target"],
        "broadcast": ["origin"],
        "reduction": ["target"],
        "allreduce": ["part"],
    }[problem.pattern]
    if problem.has_pieces:
        return f"[{', '.join([*parts, 'piece'])}]"
    return "[origin, target]" if len(parts) == 2 else "one processor"


SCHEDULE = Format(SCHEDULE_FORMAT, "schedule file of pavane", is_schedule, read_problem_of_schedule, read_schedule_file)
