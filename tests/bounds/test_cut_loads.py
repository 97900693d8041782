"""Cuts for broadcasts: messages that must leave a set of routers, over the channels that leave it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.bounds.cut_loads import RouterCut, arriving, entering, leaving
from pavane.model.collectives import allgather, broadcast, many_to_many_broadcast
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.tiny import BROADCAST, tiny_problems
from tests.strategies import valid_case


def must_cross(problem: Problem, inside: set[int]) -> int:
    """Count the messages with their origin inside and some target outside."""
    home = problem.network.router_of.tolist()
    targets = problem.collective.receivers
    return sum(
        home[origin] in inside and any(home[t] not in inside for t in targets if t != origin)
        for (origin,) in problem.labels.tolist()
    )


@given(tiny_problems(kinds=BROADCAST), st.data())
def test_a_cut_counts_messages_and_channels(problem: Problem, data: st.DataObject) -> None:
    """A cut has the messages that must leave and the channels that leave; under half duplex both ways, links once."""
    network = problem.network
    chosen = data.draw(st.sets(st.integers(0, network.num_routers - 1)))
    cut = leaving(problem, np.isin(np.arange(network.num_routers), list(chosen)))
    outside = set(range(network.num_routers)) - chosen
    out = [c for c, (t, h) in enumerate(network.channels.tolist()) if t in chosen and h in outside]
    back = [c for c, (t, h) in enumerate(network.channels.tolist()) if t in outside and h in chosen]
    if problem.rules.duplex == "full":
        assert cut == RouterCut(must_cross(problem, chosen), len(out))
    else:
        links = sum(network.opposite[c] in back for c in out)
        assert cut.num_messages == must_cross(problem, chosen) + must_cross(problem, outside)
        assert cut.per_step == len(out) + len(back) - links


@given(tiny_problems(kinds=BROADCAST, combining=(False,)), st.integers(0, 2**32 - 1))
def test_no_cut_exceeds_a_valid_schedule(problem: Problem, seed: int) -> None:
    """Whatever set of routers is cut off, no valid schedule takes fewer steps than the cut says."""
    schedule = valid_case(problem, seed, packed=True).schedule
    size = problem.network.num_routers
    for chosen in product((False, True), repeat=size):
        assert leaving(problem, np.array(chosen)).steps <= schedule.num_steps


@pytest.mark.parametrize(("messages", "per_step", "steps"), [(7, 2, 4), (8, 2, 4), (1, 5, 1), (0, 3, 0), (3, 0, 0)])
def test_steps_of_a_cut_are_rounded_up(messages: int, per_step: int, steps: int) -> None:
    """A cut takes the messages over the channels, rounded up; a cut without channels says nothing."""
    assert RouterCut(messages, per_step).steps == steps


def test_a_receiver_takes_all_messages_but_its_own() -> None:
    """A receiver ejects the messages of all senders but itself, a processor that is none ejects nothing."""
    ring = network("ring:4")
    problem = Problem(ring, many_to_many_broadcast((0, 1, 2), (0, 3)), Rules(ports=1))
    assert arriving(problem, 0) == RouterCut(2, 1)
    assert arriving(problem, 3) == RouterCut(3, 1)
    assert arriving(problem, 1) == RouterCut(0, 1)


def test_all_port_ejection_is_the_degree() -> None:
    """With all ports a processor ejects as many as its router has channels in."""
    mesh = network("mesh:3x3")
    problem = Problem(mesh, allgather(mesh))
    assert [arriving(problem, p).per_step for p in (0, 1, 4)] == [2, 3, 4]


@pytest.mark.parametrize(("duplex", "per_step"), [("full", 16), ("half", 8)])
def test_volume_enters_every_router_once_per_message(duplex: str, per_step: int) -> None:
    """Each of 8 messages must enter 7 routers of a ring; a step has its channels, or its links under half duplex."""
    ring = network("ring:8")
    assert entering(Problem(ring, allgather(ring), Rules(duplex=duplex))) == RouterCut(56, per_step)  # type: ignore[arg-type]


def test_volume_of_fat_routers() -> None:
    """Processors that share a router share what has entered it, and the origin's router need not be entered."""
    fat = Network("pair", 2, [(0, 1), (1, 0)], [0, 0, 1, 1])
    assert entering(Problem(fat, allgather(fat), Rules(ports=1))).num_messages == 4
    assert entering(Problem(fat, broadcast(fat, 0, [1]), Rules(ports=1))).num_messages == 0
