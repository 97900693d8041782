"""Files of several collectives at once: written and read again, and refused where one collective is expected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pavane.bounds import lower_bounds
from pavane.errors import InputError
from pavane.io import read_problem, read_schedule, write_problem, write_schedule
from pavane.judge.result import Result
from pavane.model.collectives import allgather, alltoall, broadcast, in_pieces
from pavane.model.problem import Problem, Rules
from pavane.model.several import join_parts
from pavane.networks import network
from tests.io.schema import JOINT_SCHEDULE_FILE, check
from tests.joint_checker import packed_greedily

RING = network("ring:6")
PROBLEM = Problem(RING, (alltoall([0, 1, 2]), in_pieces(allgather([3, 4]), 2), broadcast(RING)), Rules(ports=1))


def result_of(problem: Problem) -> Result:
    """Return a result with its bounds."""
    return Result(problem, packed_greedily(problem), lower_bounds(problem))


@pytest.mark.parametrize("name", ["schedule.json", "schedule.json.gz"])
def test_a_schedule_is_read_as_it_was_written(name: str, tmp_path: Path) -> None:
    """Problem, schedule and proven bounds come back, and a second writing has the same bytes."""
    result = result_of(PROBLEM)
    write_schedule(tmp_path / name, result)
    claim = read_schedule(tmp_path / name)
    assert (claim.problem, claim.schedule) == (PROBLEM, result.schedule)
    assert claim.result().known_bounds == result.bounds
    write_schedule(tmp_path / f"again-{name}", claim.result())
    again = read_schedule(tmp_path / f"again-{name}")
    assert (again.problem, again.schedule, again.bounds) == (claim.problem, claim.schedule, claim.bounds)


def test_carries_begin_with_the_number_of_the_collective(tmp_path: Path) -> None:
    """A private message has origin and target after it, a broadcast its origin, and pieces their number."""
    write_schedule(tmp_path / "schedule.json", result_of(PROBLEM))
    content = json.loads((tmp_path / "schedule.json").read_text())
    check(content, JOINT_SCHEDULE_FILE)
    steps = content["steps"]
    labels = [label for step in steps for row in step for label in row["carries"]]
    assert {(label[0], len(label)) for label in labels} == {(0, 3), (1, 3), (2, 2)}


def test_trees_are_written_as_one(tmp_path: Path) -> None:
    """Where routers copy, a tree of one collective is one entry."""
    problem = Problem(network("star:5"), (broadcast([1, 2, 3]), broadcast([4, 2])), Rules(multicast=True))
    from pavane.search.synthesis import solve
    from pavane.solvers.joint_packing import TransferJobs

    schedules = [solve(part).schedule for part in problem.parts]
    jobs = TransferJobs.of(problem, join_parts(problem, [each for each in schedules if each is not None]))
    result = Result(problem, jobs.packed((-jobs.tails).tolist()))
    write_schedule(tmp_path / "schedule.json", result)
    steps = json.loads((tmp_path / "schedule.json").read_text())["steps"]
    assert any(isinstance(row["to"], list) for step in steps for row in step)
    assert read_schedule(tmp_path / "schedule.json").schedule == result.schedule


def test_the_problem_is_read_alone(tmp_path: Path) -> None:
    """A problem file is read, and the problem of a schedule file."""
    write_problem(tmp_path / "problem.json", PROBLEM)
    write_schedule(tmp_path / "schedule.json", result_of(PROBLEM))
    assert read_problem(tmp_path / "problem.json") == read_problem(tmp_path / "schedule.json") == PROBLEM


@pytest.mark.parametrize("changes", [{"collective": {"kind": "AAS"}}, {"collectives": None}])
def test_a_problem_has_one_collective_or_a_list(changes: dict[str, object], tmp_path: Path) -> None:
    """A file that has both, or neither, is refused."""
    write_problem(tmp_path / "problem.json", PROBLEM)
    content = json.loads((tmp_path / "problem.json").read_text()) | changes
    (tmp_path / "problem.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match="a problem has `collective`, or of several `collectives`"):
        read_problem(tmp_path / "problem.json")


def test_unproven_bounds_do_not_count(tmp_path: Path) -> None:
    """A bound that its certificate does not prove is left out, and the reason is known."""
    write_schedule(tmp_path / "schedule.json", result_of(PROBLEM))
    content = json.loads((tmp_path / "schedule.json").read_text())
    content["bounds"][0]["steps"] += 5
    content["bounds"][0].pop("exact", None)
    (tmp_path / "schedule.json").write_text(json.dumps(content))
    result = read_schedule(tmp_path / "schedule.json").result()
    assert "proves" in result.verdicts[0].objection
    assert result.claims[0] not in result.known_bounds


@pytest.mark.parametrize("carries", [[[5, 0, 1]], [[]], [], [[0, 0, 1], [1, 3, 0]]])
def test_labels_of_no_collective_are_refused(carries: list[list[int]], tmp_path: Path) -> None:
    """A transfer carries messages of one collective, which has a number."""
    write_schedule(tmp_path / "schedule.json", result_of(PROBLEM))
    content = json.loads((tmp_path / "schedule.json").read_text())
    content["steps"][0][0]["carries"] = carries
    (tmp_path / "schedule.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match="step 1: a transfer carries messages of one collective"):
        read_schedule(tmp_path / "schedule.json")
