"""Schedule files: written and read step by step, so that a million transfers fit."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
from msgspec.structs import asdict

from pavane.errors import InputError, expect
from pavane.io.files import SCHEDULE_FORMAT, File, Keys, replacing
from pavane.io.format import Claim, Format
from pavane.io.objects import ScheduleFile, TransferObject, decode, location_name, location_number
from pavane.io.several_rows import numbered, rows_of_each
from pavane.io.table_file import table_head
from pavane.io.timed_rows import rows_of_schedule, schedule_of_rows
from pavane.io.tree_rows import branches, joined_rows
from pavane.judge.result import Provenance, Result
from pavane.model.arrays import Ints
from pavane.model.bound import Bound
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.several import join_parts, split

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
    for step, rows in enumerate(step_rows(result.problem, schedule)):
        file.write(b"\n  [" if step == 0 else b",\n  [")
        file.write(b",\n   ".join(encode(row) for row in rows))
        file.write(b"]")
    file.write(b"]")


def _write_transfers(file: BinaryIO | gzip.GzipFile, result: Result, schedule: Schedule) -> None:
    """Write the transfers with their start times, and the end."""
    encode = msgspec.json.encode
    file.write(b',\n "transfers": [\n  ')
    file.write(b",\n  ".join(encode(row) for row in rows_of_schedule(result.problem, schedule)))
    file.write(b'],\n "finish": %d' % (result.finish or 0))


def bound_record(bound: Bound, has_fractions: bool) -> dict[str, Any]:
    """Return a bound as a file has it; what it was before rounding up, only where pieces or capacities matter."""
    start_ups = {} if bound.num_steps is None else {"start_ups": bound.num_steps}
    written = {bound.objective: bound.figure, **start_ups, "argument": bound.argument, "certificate": bound.certificate}
    if has_fractions and bound.exact is not None:
        written["exact"] = str(bound.exact)
    return written


def step_rows(problem: Problem, schedule: Schedule) -> Iterator[Iterable[TransferObject]]:
    """Yield the transfers of each step as a file has them; of several collectives one after the other."""
    parts = list(zip(problem.parts, split(problem, schedule), strict=True))
    for step in range(schedule.num_steps):
        rows: list[Iterable[TransferObject]] = []
        for number, (part, own) in enumerate(parts):
            of_part: Iterable[TransferObject] = transfer_rows(part, own, step)
            of_part = joined_rows(part, list(of_part)) if part.has_trees else of_part
            rows.append(numbered(of_part, number) if problem.has_several else of_part)
        yield chain.from_iterable(rows)


def transfer_rows(problem: Problem, schedule: Schedule, step: int) -> Iterator[TransferObject]:
    """Yield the transfers of one step as a file has them."""
    numbers = schedule.of_step(step)
    span = slice(numbers.start, numbers.stop)
    first, last = numbers.start, numbers.stop
    routes = schedule.path_channels[schedule.path_offsets[first] : schedule.path_offsets[last]].tolist()
    carried = schedule.messages[schedule.message_offsets[first] : schedule.message_offsets[last]]
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
        schedule = schedule_of_rows(file, problem, found.transfers)
    else:
        steps = decoded_steps(file, found.steps or [])
        is_numbered = found.problem.collectives is not None
        of_each = rows_of_each(file, len(problem.parts), steps) if is_numbered else [steps]
        parts = [schedule_of(file, part, own) for part, own in zip(problem.parts, of_each, strict=True)]
        schedule = join_parts(problem, parts) if problem.has_several else parts[0]
    bounds = tuple(bound.bound() for bound in found.bounds)
    return Claim(problem, schedule, bounds, Provenance(**asdict(found.provenance)), finish=found.finish)


def _decoded(file: File) -> ScheduleFile:
    try:
        return decode(file.data, ScheduleFile, file)
    except InputError:
        decode(file.data, Keys, file)  # what is wrong with the JSON is said before what is wrong with its objects
        raise


def decoded_steps(file: File, texts: list[msgspec.Raw]) -> Iterator[list[TransferObject]]:
    """Yield the transfers of each step, which are decoded one step at a time."""
    for step, text in enumerate(texts):
        yield decode(text, list[TransferObject], f"{file}, step {step + 1}")


def schedule_of(file: File, problem: Problem, steps: Iterable[list[TransferObject]]) -> Schedule:
    """Return the schedule of a problem whose transfers a file lists step by step."""
    width = problem.labels.shape[1]
    columns: list[list[Ints]] = [[] for _ in range(6)]
    sizes = []
    for step, found in enumerate(steps):
        where = f"{file}, step {step + 1}"
        pairs = [(branch, row.carries) for row in found for branch in branches(problem.network, row, where)]
        rows, payloads = [branch for branch, _ in pairs], [carries for _, carries in pairs]
        sizes.append(len(rows))
        labels = [label for carries in payloads for label in carries]
        for label in labels:
            if len(label) != width:
                wanted = _label_form(problem)
                raise InputError(f"{where}: {problem.collective.kind} carries messages as {wanted}, found {label}")
        for column, values in zip(
            columns,
            (
                [location_number(row.sender, where) for row in rows],
                [location_number(row.receiver, where) for row in rows],
                [len(row.route) for row in rows],
                list(chain.from_iterable(row.route for row in rows)),
                [len(carries) for carries in payloads],
                list(chain.from_iterable(labels)),
            ),
            strict=True,
        ):
            try:
                column.append(np.array(values, dtype=np.int32))
            except OverflowError:
                raise InputError(f"{where}: a number is too large to be a processor or a channel") from None
    none = np.zeros(0, dtype=np.int32)
    senders, receivers, lengths, channels, counts, labels_flat = (np.concatenate([none, *c]) for c in columns)
    return Schedule.from_columns(
        len(sizes),
        np.repeat(np.arange(len(sizes)), sizes),
        senders,
        receivers,
        (lengths, channels),
        problem.message_numbers(labels_flat.reshape(-1, width)),
        counts,
    )


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
