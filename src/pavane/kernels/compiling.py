"""Turns a kernel, plain Python on numpy arrays, into machine code with numba.

numba takes seconds to import, so nothing here does before the first call of a kernel, and small problems run kernels as
they are. numba keeps the machine code on disk by the file of the kernel: after a change to a part in another file, that
kernel's own file must be touched.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, wraps
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])

PACKAGE = __name__.rpartition(".")[0]


@cache
def compiled(kernel: F) -> F:
    """Return the machine code of a kernel, cached on disk where that is possible."""
    code: Any = None

    @wraps(kernel)
    def run(*args: Any) -> object:
        nonlocal code
        if code is None:
            code = _machine_code(kernel, args)
        return code(*args)

    return cast(F, run)


def inlined(part: F) -> F:
    """Mark a part that a kernel calls in its innermost loops: its machine code is written out wherever it is called."""
    vars(part)["is_inlined"] = True
    return part


def _machine_code(kernel: Callable[..., object], args: tuple[Any, ...]) -> Any:
    """Compile a kernel for the types of its first arguments, or take the machine code from the disk."""
    folder = _cache_folder()
    import numba

    _let_kernels_call(kernel.__module__)
    options: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
    types = tuple(numba.typeof(value) for value in args)  # type: ignore[no-untyped-call]
    # Processes that write the same files of the cache at once can spoil them, so they take turns.
    with _alone(folder / ".pavane.lock"):
        try:
            code = numba.njit(cache=True, **options)(kernel)
            code.compile(types)
        except (EOFError, OSError, RuntimeError, ValueError):
            # The cache is spoilt or out of reach: do without it.
            code = numba.njit(**options)(kernel)
            code.compile(types)
    return code


def _let_kernels_call(file: str) -> None:
    """Let kernels of a file call what that file defines or imports, and so on: numba compiles it along with them."""
    files = [file]
    for name in files:
        for part in vars(sys.modules[name]).values():
            if isinstance(part, FunctionType) and part.__module__.startswith(PACKAGE):
                _make_part(part)
                if part.__module__ not in files:
                    files.append(part.__module__)


@cache
def _make_part(function: FunctionType) -> None:
    from numba.extending import register_jitable

    register_jitable(forceinline="is_inlined" in vars(function))(function)


def _cache_folder() -> Path:
    """Return a folder that numba can write its cache to, and tell numba about it where it is not the usual one."""
    beside = Path(__file__).parent
    if "NUMBA_CACHE_DIR" in os.environ:
        return Path(os.environ["NUMBA_CACHE_DIR"])
    if os.access(beside, os.W_OK):
        return beside / "__pycache__"
    # numba refuses to import a cached function when it finds no place to write to.
    own = Path(tempfile.gettempdir()) / f"pavane-numba-{os.getuid()}"
    os.environ["NUMBA_CACHE_DIR"] = str(own)
    return own


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other processes out until the block ends, where the system can."""
    try:
        import fcntl

        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w")
    except (ImportError, OSError):
        yield
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
