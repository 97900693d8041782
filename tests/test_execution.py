"""Execution on real MPI processes: wrong data are found, and no process that is lost makes the others wait."""

from __future__ import annotations

import importlib.util
import signal
import subprocess

import pytest

from pavane import execution
from pavane.errors import InputError, PavaneError
from pavane.execution import execute
from pavane.io.formats.export import Export, Options
from pavane.io.formats.mpi_python import MPI_PYTHON
from pavane.judge.result import Result
from pavane.search.synthesis import solve
from tests.installed import need_mpi
from tests.io.formats.several_schedules import PROBLEMS
from tests.io.formats.several_schedules import solved as several
from tests.io.small import over_a_switch
from tests.problems import problem_of


def solved(network: str, kind: str) -> Result:
    """Return a schedule of a small problem."""
    return solve(problem_of(network, kind), method="greedy")


@pytest.mark.parametrize(
    ("kind", "library"),
    [("aas", "MPI_Alltoall"), ("aab", "MPI_Allgather"), ("aar", "MPI_Reduce_scatter_block"), ("oab", None)],
)
def test_all_data_are_right(kind: str, library: str | None) -> None:
    """The data are checked once, and the schedule and the library's collective are timed as often as requested."""
    need_mpi()
    done = execute(solved("ring:3", kind), size=24, repeat=2, timeout=300)
    assert (done.num_processes, done.num_wrong, done.num_repeats, done.library) == (3, 0, 2, library)
    assert done.time > 0
    assert (done.library_time is None) == (library is None)


def test_wrong_data_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processors that have something else in the end than the collective gives them are counted."""
    need_mpi()
    result = solved("ring:3", "aas")
    ((name, program),) = MPI_PYTHON.write(result, Options()).items()
    spoiled = program.replace(b"[place // 3] = block", b"[place // 3] = block + np.uint64(me == 1)")
    assert spoiled != program
    monkeypatch.setattr(Export, "write", lambda *_: {name: spoiled})
    assert execute(result, size=16, timeout=300).num_wrong == 1


@pytest.mark.parametrize("name", PROBLEMS)
def test_several_collectives_run_at_once(name: str) -> None:
    """Each has a communicator of its own, and the time is that of all together."""
    need_mpi()
    done = execute(several(name), size=16, timeout=300)
    assert (done.num_wrong, done.library) == (0, None)


def test_what_has_no_program_is_refused() -> None:
    """Messages that rest at pure switches need a processor there, and MPI has none."""
    problem, schedule = over_a_switch()
    with pytest.raises(InputError, match="MPI cannot run this schedule: messages rest at the pure switch r1"):
        execute(Result(problem, schedule), size=8)


def test_under_mpiexec_the_program_is_started_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run starts mpiexec itself, and does not do so in each of many processes."""
    monkeypatch.setenv("PMI_SIZE", "4")
    with pytest.raises(InputError, match="`pavane export FILE --to mpi-python` writes"):
        execute(solved("ring:3", "aas"), size=8)


def test_a_run_that_takes_too_long_is_ended() -> None:
    """After the timeout all processes are ended, and one line says so."""
    need_mpi()
    with pytest.raises(PavaneError, match=r"the run was not done after 0\.5 s and was ended"):
        execute(solved("ring:3", "aas"), size=1, repeat=10_000_000, timeout=0.5)


def test_without_mpi_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without mpi4py, or without mpiexec, the line names the extra `mpi`."""
    result = solved("ring:3", "aas")
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    if importlib.util.find_spec("mpi4py") is not None:
        with pytest.raises(PavaneError, match=r"no mpiexec .*pip install '\.\[mpi\]'"):
            execute(result, size=1)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(PavaneError, match=r"mpi4py .*pip install '\.\[mpi\]'"):
        execute(result, size=1)


def test_a_failing_mpiexec_is_one_line() -> None:
    """Whatever mpiexec prints, the reason is one line with the last thing printed."""
    assert execution._why(9, "=\nEXIT STRING: Killed (signal 9)\nThis typically ...", 16) == (
        "one of the 16 MPI processes ended before the run was done: killed, signal 9"
    )
    text = execution._why(3, "hello\n2 processes were started, but they do not find each other\n\n", 2)
    assert text.endswith("mpiexec with code 3: 2 processes were started, but they do not find each other")


def test_open_mpi_starts_more_processes_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """It refuses them without an option."""
    need_mpi()
    probe = subprocess.CompletedProcess([], 0, "mpiexec (OpenRTE) 4.1.4, Open MPI\n", "")
    monkeypatch.setattr("subprocess.run", lambda *_, **__: probe)
    for user, more in ((0, ["--allow-run-as-root"]), (1000, [])):
        monkeypatch.setattr("os.geteuid", lambda user=user: user)
        assert execution.mpiexec()[1:] == ["--oversubscribe", *more]


def test_an_mpiexec_that_does_not_end_is_killed_with_all_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is terminated first, and has five seconds."""
    events: list[object] = []

    class Deaf:
        """A process that ends by a kill only."""

        pid = 4711

        def poll(self) -> None:
            """Run on."""

        def terminate(self) -> None:
            """Run on."""
            events.append("terminated")

        def wait(self, timeout: float | None = None) -> None:
            """Run on, unless it was killed."""
            if timeout is not None:
                raise subprocess.TimeoutExpired("mpiexec", timeout)
            events.append("gone")

    monkeypatch.setattr("os.killpg", lambda *about: events.append(about))
    execution._end(Deaf())  # type: ignore[arg-type]
    assert events == ["terminated", (4711, signal.SIGKILL), "gone"]
