"""Devices without a GPU: the islands' source, compiled as a plain C++ program of one thread, or of many in turns."""

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
from papers.islands.cuda import SOURCE

COMPILER = shutil.which("c++") or shutil.which("g++")
WHY_NOT = "needs a C++ compiler (c++ or g++)"


@cache
def folder() -> Path:
    """Return a folder for compiled programs, for as long as the tests run."""
    return Path(tempfile.mkdtemp(prefix="islands-"))


def compiled_source(source: str, defined: Mapping[str, str], optimization: str = "-O0") -> ctypes.CDLL:
    """Compile a program with macros, once, and load it."""
    flags = [optimization, *(f"-D{name}={value}" for name, value in defined.items())]
    name = hashlib.sha256(repr((source, sorted(flags))).encode()).hexdigest()[:16]
    library = folder() / f"{name}.so"
    if not library.exists():
        assert COMPILER is not None
        # Fortified jumps refuse to leave a stack, which fibers do.
        command = [COMPILER, "-x", "c++", "-std=c++14", "-Wall", "-Werror", "-Wno-unused-variable"]
        command += ["-U_FORTIFY_SOURCE", "-fPIC", "-shared", *flags, "-", "-o", str(library)]
        subprocess.run(command, input=source.encode(), check=True)
    return ctypes.CDLL(str(library))


class PlainDevice:
    """Islands one after the other, in the memory of this process."""

    most_shared = 100_000
    memory = 10_000_000
    num_threads = 2048
    optimization = "-O1"

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
        islands = compiled_source(SOURCE, {**defined, "TEAM": "1", "TEAMS": "1"}, self.optimization).islands

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


class LargeDevice(PlainDevice):
    """A device with a multiprocessor for every island, so that one program will do; compiling takes longest."""

    num_threads = 100 * 2048
    optimization = "-O0"


class FiberDevice(PlainDevice):
    """Blocks of many threads, as on a GPU, that take turns: what they do together is done, but not at the same time."""

    most_shared = 200_000

    def program(self, defined: Mapping[str, str]) -> Callable[[int, int, int, Sequence[Any]], None]:
        """Compile the islands as CUDA's compiler does; return how to run them."""
        launch = "void run(int blocks, int threads, void **args) { launch(islands, blocks, threads, args); }"
        words = (Path(__file__).parent / "fibers.h").read_text()
        islands = compiled_source(f'{words}\n{SOURCE}\nextern "C" {launch}\n', defined, self.optimization).run

        def run(num_blocks: int, num_threads: int, shared: int, args: Sequence[Any]) -> None:
            passed = [np.array(value.ctypes.data if isinstance(value, np.ndarray) else value) for value in args]
            pointers = (ctypes.c_void_p * len(args))(*(value.ctypes.data for value in passed))
            islands(ctypes.c_int(num_blocks), ctypes.c_int(num_threads), pointers)

        return run
