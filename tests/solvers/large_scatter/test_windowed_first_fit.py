"""Windowed first fit: a first schedule at once, and the time it would take where the limit is too short."""

from dataclasses import replace

import numpy as np
import pytest

from pavane.model.problem import Rules
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter import windowed_first_fit as windows
from pavane.solvers.large_scatter.first_fit import FirstFit
from pavane.solvers.large_scatter.scatter_arrays import ScatterArrays
from pavane.solvers.large_scatter.tuning import TUNING
from pavane.solvers.large_scatter.windowed_first_fit import first_answer
from tests.checker import judge
from tests.problems import problem_of

HASTY = FirstFit(is_hasty=True)


@pytest.mark.parametrize("spec", ["ring:9", "torus:4x4", "fat-tree:4", "kautz:3,2", "line:5"])
@pytest.mark.parametrize("rules", [Rules(), Rules(ports=1), Rules(duplex="half")])
def test_schedules_are_valid(spec: str, rules: Rules) -> None:
    """Windows respect channels, links and ports."""
    problem = problem_of(spec, "AAS", rules)
    found = HASTY(problem, None, 0, Budget.of(seconds=1000)).schedule
    assert found is not None
    assert not judge(problem, found)


def test_the_first_schedule_is_reported_and_measured() -> None:
    """What is reported is not returned again, and the budget then reserves time for judging."""
    arrays = ScatterArrays.of(problem_of("torus:4x4"))
    kept: list[Schedule] = []
    budget = Budget(deadline=1e9, on_schedule=kept.append)
    first = first_answer(arrays, None, budget)
    assert len(kept) == 1
    assert first.is_reported
    assert first.budget.judging_seconds is not None
    assert first.budget.deadline is not None
    assert first.budget.deadline < 1e9
    assert first.or_shorter(arrays, None) is None
    assert FirstFit()(arrays.problem, 1, 0, replace(budget, on_schedule=kept.append)).schedule is None
    assert len(kept) == 1, "what is longer than requested is not reported"


def test_without_a_limit_there_is_no_first_answer() -> None:
    """Without a time limit, or with counted effort, windows are not filled."""
    arrays = ScatterArrays.of(problem_of("ring:6"))
    for budget in (Budget(), Budget(evaluations=10, deadline=1e9), Budget(deadline=1e9, judging_seconds=1.0)):
        assert first_answer(arrays, None, budget).packed is None


def test_too_little_time_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the limit is too short for a first schedule, a note says which would suffice."""
    monkeypatch.setattr(windows, "TUNING", replace(TUNING, least_hops_probed=0))
    found = HASTY(problem_of("torus:8x8"), None, 0, Budget.of(seconds=0))
    assert found.schedule is None
    assert len(found.notes) == 1
    assert found.notes[0].startswith("the time limit is too short for a first schedule; first-fit takes about ")


def test_machine_code_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled or not, the same messages get the same steps."""
    arrays = ScatterArrays.of(problem_of("ring:26"))
    order = np.lexsort((arrays.messages.targets, -arrays.path_lengths))
    fast = windows._fill_windows(arrays, order, Budget())
    monkeypatch.setattr(windows, "compiled", lambda kernel, variant: kernel)
    slow = windows._fill_windows(arrays, order, Budget())
    assert not isinstance(fast, float)
    assert not isinstance(slow, float)
    assert np.array_equal(fast.step_of, slow.step_of)
    assert np.array_equal(fast.paths, slow.paths)


def test_messages_without_room_go_to_the_next_window() -> None:
    """More steps than a window has are filled one window after the other."""
    problem = problem_of("ring:70")
    found = HASTY(problem, None, 0, Budget.of(seconds=1000)).schedule
    assert found is not None
    assert found.num_steps > 512
