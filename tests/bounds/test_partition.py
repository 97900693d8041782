"""The bound of an allreduce by classes of routers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pavane.bounds.partition import best_classes, make
from pavane.errors import InputError
from pavane.jit import clock
from pavane.judge.certificates import proven_exactly
from pavane.model.bound import Bound
from pavane.model.collectives import allreduce, in_pieces
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network


def of(name: str, rules: Rules | None = None, pieces: int = 1) -> Problem:
    """Return an allreduce of all processors of a network."""
    made = network(name)
    return Problem(made, in_pieces(allreduce(made), pieces), Rules() if rules is None else rules)


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("ring:8", Fraction(7)),
        ("complete:5", Fraction(2)),
        ("hypercube:3", Fraction(14, 3)),
        ("mesh:3x3", Fraction(6)),  # 9 pieces, 2 x 8 transfers each, 24 channels
        ("torus:4x4", Fraction(15, 2)),
    ],
)
def test_every_router_a_class(name: str, exact: Fraction) -> None:
    """Each of n pieces takes 2 (n - 1) transfers, and no step has more than there are channels."""
    (bound,) = make(of(name))
    assert bound.exact == exact == proven_exactly(of(name), bound)
    (cut,) = make(of(name, pieces=3))
    assert cut.exact == 3 * exact


def test_ports_bound_the_transfers() -> None:
    """Through one port each of n processors sends once a step, whatever its channels."""
    (bound,) = make(of("complete:5", Rules(ports=1)))
    assert bound.figure == 8


def test_half_duplex_shares_links() -> None:
    """A link carries one transfer a step, whichever way."""
    (bound,) = make(of("ring:8", Rules(duplex="half")))
    assert bound.figure == 14


def test_two_cliques_on_a_string_are_two_classes() -> None:
    """All sums must cross the one link between them, in and out."""
    cliques = [(a + 4 * side, b + 4 * side) for side in (0, 1) for a in range(4) for b in range(4) if a != b]
    made = Network("cliques", 8, [*cliques, (0, 4), (4, 0)])
    bound = best_classes(Problem(made, allreduce(made)), 0)
    assert bound is not None
    assert bound.figure == 8
    assert sorted(bound.certificate["classes"]) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_when_time_is_over_every_router_is_a_class() -> None:
    """That bound takes no time; others are not looked for."""
    problem = of("mesh:3x3")
    (quick,) = make(problem)
    found = best_classes(problem, 0, clock.now() - 1)
    assert found is not None
    assert (found.certificate, found.exact) == (quick.certificate, quick.exact)


def test_switches_that_pass_are_in_no_class_and_those_that_hold_may_add() -> None:
    """Over a switch that passes n processors are n classes; one that holds adds sums itself and sends them to all."""
    made = Network("switch", 5, [ends for p in range(4) for ends in ((p, 4), (4, p))], [0, 1, 2, 3])
    passing = Problem(made, allreduce(made), Rules("store-and-forward", switches="pass"))
    holding = Problem(made, allreduce(made), Rules("store-and-forward"))
    for problem, most in ((passing, 6), (holding, 4)):
        bound = best_classes(problem, 0)
        assert bound is not None
        assert bound.figure <= most
        assert proven_exactly(problem, bound) == bound.exact
        assert problem is holding or bound.figure == most


def partitions(members: list[int]) -> Iterator[list[list[int]]]:
    """Yield all partitions of a list."""
    if not members:
        yield []
        return
    first, *rest = members
    for partition in partitions(rest):
        yield [[first], *partition]
        for at in range(len(partition)):
            yield [*partition[:at], [first, *partition[at]], *partition[at + 1 :]]


@st.composite
def small_networks(draw: st.DrawFn) -> Network:
    """Draw a connected network of up to six routers whose links carry as much both ways."""
    size = draw(st.integers(2, 6))
    links = {(draw(st.integers(0, router - 1)), router) for router in range(1, size)}
    pairs = [(a, b) for a in range(size) for b in range(a + 1, size)]
    links |= set(draw(st.lists(st.sampled_from(pairs), max_size=6)))
    listed = sorted(links)
    capacities = draw(st.lists(st.integers(1, 3), min_size=len(listed), max_size=len(listed)))
    channels = [ends for a, b in listed for ends in ((a, b), (b, a))]
    return Network("drawn", size, channels, capacities=[c for capacity in capacities for c in (capacity, capacity)])


@given(small_networks())
def test_no_partition_is_better_than_the_best(made: Network) -> None:
    """Against all partitions, counted from the definition."""
    problem = Problem(made, allreduce(made))
    capacity = made.capacity.tolist()
    ratios = []
    for classes in partitions(list(range(made.num_routers))):
        of_router = {router: number for number, routers in enumerate(classes) for router in routers}
        between = sum(
            capacity[channel]
            for channel, (tail, head) in enumerate(made.channels.tolist())
            if of_router[tail] != of_router[head]
        )
        if between:
            ratios.append(Fraction(2 * (len(classes) - 1) * problem.num_messages, between))
    bound = best_classes(problem, 0)
    assert bound is not None
    assert bound.exact == max(ratios) == proven_exactly(problem, bound)


@given(st.data())
def test_classes_that_are_none_prove_nothing(data: st.DataObject) -> None:
    """A router in no class, or in two, is refused, and so are fewer than two classes."""
    problem = of("ring:4")
    classes = data.draw(st.lists(st.lists(st.integers(0, 3), max_size=4, unique=True), max_size=4))
    covered = sorted(router for one in classes for router in one)
    assume(covered != [0, 1, 2, 3] or sum(map(bool, classes)) < 2)
    with pytest.raises(InputError):
        proven_exactly(problem, Bound(9, "partition", {"classes": classes}))
