"""The linear program of the best prices, against one that follows every message over every hop."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Literal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog

from pavane.bounds.price_program import by_linear_program, fits_a_program
from pavane.bounds.traffic import Traffic
from pavane.model.problem import Problem
from tests.bounds.tiny import PRIVATE, tiny_problems, tiny_problems_in_pieces
from tests.strategies import channel_graph, ways


def proven(traffic: Traffic) -> float:
    """Return what the best prices prove, before it is rounded up."""
    per_unit = by_linear_program(traffic, None)
    assert per_unit is not None
    whole = np.rint(per_unit / per_unit.max() * 10**6).astype(np.int64)
    paid, _ = traffic.buy(whole)
    return paid / int((whole * traffic.capacity).sum())


def least_load(problem: Problem) -> float:
    """Return the least largest load of channels and ports, hop by hop from location to location, message by message."""
    where, graph = problem.network, channel_graph(problem.network)
    locations = list(range(where.num_processors))
    if problem.rules.switches == "hold":
        locations += [~router for router, there in enumerate(where.processors_on) if not there]
    hops = [
        (sender, receiver, path)
        for sender, receiver in permutations(range(len(locations)), 2)
        for path in ways(problem, graph, locations[sender], locations[receiver])
    ]
    ends = problem.ends.tolist()
    num_hops, num_locations = len(hops), len(locations)
    size = len(ends) * num_hops + 1
    equal, stays = np.zeros((len(ends) * num_locations, size)), np.zeros(len(ends) * num_locations)
    num_channels, num_processors = where.num_channels, where.num_processors
    below = np.zeros((num_channels + 2 * num_processors, size))
    for message, (origin, target) in enumerate(ends):
        stays[message * num_locations + origin], stays[message * num_locations + target] = -1, 1
        for number, (sender, receiver, path) in enumerate(hops):
            flow = message * num_hops + number
            equal[message * num_locations + receiver, flow] += 1
            equal[message * num_locations + sender, flow] -= 1
            for channel in path:
                below[problem.units[channel], flow] += 1
            if sender < num_processors:
                below[num_channels + sender, flow] = 1
            if receiver < num_processors:
                below[num_channels + num_processors + receiver, flow] = 1
    below[:, -1] = -np.concatenate((where.capacity, problem.injection, problem.ejection))
    solution = linprog(np.eye(size)[-1], A_ub=below, b_ub=np.zeros(len(below)), A_eq=equal, b_eq=stays)
    assert solution.fun is not None
    return float(solution.fun)


@given(
    st.one_of(
        tiny_problems(kinds=PRIVATE, combining=(False,)), tiny_problems_in_pieces(kinds=PRIVATE, combining=(False,))
    ),
    st.sampled_from(["hold", "pass"]),
)
def test_hop_by_hop_it_is_the_best_of_all(drawn: Problem, switches: Literal["hold", "pass"]) -> None:
    """Under store-and-forward the prices prove the least largest load: fat routers, switches, half duplex and all."""
    rules = replace(drawn.rules, switching="store-and-forward", switches=switches)
    problem = Problem(drawn.network, drawn.collective, rules)
    traffic = Traffic.of(problem)
    assume(traffic is not None and fits_a_program(traffic))
    assert traffic is not None
    assert proven(traffic) == pytest.approx(least_load(problem), rel=1e-4)
