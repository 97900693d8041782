"""Keys of problems: names and numbers do not matter, everything else does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.atlas.forms import form_of
from pavane.bounds import counted_bounds
from pavane.judge.certificates import proven_exactly
from pavane.judge.rules import verify
from pavane.model.collectives import in_pieces, named, pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.routing import RESTRICTED
from pavane.networks import FAMILIES, network
from tests.atlas.relabelling import relabelled
from tests.problems import problem_of
from tests.strategies import Case, cases, problems_in_pieces


@given(cases(), st.integers(0, 2**16))
def test_relabelled_problems_meet_and_exchange_schedules(case: Case, seed: int) -> None:
    """Whatever the kind, the rules, pieces, sizes and capacities: another numbering has the same key, and a valid
    schedule is valid there when it has been carried over."""
    problem = case.problem
    if problem.rules.routing in RESTRICTED:
        return
    other = relabelled(problem, seed)
    mine, theirs = form_of(problem), form_of(other)
    assert mine.is_canonical
    assert mine.key == theirs.key
    there = theirs.renumbering.back().schedule(mine.renumbering.schedule(case.schedule))
    assert verify(other, there) == []
    assert there.num_steps == case.schedule.num_steps
    assert mine.renumbering.back().schedule(mine.renumbering.schedule(case.schedule)) == case.schedule


@given(problems_in_pieces(), st.integers(0, 2**16))
def test_bounds_prove_as_much_where_they_are_carried_over(problem: Problem, seed: int) -> None:
    """A certificate speaks of routers, processors and channels; carried over it proves the same."""
    if problem.rules.routing in RESTRICTED:
        return
    other = relabelled(problem, seed)
    mine, theirs = form_of(problem), form_of(other)
    for bound in counted_bounds(problem):
        there = theirs.renumbering.back().bound(mine.renumbering.bound(bound))
        assert proven_exactly(other, there) == proven_exactly(problem, bound)


@pytest.mark.parametrize("spec", [family.example for family in FAMILIES.values()])
def test_the_catalogue_is_canonical(spec: str) -> None:
    """Every network of the catalogue meets itself under other numbers, with a root, too."""
    for kind in ("AAS", "OAB"):
        problem = problem_of(spec, kind)
        form = form_of(problem)
        assert form.is_canonical
        assert form.key == form_of(relabelled(problem, 5)).key


def test_twins_of_the_catalogue_meet() -> None:
    """The same graph under two names of the catalogue is one problem."""
    assert form_of(problem_of("hypercube:3", "AAS")).key == form_of(problem_of("mesh:2x2x2", "AAS")).key
    assert form_of(problem_of("octagon", "AAB")).key == form_of(problem_of("spidergon:8", "AAB")).key
    assert form_of(problem_of("torus:4x4", "OAS")).key == form_of(problem_of("hypercube:4", "OAS", root=3)).key


BASE = problem_of("mesh:2x3", "OAS", Rules(), root=1)
DIFFERENT: dict[str, Any] = {
    "root": problem_of("mesh:2x3", "OAS", root=0),
    "kind": problem_of("mesh:2x3", "OAB", root=1),
    "ports": replace(BASE, rules=Rules(ports=1)),
    "more ports": replace(BASE, rules=Rules(ports=2)),
    "switching": replace(BASE, rules=Rules(switching="store-and-forward")),
    "duplex": replace(BASE, rules=Rules(duplex="half")),
    "routing": replace(BASE, rules=Rules(routing="any")),
    "restricted": replace(BASE, rules=Rules(routing="dimension-order")),
    "west": replace(BASE, rules=Rules(routing="west-first")),
    "combining": replace(BASE, rules=Rules(combining=True)),
    "passing": replace(BASE, rules=Rules(switching="store-and-forward", switches="pass")),
    "receivers": replace(BASE, collective=replace(BASE.collective, receivers=(0, 2, 3, 4))),
    "other receivers": replace(BASE, collective=replace(BASE.collective, receivers=(0, 3, 4, 5))),
    "pieces": replace(BASE, collective=in_pieces(BASE.collective, 2)),
    "sizes": replace(BASE, collective=in_pieces(BASE.collective, 1, [(1, 5, 2)])),
    "other sizes": replace(BASE, collective=in_pieces(BASE.collective, 1, [(1, 4, 2)])),
    "pairs": Problem(BASE.network, pairs([(1, p) for p in (0, 2, 3, 4, 5)])),
    "network": problem_of("ring:6", "OAS", root=1),
    "fewer links": Problem(BASE.network.without(links=[(0, 3)]), BASE.collective),
    "a channel more": Problem(Network("more", 6, [*BASE.network.channels.tolist(), (0, 1)]), BASE.collective),
    "capacities": Problem(Network("wide", 6, BASE.network.channels, capacities=[2] + [1] * 13), BASE.collective),
    "a processor more": Problem(Network("more", 6, BASE.network.channels, [*range(6), 0]), BASE.collective),
}


def test_problems_that_differ_do_not_meet() -> None:
    """Every rule, every member, every size and every channel enters the key."""
    keys = {name: form_of(problem).key for name, problem in {"base": BASE, **DIFFERENT}.items()}
    assert len(set(keys.values())) == len(keys), sorted(keys.items(), key=lambda item: item[1])


def test_who_has_a_long_message_to_broadcast_matters() -> None:
    """On a line the first and the last are alike, and the second is not."""
    line = network("line:4")
    keys = [form_of(Problem(line, in_pieces(named("aab", line), sizes=[(owner, 2)]))).key for owner in range(4)]
    assert keys == [keys[0], keys[1], keys[1], keys[0]]
    assert len({*keys, form_of(Problem(line, named("aab", line))).key}) == 3


def test_by_rows_and_columns_problems_keep_their_numbers() -> None:
    """Routing by the order of a grid depends on the numbers, so names alone are ignored."""
    problem = problem_of("mesh:3x3", "AAS", routing="dimension-order")
    form = form_of(problem)
    assert not form.is_canonical
    renamed = Network("mine", [f"n{r}" for r in range(9)], problem.network.channels)
    assert form_of(Problem(renamed, problem.collective, problem.rules)).key == form.key
    assert np.array_equal(form.renumbering.messages, np.arange(72))


def test_beyond_the_limit_the_numbers_stay() -> None:
    """Where the canonical form takes too much work the key ignores names, and the form says so."""
    problem = problem_of("hypercube:4", "AAS")
    labelled, canonical = form_of(problem, most_work=1_000), form_of(problem)
    assert not labelled.is_canonical
    assert labelled.key != canonical.key
    renamed = Network("mine", [f"n{r}" for r in range(16)], problem.network.channels)
    assert form_of(Problem(renamed, problem.collective), most_work=1_000).key == labelled.key
    assert form_of(relabelled(problem, 1), most_work=1_000).key != labelled.key


def test_keys_are_the_same_everywhere() -> None:
    """A key depends on nothing but the problem: files are exchanged between machines and versions."""
    assert form_of(problem_of("octagon", "AAS")).key[:12] == "5e927dfa3c11"
    assert form_of(problem_of("hypercube:4", "OAB", ports=1)).key[:12] == "aa767ed8cb47"


def test_large_networks_have_keys_at_once() -> None:
    """Thousands of routers are beyond the limit before any table of all pairs is made."""
    form = form_of(problem_of("ring:3000", "AAS"))
    assert not form.is_canonical
