"""Islands of MBOA: the same runs as on a processor, one for one, whatever compiles them."""

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from pathlib import Path

import numpy as np
import pytest
from papers.islands.archipelago import Device
from papers.islands.cuda import SOURCE
from papers.islands.islands import each_on_an_island
from papers.islands.tree_islands import each_on_a_tree_island, tree_islands_of

from pavane.model.problem import Rules
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.mboa import MBOA
from pavane.solvers.evolutionary.umda import UMDA
from pavane.solvers.solver import Finding
from tests.papers.islands.test_islands import compiled_here, gpu  # noqa: F401
from tests.papers.plain_device import FiberDevice, LargeDevice, compiled_source
from tests.problems import problem_of
from tests.solvers.evolutionary.cases import assert_equal_to_processor

CASES: list[tuple[str, str, int, MBOA, int]] = [
    ("hypercube:3", "AAS", 4, MBOA(population=64), 5_000),
    ("ring:6", "AAB", 3, MBOA(population=40, mutation="item", new_path_after=100), 1_600),
    ("petersen", "AAS", 4, MBOA(population=40, new_path_after=60), 1_600),
    ("mesh:3x3", "AAS", 7, MBOA(population=50, patience=600), 3_000),
    ("octagon", "AAS", 4, MBOA(population=40, accelerate=True), 1_500),
    ("kautz:3,2", "AAS", 7, MBOA(population=60, most_candidates=100, test_price=0.2), 1_500),
    ("octagon", "AAS", 4, MBOA(population=600, replacement="restricted", conflicts="excess"), 2_000),
]
each_case = pytest.mark.parametrize(
    ("spec", "kind", "num_steps", "solver", "evaluations"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)


class LargeFiber(FiberDevice):
    """A device with a multiprocessor for every island, and blocks of many threads."""

    num_threads = 100 * 2048


def tree_islands_equal_processors(
    device: Device, spec: str, kind: str, num_steps: int, solver: MBOA, evaluations: int, seeds: Sequence[int]
) -> None:
    """Compare runs on islands with those on a processor: evaluations, traces and schedules."""
    problem = problem_of(spec, kind, Rules(ports=1) if spec == "mesh:3x3" else None)

    def on_islands(rngs: list[np.random.Generator], budget: Budget) -> Iterator[tuple[int, Finding]]:
        return each_on_a_tree_island(tree_islands_of(solver, problem, num_steps, rngs[0], budget, device), rngs, budget)

    assert_equal_to_processor(solver, on_islands, problem, num_steps, evaluations, seeds)


@compiled_here
@each_case
def test_a_plain_program_makes_the_runs_of_the_kernels(
    spec: str, kind: str, num_steps: int, solver: MBOA, evaluations: int
) -> None:
    """The islands' source, compiled for one thread, draws the same numbers and grows the same trees."""
    tree_islands_equal_processors(LargeDevice(), spec, kind, num_steps, solver, evaluations, [0, 5])


@each_case
def test_a_gpu_makes_the_runs_of_the_kernels(
    spec: str,
    kind: str,
    num_steps: int,
    solver: MBOA,
    evaluations: int,
    gpu: Device,  # noqa: F811
) -> None:
    """However many threads share the work, runs are those of a processor."""
    tree_islands_equal_processors(gpu, spec, kind, num_steps, solver, evaluations, range(8))


@compiled_here
@pytest.mark.parametrize(
    "solver",
    [MBOA(population=24, tournament=3), MBOA(population=24, replacement="restricted", most_candidates=8)],
    ids=["tournament", "restricted"],
)
def test_threads_that_take_turns_make_the_runs_of_the_kernels(solver: MBOA) -> None:
    """Warps that grow trees and lanes that weigh tests come to what one thread comes to."""
    tree_islands_equal_processors(LargeFiber(), "ring:4", "AAS", 2, solver, 60, [0])


@compiled_here
@pytest.mark.parametrize("kind", ["AAS", "AAB"])
def test_threads_that_take_turns_make_the_runs_of_umda(kind: str) -> None:
    """Teams of threads repair, count and polish as one thread does."""
    problem, solver, budget = problem_of("ring:5", kind), UMDA(population=10, polish=1), Budget(evaluations=60)
    evolution = solver.evolution()
    found = dict(each_on_an_island(evolution, problem, 3, [np.random.default_rng(1)], budget, FiberDevice()))
    assert found[0] == solver.find(problem, 3, np.random.default_rng(1), budget)


@compiled_here
@pytest.mark.parametrize("limit", [1, 2, 37, 3 << 30])
def test_islands_draw_the_numbers_of_numpy(limit: int) -> None:
    """Whole numbers below a limit, also where many draws are refused; reals and permutations are in the runs above."""
    draw = """
extern "C" void drawn(u64 *state, u32 limit, int count, int *numbers) {
  int is_refused;
  draw_all(state, limit, count, numbers, &is_refused, 0);
}
"""
    islands = compiled_source(SOURCE + draw, _macros())
    rng, words, numbers = np.random.default_rng(5), np.zeros(6, dtype=np.uint64), np.zeros(1001, dtype=np.uint32)
    rng.integers(0, 2**32, dtype=np.uint32)
    words[:] = _state(rng)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (words, numbers)]
    islands.drawn(pointers[0], ctypes.c_uint(limit), ctypes.c_int(1001), pointers[1])
    assert numbers.tolist() == rng.integers(0, limit, size=1001).tolist()
    assert words.tolist()[:2] == _state(rng)[:2]


