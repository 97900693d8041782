"""Selector folders (`pavane/selector/1`): an index of size ranges, and one timed schedule file for each range."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from pavane.campaign.size_sweep.selector import Selector
from pavane.campaign.size_sweep.sweep import retimed_for
from pavane.errors import InputError, InvalidSchedule
from pavane.io.files import open_file, path_of, replacing
from pavane.io.objects import decode, refuse_unprintable
from pavane.io.timed_file import INDEX, SELECTOR_FORMAT, is_selector, read_timed, write_timed
from pavane.judge.timed_result import TimedResult
from pavane.text import VERSION

MOST_RANGES = 10_000
MOST_SIZES = 100_000


class SizeObject(msgspec.Struct, forbid_unknown_fields=True):
    """One size of a range: when the schedule ends for it, the bound, and when the baselines end, all in picoseconds."""

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


class SelectorIndex(msgspec.Struct, forbid_unknown_fields=True):
    """The index of a selector folder."""

    format: Literal["pavane/selector/1"]
    network: str
    collective: str
    tolerance: float
    ranges: Annotated[list[RangeObject], msgspec.Meta(min_length=1, max_length=MOST_RANGES)]
    seed: int = 0
    version: str = ""

    def __post_init__(self) -> None:
        for text, key in ((self.network, "network"), (self.collective, "collective"), (self.version, "version")):
            refuse_unprintable(text, key)
        sizes = [size.bytes for part in self.ranges for size in part.sizes]
        if sizes != sorted(set(sizes)):
            raise ValueError("`ranges` must be in ascending order of `bytes`, each size once")


@dataclass(frozen=True)
class JudgedRange:
    """A range of a selector as the judge finds it: the schedule re-timed for each of its sizes, or what is wrong."""

    about: RangeObject
    results: tuple[TimedResult, ...]
    objection: str = ""


def write_selector(folder: str | Path, selector: Selector) -> None:
    """Write a selector to a folder: a timed schedule file for each range, then the index.

    Args:
        folder: The folder, which is made if it is not there. Files of an earlier index there are removed.
        selector: The selector.
    """
    target = path_of(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be created: {(error.strerror or str(error)).lower()}") from None
    before = _files_before(target)
    ranges = []
    for part in selector.ranges:
        name = f"from-{part.sizes[0].num_bytes}-pieces-{part.pieces}.json"
        write_timed(target / name, part.result)
        sizes = [
            SizeObject(
                size.num_bytes,
                size.finish,
                None if size.result.bound is None else size.result.bound.finish,
                {rival.name: rival.finish for rival in size.baselines},
            )
            for size in part.sizes
        ]
        ranges.append(RangeObject(name, part.pieces, sizes))
    problem = selector.problem
    index = SelectorIndex(
        SELECTOR_FORMAT,
        problem.network.name,
        problem.collective.kind,
        selector.tolerance,
        ranges,
        selector.seed,
        VERSION,
    )
    with replacing(target / INDEX) as file:
        file.write(msgspec.json.format(msgspec.json.encode(index), indent=1) + b"\n")
    for name in before - {part.file for part in ranges}:
        (target / name).unlink(missing_ok=True)


def _files_before(folder: Path) -> set[str]:
    """Return the files of a selector that the folder has already."""
    try:
        return {part.file for part in read_index(folder).ranges} if is_selector(folder) else set()
    except InputError:
        return set()


def read_index(path: str | Path) -> SelectorIndex:
    """Read the index of a selector folder; InputError says what is wrong with it."""
    file = open_file(Path(path) / INDEX if os.path.isdir(path) else path_of(path))
    return decode(file.data, SelectorIndex, file)


def judge_selector(path: str | Path) -> tuple[SelectorIndex, list[JudgedRange]]:
    """Read a selector, judge the schedule of each range, and re-time it for all its sizes."""
    index = read_index(path)
    folder = Path(path) if os.path.isdir(path) else Path(path).parent
    return index, [_judged_range(folder / part.file, part, index) for part in index.ranges]


def _judged_range(file: Path, part: RangeObject, index: SelectorIndex) -> JudgedRange:
    results: list[TimedResult] = []
    try:
        own = read_timed(file).result()
        problem = own.timed.problem
        stated = index.network, index.collective, part.pieces
        if (problem.network.name, problem.collective.kind, problem.collective.pieces) != stated:
            raise InputError(f"{file}: it is not of the network, collective and pieces that the index says")
        for size in part.sizes:
            result = own if size.bytes == own.timed.num_bytes else retimed_for(own, size.bytes)
            if result is None or result.finish != size.finish:
                ends = "cannot be cut so" if result is None else f"ends at {result.finish:,} ps"
                raise InputError(f"{file}: with {size.bytes:,} bytes it {ends}; the index says {size.finish:,} ps")
            results.append(result)
    except (InputError, InvalidSchedule) as error:
        return JudgedRange(part, tuple(results), str(error))
    return JudgedRange(part, tuple(results))
