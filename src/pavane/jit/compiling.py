"""Turns a kernel, plain Python on numpy arrays, into machine code with numba.

numba takes seconds to import, so nothing here does before the first call of a kernel, and small problems run kernels as
they are. Machine code is kept on disk in a folder named after the sources of all kernels: numba looks at the kernel's
own file alone, and would not see that a part in another file has changed.
"""

from __future__ import annotations

import contextlib
import gc
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

from pavane.jit import clock
from pavane.jit.cache_folder import kernel_cache
from pavane.jit.code_loading import load_without_declarations
from pavane.jit.interrupts import held_interrupts
from pavane.jit.part_linking import parts_linked_only

F = TypeVar("F", bound=Callable[..., object])

JIT = __name__.rpartition(".")[0]

ARRAY_MAKERS = frozenset(("arange", "argsort", "copy", "empty", "full", "zeros"))
"""The functions and methods of numpy that make arrays in kernels."""

NUMBERS = re.compile(r"(None|int|float|bool|tuple\[|\]|, )+")
"""A return type, as in the source, that contains no array."""


def is_kernel_module(name: str) -> bool:
    """Whether functions of a module may be compiled: it is in this package or in a package named `kernels`."""
    return name.startswith(f"{JIT}.") or (name.startswith("pavane.") and ".kernels." in name)


@cache
def compiled(kernel: F, variant: str = "") -> F:
    """Return the machine code of a kernel, cached on disk where that is possible.

    A kernel that may do without some of its arguments, None, is compiled once for each variant.
    """
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
    folder = kernel_cache()
    import numba

    _stop_the_clock_to_compile()
    _let_kernels_call(kernel.__module__)
    options: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True, **_reference_counting(kernel)}
    types = tuple(numba.typeof(value) for value in args)  # type: ignore[no-untyped-call]
    with held_interrupts():
        if folder is not None:
            # The cache may be spoilt or out of reach: then do without it.
            with contextlib.suppress(EOFError, OSError, RuntimeError, ValueError):
                # Processes that want the same kernel take turns: one compiles it, and the others find it.
                with _alone(folder / f".{kernel.__module__}.{kernel.__name__}.lock"):
                    code = _kept_in(folder, numba.njit(**options)(kernel))
                    with parts_linked_only(), _without_garbage_collection():
                        code.compile(types)
                return code
        code = numba.njit(**options)(kernel)
        with parts_linked_only(), _without_garbage_collection():
            code.compile(types)
    return code


@contextlib.contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Suspend the collector of cycles: while numba compiles, it takes a twentieth of the time and frees little."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@cache
def _stop_the_clock_to_compile() -> None:
    """Stop the clock whenever numba compiles a kernel, and not while it takes machine code from the disk."""
    event: Any = import_module("numba.core.event")

    class KernelClock(event.Listener):  # type: ignore[misc]
        """Called for every function that numba compiles; those within a kernel are parts of it."""

        def on_start(self, event: Any) -> None:
            if name := _kernel_name(event):
                clock.pause(name)

        def on_end(self, event: Any) -> None:
            if name := _kernel_name(event):
                clock.resume(name)

    event.register("numba:compile", KernelClock())


def _kernel_name(event: Any) -> str:
    """Return the name of the kernel or part that an event of numba is about; an empty one if it is another's code."""
    function = event.data["dispatcher"].py_func
    return function.__name__ if is_kernel_module(function.__module__) else ""


def _let_kernels_call(file: str) -> None:
    """Let kernels of a file call what that file defines or imports, and so on: numba compiles it along with them."""
    files = [file]
    for name in files:
        for part in vars(sys.modules[name]).values():
            if isinstance(part, FunctionType) and is_kernel_module(part.__module__):
                _make_part(part)
                if part.__module__ not in files:
                    files.append(part.__module__)


@cache
def _make_part(function: FunctionType) -> None:
    from numba.extending import register_jitable

    # C does not call parts either: its entry to each would take a tenth of the time to compile.
    options = {"no_cfunc_wrapper": True, **_reference_counting(function)}
    register_jitable(forceinline="is_inlined" in vars(function), **options)(function)


def _reference_counting(function: Callable[..., object]) -> dict[str, bool]:
    """Return numba's option to leave out reference counting, where a function neither makes nor returns arrays.

    numba otherwise counts at every call of a part, for every array of every named tuple, by atomic additions. Where the
    parts are small, that is most of the run time; and it is a third of the time to compile.
    """
    returned = str(function.__annotations__.get("return", "Array"))
    return {"_nrt": False} if NUMBERS.fullmatch(returned) and not _makes_arrays(function) else {}


def _makes_arrays(function: Callable[..., object]) -> bool:
    """Whether a function, or a part that it calls, makes arrays."""
    callees: list[Any] = [function]
    for callee in callees:
        names = callee.__code__.co_names
        if not ARRAY_MAKERS.isdisjoint(names):
            return True
        parts = (callee.__globals__.get(name) for name in names)
        callees += [part for part in parts if isinstance(part, FunctionType) and part not in callees]
    return False


def _kept_in(folder: Path, code: Any) -> Any:
    """Let numba keep the machine code of one kernel in a folder; where other programs' code goes stays as it is."""
    config: Any = import_module("numba.core.config")
    usual, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        code.enable_caching()
    finally:
        config.CACHE_DIR = usual
    if not Path(code._cache.cache_path).is_relative_to(folder):
        raise OSError(f"{folder} cannot be used, and numba has taken another folder")
    load_without_declarations(code)
    return code


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
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with clock.paused("kernels in another process"):
                fcntl.flock(file, fcntl.LOCK_EX)
        yield
