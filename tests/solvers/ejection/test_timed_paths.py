"""Candidate paths through the network unrolled in time."""

from __future__ import annotations

import numpy as np

from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers.ejection.timed_paths import TimedPaths, paths_in_time
from pavane.workers.budget import Budget

STORED = Rules("store-and-forward")


def paths_of(problem: Problem, widths: list[int], most_ways: int = 100, detour: int = 0) -> TimedPaths:
    """List the candidates of a problem."""
    rng = np.random.default_rng(0)
    found = paths_in_time(problem, np.array(widths), rng, Budget(), most_paths=8, most_ways=most_ways, detour=detour)
    assert found is not None
    return found


def test_all_choices_of_steps_are_listed() -> None:
    """On a path of three routers a message over two channels has three choices in three steps, a neighbour's too."""
    line = Network("line", 3, [(0, 1), (1, 2)], [0, 1, 2])
    problem = Problem(line, named("OAS", line, root=0), STORED)
    found = paths_of(problem, [1, 1, 1])
    assert np.diff(found.candidates.first_path).tolist() == [3, 3]
    assert found.steps.tolist() == [0, 1, 2, 0, 1, 0, 2, 1, 2]
    assert found.receivers.tolist() == [1, 1, 1, 1, 2, 1, 2, 1, 2]


def test_many_choices_are_sampled() -> None:
    """With more choices than wanted that many are drawn, with ascending steps."""
    ring = network("ring:8")
    problem = Problem(ring, named("OAS", ring, root=0), STORED)
    found = paths_of(problem, [1] * 12, most_ways=20)
    assert np.diff(found.candidates.first_path).max() <= 20
    lengths = np.diff(found.candidates.channel_offsets)
    rising = np.diff(found.steps) > 0
    inner = np.ones(len(found.steps) - 1, dtype=bool)
    inner[np.cumsum(lengths)[:-1] - 1] = False
    assert rising[inner].all()


def test_a_wide_step_has_more_room() -> None:
    """The capacity of a channel in a step is its own times the width of the step."""
    ring = network("dgx-1")
    problem = Problem(ring, named("AAS", ring), STORED)
    found = paths_of(problem, [2, 3])
    num_bundles = found.ways.bundles.network.num_channels
    capacity = found.ways.bundles.network.capacity
    assert found.candidates.capacity[: 2 * num_bundles].reshape(-1, 2).tolist() == [[2 * c, 3 * c] for c in capacity]


def test_pieces_of_a_message_have_the_same_choices() -> None:
    """Every piece can go every way that its message can."""
    ring = network("ring:4")
    problem = Problem(ring, named("OAS", ring, root=0, pieces=2), STORED)
    found = paths_of(problem, [1, 1])
    counts = np.diff(found.candidates.first_path)
    assert counts[::2].tolist() == counts[1::2].tolist()


def test_a_hop_over_switches_takes_its_channels_in_one_step() -> None:
    """Where switches pass, a message over two channels has one hop, with as many choices as there are steps."""
    through = Network("through", 3, [(0, 2), (2, 1)], [0, 1])
    problem = Problem(through, named("OAS", through, root=0), Rules("store-and-forward", switches="pass"))
    found = paths_of(problem, [1, 1, 1])
    assert np.diff(found.candidates.first_path).tolist() == [3]
    assert found.steps.tolist() == [0, 1, 2]
    assert found.ways.paths == [(0, 1)]
    # A unit is a channel in a step.
    assert found.candidates.units.reshape(-1, 2).tolist() == [[0, 3], [1, 4], [2, 5]]
    assert [transfer.path for transfer in found.schedule(np.array([1]))] == [(0, 1)]


def test_listing_ends_when_the_time_is_over() -> None:
    """Candidates of thousands of messages take seconds to list, so that the clock is asked on the way."""
    ring = network("ring:4")
    problem = Problem(ring, named("AAS", ring), STORED)
    over = Budget(deadline=0.0)
    rng = np.random.default_rng(0)
    assert paths_in_time(problem, np.array([1, 1]), rng, over, most_paths=8, most_ways=100, detour=0) is None
