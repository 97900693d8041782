"""`pavane time --phases`: an application on a network, phase by phase."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pavane.io import write_problem
from tests.problems import problem_of
from tests.ui.cli.calls import Call

COSTS = ("--startup", "10ns", "--per-byte", "1ns")


@pytest.fixture
def phases(tmp_path: Path) -> Path:
    """Write an application of computing and two alltoalls."""
    file = tmp_path / "app.csv"
    file.write_text("compute,1us\nalltoall,100,2\n")
    return file


def test_an_application_on_a_network(call: Call, phases: Path) -> None:
    """The total is computing, and each collective as often as it runs; --json has the same figures."""
    out = call.good("time", "ring:4", "--phases", phases, *COSTS)
    assert out.splitlines()[-2:] == [
        "alltoall  100 B  2      2      optimal  220 ns  440 ns",
        "total       1.44 us: computing 1 us, 440 ns communication",
    ]
    figures = json.loads(call.good("time", "ring:4", "--phases", phases, *COSTS, "--json"))
    assert figures["seconds"] == pytest.approx(1.44e-6)
    assert figures["phases"][1]["steps"] == 2


def test_a_problem_file_has_its_own_rules(call: Call, phases: Path, tmp_path: Path) -> None:
    """With one port an alltoall of four processors takes three steps."""
    write_problem(tmp_path / "noc.json", problem_of("ring:4", "AAS", ports=1))
    out = call.good("time", "noc.json", "--phases", phases, *COSTS)
    assert "1-port" in out
    assert "alltoall  100 B  2      3 " in out


def test_options_that_do_not_fit(call: Call, phases: Path) -> None:
    """Phases have their own sizes, and searches of their own to limit."""
    answer = call("time", "ring:4", "--phases", phases, *COSTS, "--bytes", "4")
    assert answer.is_refusal("--phases has the sizes of its own messages")
    assert call("time", "ring:4", "ring:5", "--phases", phases, *COSTS).is_refusal("--phases takes one network")
    assert call("time", "a.json", "--bytes", "4", "--time", "1", *COSTS).is_refusal("--time limits the searches")
    answer = call("time", "ring:4", "--phases", phases, *COSTS, "-q", "--bytes", "1B:4B")
    assert answer.is_refusal("--phases has the sizes")
