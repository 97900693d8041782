"""`pavane predict`: tables and figures of applications on networks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pavane.campaign.workload_model.prediction import Prediction, predict
from pavane.campaign.workload_model.workload_file import EXAMPLES, example_text
from tests.execution.small import need_simgrid
from tests.ui.cli.calls import Call

COSTS = ("--startup", "1us", "--per-byte", "1ns")

MINE = """\
workload: 1
name: mine
parameters: {n: 4000}
speed: 1GFLOP/s
phases:
  - name: work
    compute: {operations: 2*n/P}
  - name: swap
    collective: alltoall
    bytes: n/P
    times: 2
"""


@pytest.fixture
def mine(tmp_path: Path) -> str:
    """Return a workload file: 2 us of computing and twice a message of 1000 bytes to each of three others."""
    file = tmp_path / "mine.yaml"
    file.write_text(MINE)
    return str(file)


def test_the_table_of_a_network(call: Call, mine: str) -> None:
    """Phases with their times and schedules, then the whole, its bound and the speed-up."""
    answer = call("predict", mine, "complete:4", *COSTS, "--overlap")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0] == "workload    mine"
    assert "work   1      2 us   2 us" in answer.out
    assert "swap   2      2 us   2 us      alltoall   1,000 B  1 step" in answer.out
    assert "total       6 us: computing 2 us, communication 4 us (66.7 % communication)" in lines
    assert "at least    6 us, whatever the schedules: at the bound" in lines
    assert "speed-up    1.333 on 4 processors: one computes for 8 us" in lines
    assert "overlapped  4 us at best" in answer.out
    assert answer.err == ""


def test_figures_for_programs(call: Call, mine: str) -> None:
    """JSON has the same figures, in seconds, for every network."""
    answer = call("predict", mine, "complete:4", "complete:2", *COSTS, "--json")
    told = json.loads(answer.out)
    four, two = told["predictions"]
    assert four["seconds"] == pytest.approx(6e-6)
    assert two["seconds"] == pytest.approx(4e-6 + 2 * 3e-6)
    assert four["bound"] == pytest.approx(6e-6)
    assert four["phases"][1]["schedule"]["steps"] == 1
    assert [phase["times"] for phase in two["phases"]] == [1, 2]


def test_families_and_pictures(call: Call, mine: str, tmp_path: Path) -> None:
    """`{n}` in a network is each size of --n, and --plot draws curves of them; without it bars."""
    curves, bars = tmp_path / "curves.svg", tmp_path / "bars.png"
    answer = call("predict", mine, "complete:{n}", "--n", "2,4", *COSTS, "--plot", str(curves))
    assert answer.code == 0
    assert curves.read_bytes().startswith(b"<?xml")
    assert [line.split()[0] for line in answer.out.splitlines()[-3:-1]] == ["complete:2", "complete:4"]
    assert call("predict", mine, "complete:2", *COSTS, "--plot", str(bars), "-q").out == ""
    assert bars.read_bytes().startswith(b"\x89PNG")


def test_parameters_and_speed_are_set(call: Call, mine: str) -> None:
    """--set and --speed go before what the file says."""
    answer = call("predict", mine, "complete:4", *COSTS, "--set", "n=8000", "--speed", "2GFLOP/s", "--json")
    made = json.loads(answer.out)["predictions"][0]
    assert made["computing"] == pytest.approx(2e-6)
    assert made["communication"] == pytest.approx(6e-6)


def test_replays_are_told_beside(call: Call, mine: str) -> None:
    """--simulate shows what SimGrid takes, phase by phase and in all."""
    need_simgrid()
    answer = call("predict", mine, "complete:4", *COSTS, "--simulate")
    assert answer.code == 0
    assert "simulated   6 us in SimGrid, +0.00 % from the prediction" in answer.out


def test_what_the_package_has(call: Call) -> None:
    """`list` names the workloads, and prints the file of one that is named."""
    assert [line.split()[0] for line in call("predict", "list").out.splitlines()] == list(EXAMPLES)
    assert call("predict", "list", "fft").out == example_text("fft")
    assert call("predict", "list", "ftt").is_refusal("there is no workload 'ftt' in the package")


def test_networks_without_a_grid_say_how_processors_stand(call: Call, tmp_path: Path) -> None:
    """A note says the shape, and another the rules of a machine of GPUs."""
    file = tmp_path / "rows.yaml"
    file.write_text("workload: 1\nphases: [{collective: alltoall, groups: rows, bytes: 4}]\n")
    answer = call("predict", str(file), "rails:2,2")
    assert answer.code == 0
    assert answer.err.splitlines() == [
        "pavane: note: rails:2,2 is a machine of GPUs: store-and-forward, switches pass; "
        "--switching and --switches choose other rules",
        "pavane: note: rails:2,2 is not a grid: processors are laid out row by row as 2x2",
    ]
    assert "rules       store-and-forward, switches pass" in answer.out
    held = call("predict", str(file), "rails:2,2", "--switching", "store-and-forward", "--switches", "hold")
    assert "rules       store-and-forward, all-port" in held.out


def test_bad_workloads_and_options_are_refused(call: Call, mine: str, tmp_path: Path) -> None:
    """One line that says where, and how to mend it; exit code 2."""
    bad = tmp_path / "bad.yaml"
    bad.write_text(MINE.replace("bytes: n/P", "bytes: m/P"))
    assert call("predict", str(bad), "ring:4").is_refusal(f"{bad}: phases[1].bytes: m is not known")
    assert call("predict", mine).is_refusal("no network was named")
    assert call("predict", mine, "mesh:{n}x{n}").is_refusal("--n 2,4,8")
    assert call("predict", mine, "ring:4", "--n", "3").is_refusal("write {n} in its name")
    assert call("predict", mine, "ring:{n}", "--n", "3;4").is_refusal("not a list of whole numbers")
    assert call("predict", mine, "ring:4", "--set", "n").is_refusal("write one like n=8192")
    assert call("predict", mine, "ring:4", "--set", "m=3").is_refusal("no parameter 'm'")
    assert call("predict", mine, "ring:4", "--startup", "3").is_refusal("--startup '3' is not a time")
    assert call("predict", mine, "ring:4", "--plot", "x.html").is_refusal("x.html: a picture ends in")
    assert call("predict", "nonsense", "ring:4").is_refusal("there is no workload or file 'nonsense'")


def test_an_atlas_may_be_looked_up(call: Call, mine: str) -> None:
    """With an atlas the search starts from what is known."""
    answer = call("predict", mine, "octagon", *COSTS, "--atlas", "shipped")
    assert answer.code == 0
    assert "at the bound" in answer.out


def made(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Let predictions come out otherwise."""

    def changed(*given: Any, **named: Any) -> Prediction:
        return replace(predict(*given, **named), **changes)

    monkeypatch.setattr("pavane.campaign.workload_model.prediction.predict", changed)


