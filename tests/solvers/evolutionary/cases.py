"""Encodings, networks and comparisons that several tests use."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from pavane.judge.rules import verify
from pavane.model.collectives import in_pieces, named
from pavane.model.duals import dual
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.encoders import encode
from pavane.solvers.evolutionary.encoding import Coding, Counting, Encoding
from pavane.solvers.evolutionary.ga import GA
from pavane.solvers.evolutionary.hgsa import HGSA
from pavane.solvers.evolutionary.hops import HopEncoding, hops_of
from pavane.solvers.evolutionary.mboa import MBOA
from pavane.solvers.evolutionary.umda import UMDA
from pavane.solvers.solver import Finding
from tests.problems import problem_of

SAF = Rules(switching="store-and-forward")

HUB = Network("hub", 4, [(0, r) for r in range(1, 4)] + [(r, 0) for r in range(1, 4)], [1, 2, 3])
"""Three processors around a pure switch."""

FAT = Network("fat", 2, [(0, 1), (0, 1), (1, 0)], [0, 0, 1])


RING = network("ring:4")
WIDE = Network("wide", RING.routers, RING.channels, capacities=[1, 1, 2, 2, 1, 1, 2, 2])

IN_PIECES = [
    (Problem(RING, named("AAS", RING, pieces=2)), 4),
    (Problem(RING, named("AAB", RING, pieces=2), SAF), 4),
    (Problem(RING, in_pieces(named("AAS", RING), sizes=[(0, 1, 3), (1, 2, 0)])), 3),
    (Problem(RING, in_pieces(named("AAR", RING), sizes=[(0, 3), (1, 0)])), 4),
    (Problem(WIDE, named("AAS", WIDE, pieces=2)), 4),
    (Problem(WIDE, named("AAB", WIDE, pieces=2)), 4),
    (Problem(WIDE, in_pieces(named("AAR", WIDE), sizes=[(0, 3)]), SAF), 4),
    (Problem(WIDE, named("AOG", WIDE, pieces=3), Rules(duplex="half")), 3),
]
"""Problems with pieces, sizes and capacities, each with a number of steps that has a schedule."""


def encoding(
    spec: str, kind: str, num_steps: int, rules: Rules | None = None, conflicts: Counting = "pairs"
) -> Encoding:
    """Return the papers' encoding of a collective; of a reduction, that of the broadcast it is when read backwards."""
    asked = problem_of(spec, kind, rules)
    ahead = dual(asked) if asked.pattern == "reduction" else asked
    found = encode(ahead, num_steps, Coding(conflicts=conflicts), np.random.default_rng(0))
    assert found is not None
    return found


def listed(problem: Problem, runs_on: bool = False, most_paths: int = 100) -> HopEncoding:
    """List the hops of a problem."""
    hops = hops_of(problem, 9, most_paths, runs_on, Budget())
    assert hops is not None
    return hops


def assert_equal_to_processor(
    solver: UMDA | GA | MBOA | HGSA,
    on_islands: Callable[[list[np.random.Generator], Budget], Iterable[tuple[int, Finding]]],
    problem: Problem,
    num_steps: int,
    evaluations: int,
    seeds: Sequence[int],
) -> list[Finding]:
    """Compare runs on islands with those on a processor: evaluations, traces and schedules; return them."""
    budget = Budget(evaluations=evaluations)
    found = dict(on_islands([np.random.default_rng(seed) for seed in seeds], budget))
    assert sorted(found) == list(range(len(seeds)))
    for number, seed in enumerate(seeds):
        alone = solver.find(problem, num_steps, np.random.default_rng(seed), budget)
        assert found[number] == alone
        if alone.schedule is not None:
            assert not verify(problem, alone.schedule)
    return list(found.values())
