"""Hot loops on plain arrays; they know no other part of pavane.

Each kernel is plain Python on numpy arrays. `compiled` turns it into machine code with numba, which takes seconds to
import, so small problems run the kernel as it is. A kernel may call other functions of this package; they are compiled
along with it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])


@cache
def compiled(kernel: F) -> F:
    """Return the machine code of a kernel, cached on disk where that is possible."""
    folder = Path(__file__).parent
    if "NUMBA_CACHE_DIR" not in os.environ and not os.access(folder, os.W_OK):
        # numba refuses to import a cached function when it finds no place to write to.
        os.environ["NUMBA_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / f"pavane-numba-{os.getuid()}")
    import numba

    return cast(F, numba.njit(cache=True, nogil=True)(_with_compiled_parts(kernel)))


def _with_compiled_parts(kernel: F) -> F:
    """Return the kernel with the machine code of the functions it calls in their place."""
    if not isinstance(kernel, FunctionType):
        return kernel
    parts = {
        name: compiled(value)
        for name, value in kernel.__globals__.items()
        if name in kernel.__code__.co_names
        and isinstance(value, FunctionType)
        and value.__module__.startswith(__name__)
    }
    if not parts:
        return kernel
    whole = FunctionType(kernel.__code__, kernel.__globals__ | parts, kernel.__name__, kernel.__defaults__)
    whole.__module__, whole.__qualname__, whole.__doc__ = kernel.__module__, kernel.__qualname__, kernel.__doc__
    return cast(F, whole)
