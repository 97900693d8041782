"""The kernels of HGSA: the books agree with a recount, moves sample as Metropolis says, machine code does the same."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import exp

import numpy as np
import numpy.typing as npt
import pytest

from pavane.kernels import compiled
from pavane.kernels.hgsa import accepts, below, draw_steps, evolve, exchange, recount, unit_interval
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers.evolution.hgsa import HGSA, Books, Case, Team, started
from pavane.solvers.evolution.hops import hops_of
from pavane.workers.budget import Budget

CASES = [
    ("kautz:2,2", "AAB", 4, Rules()),
    ("ring:6", "AAB", 6, Rules(duplex="half")),
    ("mesh:3x3", "AAB", 9, Rules(ports=1)),
    ("mesh:2x3", "AAB", 6, Rules(switching="store-and-forward", ports=2)),
    ("fat-octagon:2", "OAB", 4, Rules(ports=1)),
]
each_case = pytest.mark.parametrize(("spec", "kind", "num_steps", "rules"), CASES)


def words(size: int, seed: int = 1) -> npt.NDArray[np.uint64]:
    """Make generators."""
    return np.random.SeedSequence(seed).generate_state(size, np.uint64).astype(np.uint64)


def prepared(spec: str, kind: str, num_steps: int, rules: Rules, size: int = 3) -> tuple[Case, Team]:
    """Make random solutions."""
    made = network(spec)
    solver = HGSA(num_annealers=size)
    problem = Problem(made, named(kind, made), rules)
    hops = hops_of(problem, num_steps, 40, rules.ports == 1 and rules.switching == "wormhole", Budget())
    assert hops is not None
    case = solver._case(hops, num_steps)
    assert case is not None
    return case, started(case, words(size))


def counted(case: Case, team: Team, who: int) -> tuple[Counter[tuple[int, int, int]], Counter[tuple[int, int]], int]:
    """Count uses, loads and conflicts from the genes alone."""
    message_of, _, _, first_hop, hops, first_unit, units, capacity = case.tables
    uses: Counter[tuple[int, int, int]] = Counter()
    for gene, path in enumerate(team.paths[who].tolist()):
        for place, hop in enumerate(hops[first_hop[path] : first_hop[path + 1]].tolist()):
            uses[int(message_of[gene]), hop, int(team.steps[who, gene, place])] += 1
    loads = Counter(
        (unit, step) for _, hop, step in uses for unit in units[first_unit[hop] : first_unit[hop + 1]].tolist()
    )
    return uses, loads, sum(max(0, load - int(capacity[unit])) for (unit, _), load in loads.items())


def assert_books_are_right(case: Case, team: Team, books: Books) -> None:
    """Compare the books with a count from the genes, and look whether the genes are sound."""
    _, first_path, end_path, first_hop, _, first_unit, _, _ = case.tables
    for who in range(len(team.words)):
        uses, loads, conflicts = counted(case, team, who)
        assert team.conflicts[who] == conflicts
        kept = books.uses[who].reshape(-1, len(first_unit) - 1, case.num_steps)
        assert {(int(m), int(h), int(s)): int(kept[m, h, s]) for m, h, s in np.argwhere(kept)} == uses
        laid = books.loads[who].reshape(-1, case.num_steps)
        assert {(int(u), int(s)): int(laid[u, s]) for u, s in np.argwhere(laid)} == loads
        for gene, path in enumerate(team.paths[who].tolist()):
            assert first_path[gene] <= path < end_path[gene]
            steps = team.steps[who, gene, : first_hop[path + 1] - first_hop[path]].tolist()
            assert steps == sorted(set(steps))
            assert steps[0] >= 0
            assert steps[-1] < case.num_steps
            assert steps[0] == 0 or not case.starts_at_once


def run(books: Books, mates: Team, temperature: float, moves: int) -> int:
    """Let annealers move at one temperature, by the interpreter."""
    books.is_young = True
    size = len(books.team.words)
    made, _ = books.advance(mates, np.full(max(moves, 1), temperature), np.full(size, moves))
    return int(made.sum())


def none(team: Team) -> Team:
    """Return no mates."""
    return team.rows(np.zeros(0, dtype=np.int64))


@each_case
def test_the_books_agree_with_a_recount(spec: str, kind: str, num_steps: int, rules: Rules) -> None:
    """After a thousand moves, taken and refused, the books are what the genes say."""
    case, team = prepared(spec, kind, num_steps, rules)
    books = Books(case, team)
    assert_books_are_right(case, team, books)
    before = team.paths.copy(), team.steps.copy()
    assert run(books, none(team), 1.0, 350) > 0
    assert_books_are_right(case, team, books)
    assert not all(np.array_equal(a, b) for a, b in zip(before, (team.paths, team.steps), strict=True))


@each_case
def test_crossing_keeps_genes_whole(spec: str, kind: str, num_steps: int, rules: Rules) -> None:
    """Without mutation every gene after a crossing is the own one or the mate's, in at most three pieces."""
    case, team = prepared(spec, kind, num_steps, rules, size=6)
    case = Case(**{**vars(case), "num_mutated": 0})
    books = Books(case, team)
    own, mates = team.rows(np.arange(6)), team.rows(np.array([1, 2, 3, 4, 5, 0]))
    other = mates.rows(np.arange(6))
    run(books, mates, 1e9, 0)
    assert_books_are_right(case, team, books)
    for who in range(6):
        kinds = []
        for gene in range(team.paths.shape[1]):
            values = [(t.paths[who, gene], *value(case, t, who, gene)) for t in (team, own, other)]
            assert values[0] in values[1:]
            if values[1] != values[2]:
                kinds.append(values[0] == values[1])
        assert sum(a != b for a, b in pairwise(kinds)) <= 2
        assert team.conflicts[who] <= max(own.conflicts[who], other.conflicts[who])


