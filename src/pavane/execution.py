"""Executes schedules on MPI: the program that is exported, with a process for each processor."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from pavane.errors import InputError, PavaneError
from pavane.io.formats.export import Options
from pavane.io.formats.mpi_python import MPI_PYTHON, library_call
from pavane.judge.result import Result
from pavane.text import installing

INSTALL = f"install them with: {installing('mpi')}"

STARTED_BY_MPI = ("PMI_SIZE", "PMIX_RANK", "OMPI_COMM_WORLD_SIZE")
"""Variables that mpiexec gives to the processes that it starts (MPICH and its kin, PMIx, Open MPI)."""


@dataclass(frozen=True)
class Execution:
    """A schedule that was executed: whether all data are right, and how long it took."""

    num_processes: int
    mpi: str
    """The MPI library and its version."""
    num_wrong: int
    """The processes that have wrong data in the end."""
    seconds: tuple[float, ...]
    """The time of each repeat: that of the slowest process."""
    library: str | None
    """The collective of MPI that does the same with the same buffers, if there is one."""
    library_seconds: tuple[float, ...] = ()

    @property
    def num_repeats(self) -> int:
        """Return the number of repeats."""
        return len(self.seconds)

    @property
    def time(self) -> float:
        """Return the median time of the repeats."""
        return median(self.seconds)

    @property
    def library_time(self) -> float | None:
        """Return the median time of the library's collective."""
        return median(self.library_seconds) if self.library_seconds else None


def execute(result: Result, size: int, repeat: int = 1, timeout: float = 600) -> Execution:
    """Export a schedule with messages of `size` bytes as a program for MPI, run it, and return what it reports."""
    if size < 1:
        raise InputError(f"messages of {size} bytes carry nothing to check; give 1 or more")
    if any(name in os.environ for name in STARTED_BY_MPI):
        raise InputError(
            "a run starts mpiexec itself; under your own, start the program that `pavane export FILE --to mpi-python` "
            "writes"
        )
    refusal = MPI_PYTHON.refusal(result)
    if refusal is not None:
        raise InputError(f"MPI cannot run this schedule: {refusal}")
    ((name, program),) = MPI_PYTHON.write(result, Options(size=size)).items()
    count = result.problem.network.num_processors
    with tempfile.TemporaryDirectory(prefix="pavane-") as folder:
        (Path(folder) / name).write_bytes(program)
        command = [*mpiexec(), "-n", str(count), sys.executable, "-P", name, str(size), str(repeat)]
        report = _report(command, folder, count, timeout)
    library = library_call(result.problem)
    return Execution(
        count,
        report["mpi"],
        report["wrong"],
        tuple(report["seconds"]),
        None if library is None else f"MPI_{library}",
        tuple(report.get("library_seconds", ())),
    )


def mpiexec() -> list[str]:
    """Return mpiexec, the one beside this Python first, with what Open MPI needs to start many processes."""
    if importlib.util.find_spec("mpi4py") is None:
        raise PavaneError(f"a run needs mpi4py and an MPI library; {INSTALL}")
    beside = Path(sys.executable).parent
    found = shutil.which("mpiexec", path=str(beside)) or shutil.which("mpiexec")
    if found is None:
        raise PavaneError(f"there is no mpiexec beside {sys.executable} or on the PATH; {INSTALL}")
    probe = subprocess.run([found, "--version"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if "Open MPI" not in probe.stdout or "HYDRA" in probe.stdout:
        return [found]
    return [found, "--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]


def _report(command: list[str], folder: str, num_processes: int, timeout: float) -> dict[str, Any]:
    """Run a program and return what it reports; an error says in one line why there is no report."""
    log = Path(folder) / "log.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise PavaneError(
                f"the run was not done after {timeout:g} s and was ended; give it longer with `timeout`"
            ) from None
        finally:
            _end(process)
    printed = log.read_text(encoding="utf-8", errors="replace")
    # A program that finds wrong data reports them, and mpiexec has more to say about its exit code.
    reports = [line for line in printed.splitlines() if line.startswith("{")]
    if not reports:
        raise PavaneError(_why(code, printed, num_processes))
    report: dict[str, Any] = json.loads(reports[0])
    return report


def _end(process: subprocess.Popen[bytes]) -> None:
    """End mpiexec, which ends its processes; where it does not, end them all."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _why(code: int, printed: str, num_processes: int) -> str:
    """Return in one line why a run did not end."""
    lost = re.search(r"EXIT STRING: (.+?) \(signal (\d+)\)", printed)
    if lost:
        how = f"{lost[1].lower()}, signal {lost[2]}"
        return f"one of the {num_processes} MPI processes ended before the run was done: {how}"
    ours = [line.strip() for line in printed.splitlines() if line.strip() and not line.startswith("=")]
    last = f": {ours[-1]}" if ours else ""
    return f"the {num_processes} MPI processes ended before the run was done, mpiexec with code {code}{last}"
