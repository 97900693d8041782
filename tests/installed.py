"""Programs that tests need: a test is skipped where one is not installed."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def need_mpi() -> str:
    """Skip the test where there is no MPI; return its mpiexec."""
    mpiexec = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
    if importlib.util.find_spec("mpi4py") is None or mpiexec is None:
        pytest.skip("mpi4py and mpiexec are not installed: pip install '.[mpi]'")
    return mpiexec


def need_simgrid() -> str:
    """Return a Python that has SimGrid, or skip the test."""
    found = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if found is None:
        pytest.skip("there is no system Python to have SimGrid")
    if subprocess.run([found, "-c", "import simgrid"], capture_output=True, check=False, timeout=300).returncode:
        pytest.skip(f"{found} has no module simgrid: apt install python3-simgrid")
    return found
