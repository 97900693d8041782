"""Checkpoint files: arrays as they were, and nothing of what a hostile file asks for."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pavane.errors import InputError
from pavane.io import checkpoint_file
from pavane.io.checkpoint_file import (
    CHECKPOINT_FORMAT,
    TABLE,
    CheckpointFile,
    CheckpointObject,
    pack_arrays,
    remove_checkpoint,
    unpack_arrays,
    write_checkpoint,
)


def test_arrays_come_back(tmp_path: Path) -> None:
    """Whole numbers take no more bytes than they need; shapes and values stay, reals and flags as they are."""
    arrays: dict[str, Any] = {
        "small": np.array([[1, 2], [3, 255]], dtype=np.int64),
        "negative": np.array([-1, 70_000], dtype=np.int64),
        "large": np.array([0, 2**40], dtype=np.int64),
        "real": np.array([0.1, np.pi]),
        "flags": np.array([True, False]),
        "none": np.zeros((0, 3), dtype=np.int32),
    }
    path = tmp_path / "s.part"
    write_checkpoint(
        path, CheckpointObject(CHECKPOINT_FORMAT, "1", "digest", {"seed": "0"}), {"a.npz": pack_arrays(arrays)}
    )
    file = CheckpointFile(path)
    assert (file.table().problem, file.table().options) == ("digest", {"seed": "0"})
    found = file.arrays("a.npz")
    assert {name: array.tolist() for name, array in found.items()} == {n: a.tolist() for n, a in arrays.items()}
    assert [found[name].dtype.name for name in ("small", "negative", "real")] == ["uint8", "int32", "float64"]
    (tmp_path / ".s.part.12345678").write_text("left by a kill")
    remove_checkpoint(path)
    remove_checkpoint(path)
    assert list(tmp_path.iterdir()) == []


def npz(name: str, content: bytes) -> bytes:
    """Return an archive with one member."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def npy(dtype: str, shape: str, content: bytes = b"") -> bytes:
    """Return an array file whose head says what it likes."""
    head = f"{{'descr': {dtype}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + content


@pytest.mark.parametrize(
    "content",
    [
        npy("'|O'", "(1,)", b"cos\nsystem\n(S'true'\ntR."),
        npy("'<i8'", "(1000000000000,)", b"12345678"),
        npy("'<i8'", "(-1,)", b""),
        npy("'>i8'", "(1,)", b"12345678"),
        npy("'<U9'", "(1,)", bytes(36)),
        npy("'<i8'", "(1,)", b"1234567"),
        npy("[('a', '<i8')]", "(1,)", b"12345678"),
        npy("__import__('os').system('true')", "(1,)"),
        b"\x93NUMPY\x09\x00",
        b"",
    ],
)
def test_arrays_that_are_none_are_refused(content: bytes) -> None:
    """Objects, texts, foreign bytes and heads that promise more than follows are refused before anything is made."""
    with pytest.raises((ValueError, EOFError)):
        unpack_arrays(npz("a.npy", content))


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes are looked at before anything is unpacked, and members stand as they are."""
    monkeypatch.setattr(checkpoint_file, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="unpacks to more"):
        unpack_arrays(npz("a.npy", bytes(1001)))
    path = tmp_path / "s.part"
    path.write_bytes(npz(TABLE, bytes(1001)))
    with pytest.raises(InputError, match="unpacks to more than"):
        CheckpointFile(path)
    path.write_bytes(npz(TABLE, b"{}"))
    with pytest.raises(InputError, match="packed or locked"):
        CheckpointFile(path)


@pytest.mark.parametrize(
    "spoiled",
    [
        {"unknown": 1},
        {"asked": {"seed": 0}},
        {"attempts": [{"key": "a\nb", "solver": "x"}]},
        {"attempts": [{"key": "a"}]},
        {"bookmark": {"key": "a", "is_timed": False, "marks": [{"kind": 1, "figures": {}}]}},
        {"seconds": "1"},
    ],
)
def test_a_table_that_says_otherwise_is_refused(spoiled: dict[str, Any], tmp_path: Path) -> None:
    """Keys that are missing, unknown or of another type are refused in one line."""
    path = tmp_path / "s.part"
    table = {"format": CHECKPOINT_FORMAT, "version": "1", "problem": "digest", "asked": {}, **spoiled}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(TABLE, json.dumps(table))
    with pytest.raises(InputError, match="not what was expected there"):
        CheckpointFile(path).table()


def test_members_that_are_not_there_are_refused(tmp_path: Path) -> None:
    """A table may promise what it likes."""
    path = tmp_path / "s.part"
    write_checkpoint(path, CheckpointObject(CHECKPOINT_FORMAT, "1", "digest", {}), {"a.npz": b"no archive"})
    for name in ("b.npz", "a.npz"):
        with pytest.raises(InputError, match="not a checkpoint that can be read"):
            CheckpointFile(path).arrays(name)


def test_a_locked_archive_is_refused() -> None:
    """A password is not asked for."""
    content = bytearray(npz("a.npy", npy("'|u1'", "(1,)", b"1")))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(ValueError, match="it is locked"):
        unpack_arrays(bytes(content))
