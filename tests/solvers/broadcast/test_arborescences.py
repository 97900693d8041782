"""Pieces along trees that share no channel: as many as the narrowest cut has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.judge.rules import verify
from pavane.model.collectives import broadcast, in_pieces
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network
from pavane.solvers.broadcast.arborescences import applies, packed

FREE = Rules(multicast=True, routing="any")


@pytest.mark.parametrize(
    ("spec", "pieces", "steps"),
    [("torus:4x4", 8, 2), ("mesh:4x4", 8, 4), ("hypercube:4", 8, 2), ("kautz:3,2", 9, 3), ("ring:5", 3, 2)],
)
def test_steps_are_pieces_over_the_narrowest_cut(spec: str, pieces: int, steps: int) -> None:
    """Edmonds: k trees without a common channel where every cut around the origin has k channels."""
    made = network(spec)
    problem = Problem(made, in_pieces(broadcast(made), pieces), FREE)
    assert applies(problem)
    transfers = packed(problem)
    assert transfers is not None
    schedule = Schedule.from_transfers(transfers)
    assert schedule.num_steps == steps
    assert verify(problem, schedule) == []


@given(
    st.lists(st.sampled_from([(a, b) for a in range(5) for b in range(5) if a != b]), max_size=12),
    st.lists(st.integers(1, 3), min_size=17, max_size=17),
)
def test_drawn_networks_reach_the_bound_of_the_narrowest_cut(
    extra: list[tuple[int, int]], capacities: list[int]
) -> None:
    """Trees never run out before the channels of a narrowest cut do, whatever the capacities."""
    channels = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), *extra]
    made = Network("drawn", 5, channels, capacities=capacities[: len(channels)])
    problem = Problem(made, in_pieces(broadcast(made), 6), FREE)
    narrowest = min(
        sum(
            room
            for (tail, head), room in zip(channels, capacities, strict=False)
            if head in inside and tail not in inside
        )
        for number in range(1, 16)
        for inside in [{router for router in range(1, 5) if number >> (router - 1) & 1}]
    )
    schedule = Schedule.from_transfers(packed(problem) or [])
    assert schedule.num_steps == -(-6 // min(narrowest, 6))
    assert verify(problem, schedule) == []
