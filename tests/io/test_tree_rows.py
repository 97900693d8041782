"""Trees in schedule files: one entry for transfers that share channels, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pavane import read_schedule, solve, write_schedule
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network

STORED = Rules("store-and-forward", switches="copy")


@pytest.mark.parametrize(
    ("spec", "kind", "rules", "sender", "receiver"),
    [
        ("nvl:4", "AAB", STORED, 0, [1, 2, 3]),
        ("nvl:4", "AAR", STORED, [1, 2, 3], 0),
        ("nvl:4", "ALLREDUCE", STORED, [0, 1, 2, 3], [0, 1, 2, 3]),
        ("ring:5", "OAB", Rules(multicast=True), 0, [1, 2]),
    ],
)
def test_trees_are_written_as_one_and_read_back(
    spec: str, kind: str, rules: Rules, sender: Any, receiver: Any, tmp_path: Path
) -> None:
    """`from` or `to` is a list and `route` has the tree's channels; the schedule that is read is the same."""
    result = solve(Problem(network(spec), kind, rules))
    path = tmp_path / "s.json"
    write_schedule(path, result)
    entries = json.loads(path.read_text())["steps"][0]
    assert (sender, receiver) in [(entry["from"], entry["to"]) for entry in entries]
    assert all(len(set(entry["route"])) == len(entry["route"]) for entry in entries)
    claim = read_schedule(path)
    assert claim.schedule == result.schedule
    assert claim.problem == result.problem


def test_transfers_that_are_no_tree_are_written_one_by_one(tmp_path: Path) -> None:
    """Along a line each processor sends to all behind it: they share channels, which do not lead back."""
    where = network("line:4")
    channel_of = {tuple(ends): number for number, ends in enumerate(where.channels.tolist())}
    there, back = ([channel_of[i, i + 1] for i in range(3)], [channel_of[i + 1, i] for i in (2, 1, 0)])
    ways = [(0, i, j, there[i:j]) for i in range(4) for j in range(i + 1, 4)]
    ways += [(1, 3, i, back[: 3 - i]) for i in range(3)]
    transfers = [
        Transfer(2 * message + step, sender, receiver, tuple(path), (message,))
        for message in range(4)
        for step, sender, receiver, path in ways
    ]
    schedule = Schedule.from_transfers(transfers, 8)
    path = tmp_path / "s.json"
    problem = Problem(where, "ALLREDUCE", Rules(multicast=True, routing="any"))
    write_schedule(path, Result(problem, schedule))
    assert [len(step) for step in json.loads(path.read_text())["steps"][:2]] == [6, 1]
    assert read_schedule(path).schedule == schedule


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"route": [0, 99]}, "there is no channel 99; nvl:4 has"),
        ({"to": [1, 9]}, "a tree runs between processors, and 9 is none"),
        ({"route": []}, "the route of a tree does not lead from processor 0 to 1"),
        ({"from": list(range(4)) * 1000, "to": list(range(4)) * 1000}, "too many"),
        ({"to": [-1]}, "a tree runs between processors, and -1 is none"),
    ],
)
def test_trees_that_are_none_are_refused(changes: dict[str, Any], text: str, tmp_path: Path) -> None:
    """A tree names processors, and its route leads from each sender to each receiver."""
    path = tmp_path / "s.json"
    write_schedule(path, solve(Problem(network("nvl:4"), "AAB", STORED)))
    document = json.loads(path.read_text())
    document["steps"][0][0] |= changes
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=text):
        read_schedule(path)
