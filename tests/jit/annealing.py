"""Annealers that several tests use, and a count of what they use from their genes alone."""

from collections import Counter

import numpy as np
import numpy.typing as npt

from pavane.jit import compiled
from pavane.model.problem import Rules
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.annealers import AnnealingSearch, started
from pavane.solvers.evolutionary.hgsa import HGSA
from pavane.solvers.evolutionary.hops import hops_of
from pavane.solvers.evolutionary.kernels.annealing import AnnealingPhase, Tally, anneal, new_scratch
from pavane.solvers.evolutionary.kernels.hops import Annealers, Counters
from tests.problems import problem_of

CASES = [
    ("kautz:2,2", "AAB", 4, Rules()),
    ("ring:6", "AAB", 6, Rules(duplex="half")),
    ("mesh:3x3", "AAB", 9, Rules(ports=1)),
    ("mesh:2x3", "AAB", 6, Rules(switching="store-and-forward", ports=2)),
    ("fat-octagon:2", "OAB", 4, Rules(ports=1)),
]


def new_states(size: int, seed: int = 1) -> npt.NDArray[np.int64]:
    """Make the states of generators."""
    return np.random.default_rng(seed).integers(1, 2**32, size=(size, 4), dtype=np.int64)


def prepared(
    spec: str, kind: str, num_steps: int, rules: Rules, size: int = 3, most_absorbed: int | None = None
) -> tuple[AnnealingSearch, Annealers, Counters]:
    """Make random solutions."""
    problem = problem_of(spec, kind, rules)
    hops = hops_of(problem, num_steps, 40, rules.ports == 1 and rules.switching == "wormhole", Budget())
    assert hops is not None
    search = HGSA(num_annealers=size, most_absorbed=most_absorbed)._search(hops, num_steps)
    assert search is not None
    return search, *started(search, new_states(size))


def annealed(
    search: AnnealingSearch,
    annealers: Annealers,
    counters: Counters,
    stretch: AnnealingPhase,
    *,
    is_compiled: bool = False,
) -> int:
    """Let annealers work, by the interpreter or by machine code; return how many moves they made."""
    size = len(annealers.paths)
    tally = Tally(np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64))
    kernel = compiled(anneal) if is_compiled else anneal
    kernel(*search, annealers, counters, stretch, new_scratch(*search, annealers.steps), tally)
    return int(tally.num_moves.sum())


def steps_of(search: AnnealingSearch, annealers: Annealers, number: int, gene: int) -> list[int]:
    """Return the steps of an annealer's gene."""
    first_hop, path = search.tables.first_hop, annealers.paths[number, gene]
    steps: list[int] = annealers.steps[number, gene, : first_hop[path + 1] - first_hop[path]].tolist()
    return steps


def assert_counters_are_right(search: AnnealingSearch, annealers: Annealers, counters: Counters) -> None:
    """Compare the counters with a count from the genes, and look whether the genes are sound."""
    tables = search.tables
    for number in range(len(annealers.paths)):
        uses: Counter[tuple[int, int, int]] = Counter()
        for gene, path in enumerate(annealers.paths[number].tolist()):
            assert tables.first_path[gene] <= path < tables.first_path[gene + 1]
            steps = steps_of(search, annealers, number, gene)
            assert steps == sorted(set(steps))
            assert steps[0] >= 0
            assert steps[-1] < tables.num_steps
            assert steps[0] == 0 or not tables.starts_at_once
            hops = tables.hops[tables.first_hop[path] : tables.first_hop[path + 1]].tolist()
            uses.update((int(tables.message_of[gene]), hop, step) for hop, step in zip(hops, steps, strict=True))
        loads = Counter(
            (unit, step)
            for _, hop, step in uses
            for unit in tables.units[tables.first_unit[hop] : tables.first_unit[hop + 1]].tolist()
        )
        loads.update(
            (int(unit), steps_of(search, annealers, number, gene)[-1])
            for gene, unit in enumerate(tables.absorption_of)
            if unit >= 0
        )
        over = sum(max(0, load - int(tables.capacity[unit])) for (unit, _), load in loads.items())
        assert annealers.conflicts[number] == over
        kept = counters.uses[number].reshape(-1, len(tables.first_unit) - 1, tables.num_steps)
        assert {(int(m), int(h), int(s)): int(kept[m, h, s]) for m, h, s in np.argwhere(kept)} == uses
        laid = counters.loads[number].reshape(-1, tables.num_steps)
        assert {(int(u), int(s)): int(laid[u, s]) for u, s in np.argwhere(laid)} == loads
