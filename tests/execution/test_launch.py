"""Execution on real MPI processes: every byte is checked, and no process that is lost makes the others wait."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
from collections.abc import Callable

import pytest

from pavane.errors import PavaneError
from pavane.execution import launch
from pavane.execution.execution import WrongPayload
from pavane.execution.jobs import library
from pavane.execution.launch import execute
from pavane.io.programs import transfer_bytes
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from tests.execution.small import combined, need_mpi, over_a_switch, partial_sums, triangle, valid
from tests.io.formats.allreduces import ALLREDUCES, PASSING, doubling, of_some, summed
from tests.io.formats.pieced import PIECED
from tests.problems import problem_of


@pytest.mark.parametrize("made", [over_a_switch, combined, partial_sums], ids=lambda made: made.__name__)
def test_every_byte_arrives(made: Callable[[], tuple[Problem, Schedule]]) -> None:
    """Store-and-forward over a switch, combined payloads and partial sums all arrive as they should."""
    need_mpi()
    problem, schedule = made()
    done = execute(problem, schedule, size=24, repeat=2, timeout=300)
    assert (done.num_wrong, done.faults) == (0, ())
    assert done.num_processes == {"over_a_switch": 3, "combined": 4, "partial_sums": 3}[made.__name__]
    assert done.num_bytes == 24 * int(schedule.payloads.sum())
    assert len(done.step_seconds) == schedule.num_steps
    assert done.num_repeats == 2
    assert all(seconds > 0 for seconds in (*done.step_seconds, done.total, done.library_total))


@pytest.mark.parametrize(
    "name",
    [
        "aab in 3",
        "aar in 3, packed",
        "aas of sizes in 2",
        "aab of sizes in 3",
        "aar of sizes in 2",
        "oas of sizes",
        "aog of sizes in 2",
        "oab of a size",
        "aor of a size",
        "pairs of sizes",
        "aas in 2 on wide channels",
    ],
)
def test_every_byte_of_every_piece_arrives(name: str) -> None:
    """Pieces, sizes and wide channels, sums too; the library's collective has the same counts."""
    need_mpi()
    result = PIECED[name]()
    assert result.schedule is not None
    done = execute(result.problem, result.schedule, size=88, repeat=2, timeout=300)
    assert (done.num_wrong, done.faults) == (0, ())
    width = 8 if result.problem.pattern == "reduction" else 1
    assert done.num_bytes == transfer_bytes(result.problem, result.schedule, 88, width).sum()
    assert done.collective == ("MPI_Allgather" if name == "aab in 3" else f"MPI_{library(result.problem)['name']}")


ADDED_FOR_ALL: dict[str, Callable[[], Result]] = {
    **{
        name: ALLREDUCES[name]
        for name in (
            "allreduce through switches",
            "sums replaced",
            "allreduce of sizes in 2",
            "reduce-broadcast of a size",
        )
    },
    "allreduce of some": of_some,
    "recursive doubling in 2": lambda: doubling(2, 2),
    "allreduce over held switches": lambda: summed("rails:2,2", "allreduce", 2),
}


@pytest.mark.parametrize("name", ADDED_FOR_ALL)
def test_everyone_gets_every_sum(name: str) -> None:
    """Running sums in pieces and sizes, on up to 8 processes, are right wherever they arrive and in the end."""
    need_mpi()
    result = ADDED_FOR_ALL[name]()
    assert result.schedule is not None
    done = execute(result.problem, result.schedule, size=88, repeat=2, timeout=300)
    assert (done.num_wrong, done.faults, done.collective) == (0, (), "MPI_Allreduce")
    assert done.num_bytes == transfer_bytes(result.problem, result.schedule, 88, 8).sum()
    assert done.library_total > 0


@pytest.mark.parametrize("kind", ["aab", "aas", "aar"])
def test_relays_between_switches_that_pass(kind: str) -> None:
    """Over switches that pass, processors alone take part, and relay what is not theirs."""
    need_mpi()
    result = summed("rails:2,2", kind, 2, rules=PASSING)
    assert result.schedule is not None
    done = execute(result.problem, result.schedule, size=48, repeat=2, timeout=300)
    assert (done.num_wrong, done.faults, done.num_processes) == (0, (), 4)


def test_a_wrong_byte_of_a_running_sum_is_found() -> None:
    """What 0 sends wrong is wrong where it is added, and in every sum that is made of it."""
    need_mpi()
    result = doubling(2)
    assert result.schedule is not None
    done = execute(result.problem, result.schedule, size=8, repeat=1, timeout=300, spoil=(0, 1))
    assert {fault.message for fault in done.faults} == {0}
    assert {fault.process for fault in done.faults if fault.step is None} == {2}


def test_a_wrong_byte_of_a_piece_is_found() -> None:
    """Of a piece that is sent wrong only that piece is named, where it is received and where it is sent on."""
    need_mpi()
    result = PIECED["aas in 2 on wide channels"]()
    assert result.schedule is not None
    done = execute(result.problem, result.schedule, size=9, repeat=1, timeout=300, spoil=(0, 0))
    assert done.num_wrong >= 1
    assert len({fault.message for fault in done.faults}) == 1
    assert {fault.num_bytes for fault in done.faults} == {1}


