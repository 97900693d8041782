"""Islands: the same runs as on a processor, one for one, whatever compiles them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from papers.islands.archipelago import Device, IslandRun
from papers.islands.cuda import cuda_device
from papers.islands.islands import Islands, defined, each_on_an_island, item_type, layout_of, tables_of

from pavane.errors import InputError
from pavane.judge.result import Run
from pavane.model.problem import Rules
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.encoding import Encoding, new_key
from pavane.solvers.evolutionary.ga import GA
from pavane.solvers.evolutionary.umda import UMDA
from pavane.solvers.solver import Finding
from tests.papers.plain_device import COMPILER, WHY_NOT, PlainDevice
from tests.problems import problem_of
from tests.solvers.evolutionary.cases import assert_equal_to_processor, encoding

CASES: list[tuple[str, str, int, UMDA | GA, int]] = [
    ("octagon", "AAS", 4, UMDA(), 12_000),
    ("octagon", "AAS", 4, UMDA(polish=2, patience=500), 5_000),
    ("kautz:3,2", "AAS", 6, UMDA(swap_within=False, swap_idle=True, patience=300), 2_000),
    ("hypercube:3", "AAS", 5, UMDA(symmetric=True, units=True), 2_000),
    ("heawood", "AAS", 9, UMDA(selection="truncation", replacement="better", changes=14), 3_000),
    ("octagon", "AAS", 4, UMDA(selection="truncation", path_share=0.0, units=True), 3_000),
    ("petersen", "AAB", 3, UMDA(), 3_000),
    ("petersen", "AAB", 3, UMDA(polish=3, units=True, conflicts="excess"), 3_000),
    ("ring:6", "AAR", 4, UMDA(), 1_000),
    ("octagon", "AAS", 4, GA(), 10_000),
    ("hypercube:4", "OAB", 2, GA(polish=1, elite=0, conflicts="excess"), 2_000),
    ("heawood", "AAB", 4, GA(changes=3, patience=700, population=20, tournament=3), 2_000),
    ("mesh:3x3", "AAS", 7, GA(mutation=0.5, crossover=1.0), 1_000),
]
each_case = pytest.mark.parametrize(
    ("spec", "kind", "num_steps", "solver", "evaluations"),
    CASES,
    ids=[f"{case[0]}-{case[1]}-{case[3].name}" for case in CASES],
)
compiled_here = pytest.mark.skipif(COMPILER is None, reason=WHY_NOT)


@pytest.fixture
def gpu() -> Device:
    """Return the GPU of this machine."""
    try:
        return cuda_device()
    except InputError as error:
        pytest.skip(f"needs a CUDA GPU: {error}")


def islands_equal_processors(
    device: Device, spec: str, kind: str, num_steps: int, solver: UMDA | GA, evaluations: int, seeds: Sequence[int]
) -> None:
    """Compare runs on islands with those on a processor: evaluations, traces and schedules."""
    ahead = "AAB" if kind == "AAR" else kind
    problem = problem_of(spec, ahead, Rules(ports=1) if spec == "mesh:3x3" else None)

    def on_islands(rngs: list[np.random.Generator], budget: Budget) -> Iterator[tuple[int, Finding]]:
        return each_on_an_island(solver.evolution(), problem, num_steps, rngs, budget, device)

    assert_equal_to_processor(solver, on_islands, problem, num_steps, evaluations, seeds)


@compiled_here
@each_case
def test_a_plain_program_makes_the_runs_of_the_kernels(
    spec: str, kind: str, num_steps: int, solver: UMDA | GA, evaluations: int
) -> None:
    """The islands' source, compiled for one thread, draws the same words and does the same with them."""
    islands_equal_processors(PlainDevice(), spec, kind, num_steps, solver, evaluations, [0, 5])


