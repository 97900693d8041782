"""Optimizes the parts of a kernel once, together with the kernel.

numba optimizes every function that a kernel calls, with all that it calls in turn, and writes machine code for it; then
it links the function into each caller and does so again. Parts ten calls deep are optimized ten times. Here a
function that Python cannot call stays as it was lowered until a kernel contains it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

ENTRY_FROM_PYTHON = "_ZN7cpython"
"""How numba's names of functions begin that Python calls; a part has none."""


@contextlib.contextmanager
def parts_linked_only() -> Iterator[None]:
    """Optimize parts with their kernels while the block compiles; numba in other threads waits.

    A numba without the two attributes that this replaces compiles as usual, only more slowly.
    """
    codegen: Any = import_module("numba.core.codegen")
    lock: Any = import_module("numba.core.compiler_lock")
    target = codegen.JITCPUCodegen
    if not (hasattr(target, "_library_class") and hasattr(target, "set_env")):
        yield
        return
    with lock.global_compiler_lock:
        usual_library, store_objects = target._library_class, target.set_env

        def store_if_compiled(self: Any, variable: str, objects: Any) -> None:
            """Store the Python objects of a function where its machine code looks for them."""
            if self._engine.is_symbol_defined(variable):
                store_objects(self, variable, objects)

        target._library_class, target.set_env = _kernel_library(), store_if_compiled
        try:
            yield
        finally:
            target._library_class, target.set_env = usual_library, store_objects


@cache
def _kernel_library() -> Any:
    codegen: Any = import_module("numba.core.codegen")
    environment: Any = import_module("numba.core.environment")

    class KernelLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
        """The code of one function and of all that it calls."""

        @property
        def _is_part(self) -> bool:
            """Whether this is a function that was compiled now, not loaded, and that Python does not call."""
            names = (function.name for function in self._final_module.functions)
            is_new = self._object_caching_enabled and self._compiled_object is None
            return is_new and not any(name.startswith(ENTRY_FROM_PYTHON) for name in names)

        def _optimize_final_module(self) -> None:
            if not self._is_part:
                super()._optimize_final_module()

        def _finalize_final_module(self) -> None:
            if self._is_part:
                self._finalize_dynamic_globals()
                self._finalized = True
                return
            super()._finalize_final_module()
            for variable in self._final_module.global_variables:
                objects = environment.lookup_environment(variable.name)
                if objects is not None:
                    self._codegen.set_env(variable.name, objects)

    return KernelLibrary
