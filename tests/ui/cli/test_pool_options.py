"""Studies on clusters: processes are killed in the midst, and every run is there once, as if nothing had been."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pavane.ui.cli import run
from tests.installed import need_mpi
from tests.parallel.clusters import PATIENCE, Cluster, environment, need_dask, wait_until
from tests.ui.cli.calls import Call, in_a_process

STUDY = ["study", "mesh:3x3", "aas", "--method", "umda", "--evaluations", "1500", "--seeds", "60"]

Run = tuple[int, int | None, int, str]


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """Start a scheduler, without workers."""
    need_dask()
    made = Cluster()
    try:
        made.start_scheduler()
        yield made
    finally:
        made.end()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Return the runs of a study in one process."""
    file = tmp_path_factory.mktemp("alone") / "runs.jsonl"
    assert run([*STUDY, "-o", str(file)]) == 0
    return _runs(file)


def _runs(file: Path) -> list[Run]:
    """Return the whole lines of a run file, without the seconds that they took."""
    text = file.read_text() if file.exists() else ""
    lines = [json.loads(line) for line in text.rpartition("\n")[0].splitlines()]
    return sorted((one["seed"], one.get("figure"), one["evaluations"], json.dumps(one["trace"])) for one in lines)


def _started(words: list[str | Path], folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        words, env=environment(), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_a_study_survives_the_loss_of_workers_and_goes_on_after_that_of_its_scheduler(
    cluster: Cluster, tmp_path: Path, alone: list[Run]
) -> None:
    """A worker is killed, one joins late, the scheduler is killed, the command is run again: 60 runs, each once."""
    kept = tmp_path / "kept.jsonl"
    study: list[str | Path] = [*STUDY, "-o", kept, "--cluster", cluster.address]
    workers = [cluster.start_worker() for _ in range(2)]
    first = _started([sys.executable, "-m", "pavane", *study], tmp_path)
    wait_until(lambda: len(_runs(kept)) >= 10, "ten runs")
    workers[0].kill()
    cluster.start_worker()
    wait_until(lambda: len(_runs(kept)) >= 20, "twenty runs")
    assert cluster.scheduler is not None
    cluster.scheduler.kill()
    cluster.scheduler.join()
    out, err = first.communicate(timeout=PATIENCE)
    assert first.returncode == 1, err
    assert out == ""
    assert err == (
        f"pavane: error: the dask scheduler at {cluster.address} is lost; start it and its workers, and run the same "
        "command again (with a file of runs, finished runs are not repeated)\n"
    )
    before = len(_runs(kept))
    assert before < 60

    cluster.start_scheduler()
    cluster.start_worker()
    second = _started([sys.executable, "-m", "pavane", *study], tmp_path)
    out, err = second.communicate(timeout=PATIENCE)
    assert second.returncode == 0, err
    assert "60 seeds" in out
    assert _runs(kept) == alone


def test_searches_are_handed_to_a_cluster(cluster: Cluster, call: Call) -> None:
    """`solve`, its fronts and `faults` answer as they do alone."""
    cluster.start_worker()
    for words in (
        ["solve", "kautz:2,2", "aas", "--json"],
        ["solve", "ring:5", "aas", "--combining", "--evaluations", "200", "--json"],
        ["faults", "ring:5", "aas", "--json"],
    ):
        answers = [call.good(*words, *more) for more in ([], ["--cluster", cluster.address])]
        assert _timeless(json.loads(answers[0])) == _timeless(json.loads(answers[1]))


def _timeless(told: object) -> object:
    if isinstance(told, dict):
        return {key: _timeless(value) for key, value in told.items() if key not in ("seconds", "trace")}
    return [_timeless(one) for one in told] if isinstance(told, list) else told


def test_bad_addresses_are_refused(call: Call) -> None:
    """One line, and exit code 2."""
    solve = ("solve", "ring:4", "aas")
    assert call(*solve, "--cluster", "head").is_refusal("--cluster head is not an address; write tcp://host:8786")
    assert call(*solve, "--cluster", "tcp://127.0.0.1:1", "--workers", "0").is_refusal("workers 0")


def test_an_mpi_job_of_one_process_is_refused() -> None:
    """The line says how to start more."""
    need_mpi()
    answer = in_a_process("solve", "ring:4", "aas", "--cluster", "mpi")
    assert answer.is_refusal("--cluster mpi needs at least two processes; start them with: mpiexec -n 4 pavane ...")