@each_case
def test_a_gpu_makes_the_runs_of_the_kernels(
    spec: str, kind: str, num_steps: int, solver: UMDA | GA, evaluations: int, gpu: Device
) -> None:
    """However many threads share the work, runs are those of a processor."""
    islands_equal_processors(gpu, spec, kind, num_steps, solver, evaluations, range(8))


class Crowded(PlainDevice):
    """A device whose memory holds two islands of the problem below."""

    memory = 18_000


@compiled_here
def test_islands_that_do_not_fit_in_at_once_live_in_turns() -> None:
    """Little memory does not change the runs."""
    problem, solver, budget = problem_of("octagon", "AAS"), UMDA(population=20), Budget(evaluations=4000)
    assert Islands(solver.evolution(), encoding("octagon", "AAS", 4), Crowded()).at_once == 2
    every = []
    for device in (PlainDevice(), Crowded()):
        rngs = [np.random.default_rng(seed) for seed in range(7)]
        runs = dict(each_on_an_island(solver.evolution(), problem, 4, rngs, budget, device))
        every.append([runs[number].run for number in range(7)])
    assert every[0] == every[1]


@compiled_here
def test_time_ends_all_islands() -> None:
    """When the time is over, what was made by then is told, and there is no schedule."""
    solver = UMDA()
    looks = iter([False, False, True])
    code = encoding("ring:8", "AAS", 7)
    keys = [new_key(np.random.default_rng(seed)) for seed in range(3)]
    lives = Islands(solver.evolution(), code, PlainDevice()).lives(keys, lambda: 10**9, lambda: next(looks))
    runs = dict(one for look in lives for one in look.ended)
    assert sorted(runs) == [0, 1, 2]
    assert all(run.chromosome is None and run.evaluations >= 90 and run.trace for run in runs.values())


@compiled_here
@pytest.mark.parametrize(
    "solver", [UMDA(population=20), UMDA(population=20, polish=1, patience=300), GA(population=20, elite=3)]
)
def test_interrupted_islands_are_resumed_evaluation_by_evaluation(solver: UMDA | GA, tmp_path: Path) -> None:
    """Runs made in parts, each from the file of the last, equal runs without a break, and the file holds the rest."""
    code, file = encoding("octagon", "AAS", 4), tmp_path / "islands.npz"
    keys = [new_key(np.random.default_rng(seed)) for seed in range(4)]
    whole = Islands(solver.evolution(), code, PlainDevice()).lives(keys, lambda: 3000, lambda: False)
    alone = dict(one for look in whole for one in look.ended)
    resumed: dict[int, IslandRun] = {}
    parts = 0
    while len(resumed) < len(keys):
        is_over = iter([False] * 5 + [True] * 2)
        looks = Islands(solver.evolution(), code, PlainDevice()).lives(keys, lambda: 3000, partial(next, is_over), file)
        resumed = dict(one for look in looks for one in look.ended)
        parts += 1
    assert parts > 2
    for number, run in alone.items():
        assert (resumed[number].evaluations, resumed[number].trace) == (run.evaluations, run.trace)
        assert repr(resumed[number].chromosome) == repr(run.chromosome)


@compiled_here
def test_stored_islands_of_other_runs_are_refused(tmp_path: Path) -> None:
    """Another seed, limit, setting or number of steps does not resume what a file holds."""
    file, solver, code = tmp_path / "islands.npz", UMDA(population=20), encoding("octagon", "AAS", 4)

    def resume(solver: UMDA, code: Encoding, seed: int, most: int) -> None:
        keys = [new_key(np.random.default_rng(seed))]
        list(Islands(solver.evolution(), code, PlainDevice()).lives(keys, lambda: most, lambda: True, file))

    resume(solver, code, 0, 900)
    assert file.exists()
    resume(solver, code, 0, 900)
    others = [(solver, code, 1, 900), (solver, code, 0, 901), (UMDA(population=22), code, 0, 900)]
    for other in (*others, (solver, encoding("octagon", "AAS", 5), 0, 900)):
        with pytest.raises(InputError, match="islands of another problem, setting, limit or seed"):
            resume(*other)


