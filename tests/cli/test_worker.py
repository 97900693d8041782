"""`pavane worker`: what it refuses; how it works is seen wherever tests start a cluster."""

from __future__ import annotations

import pytest

from pavane.cli.worker import warm_up
from tests.cli.calls import Call
from tests.workers.clusters import need_dask


def test_what_is_no_scheduler_is_refused(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, and exit code 2."""
    need_dask()
    monkeypatch.setattr("pavane.workers.dask_workers.CONNECT_SECONDS", 0.3)
    assert call("worker", "head").is_refusal("is no address; write tcp://host:8786")
    assert call("worker", "tls://127.0.0.1:1").is_refusal("dask has no certificates here", ".worker.cert")
    refused = call("worker", "tcp://127.0.0.1:1", "--no-warm-up")
    assert refused.is_refusal("tcp://127.0.0.1:1: no dask scheduler answers there")


def test_warming_up_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """What most searches need is asked of small problems."""
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(
        "pavane.search.synthesis.synthesize", lambda problem, method, **_: asked.append((problem.network.name, method))
    )
    warm_up()
    assert asked == [("torus:8x8", "packing"), ("octagon", "umda")]
