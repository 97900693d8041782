"""Kernels become machine code, which is kept for the sources as they are and no others."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import pavane.kernels
from pavane.kernels import compiled
from pavane.kernels.compiling import _cache_folder, _held_interrupts

KERNEL = '''
"""A kernel."""
from pavane.kernels.toy_part import part


def toy(number):
    """Return what the part makes of a number."""
    return part(number)
'''
ASKED = "from pavane.kernels import compiled; from pavane.kernels.toy import toy; print(compiled(toy)(20))"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Copy the package, and put a kernel in whose part stands in another file."""
    package = tmp_path / "pavane"
    (package / "kernels").mkdir(parents=True)
    sources = Path(pavane.kernels.__file__).parent
    (package / "__init__.py").write_text("")
    for name in ("__init__.py", "compiling.py"):
        shutil.copy(sources / name, package / "kernels" / name)
    (package / "kernels" / "toy.py").write_text(KERNEL)
    return package / "kernels"


def ask(house: Path) -> str:
    """Run the kernel in a new process."""
    root = house.parent.parent
    done = subprocess.run([sys.executable, "-c", ASKED], cwd=root, env={"PYTHONPATH": str(root)}, capture_output=True)
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
    assert _cache_folder().name.startswith("kernels-")


def test_an_interrupt_while_compiling_comes_through() -> None:
    """Ctrl-C during the compiler's work lets it end, and is raised then."""
    ended = []

    def work() -> None:
        with _held_interrupts():
            signal.raise_signal(signal.SIGINT)
            ended.append("compiled")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended == ["compiled"]


def _double(number: int) -> int:
    return 2 * number
