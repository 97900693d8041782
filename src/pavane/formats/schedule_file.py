"""Schedule files: written and read step by step, so that a million transfers fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import msgspec
import numpy as np

from pavane.errors import InputError
from pavane.formats.files import SCHEDULE_FORMAT, content, refuse_if_nonsense, replacing
from pavane.formats.foreign_schedules import read_foreign
from pavane.formats.objects import Keys, ScheduleFile, TransferObject, decoded
from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


@dataclass(frozen=True)
class Claim:
    """What a schedule file says; nothing of it has been judged."""

    problem: Problem
    schedule: Schedule
    bounds: tuple[Bound, ...]
    provenance: Provenance

    def result(self) -> Result:
        """Judge the schedule and make a result of it; raises InvalidSchedule where it breaks a rule."""
        return Result(self.problem, self.schedule, self.bounds, self.provenance)


def write_schedule(path: str | Path, result: Result) -> None:
    """Write a result to a schedule file."""
    with replacing(path) as file:
        _write(file, result)


def _write(file: BinaryIO, result: Result) -> None:
    encode = msgspec.json.encode
    if result.schedule is None:
        raise InputError("there is no schedule to write")
    file.write(b'{"format": "%s",\n "problem": ' % SCHEDULE_FORMAT.encode())
    file.write(encode(result.problem.to_dict()))
    file.write(b',\n "steps": [')
    for step in range(result.schedule.num_steps):
        file.write(b"\n  [" if step == 0 else b",\n  [")
        file.write(b",\n   ".join(encode(row) for row in _rows(result.problem, result.schedule, step)))
        file.write(b"]")
    file.write(b'],\n "bounds": ')
    bounds = [{"steps": b.steps, "argument": b.argument, "certificate": b.certificate} for b in result.bounds]
    file.write(encode(bounds))
    about = result.provenance
    file.write(b',\n "provenance": ')
    file.write(encode({"solver": about.solver, "seed": about.seed, "seconds": about.seconds, "version": about.version}))
    file.write(b"}\n")


def _rows(problem: Problem, schedule: Schedule, step: int) -> Iterator[TransferObject]:
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
            sender if sender >= 0 else f"r{~sender}",
            receiver if receiver >= 0 else f"r{~receiver}",
            routes[route_at[i] : route_at[i + 1]],
            labels[label_at[i] : label_at[i + 1]],
        )


def read_schedule(path: str | Path) -> Claim:
    """Read a schedule file, ours or one of SCCL or MSCCL; InputError says what is wrong with it."""
    view = content(path)
    foreign = read_foreign(Path(path), view)
    if foreign is not None:
        problem, schedule, whose = foreign
        return Claim(problem, schedule, (), Provenance(whose))
    refuse_if_nonsense(path, view)
    try:
        file = decoded(view, ScheduleFile, path)
    except InputError:
        keys = decoded(view, Keys, path) if bytes(view[:4096]).lstrip()[:1] == b"{" else None
        if keys is not None and keys.format == SCHEDULE_FORMAT:
            raise
        said = "is no JSON object" if keys is None else keys.said
        raise InputError(
            f"{path}: this file {said}, where a schedule file ({SCHEDULE_FORMAT}) was expected; "
            "`pavane solve -o FILE` writes one"
        ) from None
    try:
        problem = file.problem.problem()
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    schedule = _schedule(path, problem, file.steps)
    bounds = tuple(bound.bound() for bound in file.bounds)
    return Claim(problem, schedule, bounds, file.provenance.provenance())


def _schedule(path: str | Path, problem: Problem, texts: list[msgspec.Raw]) -> Schedule:
    width = problem.labels.shape[1]
    columns: list[list[np.ndarray[tuple[int], np.dtype[np.int32]]]] = [[] for _ in range(6)]
    sizes = []
    for step, text in enumerate(texts):
        where = f"{path}, step {step + 1}"
        rows = decoded(text, list[TransferObject], where)
        sizes.append(len(rows))
        labels = [label for row in rows for label in row.carries]
        for label in labels:
            if len(label) != width:
                wanted = "[origin, target]" if width == 2 else "one processor"
                raise InputError(f"{where}: {problem.collective.kind} carries messages as {wanted}, found {label}")
        for column, values in zip(
            columns,
            (
                [_location(row.sender, where) for row in rows],
                [_location(row.receiver, where) for row in rows],
                [len(row.route) for row in rows],
                list(chain.from_iterable(row.route for row in rows)),
                [len(row.carries) for row in rows],
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
        len(texts),
        np.repeat(np.arange(len(texts)), sizes),
        senders,
        receivers,
        lengths,
        channels,
        counts,
        problem.message_numbers(labels_flat.reshape(-1, width)),
    )


def _location(end: int | str, where: str) -> int:
    if isinstance(end, int):
        if end < 0:
            raise InputError(f"{where}: there is no processor {end}; processors count from 0")
        return end
    if end[:1] == "r" and end[1:].isdecimal() and end[1:].isascii() and len(end) < 12:
        return ~int(end[1:])
    raise InputError(f"{where}: {end!r} is neither a processor, like 5, nor a pure switch, like r5")
