"""Workers of this machine for a dask scheduler: they end with it, and when they are asked to."""

from __future__ import annotations

import signal
from pathlib import Path

from tests.workers.clusters import Cluster, need_dask


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
            f"pavane: error: the dask scheduler at {cluster.address} is gone, and so are its workers; "
            "start them again with it"
        ]
    finally:
        cluster.end()