def test_an_interrupt_ends_it_with_what_there_is(call: Call, mine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No further network is looked at, one line says so, exit 1."""
    made(monkeypatch, interrupted=True)
    answer = call("predict", mine, "complete:4", "complete:2", *COSTS)
    assert answer.code == 1
    assert "complete:4" in answer.out
    assert "complete:2" not in answer.out
    assert answer.err == "pavane: note: interrupted: what is missing was not searched for any more\n"


def test_a_phase_without_a_schedule_is_told(call: Call, mine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says how to mend it, exit 1."""
    swap = predict(mine, "complete:4").phases[1]
    made(monkeypatch, phases=(replace(swap, communication=None, bound=None),))
    answer = call("predict", mine, "complete:4", *COSTS)
    assert answer.code == 1
    assert "complete:4: no schedule was found in time for some phase; give more with --time" in answer.err


def test_a_replay_that_differs_is_explained(call: Call, mine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than a tenth is worth a line that says why."""
    monkeypatch.setattr("pavane.execution.simulate.simgrid_python", lambda: "python3")
    monkeypatch.setattr("pavane.execution.simulated_phases.replay_phases", lambda made: (1.0, 1.0))
    answer = call("predict", mine, "complete:4", *COSTS, "--simulate")
    assert answer.code == 0
    assert answer.err.startswith("pavane: note: complete:4: SimGrid differs by more than a tenth: transfers share")


def test_a_problem_is_no_network(call: Call, mine: str, solved: Path) -> None:
    """The workload says what is sent, so a file says nothing else than the network."""
    assert call("predict", mine, solved).is_refusal("ring.json is a whole problem, where a prediction takes a network")
