"""Folders of plans (`pavane/plans/1`): an index of size ranges, and one timed schedule file for each range."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from pavane.bounds import lower_bounds
from pavane.campaign.size_sweep.sweep import PlanRange, PlanSize, SizePlans, retimed_for
from pavane.errors import InputError, InvalidSchedule
from pavane.io.files import INDEX, PLANS_FORMAT, is_plan_folder, open_file, path_of, replacing
from pavane.io.objects import decode, refuse_unprintable
from pavane.io.readers import read_schedule
from pavane.io.schedule_file import write_schedule
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.search.pieces import cut_into
from pavane.text import VERSION

MOST_RANGES = 10_000
MOST_SIZES = 100_000


class SizeObject(msgspec.Struct, forbid_unknown_fields=True):
    """One size of a range: when its schedule and the baselines end, and the bound, in picoseconds."""

    bytes: Annotated[int, msgspec.Meta(ge=1)]
    finish: int
    bound: int | None = None
    baselines: dict[str, int] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.baselines:
            refuse_unprintable(name, "baselines")


class RangeObject(msgspec.Struct, forbid_unknown_fields=True):
    """A range: its file, its number of pieces, and its sizes."""

    file: str
    pieces: int
    sizes: Annotated[list[SizeObject], msgspec.Meta(min_length=1, max_length=MOST_SIZES)]

    def __post_init__(self) -> None:
        refuse_unprintable(self.file, "file")
        if os.path.basename(self.file) != self.file or not self.file.lower().endswith((".json", ".json.gz")):
            raise ValueError(f"`file` is {self.file!r:.60}; name a .json file of the folder, without a path")


class PlansIndex(msgspec.Struct, forbid_unknown_fields=True):
    """The index of a folder of plans."""

    format: Literal["pavane/plans/1"]
    network: str
    collective: str
    members: list[int]
    ranges: Annotated[list[RangeObject], msgspec.Meta(min_length=1, max_length=MOST_RANGES)]
    seed: int = 0
    version: str = ""

    def __post_init__(self) -> None:
        for text, key in ((self.network, "network"), (self.collective, "collective"), (self.version, "version")):
            refuse_unprintable(text, key)
        sizes = [size.bytes for part in self.ranges for size in part.sizes]
        if sizes != sorted(set(sizes)):
            raise ValueError("`ranges` must be in ascending order of `bytes`, each size once")


def write_plans(folder: str | Path, plans: SizePlans) -> None:
    """Write plans to a folder: a timed schedule file for each range, then the index.

    Args:
        folder: The folder, which is made if it is not there. Files of an earlier index there are removed.
        plans: The plans.
    """
    target = path_of(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be created: {(error.strerror or str(error)).lower()}") from None
    before = _files_before(target)
    ranges = []
    for part in plans.ranges:
        name = f"from-{part.sizes[0].num_bytes}-pieces-{part.pieces}.json"
        write_schedule(target / name, part.result)
        ranges.append(RangeObject(name, part.pieces, [_size_object(size) for size in part.sizes]))
    index = PlansIndex(PLANS_FORMAT, *_about(plans.problem), ranges, plans.seed, VERSION)
    with replacing(target / INDEX) as file:
        file.write(msgspec.json.format(msgspec.json.encode(index), indent=1) + b"\n")
    for name in before - {part.file for part in ranges}:
        (target / name).unlink(missing_ok=True)


def _size_object(size: PlanSize) -> SizeObject:
    bound = None if size.result.bound is None else size.result.bound.figure
    return SizeObject(size.num_bytes, size.finish, bound, dict(size.baselines))


def _about(problem: Problem) -> tuple[str, str, list[int]]:
    """Return the network, the collective and the members that an index names."""
    collective = problem.collective
    return problem.network.name, collective.kind, sorted({*collective.senders, *collective.receivers})


def _files_before(folder: Path) -> set[str]:
    """Return the files of plans that the folder has already."""
    try:
        return {part.file for part in _read_index(folder).ranges} if is_plan_folder(folder) else set()
    except InputError:
        return set()


def _read_index(path: str | Path) -> PlansIndex:
    file = open_file(Path(path) / INDEX if os.path.isdir(path) else path_of(path))
    return decode(file.data, PlansIndex, file)


def read_plans(path: str | Path) -> SizePlans:
    """Read a folder of plans, and judge the schedule of each range, timed again for all its sizes.

    InputError or InvalidSchedule says what is wrong. Bounds are proven anew; those of the index are for programs.
    """
    index = _read_index(path)
    folder = Path(path) if os.path.isdir(path) else Path(path).parent
    ranges = tuple(_read_range(folder / part.file, part, index) for part in index.ranges)
    problem = ranges[0].result.problem
    return SizePlans(cut_into(problem, 1).in_steps, problem.timing.links, ranges, index.seed)


def _read_range(file: Path, part: RangeObject, index: PlansIndex) -> PlanRange:
    own = read_schedule(file).result()
    if not own.problem.has_times:
        raise InputError(f"{file}: it is a schedule of steps; plans have start times")
    problem = own.problem
    if (*_about(problem), problem.collective.pieces) != (index.network, index.collective, index.members, part.pieces):
        raise InputError(f"{file}: it is not of the network, collective, members and pieces that the index says")
    return PlanRange(tuple(_read_size(file, own, size) for size in part.sizes))


def _read_size(file: Path, own: Result, size: SizeObject) -> PlanSize:
    result = own if size.bytes == own.problem.timing.num_bytes else retimed_for(own, size.bytes)
    if result is None or result.finish != size.finish:
        ends = "cannot be cut so" if result is None else f"ends at {result.finish:,} ps"
        raise InvalidSchedule(f"{file}: with {size.bytes:,} bytes it {ends}; the index says {size.finish:,} ps")
    judged = Result(result.problem, result.schedule, lower_bounds(result.problem), result.provenance)
    return PlanSize(judged, size.baselines)
