"""Phases of an application: collectives are scheduled and timed by the linear model, computing is added."""

from __future__ import annotations

from pathlib import Path

import pytest

from pavane.campaign.phases import network_and_rules, read_phases, timed_phases
from pavane.errors import InputError
from pavane.search.options import SearchOptions
from pavane.timing import Costs

COSTS = Costs(1e-6, 1e-9)


def test_phases_are_timed_step_by_step(tmp_path: Path) -> None:
    """A step of a ring of 4 takes a start-up and the bytes; equal collectives are solved once."""
    file = tmp_path / "app.csv"
    file.write_text("compute, 3ms\nalltoall, 1kB, 20\n\nbroadcast, 10kB, 1\nalltoall, 4kB, 1\ncompute,0.5\n")
    phases = read_phases(file, *network_and_rules("ring:4"))
    timed = timed_phases(phases, COSTS, SearchOptions(evaluations=1000))
    assert [(each.phase.name, each.phase.count) for each in timed] == [
        *(("compute", 1), ("alltoall", 20), ("broadcast", 1), ("alltoall", 1), ("compute", 1))
    ]
    assert [each.result.num_steps for each in timed if each.result] == [2, 2, 2]
    expected = [3e-3, 2 * (1e-6 + 1e-6), 2 * (1e-6 + 1e-5), 2 * (1e-6 + 4e-6), 0.5]
    assert [each.seconds for each in timed] == pytest.approx(expected)
    assert timed[1].result is timed[3].result


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n", "there is no phase"),
        ("alltoall,1kB\n", "line 1: 'alltoall,1kB' is not a phase; write collective,bytes,count"),
        ("compute,1s,2\n", "line 1: 'compute,1s,2' is not a phase"),
        ("compute,1s\nalltoall,1kB,0\n", "line 2: count '0': expected a whole number of 1 or more"),
        ("dance,1kB,2\n", "line 1: unknown collective 'dance'"),
        ("alltoall,many,2\n", "line 1: size 'many' is not a size"),
        ("compute,long\n", "line 1: time 'long' is not a time"),
    ],
)
def test_what_is_no_phase_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """A refusal names the line and what is expected."""
    file = tmp_path / "app.csv"
    file.write_text(text)
    with pytest.raises(InputError) as refused:
        read_phases(file, *network_and_rules("ring:4"))
    assert said in str(refused.value)
