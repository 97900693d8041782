"""Schedules beside NCCL's algorithms, in `pavane time` and `pavane compare`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ui.cli.calls import Call

COSTS = ("--startup", "5us", "--per-byte", "25GB/s")


@pytest.fixture
def gathered(call: Call, tmp_path: Path) -> str:
    """Return the schedule file of an allgather on 8 GPUs."""
    call.good("solve", "dgx-1", "allgather", "--switching", "store-and-forward", "-o", "gather.json")
    return "gather.json"


def test_time_on_gpus_has_bandwidths_and_rings(call: Call, gathered: str) -> None:
    """One schedule: no formulas of papers, but what nccl-tests would print, beside NCCL's rings."""
    out = call.good("time", gathered, *COSTS, "--bytes", "1MiB")
    assert "gecco07" not in out
    assert "time        93.8861 us with a barrier after each step\n" in out
    lines = [line.split("  ") for line in out.splitlines()]
    rows = {line[0]: [cell.strip() for cell in line[1:] if cell.strip()] for line in lines}
    assert rows["without barriers"] == ["pieces", "time", "algbw", "busbw", "times as fast"]
    assert rows["this schedule"][1:4] == ["93.8861 us", "89.35 GB/s", "78.18 GB/s"]
    assert rows["NCCL ring"][1] == "328.601 us"
    assert float(rows["this schedule"][4]) == pytest.approx(float(rows["NCCL rings"][1].split()[0]) / 93.8861, abs=0.01)
    plain = call.good("time", gathered, *COSTS, "--bytes", "1MiB", "--no-nccl")
    assert "NCCL" not in plain
    assert "gecco07" not in plain


def test_a_sweep_has_them_for_each_size(call: Call, gathered: str) -> None:
    """Beside the fastest of the schedules at each size."""
    out = call.good("time", gathered, *COSTS, "--sweep", "64KiB:256KiB")
    assert [line.split()[:2] for line in out.splitlines()[-4:-1]] == [["64", "KiB"], ["128", "KiB"], ["256", "KiB"]]
    found = json.loads(call.good("time", gathered, *COSTS, "--sweep", "64KiB:256KiB", "--json"))
    assert [times["bytes"] for times in found["nccl"]] == [2**16, 2**17, 2**18]
    times = found["nccl"][0]
    assert [each["name"] for each in times["baselines"]] == ["ring", "rings"]
    assert times["schedules"][0]["bus_bandwidth"] == pytest.approx(7 * 2**16 / times["schedules"][0]["seconds"])


def test_many_gpus_or_sizes_need_a_request(call: Call, gathered: str) -> None:
    """A note says how to have them."""
    answer = call("time", gathered, *COSTS, "--sweep", "1B:1GiB")
    assert "--nccl also times NCCL's algorithms" in answer.err
    assert "NCCL ring" not in answer.out


def test_chips_have_them_on_request(call: Call, solved: Path) -> None:
    """Nothing about NCCL appears on other networks unless it is asked for."""
    assert "NCCL" not in call.good("time", solved, *COSTS, "--bytes", "1KiB")
    out = call.good("time", solved, *COSTS, "--bytes", "1KiB", "--nccl")
    assert "gecco07" in out
    assert "NCCL direct" in out


def test_schedules_of_different_machines_are_not_compared(call: Call, gathered: str, solved: Path) -> None:
    """On request that is an error."""
    answer = call("time", gathered, solved, *COSTS, "--bytes", "1KiB", "--nccl")
    assert answer.code == 2
    assert "one network, collective and rules" in answer.err


def test_compare_has_them_for_machines_of_gpus(call: Call) -> None:
    """A second table, keys in JSON and columns in CSV; --no-nccl leaves them out."""
    stored = ("--switching", "store-and-forward")
    args = ("compare", "dgx-1", "ring:8", "--collectives", "allgather", *stored, *COSTS, "--bytes", "1MiB")
    lines = call.good(*args, "-o", "found.csv").splitlines()
    assert next(line for line in lines if "NCCL ring" in line).split()[:3] == ["network", "collective", "size"]
    assert "AAB busbw at 1048576" in Path("found.csv").read_text().splitlines()[0]
    networks = json.loads(call.good(*args, "--json"))["networks"]
    assert ["nccl" in each["collectives"]["AAB"] for each in networks] == [False, True]
    assert "NCCL" not in call.good(*args, "--no-nccl")
