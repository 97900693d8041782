"""Problem and schedule files of several collectives at once: `collectives` stands where others have `collective`.

Each message in `carries` begins with the number of its collective, from 0.
"""

from __future__ import annotations

import gzip
import mmap
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import asdict

from pavane.errors import InputError, expect
from pavane.io.files import SCHEDULE_FORMAT, File, open_file, path_of, replacing
from pavane.io.objects import (
    BoundObject,
    CollectiveObject,
    NetworkObject,
    ProvenanceObject,
    RulesObject,
    TransferObject,
    decode,
)
from pavane.io.schedule_file import bound_record, decoded_steps, schedule_of, transfer_rows
from pavane.io.tree_rows import joined_rows
from pavane.judge.joint_certificates import proven_joint
from pavane.judge.joint_result import JointResult
from pavane.judge.result import Provenance
from pavane.model.bound import Bound
from pavane.model.joint import JointProblem
from pavane.model.messages import Collective
from pavane.model.problem import Rules
from pavane.model.schedule import Schedule

KEY = b'"collectives"'
"""A file without this key is not of several collectives; looking for it is quicker than decoding."""

WINDOW = 2**24
"""Bytes of a file that are looked at together; a multiple of the pages of memory."""


class JointProblemObject(msgspec.Struct, forbid_unknown_fields=True):
    """Several collectives at once: a file of its own, or part of a schedule file."""

    network: NetworkObject
    collectives: list[CollectiveObject]
    rules: RulesObject = msgspec.field(default_factory=RulesObject)

    def problem(self) -> JointProblem:
        """Return the problem that it describes."""
        collectives = tuple(Collective(**asdict(each)) for each in self.collectives)
        return JointProblem(self.network.network(), collectives, Rules(**asdict(self.rules)))


class JointScheduleFile(msgspec.Struct, forbid_unknown_fields=True):
    """A schedule file of several collectives, its steps still as text."""

    format: Literal["pavane/schedule/1"]
    problem: JointProblemObject
    steps: list[msgspec.Raw]
    bounds: list[BoundObject] = msgspec.field(default_factory=list)
    provenance: ProvenanceObject = msgspec.field(default_factory=ProvenanceObject)


class JointKeys(msgspec.Struct):
    """The keys by which several collectives are recognized; their values are not decoded."""

    collectives: msgspec.Raw = msgspec.Raw()
    network: msgspec.Raw = msgspec.Raw()
    problem: JointKeys | None = None

    @property
    def is_problem(self) -> bool:
        """Whether this is the object of a problem."""
        return bool(bytes(self.collectives)) and bool(bytes(self.network))


@dataclass(frozen=True)
class JointClaim:
    """The content of a schedule file of several collectives, before the judge has checked it."""

    problem: JointProblem
    schedule: Schedule
    bounds: tuple[Bound, ...]
    provenance: Provenance

    def result(self) -> JointResult:
        """Judge the schedule and make a result of it, with the bounds that the judge proves."""
        proven = tuple(bound for bound in self.bounds if self.objection(bound) == "")
        return JointResult(self.problem, self.schedule, proven, replace(self.provenance, is_claimed=True))

    def objection(self, bound: Bound) -> str:
        """Return why a bound is not proven; nothing where it is."""
        try:
            exactly = proven_joint(self.problem, bound)
        except InputError as error:
            return str(error)
        is_proven = exactly > bound.figure - 1 and (bound.exact is None or exactly >= bound.exact)
        return "" if is_proven else f"its certificate proves {exactly} only"


def is_joint(file: File) -> bool:
    """Return whether a file is a problem or a schedule of several collectives at once."""
    if file.first != "{" or not _has_key(file):
        return False
    try:
        keys = msgspec.json.decode(file.data, type=JointKeys)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return keys.is_problem or (keys.problem is not None and keys.problem.is_problem)


def _has_key(file: File) -> bool:
    """Return whether the key of several collectives is anywhere in a file; what was looked at leaves the memory."""
    data = file.data.obj
    if not isinstance(data, mmap.mmap):
        return KEY in bytes(file.data)
    for start in range(0, len(data), WINDOW):
        end = min(start + WINDOW, len(data))
        if data.find(KEY, start, end + len(KEY)) >= 0:
            return True
        if hasattr(mmap, "MADV_DONTNEED"):
            data.madvise(mmap.MADV_DONTNEED, start, end - start)
    return False


def is_joint_file(path: str | Path) -> bool:
    """Return whether there is a file of several collectives at once."""
    return os.path.isfile(path) and is_joint(open_file(path_of(path)))


