"""Dask schedulers and workers in processes of their own, on this machine alone."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 120
"""Seconds after which a condition will not come true any more; no test waits for as long otherwise."""


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

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = ""
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def start_scheduler(self, protocol: str = "tcp") -> None:
        """Start a scheduler, where the last one was if there was one."""
        file = self.folder / "scheduler.json"
        file.unlink(missing_ok=True)
        port = self.address.rpartition(":")[2] or "0"
        where = ["--host", f"{protocol}://127.0.0.1", "--port", port, "--no-dashboard", "--scheduler-file", str(file)]
        self.scheduler = self._started("scheduler", "-m", "distributed.cli.dask_scheduler", *where)
        wait_until(lambda: file.exists() and file.read_text().endswith("}"), self.log("scheduler"))
        self.address = json.loads(file.read_text())["address"]

    def start_worker(self, sources: Path | None = None) -> subprocess.Popen[bytes]:
        """Start a worker in a process that nobody starts again."""
        settings = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]
        name = f"worker-{len(self.workers)}"
        made = self._started(name, "-m", "distributed.cli.dask_worker", self.address, *settings, sources=sources)
        self.workers.append(made)
        return made

    def start_nanny(self, count: int) -> None:
        """Start worker processes that are restarted when they are killed."""
        settings = ["--nthreads", "1", "--nworkers", str(count), "--no-dashboard", "--memory-limit", "0"]
        words = ["-m", "distributed.cli.dask_worker", self.address, *settings]
        self.workers.append(self._started(f"worker-{len(self.workers)}", *words))

    def log(self, name: str) -> str:
        """Return what a process has said."""
        file = self.folder / f"{name}.log"
        return file.read_text() if file.exists() else ""

    def end(self) -> None:
        """End all processes: the scheduler last, because a worker that has lost it looks for it for long."""
        for processes in (self.workers, [self.scheduler] if self.scheduler else []):
            for process in processes:
                if process.poll() is None:
                    process.terminate()
            for process in processes:
                try:
                    process.wait(5)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def _started(self, name: str, *words: str, sources: Path | None = None) -> subprocess.Popen[bytes]:
        with open(self.folder / f"{name}.log", "wb") as log:
            return subprocess.Popen(
                [sys.executable, *words], env=environment(sources), cwd=self.folder, stdout=log, stderr=log
            )
