"""Checkpoints: the journal of a long search in a file beside its output, from which the search can be resumed.

A checkpoint belongs to one problem, one version of pavane, and to all options that decide the result. What
is read from it is judged when the search comes to it (parallel/checkpoint.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pavane.errors import InputError
from pavane.io.checkpoint_file import (
    CHECKPOINT_FORMAT,
    BookmarkObject,
    CheckpointFile,
    CheckpointObject,
    EntryObject,
    MarkObject,
    pack_arrays,
    remove_leftovers,
    write_checkpoint,
)
from pavane.io.objects import BoundObject, OccupancyBoundObject
from pavane.judge.result import Provenance, Run
from pavane.model.joint import JointProblem
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.checkpoint import AttemptRecord, Checkpoint, SavedLoop
from pavane.parallel.loop_state import Array, LoopState
from pavane.text import VERSION

INT32 = 2**31
"""No column of a schedule has a number as large as this."""


def checkpoint_of(output: str | Path) -> Path:
    """Return the checkpoint file of a search that writes to a file."""
    return Path(f"{output}.part")


def new_journal(path: str | Path, problem: Problem | JointProblem, requested: Mapping[str, Any]) -> Checkpoint:
    """Return the journal of a search that begins, which is written to a file; one that is there is not overwritten."""
    if Path(path).exists():
        raise InputError(f"{path}: there is a checkpoint already; add `resume` to resume from it, or remove it")
    return Checkpoint(_Writer(path, problem, requested), str(path))


def read_journal(path: str | Path, problem: Problem | JointProblem, requested: Mapping[str, Any]) -> Checkpoint:
    """Return the journal of a search that is resumed from a file, and that is written there again.

    `requested` has, by the names of parameters, what decides the answer besides the problem.
    """
    file = CheckpointFile(path)
    if (file.stated.format, file.stated.version) != (CHECKPOINT_FORMAT, VERSION):
        said = f"{file.stated.format[:40]!r} of version {file.stated.version[:40]!r}"
        raise InputError(f"{path}: it is {said}, and this is pavane {VERSION}; remove it, and the search starts again")
    table = file.table()
    if table.problem != problem.digest():
        raise InputError(f"{path}: it is a checkpoint of another problem; resume that one, or write elsewhere")
    for name, value in _texts(requested).items():
        if table.options.get(name) != value:
            raise InputError(
                f"{path}: its search has {_said(name, table.options.get(name, ''))}, not {_said(name, value)}; "
                "resume with the same, or write elsewhere"
            )
    writer = _Writer(path, problem, requested)
    entries = {}
    for one in table.attempts:
        if one.num_steps is not None:
            writer.members[one.key] = file.member(one.member)
        entries[one.key] = _entry(file, one)
    saved_loop = None
    if table.bookmark is not None:
        marks = (LoopState(m.kind, m.figures, file.arrays(m.member) if m.member else {}) for m in table.bookmark.marks)
        saved_loop = SavedLoop(table.bookmark.key, table.bookmark.is_timed, tuple(marks))
    seconds = table.seconds if math.isfinite(table.seconds) and table.seconds > 0 else 0.0
    remove_leftovers(path)
    files = {key: file.member(member) for key, member in table.files.items()}
    return Checkpoint(writer, str(path), entries, files, saved_loop, seconds_before=seconds)


def _texts(requested: Mapping[str, Any]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in requested.items()}


def _said(name: str, value: str) -> str:
    return f"`{name}={value[:60]}`" if value else f"no `{name}`"


class _Writer:
    """Writes a journal; schedules of attempts are packed once."""

    def __init__(self, path: str | Path, problem: Problem | JointProblem, requested: Mapping[str, Any]) -> None:
        self.path, self.digest, self.requested = path, problem.digest(), _texts(requested)
        self.members: dict[str, bytes] = {}
        """The packed schedules, by the keys of their attempts."""

    def __call__(self, journal: Checkpoint) -> None:
        members, attempts = {}, []
        for number, (key, entry) in enumerate(journal.entries.items()):
            name = f"attempt-{number}.npz" if entry.schedule is not None else ""
            if entry.schedule is not None:
                if key not in self.members:
                    self.members[key] = pack_arrays({name: getattr(entry.schedule, name) for name in _COLUMNS})
                members[name] = self.members[key]
            attempts.append(_entry_object(key, entry, name))
        bookmark, read = None, journal.saved_loop
        if read is not None:
            marks = []
            for number, mark in enumerate(read.states):
                name = f"mark-{number}.npz" if mark.arrays else ""
                if mark.arrays:
                    members[name] = pack_arrays(mark.arrays)
                marks.append(MarkObject(mark.kind, mark.figures, name))
            bookmark = BookmarkObject(read.key, read.is_timed, marks)
        names = {key: f"file-{number}.json" for number, key in enumerate(journal.files)}
        members |= {names[key]: content for key, content in journal.files.items()}
        seconds = round(journal.seconds, 3)
        stated = (CHECKPOINT_FORMAT, VERSION, self.digest, self.requested, seconds, attempts, bookmark, names)
        table = CheckpointObject(*stated)
        write_checkpoint(self.path, table, members)


def _entry_object(key: str, entry: AttemptRecord, member: str) -> EntryObject:
    return EntryObject(
        key,
        entry.provenance.solver,
        entry.provenance.seed,
        entry.is_timed,
        entry.requested_steps,
        None if entry.schedule is None else entry.schedule.num_steps,
        member,
        [
            BoundObject(b.steps, b.argument, b.certificate, None if b.exact is None else str(b.exact))
            for b in entry.bounds
        ],
        [OccupancyBoundObject(b.tco, b.argument, b.num_steps, b.certificate) for b in entry.occupancy_bounds],
        None if entry.run is None else entry.run.evaluations,
        [] if entry.run is None else list(entry.run.trace),
        list(entry.notes),
    )


def _entry(file: CheckpointFile, one: EntryObject) -> AttemptRecord:
    schedule = None
    if one.num_steps is not None:
        schedule = _schedule(file, one.member, one.num_steps)
    return AttemptRecord(
        Provenance(one.solver, one.seed),
        one.requested_steps,
        schedule,
        tuple(bound.bound() for bound in one.bounds),
        tuple(bound.bound() for bound in one.occupancy),
        None if one.evaluations is None else Run(one.evaluations, tuple(one.trace)),
        tuple(one.notes),
        one.is_timed,
    )


def _schedule(file: CheckpointFile, member: str, num_steps: int) -> Schedule:
    """Read the columns of a schedule; the judge verifies it later."""
    arrays = file.arrays(member)
    try:
        steps, senders, receivers, lengths, channels, counts, messages = (
            _whole_numbers(arrays[name]) for name in _COLUMNS
        )
        if not 0 <= num_steps < INT32 or (lengths < 0).any() or (counts < 0).any():
            raise ValueError("a number of steps, or a length, that cannot be")
        return Schedule.from_columns(num_steps, steps, senders, receivers, (lengths, channels), messages, counts)
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise file.refusal(f"{member!r:.60}: {error}") from None


_COLUMNS = ("steps", "senders", "receivers", "path_lengths", "path_channels", "payloads", "messages")
"""The arrays of a schedule."""


def _whole_numbers(array: Array) -> Array:
    wide = array.astype(np.int64) if array.dtype.kind in "iu" and array.ndim == 1 else None
    if wide is None or (wide.size and not (wide.min() >= -INT32 and wide.max() < INT32)):
        raise ValueError(f"{array.dtype.name} of shape {array.shape} where whole numbers were expected")
    return wide
