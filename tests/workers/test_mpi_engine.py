"""Crews in an MPI job: the tests of all crews are run by its first process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pavane.errors import InputError
from pavane.workers.mpi_engine import MpiEngine
from tests.execute.small import need_mpi
from tests.workers.clusters import ROOT, environment
from tests.workers.conftest import IN_MPI_JOB

JOB = """
import sys
import pytest
from pavane.workers.mpi_engine import take_part

def lead():
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "mpi", "tests/workers/test_crew.py"]))

take_part(lead)
"""


def test_the_tests_of_all_crews_hold_in_an_mpi_job() -> None:
    """Order, errors, stopping and interrupts, with two workers; all processes end with the first."""
    mpiexec = need_mpi()
    made = subprocess.run(
        [mpiexec, "-n", "3", sys.executable, "-c", JOB],
        cwd=ROOT,
        env={**environment(), IN_MPI_JOB: "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    assert made.stdout.count("[100%]") == 1, made.stdout
    assert ("." * 6) in made.stdout


def test_one_process_is_too_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line says how to start more."""

    class World:
        """A job of one."""

        def Get_size(self) -> int:  # noqa: N802
            """Return its size."""
            return 1

    monkeypatch.setattr("pavane.workers.mpi_engine._world", World)
    with pytest.raises(InputError, match=r"needs at least two processes; start them with: mpiexec -n 4 pavane \.\.\.$"):
        MpiEngine()