def value(case: Case, team: Team, who: int, gene: int) -> list[int]:
    """Return the steps of a gene."""
    first_hop, path = case.tables[3], team.paths[who, gene]
    steps: list[int] = team.steps[who, gene, : first_hop[path + 1] - first_hop[path]].tolist()
    return steps


@each_case
def test_a_refused_child_leaves_no_trace(spec: str, kind: str, num_steps: int, rules: Rules) -> None:
    """In the cold a crossing never makes a solution worse, and the books stay right whether it is taken or not."""
    case, team = prepared(spec, kind, num_steps, rules, size=4)
    books = Books(case, team)
    for turn in range(30):
        mates = team.rows(np.array([1, 2, 3, 0]))
        before = team.conflicts.copy()
        run(books, mates, 0.0, 0)
        assert (team.conflicts <= before).all()
        if turn % 10 == 0:
            run(books, none(team), 5.0, 20)
    assert_books_are_right(case, team, books)


def test_exchanging_genes_twice_changes_nothing() -> None:
    """Two solutions that exchange a stretch of genes twice are what they were, and the changes cancel."""
    case, team = prepared(*CASES[0])
    books = Books(case, team)
    before = team.rows(np.arange(3))
    changes = [
        exchange(
            case.tables,
            case.num_steps,
            books.uses[0],
            books.loads[0],
            2,
            20,
            True,
            outside,
            team.paths[0],
            team.steps[0],
            team.paths[1],
            team.steps[1],
        )
        for outside in (False, False, True, True)
    ]
    assert sum(changes) == 0
    assert np.array_equal(team.paths, before.paths)
    assert [value(case, team, w, g) for w in (0, 1) for g in range(30)] == [
        value(case, before, w, g) for w in (0, 1) for g in range(30)
    ]


def test_metropolis_keeps_the_boltzmann_distribution() -> None:
    """Moves to neighbours on a ring of five energies, accepted by the criterion, visit each by its Boltzmann weight."""
    energies, temperature, number = [0, 2, 1, 3, 1], 1.5, 40_000
    random = words(1, seed=5)
    visits, here = [0] * 5, 0
    for _ in range(number):
        there = (here + (1 if below(random, 0, 2) else 4)) % 5
        if accepts(energies[there] - energies[here], temperature, random, 0):
            here = there
        visits[here] += 1
    weights = [exp(-energy / temperature) for energy in energies]
    for visit, weight in zip(visits, weights, strict=True):
        assert visit / number == pytest.approx(weight / sum(weights), abs=0.015)


def test_in_the_cold_only_what_is_no_worse_is_accepted() -> None:
    """At temperature 0 the criterion takes what is better or equal, and nothing else."""
    random = words(1)
    assert accepts(-1, 0.0, random, 0)
    assert accepts(0, 0.0, random, 0)
    assert not any(accepts(1, cold, random, 0) for cold in (0.0, 1e-300, 1e-3) for _ in range(100))


def test_the_generator_is_even() -> None:
    """Numbers below a limit, and numbers in the unit interval, come about equally often."""
    random = words(1, seed=3)
    drawn = Counter(int(below(random, 0, 7)) for _ in range(14_000))
    assert sorted(drawn) == list(range(7))
    assert all(abs(times - 2000) < 200 for times in drawn.values())
    numbers = np.array([unit_interval(random, 0) for _ in range(5000)])
    assert ((numbers >= 0) & (numbers < 1)).all()
    assert abs(numbers.mean() - 0.5) < 0.02


@pytest.mark.parametrize("at_once", [False, True])
def test_step_sequences_are_even(at_once: bool) -> None:
    """Every ascending sequence of steps comes equally often; with the first channel at once it starts with step 1."""
    random = words(1, seed=9)
    steps = np.zeros((1, 3), dtype=np.int32)
    seen: Counter[tuple[int, ...]] = Counter()
    number = 10 if not at_once else 6
    for _ in range(500 * number):
        draw_steps(3, 5, at_once, steps, 0, random, 0)
        seen[tuple(steps[0].tolist())] += 1
    assert len(seen) == number
    for sequence, times in seen.items():
        assert sequence == tuple(sorted(set(sequence)))
        assert sequence[0] == 0 or not at_once
        assert abs(times - 500) < 120


def test_machine_code_does_what_the_source_says() -> None:
    """Compiled and uncompiled make the same moves and crossings from the same generators."""
    case, team = prepared(*CASES[2])
    twin = team.rows(np.arange(3))
    for kernel, who in ((evolve, team), (compiled(evolve), twin)):
        books = Books(case, who)
        mates = who.rows(np.array([2, 0, 1]))
        made, best = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64)
        for temperature in (50.0, 0.7, 0.0):
            kernel(
                *case.constants(),
                np.full(60, temperature),
                np.array([60, 60, 59]),
                who.paths,
                who.steps,
                books.uses,
                books.loads,
                who.conflicts,
                mates.paths,
                mates.steps,
                mates.conflicts,
                who.words,
                made,
                best,
            )
            mates = who.rows(np.array([2, 0, 1]))
    for name, column in vars(team).items():
        assert np.array_equal(column, vars(twin)[name]), name
    plain, machine = Books(case, team), Books(case, twin)
    compiled(recount)(case.tables, case.num_steps, twin.paths, twin.steps, machine.uses, machine.loads, twin.conflicts)
    assert np.array_equal(plain.uses, machine.uses)
    assert np.array_equal(plain.loads, machine.loads)
