"""Executes a schedule on MPI: under an mpiexec of its own, or under the one that pavane was started by."""

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
import threading
from pathlib import Path
from typing import Any

from pavane.errors import InputError, PavaneError
from pavane.execution import mpi_worker
from pavane.execution.execution import Execution
from pavane.execution.jobs import job as job_of
from pavane.execution.jobs import plain_problem
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.timed import TimedProblem, TimedSchedule
from pavane.text import installing

INSTALL = f"install them with: {installing('mpi')}"
STARTED_BY_MPI = ("PMI_SIZE", "PMIX_RANK", "OMPI_COMM_WORLD_SIZE")
"""Variables that mpiexec gives to the processes that it starts (MPICH and its kin, PMIx, Open MPI)."""


def is_under_mpi() -> bool:
    """Whether this process was started by an mpiexec."""
    return any(name in os.environ for name in STARTED_BY_MPI)


def execute(
    problem: Problem | TimedProblem,
    schedule: Schedule | TimedSchedule,
    size: int,
    repeat: int = 1,
    timeout: float = 600,
    spoil: tuple[int, int] | None = None,
) -> Execution:
    """Execute a schedule with messages of `size` bytes on MPI processes that are started for it.

    A timed schedule needs its problem with links. It is executed without clocks: each transfer starts when its data
    and channels are there. `spoil` names a process and a step, from 0, that sends one wrong byte in the first repeat: a
    test of the check.
    """
    job = job_of(problem, schedule, size, repeat, spoil)
    return Execution.of(plain_problem(problem), schedule, job, _launched(job, timeout))


# -- under an mpiexec of our own


def _launched(job: dict[str, Any], timeout: float) -> dict[str, Any]:
    command = [*mpiexec(), "-n", str(len(job["programs"])), sys.executable, "-P", mpi_worker.__file__]
    with tempfile.TemporaryDirectory(prefix="pavane-") as folder:
        job_file, answer_file, log = (Path(folder) / name for name in ("job.json", "answer.json", "log.txt"))
        job_file.write_text(json.dumps(job), encoding="utf-8")
        with log.open("wb") as said:
            process = subprocess.Popen(
                [*command, str(job_file), str(answer_file), str(timeout)],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
            try:
                code = process.wait(timeout)
            except subprocess.TimeoutExpired:
                raise PavaneError(
                    f"the run was not done after {timeout:g} s and was ended; give it longer with `timeout`"
                ) from None
            finally:
                _end(process)
        if code or not answer_file.exists():
            raise PavaneError(_why(code, log.read_text(encoding="utf-8", errors="replace"), len(job["programs"])))
        answer: dict[str, Any] = json.loads(answer_file.read_text(encoding="utf-8"))
        return answer


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


def _why(code: int, said: str, num_processes: int) -> str:
    """Return in one line why a run did not end."""
    lost = re.search(r"EXIT STRING: (.+?) \(signal (\d+)\)", said)
    if lost:
        how = f"{lost[1].lower()}, signal {lost[2]}"
        return f"one of the {num_processes} MPI processes ended before the run was done: {how}"
    ours = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("=")]
    last = f": {ours[-1]}" if ours else ""
    return f"the {num_processes} MPI processes ended before the run was done, mpiexec with code {code}{last}"


# -- under the user's own mpiexec


class SilentExit(Exception):
    """This process has nothing to say, another one says it; `code` is the exit code of all."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def execute_here(  # pragma: no cover - covered in processes under mpiexec
    load: Any, size: int, repeat: int, timeout: float
) -> tuple[Problem | TimedProblem, Schedule | TimedSchedule, Execution]:
    """Execute the schedule that `load()` gives on the processes of the running mpiexec; only process 0 returns.

    The others raise SilentExit when all is done, so that one process alone speaks.
    """
    try:
        from mpi4py import MPI
    except ImportError:
        raise PavaneError(f"a run needs mpi4py and an MPI library; {INSTALL}") from None
    comm = MPI.COMM_WORLD
    threading.Thread(target=_alarm, args=(timeout, comm.rank == 0), daemon=True).start()
    if comm.rank:
        code = comm.bcast(None)
        if code is None:
            mpi_worker.perform(comm, None)
            code = comm.bcast(None)
        raise SilentExit(code)
    try:
        problem, schedule = load()
        job = job_of(problem, schedule, size, repeat)
        if comm.size != len(job["programs"]):
            raise InputError(
                f"mpiexec started {comm.size} processes, but this schedule takes {len(job['programs'])}; "
                f"start it with mpiexec -n {len(job['programs'])}"
            )
    except PavaneError as error:
        comm.bcast(2 if isinstance(error, InputError) else 1)
        raise
    comm.bcast(None)
    answer = mpi_worker.perform(comm, job)
    assert answer is not None
    comm.bcast(1 if answer["wrong_bytes"] else 0)
    return problem, schedule, Execution.of(plain_problem(problem), schedule, job, answer)


def _alarm(timeout: float, speaks: bool) -> None:  # pragma: no cover - it ends the process
    """End this process when its time is over: the user's mpiexec then ends the others."""
    threading.Event().wait(timeout)
    if speaks:
        print(f"pavane: error: the run was not done after {timeout:g} s and was ended; give it longer", file=sys.stderr)
        sys.stderr.flush()
    os._exit(1)
