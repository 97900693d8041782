"""Timed schedule files (`pavane/timed/1`): a problem with its links and sizes, and transfers with start times."""

from __future__ import annotations

import gzip
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from msgspec.structs import asdict

from pavane.errors import InputError, expect
from pavane.io.files import TIMED_FORMAT, File, open_file, path_of, replacing
from pavane.io.objects import (
    BoundObject,
    CollectiveObject,
    NetworkObject,
    ProvenanceObject,
    RulesObject,
    TransferObject,
    decode,
)
from pavane.io.schedule_file import bound_record, location_number
from pavane.io.timed_tree_rows import expanded, timed_rows
from pavane.judge.result import Provenance
from pavane.judge.timed_result import TimedResult
from pavane.model.bound import Bound
from pavane.model.links import Links
from pavane.model.messages import Collective
from pavane.model.problem import Problem, Rules
from pavane.model.timed import TimedProblem, TimedSchedule

PLANS_FORMAT: Literal["pavane/plans/1"] = "pavane/plans/1"
"""The format of the index of a folder of timed schedules, one for each range of sizes."""

INDEX = "index.json"
"""The name of that index."""


class TimedProblemObject(msgspec.Struct, forbid_unknown_fields=True):
    """A timed problem: the network has the links, and `bytes` is the size of a message."""

    network: NetworkObject
    collective: CollectiveObject
    rules: RulesObject
    bytes: int

    def timed(self) -> TimedProblem:
        """Return the problem that it describes."""
        network = self.network.network()
        problem = Problem(network, Collective(**asdict(self.collective)), Rules(**asdict(self.rules)))
        return TimedProblem(problem, Links.of_network(network), self.bytes)


class TimedTransferObject(TransferObject, forbid_unknown_fields=True, gc=False, kw_only=True):
    """A transfer or a tree with its start, and the transfers whose data a partial sum contains."""

    start: int
    inputs: list[int] = msgspec.field(default_factory=list)


class TimedFile(msgspec.Struct, forbid_unknown_fields=True):
    """A timed schedule file."""

    format: Literal["pavane/timed/1"]
    problem: TimedProblemObject
    transfers: list[TimedTransferObject]
    finish: int
    bounds: list[BoundObject] = msgspec.field(default_factory=list)
    provenance: ProvenanceObject = msgspec.field(default_factory=ProvenanceObject)


@dataclass(frozen=True)
class TimedClaim:
    """The content of a timed schedule file, before the judge has checked it."""

    timed: TimedProblem
    schedule: TimedSchedule
    finish: int
    bounds: tuple[Bound, ...]
    provenance: Provenance

    def result(self) -> TimedResult:
        """Judge the schedule and make a result of it, with the bounds that the judge proves."""
        from pavane.judge.timed_certificates import proven_finish

        result = TimedResult(self.timed, self.schedule, (), replace(self.provenance, is_claimed=True))
        if result.finish != self.finish:
            raise InputError(f"the file says that it ends at {self.finish:,} ps, and it ends at {result.finish:,} ps")
        proven = []
        for bound in self.bounds:
            try:
                proven += [bound] if proven_finish(self.timed, bound) >= bound.figure else []
            except InputError:
                continue  # what is not proven does not count
        return replace(result, bounds=tuple(proven))


def is_timed(file: File) -> bool:
    """Return whether a file names the format of timed schedules."""
    return file.keys is not None and bool(file.keys.format == TIMED_FORMAT)


def is_timed_file(path: str | Path) -> bool:
    """Return whether there is a file that names the format of timed schedules."""
    return os.path.isfile(path) and is_timed(open_file(path_of(path)))


def is_plan_folder(path: str | Path) -> bool:
    """Return whether a path is a folder of plans, or the index of one."""
    if os.path.isdir(path):
        return os.path.isfile(Path(path) / INDEX)
    if not os.path.isfile(path):
        return False
    keys = open_file(path).keys
    return keys is not None and bool(keys.format == PLANS_FORMAT)


def read_timed(path: str | Path) -> TimedClaim:
    """Read a timed schedule file; InputError says what is wrong with it."""
    return parse_timed(open_file(path_of(path)))


def parse_timed(file: File) -> TimedClaim:
    """Read a timed schedule from the bytes of a file."""
    found = decode(file.data, TimedFile, file)
    timed = found.problem.timed()
    labels = [label for row in found.transfers for label in row.carries]
    width = timed.problem.labels.shape[1]
    for number, row in enumerate(found.transfers):
        if len(row.carries) != 1 or len(row.carries[0]) != width:
            raise InputError(
                f"{file}: transfer {number} carries {row.carries}; it needs one message of {width} numbers"
            )
        if not all(0 <= source < len(found.transfers) for source in row.inputs):
            raise InputError(f"{file}: transfer {number} has inputs {row.inputs[:8]}, and there are no such transfers")
    branches, entry_of, inputs = expanded(
        timed.problem.network, [(row, row.inputs) for row in found.transfers], str(file)
    )
    numbers = timed.problem.message_numbers(np.array(labels, dtype=np.int64).reshape(-1, width))
    try:
        schedule = TimedSchedule.from_columns(
            [found.transfers[entry].start for entry in entry_of],
            [location_number(branch.sender, str(file)) for branch in branches],
            [location_number(branch.receiver, str(file)) for branch in branches],
            [branch.route for branch in branches],
            numbers[entry_of],
            inputs,
        )
    except OverflowError:
        raise InputError(f"{file}: a number is too large to be a time, a processor or a channel") from None
    bounds = tuple(bound.bound() for bound in found.bounds)
    return TimedClaim(timed, schedule, found.finish, bounds, Provenance(**asdict(found.provenance)))


def write_timed(path: str | Path, result: TimedResult) -> None:
    """Write a timed result to a file, packed (gzip) where its name ends in .gz."""
    expect(result, TimedResult, "result", "give what `pavane.solve_timed` returns")
    content = timed_bytes(result)
    if str(path).lower().endswith(".gz"):
        content = gzip.compress(content, mtime=0)
    with replacing(path) as file:
        file.write(content)


def timed_bytes(result: TimedResult) -> bytes:
    """Return the timed schedule file of a result."""
    if result.schedule is None:
        raise InputError("there is no schedule to write")
    timed, about = result.timed, result.provenance
    problem = timed.problem.to_dict()
    problem["network"] |= {
        "latency_ps": timed.links.latencies.tolist(),
        "overhead_ps": timed.links.overheads.tolist(),
        "bytes_per_second": timed.links.bandwidths.tolist(),
    }
    problem["bytes"] = timed.num_bytes
    encode = msgspec.json.encode
    rows = b",\n  ".join(encode(row) for row in timed_rows(timed.problem, result.schedule))
    provenance = {"solver": about.solver, "seed": about.seed, "seconds": about.seconds, "version": about.version}
    parts = {
        b"format": encode(TIMED_FORMAT),
        b"problem": encode(problem),
        b"transfers": b"[\n  " + rows + b"]",
        b"finish": encode(result.finish),
        b"bounds": encode([bound_record(bound, has_fractions=False) for bound in result.bounds]),
        b"provenance": encode(provenance),
    }
    return b"{" + b",\n ".join(b'"%s": %s' % part for part in parts.items()) + b"}\n"
