"""The annealers of HGSA: counters agree with a recount, moves sample as Metropolis says, machine code does the same."""

from itertools import pairwise
from math import exp

import numpy as np
import pytest

from pavane.model.problem import Rules
from pavane.solvers.evolutionary.annealers import AnnealingSearch, counted, rows_of
from pavane.solvers.evolutionary.kernels.annealing import (
    FIRST,
    MATE,
    OWN,
    SECOND,
    AnnealingPhase,
    Cut,
    Mate,
    accepts,
    change_step,
    child_conflicts,
    compare,
    cross,
    new_scratch,
    propose,
    turn,
)
from pavane.solvers.evolutionary.kernels.hops import Annealer, Annealers, Counters, Route, annealer_of, change_of
from pavane.solvers.kernels.random_numbers import draw
from tests.jit.annealing import CASES, annealed, assert_counters_are_right, new_states, prepared, steps_of

each_case = pytest.mark.parametrize(("spec", "kind", "num_steps", "rules"), CASES)


def run(
    search: AnnealingSearch, annealers: Annealers, counters: Counters, mates: Annealers, temperature: float, moves: int
) -> int:
    """Let annealers move at one temperature, by the interpreter."""
    num_moves = np.full(len(annealers.paths), moves)
    return annealed(search, annealers, counters, AnnealingPhase(mates, np.full(max(moves, 1), temperature), num_moves))


def none(annealers: Annealers) -> Annealers:
    """Return no mates."""
    return rows_of(annealers, np.zeros(0, dtype=np.int64))


@each_case
@pytest.mark.parametrize("most_absorbed", [None, 1])
def test_the_counters_agree_with_a_recount(
    spec: str, kind: str, num_steps: int, rules: Rules, most_absorbed: int | None
) -> None:
    """After a thousand moves, taken and refused, the counters are what the genes say."""
    search, annealers, counters = prepared(spec, kind, num_steps, rules, most_absorbed=most_absorbed)
    before = annealers.paths.copy(), annealers.steps.copy()
    assert run(search, annealers, counters, none(annealers), 1.0, 350) > 0
    assert_counters_are_right(search, annealers, counters)
    assert not all(np.array_equal(a, b) for a, b in zip(before, (annealers.paths, annealers.steps), strict=True))


@pytest.mark.parametrize("starts_at_once", [False, True])
def test_a_step_changes_alone_and_between_its_neighbours(starts_at_once: bool) -> None:
    """Hops stay one after the other; every step that leaves them so is drawn, and the first stays where it must."""
    before = np.array([[0, 3, 5]])
    state, seen = new_states(1)[0], set()
    for _ in range(500):
        steps = before.copy()
        change_step(3, 8, starts_at_once, steps, 0, state)
        seen |= {(int(at), int(steps[0, at])) for at in np.flatnonzero(steps != before)}
        assert (steps != before).sum() <= 1
    second, third = {(1, 1), (1, 2), (1, 4)}, {(2, 4), (2, 6), (2, 7)}
    first = set() if starts_at_once else {(0, 1), (0, 2)}
    assert seen == first | second | third


@each_case
def test_crossing_keeps_genes_whole(spec: str, kind: str, num_steps: int, rules: Rules) -> None:
    """Without mutation every gene after a crossing is the own one or the mate's, in at most three pieces."""
    search, annealers, counters = prepared(spec, kind, num_steps, rules, size=6)
    search = AnnealingSearch(search.tables, search.moves._replace(num_mutated=0))
    own, mates = rows_of(annealers, np.arange(6)), rows_of(annealers, np.array([1, 2, 3, 4, 5, 0]))
    other = rows_of(mates, np.arange(6))
    run(search, annealers, counters, mates, 1e9, 0)
    assert_counters_are_right(search, annealers, counters)
    for number in range(6):
        kinds = []
        for gene in range(annealers.paths.shape[1]):
            values = [(a.paths[number, gene], *steps_of(search, a, number, gene)) for a in (annealers, own, other)]
            assert values[0] in values[1:]
            if values[1] != values[2]:
                kinds.append(values[0] == values[1])
        assert sum(a != b for a, b in pairwise(kinds)) <= 2
        assert annealers.conflicts[number] <= max(own.conflicts[number], other.conflicts[number])


@each_case
def test_a_refused_child_leaves_no_trace(spec: str, kind: str, num_steps: int, rules: Rules) -> None:
    """In the cold a crossing never makes a solution worse, and the counters stay right whether it is taken or not."""
    search, annealers, counters = prepared(spec, kind, num_steps, rules, size=4)
    for number in range(30):
        mates = rows_of(annealers, np.array([1, 2, 3, 0]))
        before = annealers.conflicts.copy()
        run(search, annealers, counters, mates, 0.0, 0)
        assert (annealers.conflicts <= before).all()
        if number % 10 == 0:
            run(search, annealers, counters, none(annealers), 5.0, 20)
    assert_counters_are_right(search, annealers, counters)


