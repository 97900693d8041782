"""Programs of schedules with start times, run by interpreters that share nothing with the writers."""

from __future__ import annotations

import csv
import io
import re
import subprocess
from pathlib import Path

import pytest

from pavane.errors import InputError
from pavane.io.exports import EXPORTS, Options
from pavane.io.levels import TimedLevels
from pavane.judge.timed_result import TimedResult
from tests.execution.small import need_simgrid
from tests.io.formats.msccl_interpreter import run_msccl
from tests.io.formats.mscclpp_interpreter import run_plan
from tests.io.formats.test_goal import replay
from tests.io.formats.timed_schedules import WITH_STARTS, written_timed
from tests.io.formats.watched_memory import FaultError


@pytest.mark.parametrize("name", [name for name in WITH_STARTS if " oab" not in name])
def test_a_plan_of_mscclpp_fills_the_outputs_in_whatever_order_blocks_run(name: str) -> None:
    """However fast thread blocks run, signals see to it that the outputs are those of the collective."""
    result = WITH_STARTS[name]()
    collective = result.timed.problem.collective
    run_plan(written_timed("mscclpp", result), collective.kind, collective.pieces)


@pytest.mark.parametrize("name", WITH_STARTS)
def test_a_program_of_msccl_fills_the_outputs_in_whatever_order_blocks_run(name: str) -> None:
    """However fast thread blocks run, waits see to it that the outputs are those of the collective."""
    result = WITH_STARTS[name]()
    collective = result.timed.problem.collective
    run_msccl(written_timed("msccl-xml", result), collective.kind, collective.pieces)


def test_races_are_found() -> None:
    """Without its waits a program of MSCCL sends what is not there yet."""
    text = re.sub(r'depid="\d+" deps="\d+"', 'depid="-1" deps="-1"', written_timed("msccl-xml", _relayed()))
    with pytest.raises(FaultError):
        run_msccl(text, "AAB", 2)


def _relayed() -> TimedResult:
    return WITH_STARTS["searched allgather"]()


def test_msccl_waits_for_data_only() -> None:
    """A path is a connection of its own, and a step waits for the one that wrote what it sends."""
    result = _relayed()
    assert result.schedule is not None
    text = written_timed("msccl-xml", result)
    relayed = sum(one.sender != result.timed.problem.ends[one.messages[0]][0] for one in result.schedule)
    assert len(re.findall(r'type="s"[^>]* depid="\d+"', text)) <= relayed
    assert f"{(result.finish or 0) / 1e6:.3f} us" in text


@pytest.mark.parametrize("name", ["searched allgather", "searched alltoall", "rails aar in 3", "allreduce on a mesh"])
def test_goal_sends_when_data_and_channels_are_there(name: str) -> None:
    """Every transfer is a send that a receive meets, and the program ends."""
    result = WITH_STARTS[name]()
    assert result.schedule is not None
    sizes = result.timed.message_bytes
    wanted = [(one.sender, one.receiver, int(sizes[one.messages[0]])) for one in result.schedule]
    text = written_timed("goal", result)
    assert sorted(row[:3] for row in replay(text)) == sorted(wanted)
    assert "calc" not in text


@pytest.mark.parametrize("name", ["searched allgather", "searched over switches", "ring:6 aab in 2, 1-port"])
def test_the_replay_of_simgrid_is_never_late(name: str, tmp_path: Path) -> None:
    """The program that is exported replays the table on the platform, and every transfer is there as predicted."""
    python = need_simgrid()
    result = WITH_STARTS[name]()
    files = EXPORTS["simgrid"].write_timed(TimedLevels(result), Options("it"))
    for file, content in files.items():
        (tmp_path / file).write_bytes(content)
    ran = subprocess.run(
        [python, tmp_path / "it.replay.py", "--log=root.thres:critical"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.schedule is not None
    ends = f"usable after {(result.finish or 0) / 1e6:.6f} us"
    assert f"{len(result.schedule)} transfers, the last data {ends}" in ran.stdout
    assert "the latest transfer is 0.000 ps later" in ran.stdout


def test_the_table_of_simgrid_has_overheads_as_bytes() -> None:
    """A transfer holds its slowest channel for its bytes and its overhead."""
    result = WITH_STARTS["searched allgather"]()
    levels = TimedLevels(result)
    table = EXPORTS["simgrid"].write_timed(levels, Options("it"))["it.transfers.csv"].decode()
    assert result.schedule is not None
    links, sizes = result.timed.links, result.timed.message_bytes
    for row, one in zip(csv.DictReader(io.StringIO(table)), result.schedule, strict=True):
        (channel,) = one.path
        more = int(links.overheads[channel]) * int(links.bandwidths[channel]) // 10**12
        assert int(row["bytes"]) == int(sizes[one.messages[0]]) + more
        assert int(row["latency_ps"]) == links.latencies[channel]


@pytest.mark.parametrize("name", [name for name, export in EXPORTS.items() if export.render_timed is None])
def test_formats_of_steps_are_refused(name: str, tmp_path: Path) -> None:
    """A format about steps says so, and which formats take start times."""
    text = f"{name} carries steps, and this schedule has start times; choose msccl-xml, "
    with pytest.raises(InputError, match=text):
        WITH_STARTS["searched allgather"]().export(name, tmp_path / "out")


def test_a_timed_schedule_has_a_size_of_its_own(tmp_path: Path) -> None:
    """Sizes are not chosen again; kinds and switches that a format does not have are refused as for steps."""
    from pavane.ui.notebook.exporting import export

    result = WITH_STARTS["searched allgather"]()
    with pytest.raises(InputError, match="its messages have 48,000 bytes; leave it out"):
        export(result, "goal", size=5)
    with pytest.raises(InputError, match="chakra makes a file for each processor; name a folder"):
        result.export("chakra")
    assert len(result.export("chakra", tmp_path / "traces")) == 5
    with pytest.raises(InputError, match="mscclpp cannot carry this schedule: MSCCL\\+\\+ gives every GPU"):
        WITH_STARTS["dgx-1 oab in 7"]().export("mscclpp")
