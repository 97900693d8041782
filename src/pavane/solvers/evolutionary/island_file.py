"""A file with the memory of islands, from which runs that a time limit interrupted are resumed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pavane.errors import InputError


def write_memory(file: Path, digest: str, memory: Mapping[str, Any]) -> None:
    """Store the arrays of islands, with a digest of their runs; an older file is replaced only by a whole one."""
    part = file.with_suffix(".part")
    with part.open("wb") as output:
        np.savez_compressed(output, allow_pickle=False, digest=np.array(digest), **memory)
    part.replace(file)


def read_memory(file: Path, digest: str) -> dict[str, Any]:
    """Return the stored arrays of islands; refuse those of other runs."""
    with np.load(file, allow_pickle=False) as stored:
        if str(stored["digest"]) != digest:
            raise InputError(f"{file} has islands of another problem, setting, limit or seed; delete it to start over")
        return {name: stored[name] for name in stored.files if name != "digest"}
