"""`--device gpu`: the same runs on a device, judged here; one line where there is none."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pavane.solvers.evolutionary import cuda, hgsa, mboa, population_solver
from pavane.solvers.evolutionary.encoding import Encoding
from tests.plain_device import COMPILER, WHY_NOT, LargeDevice
from tests.ui.cli.calls import Call

STUDY = ["study", "octagon", "aas", "--method", "umda", "--seeds", "4", "--evaluations", "6000", "--json"]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a device without a GPU where the GPU would be."""
    if COMPILER is None:
        pytest.skip(WHY_NOT)
    for module in (cuda, population_solver, mboa, hgsa):
        monkeypatch.setattr(module, "cuda_device", LargeDevice)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(("kind", "method"), [("aas", "umda"), ("aas", "mboa"), ("aab", "hgsa")])
def test_a_study_on_a_device_makes_the_same_runs(call: Call, kind: str, method: str) -> None:
    """Seed by seed: successes, evaluations and traces are those of a processor."""
    study = ["study", "octagon", kind, "--method", method, *STUDY[5:]]
    told = [json.loads(call.good(*study, *device)) for device in ((), ("--device", "gpu"))]
    runs = [[(run["seed"], run["steps"], run["evaluations"], run["trace"]) for run in one["runs"]] for one in told]
    assert sorted(runs[0]) == sorted(runs[1])
    assert any(found for _, found, *_ in runs[0])


@pytest.mark.usefixtures("plain")
def test_runs_on_a_device_are_kept_and_gone_on_with(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was made is not made again."""
    kept = [*STUDY, "--device", "gpu", "-o", str(tmp_path / "runs")]
    first = call.good(*kept)
    monkeypatch.setattr(population_solver, "each_on_an_island", None)
    assert call.good(*kept) == first


@pytest.mark.usefixtures("plain")
def test_what_a_device_finds_is_judged(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that hands back nonsense has made no successful run."""
    read = Encoding.schedule
    monkeypatch.setattr(Encoding, "schedule", lambda self, chromosome: read(self, chromosome * 0))
    answer = call(*STUDY, "--device", "gpu")
    assert answer.code == 1
    assert not any(run["success"] for run in json.loads(answer.out)["runs"])
    assert "the schedule breaks a rule (channel-capacity)" in answer.err


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("method", ["umda", "ga", "mboa", "hgsa"])
def test_a_search_on_a_device(call: Call, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The schedule is written like any other, and is valid."""
    words = ["--method", method, "--set", "islands=2", "--device", "gpu", "-o", "kautz.json"]
    out = call.good("solve", "kautz:3,2", "aab", *words)
    assert "reached     4 steps" in out
    assert "valid" in call.good("verify", "kautz.json")


SOLVE = ["solve", "octagon", "aas", "--device"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([*SOLVE, "gpu"], "auto chooses among solvers for processors; add --method umda"),
        (
            ["study", *SOLVE[1:], "gpu", "--method", "greedy"],
            "greedy runs on processors only; choose umda, ga, mboa or",
        ),
        ([*SOLVE, "tpu", "--method", "ga"], "--device 'tpu' is unknown; choose cpu or gpu"),
        ([*SOLVE, "gpu", "--method", "ga"], "--device gpu: CuPy is not installed; pip"),
    ],
)
def test_refusals(call: Call, words: list[str], line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, exit code 2, and nothing is searched."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    cuda.cuda_device.cache_clear()
    answer = call(*words)
    assert answer.code == 2
    assert line in answer.err
    assert len(answer.err.splitlines()) == 1
