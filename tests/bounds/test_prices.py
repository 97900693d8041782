"""Prices on channels and ports: what a step sells and what the messages must buy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pavane.bounds.prices import CertificatePrices, bought, priced, sold_per_step
from pavane.model.collectives import pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.exhaustive import admissible_paths
from tests.bounds.tiny import PRIVATE, tiny_problems


@st.composite
def price_lists(draw: st.DrawFn) -> tuple[Problem, CertificatePrices]:
    """Draw a tiny problem of private messages and prices of all sorts."""
    problem = draw(tiny_problems(kinds=PRIVATE, combining=(False,)))
    sizes = (problem.network.num_channels, problem.network.num_processors, problem.network.num_processors)
    price = draw(st.sampled_from([st.integers(0, 3), st.just(1), st.sampled_from([0, 0, 1]), st.integers(0, 10**6)]))
    columns = [np.array(draw(st.lists(price, min_size=n, max_size=n)), dtype=np.int64) for n in sizes]
    if draw(st.booleans()):
        columns[1], columns[2] = columns[1] * 0, columns[2] * 0
    return problem, CertificatePrices(*columns)


def stored_ways(problem: Problem, prices: CertificatePrices, origin: int, target: int) -> Iterator[int]:
    """Yield what every way over resting places costs under store-and-forward."""
    network = problem.network
    homes = network.router_of.tolist()
    homes += [r for r in range(network.num_routers) if r not in homes]
    inject = [*prices.injection.tolist(), *[0] * len(homes)]
    eject = [*prices.ejection.tolist(), *[0] * len(homes)]

    def walk(here: int, met: tuple[int, ...], cost: int) -> Iterator[int]:
        if here == target:
            yield cost
            return
        for there, home in enumerate(homes):
            if there not in met:
                ports = inject[here] + eject[there]
                if home == homes[here]:
                    yield from walk(there, (*met, there), cost + ports)
                for channel, ends in enumerate(network.channels.tolist()):
                    if ends == [homes[here], home]:
                        yield from walk(there, (*met, there), cost + ports + int(prices.channels[channel]))

    return walk(origin, (origin,), 0)


@given(price_lists())
def test_bought_is_the_cheapest_of_all_ways(case: tuple[Problem, CertificatePrices]) -> None:
    """What the messages buy is the cheapest way of each, found by listing every way that the rules allow."""
    problem, prices = case
    home = problem.network.router_of.tolist()
    total = 0
    for origin, target in problem.labels.tolist():
        if problem.rules.switching == "store-and-forward":
            total += min(stored_ways(problem, prices, origin, target))
        else:
            paths = admissible_paths(problem, home[origin], home[target])
            total += min(sum(prices.channels[list(path)].tolist()) for path in paths)
            total += int(prices.injection[origin] + prices.ejection[target])
    assert bought(problem, prices) == total


@given(price_lists())
def test_sold_is_capacity_times_price(case: tuple[Problem, CertificatePrices]) -> None:
    """A step sells each channel and port at its price; of a half-duplex link only one channel, the dearer."""
    problem, prices = case
    network = problem.network
    sold = sum(k * p for k, p in zip(problem.injection.tolist(), prices.injection.tolist(), strict=True))
    sold += sum(k * p for k, p in zip(problem.ejection.tolist(), prices.ejection.tolist(), strict=True))
    for channel, back in enumerate(network.opposite.tolist()):
        price = int(prices.channels[channel])
        if problem.rules.duplex == "full" or back < 0:
            sold += price
        elif channel < back:
            sold += max(price, int(prices.channels[back]))
    assert sold_per_step(problem, prices) == sold


def test_minimal_routing_must_buy_the_short_way() -> None:
    """A dear shortest path is bought under minimal routing and avoided under any."""
    triangle = Network("triangle", 3, [(0, 1), (0, 2), (2, 1)])
    for routing, cost in (("minimal", 10), ("any", 2)):
        problem = Problem(triangle, pairs([(0, 1)]), Rules(routing=routing))  # type: ignore[arg-type]
        prices = CertificatePrices(np.array([10, 1, 1]), np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64))
        assert bought(problem, prices) == cost


def test_a_stop_takes_the_cheapest_processor_of_a_fat_router() -> None:
    """On a fat router a message rests at the processor whose two ports are cheapest, on a pure switch for nothing."""
    channels = [(0, 1), (1, 2)]
    for router_of, ports, cost in (([0, 1, 1, 2], [0, 5, 2, 0], 4), ([0, 2], [0, 0], 0)):
        made = Network("line", 3, channels, router_of)
        rules = Rules(switching="store-and-forward", ports=1)
        problem = Problem(made, pairs([(0, len(router_of) - 1)]), rules)
        prices = CertificatePrices(np.zeros(2, dtype=np.int64), np.array(ports), np.array(ports))
        assert bought(problem, prices) == cost


def test_prices_of_sets_one_price() -> None:
    """`Prices.of` puts one price on what is listed and nothing on the rest."""
    problem = Problem(network("ring:3"), pairs([(0, 1)]))
    prices = CertificatePrices.of(problem, channels=[1, 4], injection=[2], price=7)
    assert prices.channels.tolist() == [0, 7, 0, 0, 7, 0]
    assert prices.injection.tolist() == [0, 0, 7]
    assert prices.ejection.tolist() == [0, 0, 0]


def test_the_certificate_lists_who_has_each_price() -> None:
    """A price list is written as groups: a price, then the channels or processors that have it."""
    problem = Problem(network("ring:3"), pairs([(0, 1)]))
    prices = CertificatePrices(np.array([2, 0, 5, 2, 0, 0]), np.array([0, 1, 1]), np.zeros(3, dtype=np.int64))
    bound = priced(problem, prices, "anything")
    assert bound.certificate == {"channels": [[2, 0, 3], [5, 2]], "injection": [[1, 1, 2]], "ejection": []}
