"""Steps along planned paths take every message once, whether windows of steps are filled before or not."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.parallel.threads import thread_pool
from pavane.solvers.large_scatter import step_fillers
from pavane.solvers.large_scatter.scatter_arrays import ScatterArrays
from pavane.solvers.large_scatter.step_fillers import PlannedSteps
from pavane.solvers.large_scatter.tuning import TUNING
from pavane.solvers.rerouting import Rerouting, ReroutingEffort, ground_of


def planned(text: str, rules: Rules, pieces: int = 1) -> tuple[ScatterArrays, Rerouting]:
    """Return the messages of an all-to-all with a plan of their paths."""
    made = network(text)
    arrays = ScatterArrays.of(Problem(made, named("AAS", made, pieces=pieces), rules))
    fabric, messages = arrays.fabric, arrays.messages
    ground = ground_of(fabric.wiring, fabric.distances, [fabric.unit_of])
    rerouting = Rerouting(ground, arrays.unit_capacity.astype(np.int64), messages.sources, messages.targets, 0)
    assert rerouting.plan(1, ReroutingEffort(10), np.random.default_rng(0), Budget()) is not None
    return arrays, rerouting


def filled(
    arrays: ScatterArrays, rerouting: Rerouting, probes: int, seed: int = 0, pool: ThreadPoolExecutor | None = None
) -> list[list[int]]:
    """Fill steps until none is pending; return the messages of each, which use no unit twice."""
    plan = rerouting.found()
    goal, rng = rerouting.most_load + 2, np.random.default_rng(seed)
    steps = PlannedSteps(arrays, rerouting, goal, pool)
    found: list[list[int]] = []
    while steps.num_pending:
        left = max(1, goal - len(found), rerouting.most_load)
        for chosen in steps.fill(0.2 + np.exp(rerouting.loads - float(left)), left, probes, rng):
            begins, lengths = rerouting.paths.offsets[chosen], rerouting.paths.lengths[chosen]
            arcs = [arc for b, n in zip(begins, lengths, strict=True) for arc in rerouting.paths.arcs[b : b + n]]
            units = arrays.fabric.unit_of[np.array(arcs)]
            assert len(np.unique(units)) == len(units) > 0
            assert not np.isin(chosen, steps.pending_messages).any()
            found.append(sorted(chosen.tolist()))
    assert not rerouting.loads.any()
    rerouting.take(plan)
    return found


@pytest.mark.parametrize("least", [1, 1000], ids=["windows", "none"])
@pytest.mark.parametrize(
    ("text", "rules", "pieces"),
    [
        ("random-regular:24,3,2", Rules(), 1),
        ("random-regular:16,3,1", Rules(duplex="half"), 1),
        ("random-regular:12,3,1", Rules(), 3),
    ],
)
def test_all_messages_get_a_step(
    text: str, rules: Rules, pieces: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every message is sent once, the same seed gives the same steps, and they are few more than the plan's load."""
    monkeypatch.setattr(step_fillers, "TUNING", replace(TUNING, least_window_routers=least))
    arrays, rerouting = planned(text, rules, pieces)
    steps = filled(arrays, rerouting, 5000)
    assert sorted(message for step in steps for message in step) == list(range(arrays.num_messages))
    assert rerouting.most_load <= len(steps) <= 1.3 * rerouting.most_load + 2
    assert filled(arrays, rerouting, 5000) == steps


def test_windows_are_reserved_for_their_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first step of a window messages are reserved for the next ones, and their paths stay."""
    monkeypatch.setattr(step_fillers, "TUNING", replace(TUNING, least_window_routers=1))
    arrays, rerouting = planned("random-regular:24,3,2", Rules())
    steps, rng = PlannedSteps(arrays, rerouting, 30), np.random.default_rng(0)
    assert not steps.is_firm
    worth, num_filled = np.ones(arrays.num_units), 0
    while num_filled < TUNING.least_window:
        num_filled += len(steps.fill(worth, 30 - num_filled, 1000, rng))
        assert steps.is_firm == (num_filled < TUNING.least_window)
    assert not any(step.is_inside.any() for step in steps.steps)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing_but_the_time(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two windows are filled at a time while there are many steps, with the same steps for any number of threads."""
    monkeypatch.setattr(step_fillers, "TUNING", replace(TUNING, least_window_routers=1, least_window=2))
    monkeypatch.setattr(step_fillers, "MOST_STEPS", 2)
    arrays, rerouting = planned("random-regular:24,3,2", Rules())
    alone = filled(arrays, rerouting, 5000)
    with thread_pool(threads - 1) as pool:
        assert filled(arrays, rerouting, 5000, pool=pool) == alone
    assert sorted(message for step in alone for message in step) == list(range(arrays.num_messages))
