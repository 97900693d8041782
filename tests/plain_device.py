"""A device without a GPU: the islands' source, compiled as a plain C++ program of one thread."""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pavane.solvers.evolutionary.cuda import SOURCE

COMPILER = shutil.which("c++") or shutil.which("g++")
WHY_NOT = "needs a C++ compiler (c++ or g++)"


@cache
def folder() -> Path:
    """Return a folder for compiled programs, for as long as the tests run."""
    return Path(tempfile.mkdtemp(prefix="islands-"))


class PlainDevice:
    """Islands one after the other, in the memory of this process."""

    most_shared = 100_000
    memory = 10_000_000
    num_threads = 2048

    def array(self, values: Any) -> Any:
        """Return a copy of an array."""
        return np.array(values)

    def zeros(self, shape: tuple[int, ...], kind: Any) -> Any:
        """Return an array of zeros."""
        return np.zeros(shape, dtype=kind)

    def numpy(self, values: Any) -> Any:
        """Return a copy of an array."""
        return np.array(values)

    def program(self, defined: Mapping[str, str]) -> Callable[[int, int, int, Sequence[Any]], None]:
        """Compile the islands for one thread; return how to run them."""
        alone = {**defined, "TEAM": "1", "TEAMS": "1"}
        flags = [f"-D{name}={value}" for name, value in alone.items()]
        name = hashlib.sha256(repr(sorted(flags)).encode()).hexdigest()[:16]
        library = folder() / f"{name}.so"
        if not library.exists():
            assert COMPILER is not None
            command = [COMPILER, "-x", "c++", "-std=c++14", "-O2", "-Wall", "-Werror", "-Wno-unused-variable"]
            subprocess.run(
                [*command, "-fPIC", "-shared", *flags, "-", "-o", library], input=SOURCE.encode(), check=True
            )
        islands = ctypes.CDLL(str(library)).islands

        def run(num_blocks: int, num_threads: int, shared: int, args: Sequence[Any]) -> None:
            assert num_threads % 32 == 0
            memory = np.zeros(shared, dtype=np.uint8)
            passed: list[Any] = [ctypes.c_int(num_blocks), memory.ctypes.data_as(ctypes.c_void_p)]
            for value in args:
                if isinstance(value, np.ndarray):
                    assert value.flags.c_contiguous
                    passed.append(value.ctypes.data_as(ctypes.c_void_p))
                else:
                    passed.append(ctypes.c_longlong(value) if value.dtype == np.int64 else ctypes.c_int(value))
            islands(*passed)

        return run
