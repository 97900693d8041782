"""The parts of a kernel are optimized once, with the kernel, and compute what they did."""

from collections.abc import Callable
from typing import Any

import numba
import pytest
from numba.core import codegen
from numba.extending import register_jitable

from pavane.jit.part_linking import parts_linked_only


def fresh_kernel() -> Callable[[int], int]:
    """Return a kernel that calls parts that call parts; none of them is compiled yet."""

    @register_jitable
    def square(number: int) -> int:
        return number * number

    @register_jitable
    def sum_of_squares(count: int) -> int:
        total = 0
        for number in range(count):
            total += square(number)
        return total

    def kernel(count: int) -> int:
        return int(sum_of_squares(count)) + int(square(count))

    return kernel


def compiled(kernel: Callable[[int], int]) -> Any:
    """Compile a kernel with its parts."""
    code: Any = numba.njit(kernel)
    with parts_linked_only():
        code.compile((numba.int64,))
    return code


def test_a_kernel_computes_what_it_does_uncompiled() -> None:
    """Parts two calls deep are in the machine code of the kernel."""
    kernel = fresh_kernel()
    code = compiled(kernel)
    assert [code(count) for count in range(6)] == [kernel(count) for count in range(6)]


def test_parts_are_not_optimized_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only functions that Python can call are optimized: fewer than numba alone optimizes."""
    optimized = []
    usual: Any = codegen.JITCodeLibrary._optimize_final_module

    def counted(library: Any) -> None:
        optimized.append(library.name)
        usual(library)

    monkeypatch.setattr(codegen.JITCodeLibrary, "_optimize_final_module", counted)
    code: Any = numba.njit(fresh_kernel())
    code.compile((numba.int64,))
    alone = len(optimized)
    compiled(fresh_kernel())
    assert 0 < len(optimized) - alone < alone


def test_numba_compiles_as_usual_afterwards() -> None:
    """What was replaced is put back, also after an error."""
    target = codegen.JITCPUCodegen
    before = target._library_class, target.set_env
    with pytest.raises(ZeroDivisionError), parts_linked_only():
        raise ZeroDivisionError
    assert (target._library_class, target.set_env) == before


def test_a_numba_of_other_internals_compiles_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the attributes that are replaced do not exist, nothing is replaced."""
    monkeypatch.setattr(codegen, "JITCPUCodegen", type("Other", (), {}))
    with parts_linked_only():
        assert not vars(codegen.JITCPUCodegen).get("_library_class")
