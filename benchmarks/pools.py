"""Measures the overhead and the speed-up of worker pools: `python -m benchmarks.pools`, a minute on a quiet machine.

Prints the overhead of an empty task with two workers, and the speed-up of a study and of a few packings with two
workers over one process, for local processes, for a dask scheduler and for an MPI job, all on this machine. Writes
benchmarks/results/pools.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pavane.campaign.solver_study import study
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.parallel.cluster import cluster_workers
from pavane.parallel.pools import SERIAL, Workers
from pavane.parallel.tasks import TaskContext
from pavane.search.options import SearchOptions
from pavane.solvers import SOLVERS
from pavane.solvers.large_scatter.packing import Packing

RESULTS = Path(__file__).parent / "results" / "pools.md"
EMPTY_TASKS = 200
SIZE = 2
MOST_CELLS = 300_000_000
"""A packing of less than a second."""

Figures = dict[str, float]


def main(arguments: list[str]) -> int:
    if arguments == ["--in-mpi-job"]:
        with cluster_workers("mpi") as workers:
            print(json.dumps(measured(workers)))
        return 0
    warm_up()
    alone = {"study": seconds_of(SERIAL, studied), "packing": seconds_of(SERIAL, packings)}
    figures = {"local processes": measured(Workers(SIZE))}
    with dask_workers() as address, cluster_workers(address) as workers:
        figures["dask, on loopback"] = measured(workers)
    figures["MPI"] = in_mpi_job()
    lines = [
        f"One process alone: study {alone['study']:.1f} s, packing {alone['packing']:.1f} s.",
        "",
        "| two workers | overhead of a task | study | speed-up | packing | speed-up |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, took in figures.items():
        speedup = {what: f"{took[what]:.1f} s | {alone[what] / took[what]:.2f}" for what in alone}
        lines.append(f"| {name} | {1000 * took['overhead']:.1f} ms | {speedup['study']} | {speedup['packing']} |")
    text = "\n".join(lines) + "\n"
    print(text)
    RESULTS.write_text(text, encoding="utf-8")
    return 0


def measured(workers: Workers) -> Figures:
    """Return the seconds of an empty task, of the study and of the packings, with workers that have begun before."""
    seconds_of(workers, lambda some: empty(some, 20))
    overhead = seconds_of(workers, lambda some: empty(some, EMPTY_TASKS)) / EMPTY_TASKS
    studied(workers, seeds=2)
    study_seconds = seconds_of(workers, studied)
    packings(workers, seeds=2)
    return {"overhead": overhead, "study": study_seconds, "packing": seconds_of(workers, packings)}


def seconds_of(workers: Workers, task: Callable[[Workers], None]) -> float:
    started = time.perf_counter()
    task(workers)
    return time.perf_counter() - started


def warm_up() -> None:
    """Compile all kernels and cache them on disk."""
    studied(SERIAL, seeds=1)
    packings(SERIAL, seeds=1)


def empty(workers: Workers, number: int) -> None:
    with workers.pool(number, None) as pool:
        assert sum(1 for _ in pool.results(nothing, [()] * number, in_order=False)) == number


def nothing(_: None, contact: TaskContext) -> None:
    return None


def studied(workers: Workers, seeds: int = 100) -> None:
    """Make short runs, as studies of the papers' algorithms do."""
    study(
        problem("mesh:3x3"),
        [SOLVERS["umda"]],
        SearchOptions(evaluations=10_000, workers=workers),
        num_steps=5,
        seeds=seeds,
    )


def packings(workers: Workers, seeds: int = 12) -> None:
    """Pack with several seeds and counted effort, as a search does with one seed a worker."""
    with workers.pool(seeds, problem("torus:6x6")) as pool:
        assert all(steps for _, steps in pool.results(packed, [(seed,) for seed in range(seeds)]))


def packed(scatter: Problem, contact: TaskContext, seed: int) -> int | None:
    return Packing(most_cells=MOST_CELLS)(scatter, None, seed, Budget()).num_steps


def problem(name: str) -> Problem:
    made = network(name)
    return Problem(made, alltoall(made))


@contextmanager
def dask_workers() -> Iterator[str]:
    """Start a scheduler and workers for it, and end them."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        where = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
        processes = [started("-m", "distributed.cli.dask_scheduler", *where)]
        try:
            while not file.exists() or not file.read_text().endswith("}"):
                time.sleep(0.05)
            address = json.loads(file.read_text())["address"]
            processes.append(
                started("-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--nworkers", str(SIZE))
            )
            with cluster_workers(address) as workers:
                while workers.size < SIZE:
                    time.sleep(0.5)
                    with cluster_workers(address) as workers:
                        pass
            yield address
        finally:
            for process in reversed(processes):
                process.terminate()
                process.wait()


def started(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def in_mpi_job() -> Figures:
    """Start an MPI job of one process that submits tasks and two that work."""
    lead = (
        "import sys; from pavane.parallel.cluster import run_job; from benchmarks.pools import main\n"
        "run_job(lambda: sys.exit(main(['--in-mpi-job'])))"
    )
    mpiexec = Path(sys.executable).parent / "mpiexec"
    program = [str(mpiexec) if mpiexec.exists() else "mpiexec", "-n", str(SIZE + 1), sys.executable, "-c", lead]
    made = subprocess.run(program, check=True, capture_output=True, text=True)
    found: Figures = json.loads(made.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    from benchmarks.pools import main as by_its_name  # as the workers know it, too

    sys.exit(by_its_name(sys.argv[1:]))
