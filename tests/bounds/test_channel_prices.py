"""Prices by load: the figures they must prove, and that they never prove too much."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pavane.bounds import channel_prices, counted_bounds, explain
from pavane.bounds.channel_prices import priced_by_load, tightest_prices
from pavane.bounds.price_program import fits_a_program
from pavane.bounds.prices import CertificatePrices, priced
from pavane.bounds.traffic import Traffic
from pavane.jit import clock
from pavane.judge.certificates import proven, proven_exactly
from pavane.model.collectives import alltoall, in_pieces, many_to_many_scatter, named, permutation
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.tiny import PRIVATE, tiny_problems, tiny_problems_in_pieces
from tests.strategies import Case, cases


def steps(problem: Problem) -> int:
    """Return the steps that prices on channels prove, checked by the certificate's own checker."""
    bound = priced_by_load(problem)
    assert bound is not None
    assert bound.argument == "channel-prices"
    assert proven(problem, bound) == bound.figure
    return bound.figure


def all_to_all(text: str, **rules: object) -> Problem:
    """Return the all-to-all scatter on a network of the catalogue."""
    made = network(text)
    return Problem(made, alltoall(made), Rules(**rules))  # type: ignore[arg-type]


TWO_CLIQUES = [(a, b) for first in (0, 11) for a in range(first, first + 11) for b in range(a + 1, first + 11)]


@pytest.mark.parametrize(("duplex", "num_links", "expected"), [("full", 1, 121), ("half", 1, 242), ("full", 2, 61)])
def test_a_bridge_carries_what_goes_between(duplex: Literal["full", "half"], num_links: int, expected: int) -> None:
    """The links between two cliques carry all that goes from one to the other."""
    channels = [way for a, b in [*TWO_CLIQUES, *[(0, 11)] * num_links] for way in ((a, b), (b, a))]
    made = Network("two cliques", 22, channels)
    assert steps(Problem(made, alltoall(made), Rules(duplex=duplex))) == expected


@pytest.mark.parametrize(
    ("text", "routing", "figure"),
    [
        ("ring:8,oneway", "minimal", 28),
        ("kautz:3,3", "any", 32),
        ("mesh:4x4", "any", 16),
        ("mesh:6x6", "minimal", 54),
        ("hierarchical-rings:4,4", "minimal", 32),
        ("hierarchical-rings:4,4,4", "minimal", 512),
    ],
)
def test_known_figures(text: str, routing: Literal["minimal", "any"], figure: int) -> None:
    """Networks of which test_fractional.py has no fractions: long ways, rings of rings, and any routing."""
    assert steps(all_to_all(text, routing=routing)) == figure


@pytest.mark.parametrize(
    ("text", "ports", "figure"),
    [
        ("kautz:3,3", "all", 32),
        ("torus:3x4x5", "all", 36),
        ("mesh:4x4", "all", 16),
        ("ring:8", 1, 16),
        ("mesh:4x4", 1, 43),
        ("kautz:3,3", 1, 93),
        ("heawood", 1, 27),
        ("fat-octagon:2", 1, 23),
    ],
)
def test_stops_on_the_way_take_ports(text: str, ports: int | Literal["all"], figure: int) -> None:
    """Under store-and-forward messages go any way, and every hop takes a port at both its ends (40 and 91 by hops)."""
    assert steps(all_to_all(text, switching="store-and-forward", ports=ports)) == figure


@pytest.mark.parametrize(("routing", "figure"), [("minimal", 4), ("any", 2)])
def test_ways_over_switches_are_shortest_under_minimal_routing(routing: Literal["minimal", "any"], figure: int) -> None:
    """Four pieces take four steps where one of two ways over switches is too long, and two where both will do."""
    net = Network("two ways", 5, [(0, 2), (2, 1), (0, 3), (3, 4), (4, 1)], [0, 1])
    rules = Rules("store-and-forward", switches="pass", routing=routing)
    assert steps(Problem(net, in_pieces(named("OAS", net), 4), rules)) == figure


def test_plain_prices_where_they_do() -> None:
    """The 16-gon's list has one price only, on the 32 channels of the rim."""
    bound = priced_by_load(all_to_all("spidergon:16"))
    assert bound is not None
    ((price, *channels),) = bound.certificate["channels"]
    assert price == 1
    assert len(channels) == 32
    assert bound.certificate["injection"] == bound.certificate["ejection"] == []
    assert "channels 0>1 and 31 more (`bounds --all` names them)" in explain(all_to_all("spidergon:16"), bound)


@given(
    st.one_of(tiny_problems(kinds=PRIVATE, combining=(False,)), tiny_problems_in_pieces(kinds=PRIVATE)), st.booleans()
)
def test_never_above_the_optimum(drawn: Problem, passes: bool) -> None:
    """No prices prove more steps than the best schedule has, and none less than equal prices on channels or ports."""
    problem = drawn
    if drawn.rules.switching == "store-and-forward" and passes:
        problem = replace(drawn, rules=replace(drawn.rules, switches="pass"))
    bound = priced_by_load(problem)
    assume(bound is not None)
    assert bound is not None
    assert proven(problem, bound) == bound.figure
    known = {bound.argument: bound.figure for bound in counted_bounds(problem)}
    assert bound.figure >= known.get("sum-of-distances", 0)
    best = fewest_steps(problem, most_tried=10_000)
    assume(best is not None)
    assert best is not None
    assert bound.figure <= best


