"""`pavane show FOLDER` of studies: the runs or the re-plans that are there."""

from __future__ import annotations

import json

from tests.ui.cli.calls import Call


def test_runs_of_a_study_are_printed(call: Call) -> None:
    """A line for each run, with its method and seed; the problem is named once."""
    call.good("study", "ring:5", "aab", "--method", "umda", "--seeds", "2", "-o", "runs")
    lines = call.good("show", "runs").splitlines()
    assert (
        lines[0]
        == "folder      runs: 2 runs; the same `pavane study ... -o runs` prints its table of methods without new runs"
    )
    assert lines[1].startswith("problem 1   allgather (AAB) from 5 senders to 5 receivers on ring:5")
    assert lines[2].split() == ["problem", "method", "seed", "target", "found", "evaluations", "seconds"]
    assert [line.split()[:4] for line in lines[3:]] == [["1", "umda", "0", "2"], ["1", "umda", "1", "2"]]
    assert [row["found"] for row in json.loads(call.good("show", "runs", "--json"))] == [2, 2]


def test_replans_of_a_study_of_faults_are_printed(call: Call) -> None:
    """With their status, steps and bound, and how to have the table of faults."""
    call.good("faults", "ring:4", "aab", "-o", "replans")
    lines = call.good("show", "replans").splitlines()
    assert "`pavane faults ... -o replans` prints its table" in lines[0]
    assert any(line.split()[:4] == ["1", "optimal", "2", "2"] for line in lines)
