"""`pavane worker`: what it refuses; how it works is seen wherever tests start a cluster."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pavane.ui.cli.worker import warm_up
from tests.parallel.clusters import Cluster, environment, need_dask
from tests.ui.cli.calls import Call


def test_what_is_no_scheduler_is_refused(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, and exit code 2."""
    need_dask()
    monkeypatch.setattr("pavane.parallel.dask_workers.CONNECT_SECONDS", 0.3)
    assert call("worker", "head").is_refusal("is not an address; write tcp://host:8786")
    assert call("worker", "tls://127.0.0.1:1").is_refusal("dask has no certificates here", ".worker.cert")
    refused = call("worker", "tcp://127.0.0.1:1", "--no-warm-up")
    assert refused.is_refusal("tcp://127.0.0.1:1: no dask scheduler answers there")


def test_warming_up_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """What most searches need is asked of small problems."""
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(
        "pavane.search.warm_up_runs.solve",
        lambda problem, options, method, **_: asked.append((problem.network.name, method)),
    )
    warm_up()
    assert asked == [("torus:8x8", "packing"), ("octagon", "umda")]


@pytest.fixture
def certified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a certificate that signs itself, and name it in dask's configuration for whatever is started."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes certificates, is not installed")
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2"]
    subprocess.run(["openssl", *made, "-subj", "/CN=pavane"], cwd=tmp_path, check=True, capture_output=True)
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    monkeypatch.setenv(f"{prefix}CA_FILE", str(tmp_path / "cert.pem"))
    for who in ("SCHEDULER", "WORKER", "CLIENT"):
        monkeypatch.setenv(f"{prefix}{who}__CERT", str(tmp_path / "cert.pem"))
        monkeypatch.setenv(f"{prefix}{who}__KEY", str(tmp_path / "key.pem"))


@pytest.mark.usefixtures("certified")
def test_workers_and_searches_meet_over_tls(tmp_path: Path) -> None:
    """Certificates of dask's configuration are enough for all; nobody is warned, and who has none stays outside."""
    need_dask()
    cluster = Cluster(tmp_path)
    study = [sys.executable, "-m", "pavane", "study", "ring:4", "aas", "--method", "greedy", "--seeds", "3"]
    try:
        cluster.start_scheduler("tls")
        assert cluster.address.startswith("tls://")
        cluster.start_ours(1)
        asked = [*study, "--cluster", cluster.address]
        done = subprocess.run(asked, env=environment(), capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        bare = {name: text for name, text in environment().items() if "TLS" not in name}
        refused = subprocess.run(asked, env=bare, capture_output=True, text=True, timeout=120, check=False)
        assert refused.returncode == 2
        assert "dask has no certificates here" in refused.stderr
    finally:
        cluster.end()