@pytest.mark.parametrize("is_small", [False, True])
@pytest.mark.parametrize("case", [(*CASES[0], None), (*CASES[2], None), (*CASES[0], 1)])
def test_parents_and_children_turn_into_each_other(
    case: tuple[str, str, int, Rules, int | None], is_small: bool
) -> None:
    """Counted from the genes or by exchanging them, children have the same conflicts, and the way back is the same."""
    search, annealers, counters = prepared(*case[:4], most_absorbed=case[4])
    before = rows_of(annealers, np.arange(3))
    annealer = annealer_of(annealers, counters, 0)
    mate = Mate(annealers.paths[1], annealers.steps[1], int(annealers.conflicts[1]))
    scratch = new_scratch(*search, annealers.steps)
    cut = Cut(2, 20, compare(search.tables, annealer, mate, scratch), is_small)
    told = [child_conflicts(search.tables, annealer, mate, cut, scratch, child) for child in (FIRST, SECOND)]
    expected = dict(zip((OWN, FIRST, SECOND, MATE), (before.conflicts[0], *told, before.conflicts[1]), strict=True))
    was = OWN
    for becomes in (FIRST, SECOND, MATE, FIRST, MATE, OWN, SECOND, SECOND, OWN):
        change = turn(search.tables, annealer, mate, cut, scratch, was, becomes)
        if is_small:
            assert change == expected[becomes] - expected[was]
        annealers.conflicts[0] = expected[becomes]
        assert_counters_are_right(search, annealers, counters)
        was = becomes
    assert np.array_equal(annealers.paths, before.paths)
    both = [(number, gene) for number in (0, 1) for gene in range(len(annealer.paths))]
    assert [steps_of(search, annealers, *at) for at in both] == [steps_of(search, before, *at) for at in both]


def test_of_equals_the_newer_is_taken() -> None:
    """A child that has as many conflicts as its parents takes their place: by it the mate's gene comes in."""
    search, annealers, counters = prepared(*CASES[0])
    search = AnnealingSearch(search.tables, search.moves._replace(child_mutation=0.0))
    annealer, scratch = annealer_of(annealers, counters, 0), new_scratch(*search, annealers.steps)
    own = Route(int(annealer.paths[5]), annealer.steps, 5)
    others = (propose(*search, annealer, 5, scratch.steps, 0) for _ in range(1000))
    other = next(new for new in others if is_equal_but_other(search, annealer, own, new))
    paths, steps, energy = annealer.paths.copy(), annealer.steps.copy(), int(annealers.conflicts[0])
    paths[5], steps[5] = other.path, other.steps[0]
    before = annealer.paths.copy(), annealer.steps.copy()
    for _ in range(20):
        assert cross(*search, annealer, energy, Mate(paths, steps, energy), 0.0, scratch) == energy
        if not all(map(np.array_equal, before, (annealer.paths, annealer.steps))):
            return
    pytest.fail("the older one stays")


def is_equal_but_other(search: AnnealingSearch, annealer: Annealer, old: Route, new: Route) -> bool:
    """Say whether gene 5 would have other values and as many conflicts."""
    length = int(np.diff(search.tables.first_hop)[new.path])
    is_other = new.path != old.path or list(new.steps[0, :length]) != list(old.steps[5, :length])
    return is_other and change_of(search.tables, annealer, 5, old, new) == 0


def test_metropolis_keeps_the_boltzmann_distribution() -> None:
    """Moves to neighbours on a ring of five energies, accepted by the criterion, visit each by its Boltzmann weight."""
    energies, temperature, number = [0, 2, 1, 3, 1], 1.5, 40_000
    state = new_states(1, seed=5)[0]
    visits, here = [0] * 5, 0
    for _ in range(number):
        there = (here + (1 if draw(state, 2) else 4)) % 5
        if accepts(energies[there] - energies[here], temperature, state):
            here = there
        visits[here] += 1
    weights = [exp(-energy / temperature) for energy in energies]
    for visit, weight in zip(visits, weights, strict=True):
        assert visit / number == pytest.approx(weight / sum(weights), abs=0.015)


def test_in_the_cold_only_what_is_no_worse_is_accepted() -> None:
    """At temperature 0 the criterion takes what is better or equal, and nothing else."""
    state = new_states(1)[0]
    assert accepts(-1, 0.0, state)
    assert accepts(0, 0.0, state)
    assert not any(accepts(1, cold, state) for cold in (0.0, 1e-300, 1e-3) for _ in range(100))


def test_machine_code_does_what_the_source_says() -> None:
    """Compiled and uncompiled make the same moves and crossings from the same generators."""
    search, annealers, counters = prepared(*CASES[2])
    twins = rows_of(annealers, np.arange(3))
    twin_counters = counted(search, twins)
    for is_compiled, who, what in ((False, annealers, counters), (True, twins, twin_counters)):
        mates = rows_of(who, np.array([2, 0, 1]))
        for temperature in (50.0, 0.7, 0.0):
            stretch = AnnealingPhase(mates, np.full(60, temperature), np.array([60, 60, 59]))
            annealed(search, who, what, stretch, is_compiled=is_compiled)
            mates = rows_of(who, np.array([2, 0, 1]))
    for name in Annealers._fields:
        assert np.array_equal(getattr(annealers, name), getattr(twins, name)), name
    for one, other in zip(counters, twin_counters, strict=True):
        assert np.array_equal(one, other)