def _state(rng: np.random.Generator) -> list[int]:
    state = rng.bit_generator.state
    halves = [*divmod(state["state"]["state"], 2**64), *divmod(state["state"]["inc"], 2**64)]
    return [*halves, state["uinteger"], state["has_uint32"]]


def _macros() -> dict[str, str]:
    """Return the macros of some problem, for one thread."""
    kept: list[dict[str, str]] = []

    class Kept(LargeDevice):
        def program(self, defined):  # type: ignore[no-untyped-def]
            kept.append({**defined, "TEAM": "1", "TEAMS": "1"})
            return super().program(defined)

    solver, budget = MBOA(population=24, tournament=3), Budget(evaluations=30)
    rng = np.random.default_rng(0)
    islands = tree_islands_of(solver, problem_of("ring:4", "AAS"), 2, rng, budget, Kept())
    list(each_on_a_tree_island(islands, [rng], budget))
    return kept[0]


@compiled_here
def test_interrupted_islands_are_resumed_evaluation_by_evaluation(tmp_path: Path) -> None:
    """Runs made in parts, each from the file of the last, equal runs without a break."""
    problem, solver = problem_of("ring:4", "AAS"), MBOA(population=24, tournament=3)

    def findings(budget: Budget, stored: Path | None) -> dict[int, Finding]:
        rngs = [np.random.default_rng(seed) for seed in range(3)]
        islands = tree_islands_of(solver, problem, 2, rngs[0], budget, LargeDevice())
        return dict(each_on_a_tree_island(islands, rngs, budget, stored))

    budget, parts, found = Budget(evaluations=400), 0, dict[int, Finding]()
    while len(found) < 3:
        is_stopped = chain([False] * 3, repeat(True))
        found = findings(replace(budget, is_stopped=partial(next, is_stopped)), tmp_path / "runs.npz")
        parts += 1
    assert parts > 1
    assert found == findings(budget, None)


@compiled_here
def test_without_evaluations_nothing_is_found() -> None:
    """A budget of none ends islands as it ends a run."""
    problem, budget, rng = problem_of("ring:4", "AAS"), Budget(evaluations=0), np.random.default_rng(0)
    found = dict(each_on_a_tree_island(tree_islands_of(MBOA(), problem, 2, rng, budget, LargeDevice()), [rng], budget))
    assert found[0] == MBOA().find(problem, 2, np.random.default_rng(0), budget)


@compiled_here
def test_trial_runs_are_made_on_a_processor() -> None:
    """A population by trial is the same on both devices."""
    problem, solver, budget = problem_of("ring:4", "AAS"), MBOA(population="by-trial"), Budget(evaluations=400)
    alone = solver.find(problem, 2, np.random.default_rng(1), budget)
    rng = np.random.default_rng(1)
    islands = tree_islands_of(solver, problem, 2, rng, budget, LargeDevice())
    assert dict(each_on_a_tree_island(islands, [rng], budget)) == {0: alone}
