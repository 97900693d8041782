"""Hot loops on plain arrays; they know no other part of pavane.

Each kernel is plain Python on numpy arrays. `compiled` turns it into machine code with numba, which takes seconds to
import, so small problems run the kernel as it is. A kernel may call other functions of this package; they are compiled
along with it.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, wraps
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])


@cache
def compiled(kernel: F) -> F:
    """Return the machine code of a kernel, cached on disk where that is possible."""
    code: Any = None

    @wraps(kernel)
    def run(*args: Any) -> object:
        nonlocal code
        if code is None:
            code = _ready(kernel, args)
        return code(*args)

    return cast(F, run)


def _ready(kernel: Callable[..., object], args: tuple[Any, ...]) -> Any:
    """Compile a kernel for the types of its first arguments, or take the machine code from the disk."""
    folder = _cache_folder()
    import numba

    types = tuple(numba.typeof(value) for value in args)  # type: ignore[no-untyped-call]
    # Processes that write the same files of the cache at once can spoil them, so they take turns; kernels that call
    # each other across files share the first word of their files' names.
    family = kernel.__module__.rpartition(".")[2].partition("_")[0]
    with _alone(folder / f".pavane-{family}.lock"):
        try:
            code = _dispatcher(kernel, True)
            code.compile(types)
        except (EOFError, OSError, RuntimeError, ValueError):
            # The cache is spoilt or out of reach: do without it.
            code = _dispatcher(kernel, False)
            code.compile(types)
    return code


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


@cache
def _dispatcher(kernel: Callable[..., object], on_disk: bool, is_part: bool = False) -> Any:
    """Return numba's own object for a kernel, with the functions that the kernel calls compiled as parts of it.

    Parts are never called from Python, and what would make that possible takes a third of the time to compile.
    """
    import numba

    whole = kernel
    if isinstance(kernel, FunctionType):
        parts = {
            name: _dispatcher(value, on_disk, True)
            for name, value in kernel.__globals__.items()
            if name in kernel.__code__.co_names
            and isinstance(value, FunctionType)
            and value.__module__.startswith(__name__)
        }
        if parts or is_part:
            whole = FunctionType(kernel.__code__, kernel.__globals__ | parts, kernel.__name__, kernel.__defaults__)
            whole.__module__, whole.__doc__ = kernel.__module__, kernel.__doc__
            # The cache on disk knows functions by this name, and a part is no kernel.
            whole.__qualname__ = f"{kernel.__qualname__}_part" if is_part else kernel.__qualname__
    options: dict[str, Any] = {"no_cfunc_wrapper": True, "no_cpython_wrapper": is_part}
    return numba.njit(cache=on_disk, nogil=True, **options)(whole)
