"""Checkpoint files: an archive (zip) of one JSON object and of arrays as numpy writes them; nothing in it is code.

Reading trusts nothing: sizes are checked before anything is unpacked, arrays are of a few plain types, unknown keys are
refused, and an error is one line.
"""

from __future__ import annotations

import glob
import io
import math
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from pavane.errors import InputError
from pavane.io.files import open_file, replacing
from pavane.io.objects import BoundObject, OccupancyBoundObject, decode, refuse_unprintable

CHECKPOINT_FORMAT: Literal["pavane/checkpoint/1"] = "pavane/checkpoint/1"

TABLE = "search.json"
"""The member that says what the others are."""

MOST_BYTES = 2**31
"""Files that would unpack to more are refused."""

MOST_MEMBERS = 100_000

QUICK = 1
"""The level of packing: twice as quick as the usual one, for a tenth more bytes."""

TYPES = ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64")

UNREADABLE = (zipfile.BadZipFile, zlib.error, ValueError, EOFError, NotImplementedError)
"""What reading a damaged archive raises."""

Array = npt.NDArray[Any]


class EntryObject(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What came of an attempt; its schedule, where it has one, is a member of the archive."""

    key: str
    solver: str
    seed: int = 0
    is_timed: bool = False
    requested_steps: int | None = msgspec.field(default=None, name="asked")
    num_steps: int | None = None
    """Of the schedule; None: there is none."""
    member: str = ""
    bounds: list[BoundObject] = msgspec.field(default_factory=list)
    occupancy: list[OccupancyBoundObject] = msgspec.field(default_factory=list)
    evaluations: int | None = None
    trace: list[tuple[int, int]] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)

    def __post_init__(self) -> None:
        for text in (self.key, self.solver, *self.notes):
            refuse_unprintable(text, "attempts")


class MarkObject(msgspec.Struct, forbid_unknown_fields=True):
    """Where a loop was; its arrays, where it has some, are a member of the archive."""

    kind: str
    figures: dict[str, Any]
    member: str = ""


class BookmarkObject(msgspec.Struct, forbid_unknown_fields=True):
    """Where the attempt under way was."""

    key: str
    is_timed: bool
    marks: list[MarkObject]

    def __post_init__(self) -> None:
        refuse_unprintable(self.key, "bookmark")


class CheckpointObject(msgspec.Struct, forbid_unknown_fields=True):
    """What a checkpoint file says."""

    format: Literal["pavane/checkpoint/1"]
    version: str
    problem: str
    """The digest of the problem."""
    options: dict[str, str] = msgspec.field(name="asked")
    """What decides the answer besides the problem, by the names of parameters."""
    seconds: float = 0.0
    attempts: list[EntryObject] = msgspec.field(default_factory=list)
    bookmark: BookmarkObject | None = None
    files: dict[str, str] = msgspec.field(default_factory=dict)
    """The members that are files of finished parts, by their keys."""


class _Stated(msgspec.Struct):
    """How a checkpoint file of any version begins."""

    format: str = ""
    version: str = ""


class CheckpointFile:
    """A checkpoint file that was read; its members are unpacked on access."""

    def __init__(self, path: str | Path) -> None:
        """Read a file; an error gives the reason in one line."""
        self.name = str(path)
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(open_file(path).data))
            infos = self._archive.infolist()
        except UNREADABLE as error:
            raise self.refusal(str(error).lower()) from None
        if len(infos) > MOST_MEMBERS or sum(info.file_size for info in infos) > MOST_BYTES:
            raise self.refusal(f"it unpacks to more than {MOST_BYTES // 2**20:,} MiB, or {MOST_MEMBERS:,} members")
        table = memoryview(self.member(TABLE))
        self.stated = decode(table, _Stated, self.name)
        self._table = table

    def table(self) -> CheckpointObject:
        """Return what the file says."""
        return decode(self._table, CheckpointObject, self.name)

    def member(self, name: str) -> bytes:
        """Return a member as it is, whole or not at all."""
        try:
            info = self._archive.getinfo(name)
            if info.flag_bits & 1 or info.compress_type != zipfile.ZIP_STORED:
                raise self.refusal(f"its member {name!r:.60} is packed or locked")
            return self._archive.read(info)
        except (KeyError, *UNREADABLE) as error:
            raise self.refusal(str(error).lower()) from None

    def arrays(self, name: str) -> dict[str, Array]:
        """Return the arrays of a member."""
        try:
            return unpack_arrays(self.member(name))
        except (OverflowError, *UNREADABLE) as error:
            raise self.refusal(f"{name!r:.60}: {error}".lower()) from None

    def refusal(self, why: str) -> InputError:
        """Return the error for a file that is not a checkpoint."""
        return InputError(f"{self.name}: not a checkpoint that can be read: {why}; remove it to start the search again")


def write_checkpoint(path: str | Path, table: CheckpointObject, members: Mapping[str, bytes]) -> None:
    """Write a checkpoint file: as it was before, or whole."""
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(TABLE, msgspec.json.encode(table))
        for name, content in members.items():
            archive.writestr(name, content)


def remove_checkpoint(path: str | Path) -> None:
    """Remove a checkpoint file, if there is one."""
    if os.path.isfile(path):
        os.unlink(path)
    remove_leftovers(path)


def remove_leftovers(path: str | Path) -> None:
    """Remove what a search has left that was killed while it wrote its checkpoint."""
    target = Path(path)
    for left in target.parent.glob(f".{glob.escape(target.name[:40])}.????????"):
        left.unlink(missing_ok=True)


def pack_arrays(arrays: Mapping[str, Array]) -> bytes:
    """Return arrays as the bytes of an npz file; whole numbers take no more room than they need."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=QUICK) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, _narrow(array), allow_pickle=False)
    return content.getvalue()


def unpack_arrays(content: bytes) -> dict[str, Array]:
    """Return the arrays of an npz file; raises ValueError or errors of zip if it is invalid or too large."""
    arrays = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        infos = archive.infolist()
        if sum(info.file_size for info in infos) > MOST_BYTES:
            raise ValueError(f"it unpacks to more than {MOST_BYTES // 2**20:,} MiB")
        for info in infos:
            if info.flag_bits & 1:
                raise ValueError("it is locked")
            arrays[info.filename.removesuffix(".npy")] = _array(archive.read(info))
    return arrays


def _array(content: bytes) -> Array:
    """Read one array; what its head says must be what follows."""
    file = io.BytesIO(content)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("an array of another version")
    shape, in_columns, dtype = np.lib.format.read_array_header_1_0(file)
    rest = content[file.tell() :]
    size = math.prod(shape)
    if in_columns or dtype.name not in TYPES or not dtype.isnative or len(rest) != size * dtype.itemsize:
        raise ValueError(f"an array of {dtype.name} and shape {shape} in {len(rest):,} bytes")
    return np.frombuffer(rest, dtype=dtype).reshape(shape)


def _narrow(array: Array) -> Array:
    if array.dtype.kind not in "iu" or not array.size:
        return np.ascontiguousarray(array)
    least, most = int(array.min()), int(array.max())
    for kind in (np.uint8, np.uint16, np.uint32) if least >= 0 else (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max:
            return np.ascontiguousarray(array, dtype=kind)
    return np.ascontiguousarray(array)
