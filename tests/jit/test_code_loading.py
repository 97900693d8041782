"""Machine code from the disk is loaded without numba's declarations, and what is not there is compiled with them."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import caching

from pavane.jit.code_loading import load_without_declarations

PROGRAM = """
import sys
import numba
import numpy as np
from pavane.jit.code_loading import load_without_declarations

def doubled(numbers):
    return 2 * numbers

def halved(numbers):
    return numbers / 2

for name in sys.argv[1:]:
    code = numba.njit(globals()[name])
    code.enable_caching()
    load_without_declarations(code)
    print(code(np.arange(3)).tolist(), "numba.np.arraymath" in sys.modules)
"""


def run(folder: Path, *kernels: str) -> list[str]:
    """Run kernels in a new process, which stores their machine code in a folder; return the lines it prints."""
    program = folder / "program.py"
    if not program.exists():
        program.write_text(PROGRAM)
    command = [sys.executable, str(program), *kernels]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_declarations_are_loaded_to_compile_only(tmp_path: Path) -> None:
    """The second process needs no declarations, makes arrays all the same, and compiles another kernel with them."""
    assert run(tmp_path, "doubled") == ["[0, 2, 4] True"]
    assert run(tmp_path, "doubled") == ["[0, 2, 4] False"]
    assert run(tmp_path, "doubled", "halved") == ["[0, 2, 4] False", "[0.0, 0.5, 1.0] True"]


def test_a_numba_of_other_internals_loads_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where what is used does not exist, nothing is replaced."""
    source = tmp_path / "tripled.py"
    source.write_text("def tripled(number):\n    return 3 * number\n")
    spec: Any = importlib.util.spec_from_file_location("tripled", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    code: Any = numba.njit(module.tripled)
    code.enable_caching()
    monkeypatch.delattr(caching.Cache, "_guard_against_spurious_io_errors")
    load_without_declarations(code)
    assert "load_overload" not in vars(code._cache)
    monkeypatch.undo()
    assert code(np.int64(4)) == 12
