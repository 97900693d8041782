"""Dask schedulers and workers in processes of their own, on this machine alone."""

import asyncio
import importlib.util
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 300
"""Seconds after which a condition will not come true any more; no test waits for as long otherwise."""

FORKS = multiprocessing.get_context("forkserver")
"""Forks processes from one that has imported dask, so that they start in a moment."""


def need_dask() -> None:
    """Skip the test where there is no dask."""
    if importlib.util.find_spec("distributed") is None:
        pytest.skip("dask is not installed: pip install '.[cluster]'")


def wait_until(is_so: Callable[[], bool], what: str = "") -> None:
    """Wait for a condition."""
    limit = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < limit, what
        time.sleep(0.02)


def environment(sources: Path | None = None) -> dict[str, str]:
    """Return the environment of a process that knows the tests, and pavane from these or other sources."""
    before = os.environ.get("PYTHONPATH", "")
    paths = [str(sources or ROOT / "src"), str(ROOT), *([before] if before else [])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


class Cluster:
    """A scheduler and its workers."""

    def __init__(self) -> None:
        self.address = ""
        self.scheduler: BaseProcess | None = None
        self.workers: list[BaseProcess] = []

    def start_scheduler(self) -> None:
        """Start a scheduler, where the last one was if there was one."""
        FORKS.set_forkserver_preload(["distributed", "distributed.scheduler", "distributed.worker", "pavane.solvers"])
        ours, theirs = FORKS.Pipe(duplex=False)
        port = int(self.address.rpartition(":")[2] or 0)
        self.scheduler = FORKS.Process(target=_schedule, args=(port, theirs), daemon=True)
        self.scheduler.start()
        assert ours.poll(PATIENCE), "no scheduler"
        self.address = ours.recv()

    def start_worker(self) -> BaseProcess:
        """Start a worker."""
        made = FORKS.Process(target=_work, args=(self.address,), daemon=True)
        made.start()
        self.workers.append(made)
        return made

    def end(self) -> None:
        """End all processes."""
        for process in (*self.workers, *([self.scheduler] if self.scheduler else [])):
            process.kill()
            process.join()


def _schedule(port: int, line: Connection) -> None:
    from distributed import Scheduler

    async def serve() -> None:
        async with Scheduler(host="127.0.0.1", port=port, dashboard=False) as scheduler:
            line.send(scheduler.address)
            await scheduler.finished()

    _silence()
    asyncio.run(serve())


def _work(address: str) -> None:
    from distributed import Worker

    async def serve() -> None:
        async with Worker(address, nthreads=1, memory_limit=0) as worker:
            await worker.finished()

    _silence()
    asyncio.run(serve())


def _silence() -> None:
    """Send to nowhere what dask logs about processes that are killed."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
