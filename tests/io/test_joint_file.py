"""Files of several collectives at once: written and read again, and refused where one collective is expected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pavane.bounds.joint import joint_bounds
from pavane.errors import InputError
from pavane.io import read_network_or_problem, read_problem, read_schedule, write_problem
from pavane.io.joint_file import is_joint_file, read_joint, read_joint_problem, write_joint
from pavane.judge.joint_result import JointResult
from pavane.model.collectives import allgather, alltoall, broadcast, in_pieces
from pavane.model.joint import JointProblem
from pavane.model.problem import Rules
from pavane.networks import network
from tests.io.schema import JOINT_SCHEDULE_FILE, check
from tests.joint_checker import packed_greedily

RING = network("ring:6")
PROBLEM = JointProblem(RING, (alltoall([0, 1, 2]), in_pieces(allgather([3, 4]), 2), broadcast(RING)), Rules(ports=1))


def result_of(problem: JointProblem) -> JointResult:
    """Return a result with its bounds."""
    return JointResult(problem, packed_greedily(problem), joint_bounds(problem))


@pytest.mark.parametrize("name", ["schedule.json", "schedule.json.gz"])
def test_a_schedule_is_read_as_it_was_written(name: str, tmp_path: Path) -> None:
    """Problem, schedule and proven bounds come back, and a second writing has the same bytes."""
    result = result_of(PROBLEM)
    write_joint(tmp_path / name, result)
    assert is_joint_file(tmp_path / name)
    claim = read_joint(tmp_path / name)
    assert (claim.problem, claim.schedule) == (PROBLEM, result.schedule)
    assert claim.result().bounds == result.bounds
    write_joint(tmp_path / f"again-{name}", JointResult(claim.problem, claim.schedule, claim.bounds))
    assert (tmp_path / name).stat().st_size == (tmp_path / f"again-{name}").stat().st_size


def test_carries_begin_with_the_number_of_the_collective(tmp_path: Path) -> None:
    """A private message has origin and target after it, a broadcast its origin, and pieces their number."""
    write_joint(tmp_path / "schedule.json", result_of(PROBLEM))
    content = json.loads((tmp_path / "schedule.json").read_text())
    check(content, JOINT_SCHEDULE_FILE)
    steps = content["steps"]
    labels = [label for step in steps for row in step for label in row["carries"]]
    assert {(label[0], len(label)) for label in labels} == {(0, 3), (1, 3), (2, 2)}


def test_trees_are_written_as_one(tmp_path: Path) -> None:
    """Where routers copy, a tree of one collective is one entry."""
    problem = JointProblem(network("star:5"), (broadcast([1, 2, 3]), broadcast([4, 2])), Rules(multicast=True))
    from pavane.search.synthesis import solve
    from pavane.solvers.joint_packing import TransferJobs

    schedules = [solve(part).schedule for part in problem.parts]
    jobs = TransferJobs.of(problem, problem.joined([each for each in schedules if each is not None]))
    result = JointResult(problem, jobs.packed((-jobs.tails).tolist()))
    write_joint(tmp_path / "schedule.json", result)
    steps = json.loads((tmp_path / "schedule.json").read_text())["steps"]
    assert any(isinstance(row["to"], list) for step in steps for row in step)
    assert read_joint(tmp_path / "schedule.json").schedule == result.schedule


def test_one_collective_is_expected_elsewhere(tmp_path: Path) -> None:
    """A problem file is read, and the problem of a schedule file; readers of single problems say what these are."""
    write_problem(tmp_path / "problem.json", PROBLEM)
    write_joint(tmp_path / "schedule.json", result_of(PROBLEM))
    for read, name in ((read_problem, "problem"), (read_network_or_problem, "problem"), (read_schedule, "schedule")):
        path = tmp_path / f"{name}.json"
        assert is_joint_file(path)
        assert read_joint_problem(path) == PROBLEM
        with pytest.raises(InputError, match="several collectives at once"):
            read(path)


def test_unproven_bounds_do_not_count(tmp_path: Path) -> None:
    """A bound that its certificate does not prove is left out, and the reason is known."""
    write_joint(tmp_path / "schedule.json", result_of(PROBLEM))
    content = json.loads((tmp_path / "schedule.json").read_text())
    content["bounds"][0]["steps"] += 5
    content["bounds"][0].pop("exact", None)
    (tmp_path / "schedule.json").write_text(json.dumps(content))
    claim = read_joint(tmp_path / "schedule.json")
    assert "proves" in claim.objection(claim.bounds[0])
    assert claim.bounds[0] not in claim.result().bounds


@pytest.mark.parametrize("carries", [[[5, 0, 1]], [[]], [], [[0, 0, 1], [1, 3, 0]]])
def test_labels_of_no_collective_are_refused(carries: list[list[int]], tmp_path: Path) -> None:
    """A transfer carries messages of one collective, which has a number."""
    write_joint(tmp_path / "schedule.json", result_of(PROBLEM))
    content = json.loads((tmp_path / "schedule.json").read_text())
    content["steps"][0][0]["carries"] = carries
    (tmp_path / "schedule.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match="step 1: a transfer carries messages of one collective"):
        read_joint(tmp_path / "schedule.json")
