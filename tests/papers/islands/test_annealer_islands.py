"""Islands of HGSA: the same runs as on a processor, move for move, whatever compiles them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from papers.islands.annealer_islands import annealer_islands_of, each_on_an_annealer_island
from papers.islands.archipelago import Device

from pavane.errors import InputError
from pavane.model.problem import Problem, Rules
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.hgsa import HGSA
from pavane.solvers.solver import Finding
from tests.papers.islands.test_islands import compiled_here, gpu  # noqa: F401
from tests.papers.plain_device import FiberDevice, LargeDevice, PlainDevice
from tests.problems import problem_of
from tests.solvers.evolutionary.cases import assert_equal_to_processor

COOL: dict[str, Any] = {"start_temperature": 0.6, "moves_per_temperature": 50}
CASES: list[tuple[str, str, int, HGSA, int]] = [
    ("ring:6", "AAB", 3, HGSA(), 20_000),
    ("hypercube:3", "AAB", 3, HGSA(mutated_genes=0, **COOL), 20_000),
    ("kautz:3,2", "AAB", 4, HGSA(num_annealers=4, wheel="gap", master_keeps="best", **COOL), 15_000),
    ("mesh:3x3", "AAB", 8, HGSA(new_path=0.5, new_sequence=0.3, child_mutation=0.9, **COOL), 12_000),
    ("hypercube:4", "OAB", 2, HGSA(mutated_genes=3, exchange_every=30, cooling=0.9, **COOL), 9_000),
    ("mesh:3x3", "AAB", 9, HGSA(most_absorbed=1, runs_on=False, num_annealers=40, **COOL), 9_000),
    ("ring:6", "AAB", 3, HGSA(start_temperature=5.0, cooling=0.0, first_channel_at_once=False), 7_001),
    ("line:4", "AAB", 300, HGSA(num_annealers=2), 500),
]
each_case = pytest.mark.parametrize(
    ("spec", "kind", "num_steps", "solver", "evaluations"),
    CASES,
    ids=[f"{case[0]}-{case[1]}-{case[2]}" for case in CASES],
)


def problem_for(spec: str, kind: str, solver: HGSA) -> Problem:
    """Return the problem of a case; the mesh has one port unless the solver counts what is absorbed."""
    is_one_port = spec == "mesh:3x3" and solver.most_absorbed is None
    return problem_of(spec, kind, Rules(ports=1) if is_one_port else None)


def annealers_equal_processors(
    device: Device, spec: str, kind: str, num_steps: int, solver: HGSA, evaluations: int, seeds: Sequence[int]
) -> list[Finding]:
    """Compare runs on islands with those on a processor: evaluations, traces and schedules."""
    problem = problem_for(spec, kind, solver)

    def on_islands(rngs: list[np.random.Generator], budget: Budget) -> Iterator[tuple[int, Finding]]:
        return each_on_an_annealer_island(annealer_islands_of(solver, problem, num_steps, budget, device), rngs, budget)

    return assert_equal_to_processor(solver, on_islands, problem, num_steps, evaluations, seeds)


@compiled_here
@each_case
def test_a_plain_program_makes_the_moves_of_the_kernels(
    spec: str, kind: str, num_steps: int, solver: HGSA, evaluations: int
) -> None:
    """The islands' source, compiled for one thread, draws the same numbers and accepts the same moves."""
    annealers_equal_processors(LargeDevice(), spec, kind, num_steps, solver, evaluations, [0, 5])


@each_case
def test_a_gpu_makes_the_moves_of_the_kernels(
    spec: str,
    kind: str,
    num_steps: int,
    solver: HGSA,
    evaluations: int,
    gpu: Device,  # noqa: F811
) -> None:
    """However many threads share the work, runs are those of a processor."""
    annealers_equal_processors(gpu, spec, kind, num_steps, solver, evaluations, range(8))


