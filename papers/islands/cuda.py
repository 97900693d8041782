"""Islands on a CUDA GPU, by CuPy: the sources beside this file are compiled at run time."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from pavane.errors import InputError, in_one_line


def _source(name: str) -> str:
    """Return a source with what it includes, since compilers at run time have no folder to look in."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return re.sub(r'#include "(.+)"\n', lambda included: _source(included[1]), text)


SOURCE = _source("islands.cu")

SHARE = 0.6
"""Of the free memory of the GPU, for islands."""


class CudaDevice:
    """The first CUDA GPU."""

    def __init__(self) -> None:
        self.cupy: Any = import_module("cupy")
        attributes = self.cupy.cuda.Device().attributes
        self.most_shared = int(attributes["MaxSharedMemoryPerBlockOptin"])
        self.num_threads = int(attributes["MultiProcessorCount"] * attributes["MaxThreadsPerMultiProcessor"])

    @property
    def memory(self) -> int:
        """Return the bytes of memory for all islands together."""
        return int(SHARE * self.cupy.cuda.Device().mem_info[0])

    def array(self, values: Any) -> Any:
        """Return a copy of an array on the device."""
        return self.cupy.asarray(values)

    def zeros(self, shape: tuple[int, ...], kind: Any) -> Any:
        """Return an array of zeros on the device."""
        return self.cupy.zeros(shape, dtype=kind)

    def numpy(self, values: Any) -> Any:
        """Return a copy of a device's array here."""
        return self.cupy.asnumpy(values)

    def program(self, defined: Mapping[str, str]) -> Callable[[int, int, int, Sequence[Any]], None]:
        """Compile the islands with macros; return how to run blocks, of a number of threads and of shared bytes."""
        options = ("-std=c++14", *(f"-D{name}={value}" for name, value in defined.items()))
        islands = self.cupy.RawModule(code=SOURCE, options=options).get_function("islands")

        def run(num_blocks: int, num_threads: int, shared: int, args: Sequence[Any]) -> None:
            islands.max_dynamic_shared_size_bytes = shared
            islands((num_blocks,), (num_threads,), tuple(args), shared_mem=shared)
            self.cupy.cuda.get_current_stream().synchronize()

        return run


@cache
def cuda_device() -> CudaDevice:
    """Return the first CUDA GPU; where there is none, say so in one line."""
    try:
        cupy: Any = import_module("cupy")
    except ImportError:
        raise InputError("islands need CuPy, which is not installed: pip install 'cupy-cuda12x[ctk]'") from None
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        raise InputError(f"islands need a GPU, and CUDA does not answer ({in_one_line(error)})") from None
    if not count:
        raise InputError("islands need a CUDA GPU, and there is none")
    return CudaDevice()