@pytest.mark.parametrize(
    ("case", "spoil", "faults"),
    [
        (triangle(), (1, 0), [(0, 2, 0)]),
        # A relay hands a wrong byte on, so it is wrong twice.
        (over_a_switch(), (0, 0), [(0, 0, 2), (1, 0, 1)]),
        # A wrong partial sum spoils the whole.
        (partial_sums(), (2, 0), [(0, 0, 1), (1, 0, 0), (None, 0, 0)]),
    ],
    ids=["triangle", "switch", "sum"],
)
def test_a_wrong_byte_is_found(
    case: tuple[Problem, Schedule], spoil: tuple[int, int], faults: list[tuple[int | None, int, int]]
) -> None:
    """One byte that is sent wrong is counted wherever it arrives, with its step and message."""
    need_mpi()
    done = execute(*case, size=16, repeat=2, timeout=300, spoil=spoil)
    assert set(done.faults) == {WrongPayload(step, message, process, 1) for step, message, process in faults}
    assert done.num_wrong == len(faults)


def test_a_run_that_takes_too_long_is_ended() -> None:
    """After the timeout all processes are ended, and one line says so."""
    need_mpi()
    with pytest.raises(PavaneError, match=r"the run was not done after 0\.5 s and was ended"):
        execute(*triangle(), size=1, repeat=10_000_000, timeout=0.5)


def test_without_mpi_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without mpi4py, or without mpiexec, the line names the extra `mpi`."""
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    if importlib.util.find_spec("mpi4py") is not None:
        with pytest.raises(PavaneError, match=r"no mpiexec .*pip install '\.\[mpi\]'"):
            execute(*triangle(), size=1)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(PavaneError, match=r"mpi4py .*pip install '\.\[mpi\]'"):
        execute(*triangle(), size=1)


def test_a_failing_mpiexec_is_one_line() -> None:
    """Whatever mpiexec says, the reason is one line with the last thing said."""
    assert launch._why(9, "=\nEXIT STRING: Killed (signal 9)\nThis typically ...", 16) == (
        "one of the 16 MPI processes ended before the run was done: killed, signal 9"
    )
    said = launch._why(3, "hello\n2 processes were started, but they do not find each other\n\n", 2)
    assert said.endswith("mpiexec with code 3: 2 processes were started, but they do not find each other")


@pytest.mark.parametrize("kind", ["oas", "aog"])
def test_two_processes_need_not_share_a_core(kind: str) -> None:
    """Where every process has a core of its own it waits in the library, and the bytes are the same."""
    need_mpi()
    asked = problem_of("line:2", kind)
    sender, receiver = (0, 1) if kind == "oas" else (1, 0)
    channel = asked.network.channels.tolist().index([sender, receiver])
    problem, schedule = valid(asked, [Transfer(0, sender, receiver, (channel,), (0,))])
    done = execute(problem, schedule, size=24, repeat=2, timeout=300)
    assert (done.num_wrong, done.faults, done.num_processes) == (0, (), 2)
    assert done.collective == ("MPI_Scatter" if kind == "oas" else "MPI_Gather")


def test_what_never_arrives_is_wrong_in_the_end() -> None:
    """All its bytes are counted where they are missing."""
    need_mpi()
    problem, _ = triangle()
    first = [Transfer(0, 0, 1, (problem.network.channels.tolist().index([0, 1]),), (0,))]
    done = execute(problem, Schedule.from_transfers(first), size=16, repeat=1, timeout=300)
    assert done.num_wrong == 16 * 5
    assert {(fault.step, fault.num_bytes) for fault in done.faults} == {(None, 16)}


def test_open_mpi_is_asked_for_more_processes_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """It refuses them unless it is told to start them."""
    need_mpi()
    said = subprocess.CompletedProcess([], 0, "mpiexec (OpenRTE) 4.1.4, Open MPI\n", "")
    monkeypatch.setattr("subprocess.run", lambda *_, **__: said)
    for user, more in ((0, ["--allow-run-as-root"]), (1000, [])):
        monkeypatch.setattr("os.geteuid", lambda user=user: user)
        assert launch.mpiexec()[1:] == ["--oversubscribe", *more]


def test_an_mpiexec_that_does_not_end_is_killed_with_all_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked first, and has five seconds."""
    said: list[object] = []

    class Deaf:
        """A process that heeds nothing but a kill."""

        pid = 4711

        def poll(self) -> None:
            """Run on."""

        def terminate(self) -> None:
            """Run on."""
            said.append("terminated")

        def wait(self, timeout: float | None = None) -> None:
            """Run on, unless it was killed."""
            if timeout is not None:
                raise subprocess.TimeoutExpired("mpiexec", timeout)
            said.append("gone")

    monkeypatch.setattr("os.killpg", lambda *about: said.append(about))
    launch._end(Deaf())  # type: ignore[arg-type]
    assert said == ["terminated", (4711, signal.SIGKILL), "gone"]