@compiled_here
@pytest.mark.parametrize(
    ("solver", "num_steps"), [(HGSA(num_annealers=3, **COOL), 3), (HGSA(num_annealers=2, mutated_genes=2, **COOL), 4)]
)
def test_threads_that_take_turns_make_the_moves_of_the_kernels(solver: HGSA, num_steps: int) -> None:
    """Lanes that count hops and genes come to what one thread comes to."""
    often = replace(solver, exchange_every=20)
    annealers_equal_processors(FiberDevice(), "ring:6", "AAB", num_steps, often, 240, [0])


class Cramped(LargeDevice):
    """A device whose blocks share too little memory for loads, and whose memory holds two islands."""

    most_shared = 400
    memory = 130_000


@compiled_here
def test_little_memory_changes_no_run() -> None:
    """Loads outside of what a block shares, and islands in turns, make the same moves."""
    problem, solver, budget = problem_of("ring:6", "AAB"), HGSA(**COOL), Budget(evaluations=1500)
    islands = annealer_islands_of(solver, problem, 3, budget, Cramped())
    assert islands is not None
    assert islands.at_once == 2
    annealers_equal_processors(Cramped(), "ring:6", "AAB", 3, solver, 1500, range(5))


@compiled_here
def test_interrupted_islands_are_resumed_move_by_move(tmp_path: Path) -> None:
    """Runs made in parts, each from the file of the last, equal runs without a break; other seeds are refused."""
    problem, solver, file = problem_of("mesh:3x3", "AAB", Rules(ports=1)), HGSA(**COOL), tmp_path / "runs.npz"

    def found(budget: Budget, stored: Path | None, first: int = 0) -> dict[int, Finding]:
        rngs = [np.random.default_rng(seed) for seed in range(first, first + 3)]
        islands = annealer_islands_of(solver, problem, 8, budget, LargeDevice())
        return dict(each_on_an_annealer_island(islands, rngs, budget, stored))

    budget, parts, resumed = Budget(evaluations=25_000), 0, dict[int, Finding]()
    while len(resumed) < 3:
        # Checked for each of the 72 genes, once more, and before each of three launches.
        is_stopped = chain([False] * (72 + 1 + 3), repeat(True))
        resumed = found(replace(budget, is_stopped=partial(next, is_stopped)), file)
        parts += 1
    assert parts > 1
    assert found(replace(budget, is_stopped=lambda: True), tmp_path / "others.npz") == {}
    assert resumed == found(budget, None)
    with pytest.raises(InputError, match="islands of another problem, setting, limit or seed"):
        found(budget, file, 1)


@pytest.mark.parametrize(("num_steps", "evaluations"), [(2, 100), (3, 0)])
def test_too_few_steps_or_no_moves_find_nothing(num_steps: int, evaluations: int) -> None:
    """Below the bound nothing is counted, and a budget of none ends islands as it ends a run."""
    problem, budget = problem_of("ring:6", "AAB"), Budget(evaluations=evaluations)
    islands = annealer_islands_of(HGSA(), problem, num_steps, budget, PlainDevice())
    found = dict(each_on_an_annealer_island(islands, [np.random.default_rng(0)], budget))
    assert found[0] == HGSA().find(problem, num_steps, np.random.default_rng(0), budget)


def test_levels_end_where_nothing_worse_is_accepted() -> None:
    """A row for each temperature, until all chances are 0; a temperature of 0 draws no number."""
    problem, budget = problem_of("ring:6", "AAB"), Budget(evaluations=10**6)

    def levels(solver: HGSA) -> list[int]:
        islands = annealer_islands_of(solver, problem, 3, budget, PlainDevice())
        assert islands is not None
        thresholds, counts = islands._thresholds
        assert len(thresholds) == counts[0]
        return [*counts.tolist(), int(thresholds[0, 0])]

    # exp(-1 / T) is below the smallest real number from T = 1 / 745 on; half a million moves have 501 levels.
    assert levels(HGSA(start_temperature=1.0, cooling=0.5)) == [11, 501, 1580030169]
    assert levels(HGSA(start_temperature=1.0, cooling=0.0)) == [2, 1, 1580030169]
    assert levels(HGSA(start_temperature=0.0)) == [1, 0, 0]
    assert levels(HGSA(start_temperature=1e300, cooling=1.0)) == [501, 501, 2**32]
