"""The arguments of bounds in words, with their figures."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from pavane.bounds import explain, lower_bounds
from pavane.bounds.prices import Prices, priced
from pavane.model.bound import Bound
from pavane.model.collectives import alltoall, broadcast, dual, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.tiny import tiny_problems


def words(problem: Problem, argument: str) -> str:
    """Return what is said of one argument."""
    return next(explain(problem, bound) for bound in lower_bounds(problem) if bound.argument == argument)


STORED = Rules(switching="store-and-forward")


@pytest.mark.parametrize(
    ("argument", "kind", "rules", "text", "said"),
    [
        ("injection", "OAS", Rules(ports=1), "mesh:3x3", "processor 0 must send 8 messages, 1 a step"),
        ("ejection", "AOG", Rules(ports=1), "mesh:3x3", "processor 0 must receive 8 messages, 1 a step"),
        ("ejection", "OAB", Rules(ports=1), "mesh:3x3", "processor 1 must receive 1 message, 1 a step"),
        ("ejection", "AAB", Rules(), "mesh:3x3", "processor 0 must receive 8 messages, 2 a step"),
        (
            "sum-of-distances",
            "AAS",
            Rules(),
            "hypercube:7",
            "the messages have 57,344 channels to cover in all, and a step has 896",
        ),
        (
            "volume",
            "AAB",
            Rules(duplex="half"),
            "ring:8",
            "messages must enter routers 56 times in all, and a step has 8 channels",
        ),
        (
            "bisection",
            "AAS",
            Rules(),
            "mesh:4x4",
            "messages must cross between two halves 128 times in all, 8 times a step; "
            "8 channels join them, at routers 10, 11, 4, 5, ...",
        ),
        (
            "bisection",
            "AAB",
            Rules(),
            "line:8",
            "4 messages must leave the 4 routers 4, 5, 6, 7, 1 a step",
        ),
        (
            "growth",
            "OAB",
            Rules(ports=1),
            "complete:8",
            "processor 0 must inform 7 others; after 1, 2, ... steps at most 1, 3, 7 can know",
        ),
        (
            "gathering",
            "AAB",
            Rules(ports=1, combining=True),
            "complete:8",
            "processor 0 must hear from 7 others; after 1, 2, ... steps it can from at most 1, 3, 7",
        ),
        (
            "distance",
            "OAB",
            STORED,
            "mesh:3x3",
            "processor 8 is 4 channels away from processor 0, and a step covers one channel",
        ),
        ("router", "AAB", Rules(), "mesh:3x3", "8 messages must leave the rest for router 0, 2 a step"),
        ("router", "OAS", Rules(), "mesh:3x3", "8 messages must leave or pass router 0, 2 a step"),
    ],
)
def test_each_argument_says_its_figures(argument: str, kind: str, rules: Rules, text: str, said: str) -> None:
    """Each argument names who must do what, how much of it there is, and how much a step can do."""
    made = network(text)
    assert words(Problem(made, named(kind, made), rules), argument) == said


@pytest.mark.parametrize(("kind", "forwards"), [("AOR", "OAB"), ("AAR", "AAB")])
def test_reductions_are_read_backwards(kind: str, forwards: str) -> None:
    """A reduction is explained as the broadcast that it is when read backwards."""
    mesh = network("mesh:3x3")
    problem = Problem(mesh, named(kind, mesh), STORED)
    assert dual(problem).collective.kind == forwards
    for bound in lower_bounds(problem):
        assert explain(problem, bound) == f"read backwards: {explain(dual(problem), bound)}"


def test_messages_that_enter_a_router() -> None:
    """A gather into a router is told as what must enter it."""
    mesh = network("mesh:3x3")
    assert words(Problem(mesh, named("AOG", mesh)), "router") == "8 messages must enter or pass router 0, 2 a step"


def test_processors_of_one_router_are_no_channel_apart() -> None:
    """Under store-and-forward two processors of one router need a step, not a channel."""
    alone = Network("one router", 1, [], [0, 0])
    problem = Problem(alone, broadcast(alone, 0, [0, 1]), Rules(switching="store-and-forward", ports=1))
    assert words(problem, "distance") == "processor 1 must receive from processor 0, which takes a step"


def test_any_other_prices_are_told_as_prices() -> None:
    """Prices of no special form are told by the dearest channel, what is needed and what a step has room for."""
    ring = network("ring:4")
    problem = Problem(ring, alltoall(ring))
    bound = priced(problem, Prices.of(problem, [0, 3, 5], price=2), "channel-prices")
    said = explain(problem, bound)
    assert said == "channel 0>1 and 2 others must carry 5 messages in all, 3 a step"
    mixed = Prices(*(np.array(column) for column in ([0, 3, 0, 1, 0, 0, 0, 0], [0] * 4, [0] * 4)))
    assert explain(problem, priced(problem, mixed, "channel-prices")).startswith("weighted by their load, channel ")


def test_an_unknown_argument_is_named() -> None:
    """A bound of a kind that has no words is named."""
    ring = network("ring:4")
    assert explain(Problem(ring, alltoall(ring)), Bound(3, "magic", {})) == "by magic"


@settings(max_examples=40)
@given(tiny_problems())
def test_every_bound_has_words(problem: Problem) -> None:
    """Every bound of every problem is explained in one line."""
    for bound in lower_bounds(problem):
        said = explain(problem, bound)
        assert said
        assert said.isprintable()
        assert said.startswith("read backwards: ") == (problem.pattern == "reduction")


def test_figures_fit_the_bound() -> None:
    """In sums and cuts the figures that are told, divided and rounded up, are the steps of the bound."""
    for text, kind in product(("mesh:4x4", "kautz:3,2", "octagon"), ("AAS", "AAB")):
        made = network(text)
        problem = Problem(made, named(kind, made))
        for bound in lower_bounds(problem):
            if bound.argument in ("sum-of-distances", "volume", "ejection", "injection"):
                said = explain(problem, bound).replace(",", "").split()
                figures = [int(word) for word in said if word.isdigit()]
                need, sold = figures[-2:]
                assert -(-need // sold) == bound.steps
