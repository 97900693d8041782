"""Loads machine code from the disk without numba's declarations of what can be compiled.

Before numba looks for the machine code of a kernel on the disk, it imports all that it knows to compile, from dates to
linear algebra. That takes half a second, and machine code that is there needs none of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load_without_declarations(code: Any) -> None:
    """Let a function that numba caches on the disk load declarations only where it must be compiled.

    A numba without the attributes that this uses loads as usual, only more slowly.
    """
    cache = code._cache
    usual, look_up = cache.load_overload, getattr(cache, "_load_overload", None)
    guarded = getattr(cache, "_guard_against_spurious_io_errors", None)
    start_runtime = getattr(getattr(import_module("numba.core.runtime"), "rtsys", None), "initialize", None)
    if look_up is None or guarded is None or start_runtime is None:
        return

    def load_overload(signature: Any, context: Any) -> Any:
        # Kernels count references to arrays in the runtime.
        start_runtime(context)
        with guarded():
            loaded = look_up(signature, context)
            if loaded is not None:
                return loaded
        return usual(signature, context)

    cache.load_overload = load_overload
