"""Groups side by side: as many steps at once as the network has room for."""

from __future__ import annotations

import pytest

from pavane.campaign.workload_model.side_by_side import run_side_by_side
from pavane.errors import InvalidSchedule
from pavane.model.collectives import broadcast
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network
from pavane.search.synthesis import solve


def of_groups(spec: str, groups: list[list[int]], rules: Rules = Rules()) -> tuple[list[Problem], list]:  # type: ignore[type-arg]  # noqa: B008
    """Return broadcasts in groups and a schedule of each alone."""
    where = network(spec)
    problems = [Problem(where, broadcast(group), rules) for group in groups]
    return problems, [solve(problem).schedule for problem in problems]


def test_groups_that_do_not_meet_take_as_long_as_one() -> None:
    """Two broadcasts on different ends of a line run at the same time."""
    problems, schedules = of_groups("line:6", [[0, 1, 2], [5, 4, 3]])
    assert run_side_by_side(problems, schedules).num_steps == max(one.num_steps for one in schedules)


def test_groups_that_meet_wait_for_each_other() -> None:
    """Two messages over one channel take a step each."""
    problems, schedules = of_groups("line:4", [[0, 3], [1, 2]])
    together = run_side_by_side(problems, schedules)
    assert (together.num_steps, len(together)) == (2, 2)


@pytest.mark.parametrize("duplex", ["full", "half"])
def test_links_of_half_duplex_are_shared(duplex: str) -> None:
    """Messages in opposite ways meet under half duplex only."""
    problems, schedules = of_groups("line:4", [[0, 2], [3, 1]], Rules(duplex=duplex))  # type: ignore[arg-type]
    assert run_side_by_side(problems, schedules).num_steps == (1 if duplex == "full" else 2)


def test_the_judge_sees_what_runs_side_by_side() -> None:
    """A schedule of one group that does not deliver is none of all groups."""
    problems, schedules = of_groups("line:6", [[0, 1, 2], [5, 4, 3]])
    short = Schedule.from_transfers(list(schedules[1])[:1])
    with pytest.raises(InvalidSchedule, match="groups side by side break a rule"):
        run_side_by_side(problems, [schedules[0], short])