@given(cases())
def test_never_above_a_valid_schedule(case: Case) -> None:
    """No prices prove more steps than any valid schedule has, and they never come with an error."""
    bound = priced_by_load(case.problem)
    assert bound is None or 1 <= bound.figure <= case.schedule.num_steps


def test_large_networks_need_no_linear_program() -> None:
    """On a random network of 256 routers the prices prove 289 steps, where hop counts do 281, by weights alone."""
    problem = all_to_all("random-regular:256,4,1")
    traffic = Traffic.of(problem)
    assert traffic is not None
    assert not fits_a_program(traffic)
    assert steps(problem) == 289


def test_members_and_pairs() -> None:
    """Only the messages that there are load channels."""
    line = network("line:4")
    assert steps(Problem(line, many_to_many_scatter((0, 1), (2, 3)))) == 4
    assert steps(Problem(network("ring:4"), permutation([1, 2, 3, 0]))) == 1


def test_says_nothing_where_it_does_not_apply() -> None:
    """Broadcasts, combining and messages within one router have no load to price."""
    made = network("ring:4")
    for kind, rules in (
        ("AAB", Rules()),
        ("AAR", Rules()),
        ("AAS", Rules(combining=True)),
    ):
        problem = Problem(made, named(kind, made), rules)
        assert priced_by_load(problem) is None
        assert Traffic.of(problem) is None
    lone = Network("lone", 2, [(0, 1)], [0, 0, 0])
    assert priced_by_load(Problem(lone, alltoall(lone), Rules(ports=1))) is None


def test_a_deadline_ends_it() -> None:
    """After the deadline there is no bound; shortly before it there is one, if not the best."""
    problem = all_to_all("kautz:3,3", routing="any")
    assert priced_by_load(problem, clock.now()) is None
    hurried = priced_by_load(problem, clock.now() + 0.05)
    assert hurried is None or proven(problem, hurried) == hurried.figure


def test_words() -> None:
    """Prices are told by the dearest channel, what is needed and what a step has room for."""
    problem = all_to_all("ring:4")
    said = explain(problem, priced(problem, CertificatePrices.of(problem, [0, 3, 5], price=2), "channel-prices"))
    assert said == "channels 0>1 and 2 more (`bounds --all` names them) must carry 5 messages in all, 3 a step"
    mixed = CertificatePrices(*(np.array(column) for column in ([0, 3, 0, 1, 0, 0, 0, 0], [0] * 4, [0] * 4)))
    assert explain(problem, priced(problem, mixed, "channel-prices")).startswith("weighted by their load, channels ")


def test_words_of_ports() -> None:
    """Ports that have a price are counted, beside the channels that have one."""
    problem = all_to_all("ring:4", switching="store-and-forward", ports=1)
    said = explain(problem, priced(problem, CertificatePrices.of(problem, (), [0, 2], [1]), "channel-prices"))
    assert said == "3 ports must carry 11 messages in all, 3 a step"
    both = priced(problem, CertificatePrices.of(problem, [0, 3, 5], [2], [1]), "channel-prices")
    assert explain(problem, both).startswith(
        "channels 0>1 and 2 more (`bounds --all` names them) and 2 ports must carry "
    )
    one = priced(problem, CertificatePrices.of(problem, [0], [2]), "channel-prices")
    assert explain(problem, one).startswith("channel 0>1 and 1 injection port must carry ")


def test_prices_without_a_program_are_proven_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the linear program is too large, turns of weights find prices that are no better than its own."""
    made = network("mesh:2x3")
    problem = Problem(made, alltoall(made))
    best = tightest_prices(problem)
    monkeypatch.setattr(channel_prices, "fits_a_program", lambda traffic: False)
    found = tightest_prices(problem)
    assert best is not None
    assert found is not None
    assert best.exact is not None
    assert found.exact is not None
    assert proven_exactly(problem, found) == found.exact <= best.exact


def test_when_time_is_over_the_first_prices_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are whole and prove what they say; here time is over when they are there."""
    made = network("mesh:2x3")
    problem = Problem(made, alltoall(made))
    looks = iter([False, True])
    monkeypatch.setattr(channel_prices, "is_over", lambda deadline: next(looks))
    found = tightest_prices(problem)
    assert found is not None
    assert proven_exactly(problem, found) == found.exact
    assert next(looks, None) is None


def test_more_turns_are_no_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    """With any routing networks that are not tiny get more turns before the program; here none is tiny."""
    made = network("mesh:3x3")
    problem = Problem(made, alltoall(made), Rules(routing="any"))
    few = steps(problem)
    monkeypatch.setattr(channel_prices, "MOST_PAIRS_OF_TINY", 0)
    assert steps(problem) == few
