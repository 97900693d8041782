"""`pavane solve --timed --sweep` and `pavane verify` of its folders, as a user calls them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.ui.cli.calls import Call

TIMED = "--switching store-and-forward --timed --latency 0.7us --bandwidth 25GB/s"


def test_a_sweep_prints_ranges_and_writes_a_folder_that_is_judged(call: Call, tmp_path: Path) -> None:
    """The table has times, bandwidths and the ring beside them; the folder is valid."""
    folder = tmp_path / "plans"
    result = call(*shlex.split(f"solve ring:4 allgather {TIMED} --sweep 1KB:64kB --pieces 1,2 -o {folder}"))
    assert result.code == 0, result.err
    assert "1 kB to 64 kB" in result.out
    assert "busbw" in result.out
    assert "ring" in result.out
    again = call("verify", str(folder))
    assert again.code == 0
    assert "verdict     valid" in again.out
    figures = json.loads(call("verify", str(folder / "index.json"), "--json").out)
    assert figures["ranges"][0]["sizes"][0]["vector_bytes"] == 4000
    assert call.good("show", folder) == again.out
    assert [size["bytes"] for part in figures["ranges"] for size in part["sizes"]] == [1000, 4000, 16000, 64000]


def test_a_changed_folder_is_invalid(call: Call, tmp_path: Path) -> None:
    """Judging says which file does not bear out the index, and ends with code 1."""
    call(*shlex.split(f"solve ring:4 allgather {TIMED} --sweep 1kB:4kB --pieces 1 -o {tmp_path}"))
    index = json.loads((tmp_path / "index.json").read_text())
    index["ranges"][0]["sizes"][0]["finish"] -= 1
    (tmp_path / "index.json").write_text(json.dumps(index))
    result = call("verify", str(tmp_path))
    result.is_one_line(1)
    assert "the index says" in result.err


def test_figures_of_a_sweep_as_json(call: Call) -> None:
    """Every size has its end, bound and baselines; bandwidths are those of nccl-tests."""
    result = call(*shlex.split(f"solve ring:4 allgather {TIMED} --sweep 1MB:4MB:2 --pieces 1 --json"))
    sizes = [size for part in json.loads(result.out)["ranges"] for size in part["sizes"]]
    assert [size["bytes"] for size in sizes] == [1_000_000, 2_000_000, 4_000_000]
    for size in sizes:
        assert size["algorithmic_bandwidth"] == pytest.approx(4 * size["bytes"] * 1e12 / size["finish_ps"])
        assert size["bus_bandwidth"] == pytest.approx(0.75 * size["algorithmic_bandwidth"])
        assert size["baselines_ps"]["ring"] >= size["finish_ps"]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("solve ring:4 aab --sweep 1kB:1MB", "--sweep goes with --timed"),
        (f"solve ring:4 aab {TIMED} --sweep 1kB:1MB --bytes 1kB", "leave out --bytes"),
        (f"solve ring:4 aab {TIMED} --sweep 1kB", "not a range of sizes"),
        (f"solve ring:4 aab {TIMED} --sweep 1kB:1MB:1", "not a range of sizes"),
        (f"solve ring:4 aab {TIMED} --sweep 1MB:1kB", "not above the last"),
        (f"solve ring:4 aab {TIMED} --sweep 1kB:1MB -o -", "name a folder"),
        (f"solve ring:4 aab {TIMED} --sweep 1kB:4kB -o {__file__}", "this is a file"),
        ("solve ring:4 aab --timed --sweep 1kB:4kB", "add --bandwidth"),
    ],
)
def test_what_cannot_be_is_refused_with_advice(call: Call, command: str, text: str) -> None:
    """One line, exit code 2."""
    assert call(*shlex.split(command)).is_refusal(text)
