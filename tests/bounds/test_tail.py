"""The bound by cuts with a tail: its figures, its words, and that it never claims too much."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pavane.bounds import counted_bounds, explain, lower_bounds
from pavane.bounds.tail import best_tail, steps_needed
from pavane.judge.certificates import proven
from pavane.judge.result import Result
from pavane.model.bound import Bound
from pavane.model.collectives import in_pieces
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import dgx_a100, mi250, ndv2
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.tiny import BROADCAST, tiny_problems
from tests.problems import problem_of

STORED: dict[str, Any] = {"switching": "store-and-forward"}
HALF: dict[str, Any] = {"duplex": "half"}


@pytest.mark.parametrize(
    ("name", "rules", "before", "steps"),
    [
        # Two processors share three channels: what enters last is known to one of them.
        ("fat-octagon:2", {}, 5, 6),
        # Of four rings each must let in twelve messages over links that they share, and spread them.
        ("hierarchical-rings:4,4", HALF, 12, 13),
        # Both ends of a line are far from the middle link: what crosses it for them in the last two steps is late.
        ("line:8", HALF | STORED, 8, 11),
        # What enters a ring by its bridge in the last two steps does not come to the other side of the ring.
        ("hierarchical-rings:4,4", HALF | STORED, 12, 14),
        ("hierarchical-rings:8,2", STORED, 9, 12),
        # The hub of a star sends 49 copies, one a step; in a square four routers send to the middle and the corners.
        ("star:8", STORED | {"ports": 1}, 7, 49),
        ("mesh:3x3", STORED | {"ports": 1}, 8, 10),
        # What a bridge sends into its ring and to other bridges goes through its one port.
        ("hierarchical-rings:4,4", STORED | {"ports": 1}, 15, 26),
        # Whoever sends to another leaf of a tree of switches takes a link at both ends, whose other way is then closed.
        ("fat-tree:4", HALF, 8, 15),
        # Of the 20 links at processors 8 lead to switches: a message takes two of those, or one of the other 12.
        ("coated-mesh:4x4", HALF, 8, 11),
    ],
)
def test_figures(name: str, rules: dict[str, Any], before: int, steps: int) -> None:
    """Known networks need more steps than counting says, and the judge agrees."""
    problem = problem_of(name, "AAB", **rules)
    bound = best_tail(problem, before)
    assert bound is not None
    assert bound.figure == steps == proven(problem, bound)
    assert lower_bounds(problem)[0].figure == steps
    assert best_tail(problem, steps) is None


@pytest.mark.parametrize(
    ("where", "rules", "figures"),
    [
        ("fat-octagon:2", {}, {1: 6, 2: 10, 3: 15}),
        (mi250(), {}, {3: 8}),
        (mi250(), STORED, {3: 8, 6: 15, 12: 29}),
        (ndv2(2), {}, {1: 9, 4: 33}),
        (ndv2(2), STORED, {1: 10, 4: 34}),
        (dgx_a100(4), {}, {1: 4, 2: 7, 12: 37}),
    ],
)
def test_figures_in_pieces(where: str | Network, rules: dict[str, Any], figures: dict[int, int]) -> None:
    """Machines whose links differ in speed need what their boxes can let in and spread, for each number of pieces."""
    for pieces, steps in figures.items():
        whole = problem_of(where, "AAB", **rules)
        problem = Problem(whole.network, in_pieces(whole.collective, pieces), whole.rules)
        bound = best_tail(problem, counted_bounds(problem)[0].figure)
        assert bound is None or bound.figure == steps == proven(problem, bound)
        assert lower_bounds(problem)[0].figure == steps


FIRST_PIECE = ("0-8-12", "12-4-5 12-8 12-13 12-14-15", "5-1 5-7 8-10 13-9 15-11", "0-4 7-3 7-6 10-2 10-14")
FIFTH_PIECE = ("", "0-2-3", "0-4-12 3-1 3-2 3-7 3-11-15", "1-9 2-6 2-10 3-11 7-5 12-4 12-8 12-13 15-14")
"""The ways of two pieces from processor 0 of a hypercube in each of 4 steps."""


def test_a_broadcast_in_eight_pieces_meets_the_bound() -> None:
    """On the hypercube of 16 routers a root sends 8 pieces to all in 4 steps, four along each of two turned trees."""
    whole = problem_of("hypercube:4", "OAB")
    problem = Problem(whole.network, in_pieces(whole.collective, 8))
    channel_of = {tuple(ends): channel for channel, ends in enumerate(problem.network.channels.tolist())}
    transfers = [
        Transfer(step, routers[0], routers[-1], tuple(channel_of[ends] for ends in pairwise(routers)), (first + turn,))
        for first, ways in ((0, FIRST_PIECE), (4, FIFTH_PIECE))
        for step, in_step in enumerate(ways)
        for way in in_step.split()
        for turn in range(4)
        for routers in ([(int(router) << turn | int(router) >> (4 - turn)) & 15 for router in way.split("-")],)
    ]
    result = Result(problem, Schedule.from_transfers(transfers), lower_bounds(problem))
    assert result.num_steps == 4
    assert result.is_optimal


def test_a_late_entry_counts_for_who_can_still_know() -> None:
    """Two halves of a line hear four messages each of the other over one link, and what crosses last is told to one."""
    problem = problem_of("line:8", "AAB", **HALF, **STORED)
    halves = [frozenset(range(4)), frozenset(range(4, 8))]
    # With 0, 1, 2 steps left a crossing is worth 1/4, 1/2, 3/4; so 7 steps before them let in the rest of 8.
    assert steps_needed(problem, halves) == 10
    assert steps_needed(problem, halves[:1]) == 6


def test_two_links_of_a_star_of_switches_are_taken_at_a_time() -> None:
    """Three leaves of a switch under half duplex tell each other one message a step, as trying everything says."""
    star = Network("star", 4, [(0, 1), (1, 0), (0, 2), (2, 0), (0, 3), (3, 0)], [1, 2, 3])
    problem = problem_of(star, "AAB", **HALF)
    assert steps_needed(problem, [frozenset([leaf]) for leaf in (1, 2, 3)]) == 6 == fewest_steps(problem)
    assert steps_needed(problem, [frozenset([leaf]) for leaf in (1, 2)]) == 2


def test_nothing_is_said_where_nothing_must_enter() -> None:
    """A block without receivers, or all routers together, proves nothing."""
    problem = problem_of("coated-mesh:4x4", "AAB")
    assert steps_needed(problem, [frozenset([5])]) == 0
    assert steps_needed(problem, [frozenset(range(16))]) == 0
    assert best_tail(problem_of("ring:4", "AAS"), 0) is None
    assert best_tail(problem_of("ring:4", "AAB", combining=True), 0) is None


def test_words() -> None:
    """The argument tells what must enter which block, and for which receivers."""
    problem, blocks = problem_of("line:8", "AAB", **HALF, **STORED), [[0, 1, 2, 3], [4, 5, 6, 7]]
    text = "messages must enter routers 0, 1, 2, 3 and 1 other block 8 times in all, 1 a step, and what enters late "
    assert explain(problem, Bound(10, "tail", {"blocks": blocks})) == text + "cannot spread in time"
    some = Bound(11, "tail", {"blocks": blocks, "receivers": [0, 7]})
    assert explain(problem, some) == text + "cannot reach 2 far receivers in time"


def test_far_receivers_alone() -> None:
    """Half a line hears three messages of the other over one link that both share, and the ends are two steps away."""
    problem = problem_of("line:6", "AAB", **HALF, **STORED)
    bound = best_tail(problem, 7)
    assert bound is not None
    assert bound.certificate == {"blocks": [[0, 1, 2], [3, 4, 5]], "receivers": [0, 1, 4, 5]}
    assert bound.figure == proven(problem, bound) == 8
    assert best_tail(problem_of("line:6", "AAB", **HALF), 7) is None


@given(tiny_problems(BROADCAST, combining=(False,)), st.data())
def test_no_blocks_claim_more_than_there_is(problem: Problem, data: st.DataObject) -> None:
    """Whichever blocks and receivers are named, the judge counts as the maker does, and no schedule is shorter."""
    router = st.integers(0, problem.network.num_routers - 1)
    drawn = data.draw(st.lists(st.sets(router, min_size=1), min_size=1, max_size=3))
    some = sorted(data.draw(st.sets(st.sampled_from(problem.collective.receivers), min_size=1)))
    assume(len({*problem.collective.senders, *some}) > 1)
    fewer = replace(problem.collective, kind="MNB", receivers=tuple(some))
    steps = steps_needed(Problem(problem.network, fewer, problem.rules), [frozenset(block) for block in drawn])
    if not steps:
        return
    certificate = {"blocks": [sorted(block) for block in drawn], "receivers": some}
    assert proven(problem, Bound(steps, "tail", certificate)) == steps
    optimum = fewest_steps(problem, most_tried=5_000)
    assert optimum is None or steps <= optimum
