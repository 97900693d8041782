"""Programs of schedules with start times, run by interpreters that share nothing with the writers."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from pavane.errors import InputError
from pavane.io.exports import EXPORTS, Options
from pavane.judge.result import Result
from tests.io.formats.schedules import written
from tests.io.formats.timed_schedules import WITH_STARTS


def _relayed() -> Result:
    return WITH_STARTS["searched allgather"]()


def test_msccl_waits_for_data_only() -> None:
    """A path is a connection of its own, and a step waits for the one that wrote what it sends."""
    result = _relayed()
    assert result.schedule is not None
    text = written("msccl-xml", result)
    relayed = sum(one.sender != result.problem.ends[one.messages[0]][0] for one in result.schedule)
    assert len(re.findall(r'type="s"[^>]* depid="\d+"', text)) <= relayed
    assert f"{(result.finish or 0) / 1e6:.3f} us" in text


def test_the_table_of_simgrid_has_overheads_as_bytes() -> None:
    """A transfer holds its slowest channel for its bytes and its overhead."""
    result = WITH_STARTS["searched allgather"]()
    table = EXPORTS["simgrid"].write(result, Options("it"))["it.transfers.csv"].decode()
    assert result.schedule is not None
    links, sizes = result.problem.timing.links, result.problem.message_bytes
    for row, one in zip(csv.DictReader(io.StringIO(table)), result.schedule, strict=True):
        (channel,) = one.path
        more = int(links.overheads[channel]) * int(links.bandwidths[channel]) // 10**12
        assert int(row["bytes"]) == int(sizes[one.messages[0]]) + more
        assert int(row["latency_ps"]) == links.latencies[channel]


@pytest.mark.parametrize("name", [name for name, export in EXPORTS.items() if not export.has_times])
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
