"""Clusters by their address: dask schedulers and MPI jobs; lost workers, lost schedulers, and refused addresses."""

import builtins
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.parallel.cluster import cluster_workers, run_job
from pavane.parallel.pools import Workers
from pavane.parallel.tasks import WorkerLost
from tests.installed import need_mpi
from tests.parallel.clusters import ROOT, Cluster, environment
from tests.parallel.conftest import IN_MPI_JOB
from tests.parallel.errands import lost, lost_once

JOB = """
import sys
import pytest
from pavane.parallel.cluster import run_job

def lead():
    arguments = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "mpi", "tests/parallel/test_pool.py"]
    sys.exit(pytest.main(arguments))

run_job(lead)
"""


def test_the_task_of_a_killed_worker_is_sent_again(dask_cluster: Cluster, on_dask: Workers, tmp_path: Path) -> None:
    """Another worker finishes it, and no result comes twice."""
    dask_cluster.start_worker()
    with on_dask.pool(6, tmp_path) as pool:
        assert list(pool.results(lost_once, [(n,) for n in range(6)])) == [(n, n) for n in range(6)]


def test_a_task_that_kills_its_workers_is_lost_alone(dask_cluster: Cluster, on_dask: Workers) -> None:
    """The other tasks are finished."""
    dask_cluster.start_worker()
    dask_cluster.start_worker()
    with on_dask.pool(4, 0) as pool:
        answers = dict(pool.results(lost, [(n,) for n in range(4)]))
    assert isinstance(answers.pop(1), WorkerLost)
    assert answers == {0: 0, 2: 2, 3: 3}


def test_the_tests_of_all_pools_hold_in_an_mpi_job() -> None:
    """Order, errors, stopping and interrupts, with two workers; all processes end with the first."""
    mpiexec = need_mpi()
    made = subprocess.run(
        [mpiexec, "-n", "3", sys.executable, "-c", JOB],
        cwd=ROOT,
        env={**environment(), IN_MPI_JOB: "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    assert made.stdout.count("[100%]") == 1, made.stdout
    assert ("." * 6) in made.stdout


ADDRESS = r"is not an address; write tcp://host:8786, tls://host:8786 or mpi$"


@pytest.mark.parametrize(
    ("address", "most", "text"),
    [
        *[(address, 1, ADDRESS) for address in ("head", "head:8786", "http://head:8786", "tcp://:8786", "", "MPI")],
        *[("tcp://127.0.0.1:1", most, rf"^workers {most}: a search needs at least one") for most in (0, -1)],
    ],
)
def test_other_texts_than_addresses_and_no_workers_are_refused(address: str, most: int, text: str) -> None:
    """The error says how an address is written, and that somebody must work."""
    with pytest.raises(InputError, match=text), cluster_workers(address, most):
        pass


@pytest.mark.parametrize(
    ("address", "is_warned"),
    [
        *[("tcp://127.0.0.1:1", False), ("tcp://localhost:1", False), ("tcp://[::1]:1", False)],
        *[("tls://10.0.0.7:1", False), ("tcp://10.0.0.7:1", True), ("tcp://head:1", True)],
    ],
)
def test_plain_connections_beyond_this_machine_have_a_warning(
    address: str, is_warned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line names the risk, and the settings of TLS."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", _raiser(OSError("nothing there")))
    notes: list[str] = []
    with (
        pytest.raises(InputError, match="no dask scheduler answers there"),
        cluster_workers(address, None, notes.append),
    ):
        pass
    assert len(notes) == is_warned
    for text in notes:
        assert text.startswith(f"{address}: anyone who can reach that port can run programs as you")
        assert "distributed.comm.tls" in text


def _raiser(error: Exception) -> Any:
    def raise_error(*_: Any, **__: Any) -> Any:
        raise error

    return raise_error


def test_without_dask_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    usual = builtins.__import__

    def missing(name: str, *rest: Any, **named: Any) -> Any:
        if name.partition(".")[0] == "distributed":
            raise ImportError(name)
        return usual(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", missing)
    with (
        pytest.raises(InputError, match=r"needs more .* pip install '\.\[cluster\]' in the folder of its sources$"),
        cluster_workers("tcp://127.0.0.1:1"),
    ):
        pass


def test_without_mpi_the_first_process_leads_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """It reports what is missing when workers are requested."""
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    led: list[str] = []
    run_job(lambda: led.append("here"))
    assert led == ["here"]
    with (
        pytest.raises(InputError, match="`cluster=mpi` needs more packages; install them with: "),
        cluster_workers("mpi"),
    ):
        pass


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError("refused"), r"^`cluster=tls://s:1`: no dask scheduler answers there; is it running\?$"),
        (TypeError("no ssl_context"), r"^`cluster=tls://s:1` cannot be used: no ssl_context$"),
        (ValueError("unknown scheme"), r"^`cluster=tls://s:1` cannot be used: unknown scheme$"),
    ],
)
def test_a_scheduler_that_cannot_be_used_is_refused_in_one_line(
    error: Exception, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With dask's reason where there is one."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", _raiser(error))
    with pytest.raises(InputError, match=line), cluster_workers("tls://s:1"):
        pass


def test_a_scheduler_without_workers_is_refused(dask_cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while, with the command that starts one."""
    distributed = pytest.importorskip("distributed")
    waited: list[tuple[int, float]] = []

    def wait_for_workers(_: object, number: int, timeout: float) -> None:
        waited.append((number, timeout))
        raise TimeoutError

    monkeypatch.setattr(distributed.Client, "wait_for_workers", wait_for_workers)
    with (
        pytest.raises(InputError, match="no worker has joined; start some with: dask worker --nthreads 1 tcp://"),
        cluster_workers(dask_cluster.address),
    ):
        pass
    assert waited == [(1, 60.0)]