@compiled_here
def test_each_run_that_time_interrupts_is_stored_and_resumed(tmp_path: Path) -> None:
    """Where islands live in turns, each turn has a file of its own, and the findings are those without a break."""
    problem, solver, file = problem_of("octagon", "AAS"), UMDA(population=20), tmp_path / "runs.npz"

    def findings(budget: Budget, stored: Path | None) -> dict[int, Finding]:
        rngs = [np.random.default_rng(seed) for seed in range(5)]
        return dict(each_on_an_island(solver.evolution(), problem, 4, rngs, budget, Crowded(), stored))

    budget, checks = Budget(evaluations=1500), count()
    assert len(findings(replace(budget, is_stopped=lambda: next(checks) > 4), file)) < 5
    assert {path.name for path in tmp_path.iterdir()} == {"runs-1.npz", "runs-2.npz", "runs-3.npz"}
    assert findings(budget, file) == findings(budget, None)


@pytest.mark.parametrize(
    ("spec", "kind", "num_steps"),
    [("ring:4", "OAS", 2), ("octagon", "AAS", 4), ("hypercube:5", "AAS", 16), ("levi", "AAB", 10)],
)
@pytest.mark.parametrize(("most_shared", "num_threads"), [(48_000, 256), (227_000, 256), (227_000, 1024)])
def test_blocks_have_whole_warps_and_fit(
    spec: str, kind: str, num_steps: int, most_shared: int, num_threads: int
) -> None:
    """Threads come by the 32, teams by powers of two, and what they share is no more than there is."""
    code = encoding(spec, kind, num_steps)
    layout = layout_of(code, 60, most_shared, num_threads)
    assert layout.team * layout.teams % 32 == 0
    assert layout.team * layout.teams <= num_threads
    assert layout.team & (layout.team - 1) == 0
    assert layout.shared <= most_shared


def test_what_does_not_fit_is_said_in_one_line() -> None:
    """A block that would need more memory than there is, or items of too many values."""
    with pytest.raises(
        InputError, match=r"992 messages in 16 steps need .* bytes of memory a block, and the GPU has 9,000"
    ):
        layout_of(encoding("hypercube:5", "AAS", 16), 60, 9_000)
    with pytest.raises(InputError, match="too many for islands"):
        item_type(encoding("ring:4", "AAS", 70_000))


def test_items_have_the_smallest_type() -> None:
    """One byte up to 255 values, which includes the step after the last of a broadcast; else two."""
    assert [item_type(encoding("ring:4", "AAB", steps)) for steps in (254, 255)] == [np.uint8, np.uint16]


def test_every_macro_of_the_source_is_defined() -> None:
    """The numbers of a problem and the settings of both algorithms, probabilities as words out of 2^32."""
    code: Encoding = encoding("octagon", "AAS", 4)
    layout = layout_of(code, 60, 48_000)
    umda = defined(code, UMDA().evolution(), layout)
    ga = defined(code, replace(GA(), elite=3, crossover=0.5).evolution(), layout)
    assert umda.keys() == ga.keys()
    assert (umda["GENES"], umda["ITEMS"], umda["STEPS"], umda["CHILDREN"]) == ("56", "112", "4", "30")
    assert (ga["IS_UMDA"], ga["ELITE"], ga["CHILDREN"], ga["CROSSOVER"]) == ("0", "3", "57", f"{2**31}ull")
    assert len(tables_of(code)) == 16


def test_islands_of_what_has_no_symmetry_find_nothing() -> None:
    """Nothing is evaluated then, and more steps would not help."""
    rngs = [np.random.default_rng(seed) for seed in range(2)]
    evolution = UMDA(symmetric=True).evolution()
    found = dict(each_on_an_island(evolution, problem_of("star:4", "AAS"), 9, rngs, Budget(), PlainDevice()))
    assert found == dict.fromkeys(range(2), Finding(None, run=Run(0), is_final=True))