def refuse_joint(file: File) -> None:
    """Refuse several collectives where one is expected."""
    if is_joint(file):
        raise InputError(
            f"{file}: it has several collectives at once, which `pavane solve`, `bounds`, `verify`, `show`, `time` and "
            "`export` read, and in Python `pavane.read_joint`; `export --to mpi-python` makes a program that runs them"
        )


def read_joint_problem(path: str | Path) -> JointProblem:
    """Read a problem of several collectives: a problem file, or the problem of a schedule file."""
    file = open_file(path_of(path))
    keys = decode(file.data, JointKeys, file)
    if keys.problem is not None:
        return decode(file.data, JointScheduleFile, file).problem.problem()
    return decode(file.data, JointProblemObject, file).problem()


def read_joint(path: str | Path) -> JointClaim:
    """Read a schedule file of several collectives at once; InputError says what is wrong with it.

    Args:
        path: The file.

    Returns:
        What the file claims; `result()` of it has the schedule judged.

    Example:
        >>> ring = pavane.network("ring:6")
        >>> result = pavane.solve_joint(pavane.JointProblem(ring, [pavane.alltoall([0, 1]), pavane.alltoall([3, 4])]))
        >>> pavane.write_joint("schedule.json", result)
        >>> pavane.read_joint("schedule.json").result().num_steps
        1
    """
    return parse_joint(open_file(path_of(path)))


def parse_joint(file: File) -> JointClaim:
    """Read the contents of a schedule file of several collectives at once."""
    found = decode(file.data, JointScheduleFile, file)
    problem = found.problem.problem()
    of_each: list[list[list[TransferObject]]] = [[] for _ in problem.parts]
    for number, rows in enumerate(decoded_steps(file, found.steps)):
        for own in of_each:
            own.append([])
        for row in rows:
            its = {label[0] if label else -1 for label in row.carries}
            if len(its) != 1 or not 0 <= min(its) < len(problem.parts):
                raise InputError(
                    f"{file}, step {number + 1}: a transfer carries messages of one collective, each as its number, 0 "
                    f"to {len(problem.parts) - 1}, and its label there; found {row.carries[:4]}"
                )
            row.carries = [label[1:] for label in row.carries]
            of_each[its.pop()][-1].append(row)
    parts = [schedule_of(file, part, steps) for part, steps in zip(problem.parts, of_each, strict=True)]
    bounds = tuple(bound.bound() for bound in found.bounds)
    return JointClaim(problem, problem.joined(parts), bounds, Provenance(**asdict(found.provenance)))


def write_joint(path: str | Path, result: JointResult) -> None:
    """Write a schedule of several collectives at once to a file, packed (gzip) where its name ends in .gz.

    Args:
        path: The file; an old one is replaced when all is written.
        result: A result that has a schedule.

    Example:
        >>> ring = pavane.network("ring:6")
        >>> result = pavane.solve_joint(pavane.JointProblem(ring, [pavane.alltoall([0, 1]), pavane.alltoall([3, 4])]))
        >>> pavane.write_joint("schedule.json", result)
    """
    expect(result, JointResult, "result", "give what `pavane.solve_joint` returns")
    content = joint_bytes(result)
    with replacing(path) as file:
        file.write(gzip.compress(content, mtime=0) if str(path).lower().endswith(".gz") else content)


def joint_bytes(result: JointResult) -> bytes:
    """Return the schedule file of a result."""
    if result.schedule is None:
        raise InputError("there is no schedule to write")
    encode, about = msgspec.json.encode, result.provenance
    rows_of_steps = joint_rows(result.problem, result.schedule)
    steps = b",\n  ".join(b"[" + b",\n   ".join(encode(row) for row in rows) + b"]" for rows in rows_of_steps)
    provenance = {"solver": about.solver, "seed": about.seed, "seconds": about.seconds, "version": about.version}
    parts = {
        b"format": encode(SCHEDULE_FORMAT),
        b"problem": encode(result.problem.to_dict()),
        b"steps": b"[\n  " + steps + b"]",
        b"bounds": encode([bound_record(bound, has_fractions=True) for bound in result.bounds]),
        b"provenance": encode(provenance),
    }
    return b"{" + b",\n ".join(b'"%s": %s' % part for part in parts.items()) + b"}\n"


def joint_rows(problem: JointProblem, schedule: Schedule) -> Iterator[list[TransferObject]]:
    """Yield the transfers of each step as a file has them, one collective after the other."""
    parts = list(zip(problem.parts, problem.split(schedule), strict=True))
    for step in range(schedule.num_steps):
        rows: list[TransferObject] = []
        for number, (part, own) in enumerate(parts):
            of_part = list(transfer_rows(part, own, step))
            for row in joined_rows(part, of_part) if part.has_trees else of_part:
                row.carries = [[number, *label] for label in row.carries]
                rows.append(row)
        yield rows
