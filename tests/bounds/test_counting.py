"""The counting bounds hold, whatever the network, the collective and the rules."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import assume, given, settings

from pavane.bounds import lower_bounds
from pavane.bounds.registry import ARGUMENTS
from pavane.judge.certificates import proven_steps
from pavane.model.collectives import dual, named, pairs, permutation, scatter
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import FAMILIES, network
from pavane.solvers import SOLVERS
from pavane.workers.budget import Budget
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.tiny import PRIVATE, tiny_problems
from tests.strategies import Case, cases

KINDS = ("OAB", "OAS", "AAB", "AAS", "AOG", "AOR", "AAR")
SMALL = sorted(family.example for family in FAMILIES.values() if network(family.example).num_routers <= 16)


# -- soundness


@settings(max_examples=300)
@given(tiny_problems())
def test_no_bound_exceeds_the_optimum(problem: Problem) -> None:
    """Every bound is at most the number of steps of the best schedule that there is."""
    optimum = fewest_steps(problem, most_tried=10_000)
    assume(optimum is not None)
    for bound in lower_bounds(problem):
        assert optimum is not None
        assert bound.steps <= optimum, f"{bound} on {problem}"


@given(cases())
def test_no_bound_exceeds_a_valid_schedule(case: Case) -> None:
    """The highest bound is at least 1 and at most the number of steps of any valid schedule."""
    bounds = lower_bounds(case.problem)
    assert 1 <= bounds[0].steps <= case.schedule.num_steps
    for bound in bounds:
        assert proven_steps(case.problem, bound) == bound.steps


@pytest.mark.parametrize("text", SMALL)
def test_no_bound_exceeds_first_fit(text: str) -> None:
    """On every small network of the catalogue, for every collective and all rules, first fit is not below a bound."""
    made = network(text)
    some_rules = [
        Rules(switching=switching, ports=ports, duplex=duplex)  # type: ignore[arg-type]
        for switching, ports, duplex in product(("wormhole", "store-and-forward"), (1, "all"), ("full", "half"))
    ]
    if made.num_processors > 10:
        some_rules = [rules for rules in some_rules if (rules.ports == 1) == (rules.duplex == "full")]
    for kind, rules in product(KINDS, some_rules):
        problem = Problem(made, named(kind, made), rules)
        steps = SOLVERS["greedy"](problem, None, 0, Budget()).num_steps
        assert steps is not None
        for bound in lower_bounds(problem):
            assert bound.steps <= steps, f"{bound} on {problem}"
            assert proven_steps(problem, bound) == bound.steps


@pytest.mark.parametrize(
    ("text", "kind", "rules", "optimum"),
    [
        ("ring:4", "OAB", Rules(), 2),
        ("ring:4", "AAB", Rules(ports=1), 3),
        ("ring:4", "AAB", Rules(ports=1, combining=True), 2),
        ("ring:4", "AAS", Rules(ports=1), 3),
        ("ring:4,oneway", "AAS", Rules(), 6),
        ("ring:3", "AAR", Rules(), 1),
        ("line:3", "AOR", Rules(switching="store-and-forward"), 2),
        ("line:3", "AOR", Rules(ports=1), 2),
        ("line:3", "OAS", Rules(duplex="half"), 2),
        ("line:2", "AAS", Rules(duplex="half"), 2),
        # Nine copies must be sent by the hub's one port.
        ("star:4", "AAB", Rules(switching="store-and-forward", ports=1), 9),
    ],
)
def test_the_exhaustive_search_finds_known_optima(text: str, kind: str, rules: Rules, optimum: int) -> None:
    """The search that judges the bounds finds optima that are clear by hand."""
    made = network(text)
    assert fewest_steps(Problem(made, named(kind, made), rules), most_tried=200_000) == optimum


@settings(max_examples=60)
@given(tiny_problems())
def test_the_exhaustive_search_is_never_beaten(problem: Problem) -> None:
    """First fit takes at least as many steps as the search that judges the bounds."""
    optimum = fewest_steps(problem, most_tried=10_000)
    assume(optimum is not None)
    steps = SOLVERS["greedy"](problem, None, 0, Budget()).num_steps
    assert steps is not None
    assert optimum is not None
    assert optimum <= steps


# -- what is said, and when


def steps_of(problem: Problem) -> dict[str, int]:
    """Return the steps of each argument."""
    return {bound.argument: bound.steps for bound in lower_bounds(problem)}


@settings(max_examples=30)
@given(tiny_problems())
def test_bounds_come_highest_first_and_once_each(problem: Problem) -> None:
    """The bounds are sorted by steps, one of each argument, and the same every time."""
    bounds = lower_bounds(problem)
    assert [b.steps for b in bounds] == sorted((b.steps for b in bounds), reverse=True)
    assert len({b.argument for b in bounds}) == len(bounds)
    assert lower_bounds(problem) == bounds


@settings(max_examples=30)
@given(tiny_problems(kinds=("AOR", "AAR")))
def test_reductions_are_bounded_as_broadcasts_backwards(problem: Problem) -> None:
    """A reduction has the bounds of the broadcast that it is when read backwards."""
    assert lower_bounds(problem) == lower_bounds(dual(problem))


@settings(max_examples=30)
@given(tiny_problems(combining=(True,)))
def test_under_combining_only_growth_and_distance_count(problem: Problem) -> None:
    """Where transfers carry any number of messages nothing counts but who has heard from whom, and how far away."""
    assert set(steps_of(problem)) <= {"growth", "gathering", "distance"}


@settings(max_examples=30)
@given(tiny_problems(kinds=PRIVATE, combining=(False,)))
def test_private_messages_do_not_grow(problem: Problem) -> None:
    """Without combining a private message informs nobody else, so growth says nothing about it."""
    assert not {"growth", "gathering"} & set(steps_of(problem))


@pytest.mark.parametrize(
    ("argument", "kind", "rules", "text", "steps"),
    [
        ("injection", "OAS", Rules(ports=1), "mesh:3x3", 8),
        ("injection", "OAS", Rules(ports=2), "mesh:3x3", 4),
        ("ejection", "AOG", Rules(ports=1), "mesh:3x3", 8),
        ("ejection", "AAB", Rules(), "mesh:3x3", 4),
        ("sum-of-distances", "AAS", Rules(), "mesh:3x3", 6),
        ("sum-of-distances", "AAS", Rules(duplex="half"), "mesh:3x3", 12),
        ("distance", "AAS", Rules(switching="store-and-forward"), "mesh:3x3", 4),
        ("distance", "AOR", Rules(switching="store-and-forward", combining=True), "mesh:3x3", 4),
        ("volume", "AAB", Rules(), "ring:8", 4),
        ("volume", "AAB", Rules(duplex="half"), "ring:8", 7),
        ("bisection", "AAS", Rules(), "complete:8", 1),
        ("bisection", "AAB", Rules(), "line:8", 4),
        ("bisection", "AAB", Rules(duplex="half"), "line:8", 8),
        ("growth", "OAB", Rules(ports=1), "complete:8", 3),
        ("growth", "OAB", Rules(ports=2), "complete:8", 2),
        ("growth", "OAB", Rules(), "complete:8", 1),
        ("gathering", "AAS", Rules(ports=1, combining=True), "complete:8", 3),
        ("router", "AAS", Rules(), "star:8", 7),
        ("router", "AAS", Rules(ports=1), "octagon*2", 12),
    ],
)
def test_arguments_by_hand(argument: str, kind: str, rules: Rules, text: str, steps: int) -> None:
    """Each argument gives the figure that one works out by hand."""
    made = network(text)
    found = steps_of(Problem(made, named(kind, made), rules))
    assert found[argument] == steps


def test_fat_routers_share_their_channels() -> None:
    """Four processors on a router with one channel out need a step for each message that leaves it."""
    fat = Network("pair", 2, [(0, 1), (1, 0)], [0, 0, 0, 0, 1])
    found = steps_of(Problem(fat, pairs([(p, 4) for p in range(4)]), Rules(ports=4)))
    assert found["router"] == 4
    assert found["ejection"] == 1


def test_processors_of_one_router_need_a_step_all_the_same() -> None:
    """Two processors on a router without channels are bounded by their ports alone."""
    alone = Network("one router", 1, [], [0, 0, 0])
    problem = Problem(alone, scatter(alone), Rules(ports=1))
    assert steps_of(problem) == {"injection": 2, "ejection": 1}
    assert fewest_steps(problem) == 2


def test_a_pure_switch_multiplies_under_store_and_forward() -> None:
    """A one-port processor behind a switch informs three others in two steps, because the switch keeps a copy."""
    hub = Network("hub", 5, [(0, r) for r in range(1, 5)] + [(r, 0) for r in range(1, 5)], [1, 2, 3, 4])
    stored = Problem(hub, named("OAB", hub), Rules(switching="store-and-forward", ports=1))
    assert lower_bounds(stored)[0].steps == fewest_steps(stored) == 2
    wormhole = Problem(hub, named("OAB", hub), Rules(ports=1))
    assert lower_bounds(wormhole)[0].steps == fewest_steps(wormhole) == 2


def test_a_permutation_is_bounded_by_its_distances() -> None:
    """The shift by half a one-way ring of 8 uses every channel 4 times."""
    ring = network("ring:8,oneway")
    problem = Problem(ring, permutation([(p + 4) % 8 for p in range(8)]))
    assert steps_of(problem)["sum-of-distances"] == 4


def test_large_networks_are_bounded_without_their_bisection() -> None:
    """A network of more than 1024 routers is not bisected, and the other bounds remain."""
    big = network("ring:1100")
    found = steps_of(Problem(big, scatter(big)))
    assert "bisection" not in found
    assert found["injection"] == 550


def test_the_arguments_are_listed() -> None:
    """Every argument is a function of the problem that yields bounds, and none raises on the smallest problem."""
    pair = network("line:2")
    makers = [argument.make for argument in ARGUMENTS if argument.make is not None]
    for make, kind in product(makers, ("OAB", "OAS")):
        assert all(bound.steps <= 1 for bound in make(Problem(pair, named(kind, pair))))
