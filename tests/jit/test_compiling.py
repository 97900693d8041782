"""Kernels become machine code, which is kept for the sources as they are and no others."""

import shutil
import subprocess
import sys
import weakref
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import pavane.jit
from pavane.jit import compiled

KERNEL = '''
"""A kernel."""
from pavane.jit.toy_part import part


def toy(number):
    """Return what the part makes of a number."""
    return part(number)
'''
ASKED = "from pavane.jit import compiled; from pavane.jit.toy import toy; print(compiled(toy)(20))"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Copy the package, and put a kernel in whose part stands in another file."""
    package = tmp_path / "pavane"
    (package / "jit").mkdir(parents=True)
    sources = Path(pavane.jit.__file__).parent
    (package / "__init__.py").write_text("")
    for source in sources.glob("*.py"):
        shutil.copy(source, package / "jit" / source.name)
    (package / "jit" / "toy.py").write_text(KERNEL)
    return package / "jit"


def ask(house: Path, **environment: str) -> str:
    """Run the kernel in a new process."""
    root = house.parent.parent
    said = {"PYTHONPATH": str(root), "HOME": str(root), **environment}
    done = subprocess.run([sys.executable, "-c", ASKED], cwd=root, env=said, capture_output=True)
    return done.stdout.decode().strip() or done.stderr.decode()


def test_a_change_to_a_part_is_seen(house: Path) -> None:
    """Machine code of before is not run after a change to what a kernel calls in another file."""
    part = house / "toy_part.py"
    part.write_text("def part(number):\n    return number + 1\n")
    assert [ask(house), ask(house)] == ["21", "21"]
    part.write_text("def part(number):\n    return number + 2\n")
    assert ask(house) == "22"


def test_machine_code_is_kept(house: Path) -> None:
    """The second process finds what the first has compiled."""
    (house / "toy_part.py").write_text("def part(number):\n    return number + 1\n")
    ask(house)
    kept = sorted(path for path in house.rglob("*.nbc"))
    assert kept
    ask(house)
    assert sorted(path for path in house.rglob("*.nbc")) == kept


def test_the_folder_of_others_stays_theirs() -> None:
    """Compiling a kernel leaves numba's settings for other programs as they were."""
    config: Any = import_module("numba.core.config")
    before = config.CACHE_DIR
    assert compiled(_double)(4) == 8
    assert before == config.CACHE_DIR


@pytest.mark.parametrize("kernel", ["_added", "_added_in_a_copy"])
def test_arrays_without_reference_counting(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels and parts that make no arrays change those of their caller, and these are freed after the last use."""
    monkeypatch.setattr("pavane.jit.compiling.JIT", "tests.jit")
    numbers = Numbers(np.arange(5), np.zeros(5, dtype=np.int64))
    held = weakref.ref(numbers.sums)
    assert compiled(globals()[kernel])(numbers) == 20
    assert numbers.sums.tolist() == [0, 1, 3, 6, 10]
    del numbers
    assert held() is None


def test_a_part_may_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception of a part, which has no machine code of its own, leaves its kernel."""
    monkeypatch.setattr("pavane.jit.compiling.JIT", "tests.jit")
    with pytest.raises(IndexError, match="too many"):
        compiled(_out_of_bounds)(Numbers(np.arange(5), np.zeros(5, dtype=np.int64)))


def test_without_a_folder_kernels_are_compiled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no folder is safe nothing is kept, and a folder that numba chose itself is not used either."""
    monkeypatch.setattr("pavane.jit.compiling.kernel_cache", lambda: None)
    assert compiled(_triple)(4) == 12


def test_a_folder_that_numba_falls_back_to_is_not_used(house: Path, tmp_path: Path) -> None:
    """If the chosen folder cannot be written to, nothing is read from or written to another one."""
    (house / "toy_part.py").write_text("def part(number):\n    return number + 1\n")
    (tmp_path / "file").write_text("where a folder should be")
    assert ask(house, NUMBA_CACHE_DIR=str(tmp_path / "file")) == "21"
    assert not list(tmp_path.rglob("*.nbi"))


class Numbers(NamedTuple):
    """What the kernels work on."""

    values: Any
    sums: Any


def _add_up(numbers: Numbers) -> int:
    total = 0
    for index in range(len(numbers.values)):
        total += numbers.values[index]
        numbers.sums[index] = total
    return total


def _added(numbers: Numbers) -> int:
    return _add_up(numbers) + _add_up(numbers)


def _added_in_a_copy(numbers: Numbers) -> int:
    return _add_up(numbers) + _add_up(Numbers(numbers.values.copy(), numbers.sums))


def _out_of_bounds(numbers: Numbers) -> int:
    return _entry(numbers.values, (1, 2, 3))


def _entry(values: Any, index: tuple[int, ...]) -> int:
    if len(index) > values.ndim:
        raise IndexError("too many")
    return 0


def _double(number: int) -> int:
    return 2 * number


def _triple(number: int) -> int:
    return 3 * number
