"""Workers of this machine for a dask scheduler: they end with it, and when they are asked to."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import PavaneError
from pavane.parallel.dask_workers import work_for
from tests.parallel.clusters import Cluster, need_dask


def test_workers_end_when_asked_and_with_their_scheduler(tmp_path: Path) -> None:
    """SIGTERM ends them with code 0; a scheduler that is gone with code 1 and one line."""
    need_dask()
    cluster = Cluster(tmp_path)
    try:
        cluster.start_scheduler()
        asked, left = cluster.start_ours(1), cluster.start_ours(1)
        asked.send_signal(signal.SIGTERM)
        assert asked.wait(30) == 0
        assert cluster.log("worker-0") == f"1 worker for {cluster.address} (Ctrl-C ends this)\n"
        assert cluster.scheduler is not None
        cluster.scheduler.kill()
        cluster.scheduler.wait()
        assert left.wait(30) == 1
        assert cluster.log("worker-1").splitlines()[1:] == [
            f"pavane: error: the dask scheduler at {cluster.address} is lost, and so are its workers; "
            "restart them with it"
        ]
    finally:
        cluster.end()


class Nanny:
    """Stands for who watches over a worker, and ends at once, as when the scheduler goes."""

    def __init__(self, *_: object, **__: object) -> None:
        """Begin."""

    def __await__(self) -> Generator[Any, None, Nanny]:
        """Be ready."""
        yield from asyncio.sleep(0).__await__()
        return self

    async def finished(self) -> None:
        """End."""


def test_a_scheduler_that_goes_ends_its_workers_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have begun, and one line says why they are gone."""
    need_dask()
    told: list[str] = []

    async def is_there(address: str) -> None:
        """Find a scheduler."""

    monkeypatch.setattr("distributed.Nanny", Nanny)
    monkeypatch.setattr("pavane.parallel.dask_workers._wait_for_scheduler", is_there)
    with pytest.raises(PavaneError, match=r"^the dask scheduler at tcp://s:1 is lost, and so are its workers; restart"):
        work_for("tcp://s:1", 2, lambda: None, told.append)
    assert told == ["2 workers for tcp://s:1 (Ctrl-C ends this)"]
