"""Broadcasts decided by one message of each orbit: what is found, and what a refutation means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pavane.judge.result import Result
from pavane.model.collectives import in_pieces
from pavane.model.messages import Collective
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.exact.cp_sat import CpSat
from pavane.solvers.exact.orbits import MessageOrbits, message_orbits
from pavane.symmetry.involutions import Symmetry
from tests.bounds.exhaustive import fewest_steps
from tests.problems import problem_of

NO_TIME_LIMIT = Budget.of(None)


def decided(problem: Problem, num_steps: int) -> Result:
    """Decide a number of steps with the effort of the last stage of `auto`."""
    return CpSat(effort=5.0)(problem, num_steps, 0, NO_TIME_LIMIT)


def cut(name: str, kind: str, pieces: int, **rules: Any) -> Problem:
    """Return a problem in pieces."""
    whole = problem_of(name, kind, **rules)
    return Problem(whole.network, in_pieces(whole.collective, pieces), whole.rules)


@pytest.mark.parametrize(
    ("problem", "num_steps"),
    [
        pytest.param(cut("hypercube:4", "OAB", 8), 4, id="pieces that turn about the root"),
        pytest.param(problem_of("coated-mesh:4x4", "AAB", duplex="half"), 11, id="messages around a mesh"),
        pytest.param(problem_of("kautz:3,2*2", "AAB"), 8, id="fat routers, hop by hop"),
    ],
)
def test_no_step_to_spare(problem: Problem, num_steps: int) -> None:
    """Symmetric broadcasts without a step to spare are found."""
    assert decided(problem, num_steps).num_steps == num_steps


def test_orbits_of_pieces_and_of_messages() -> None:
    """Symmetries that keep the sender take its pieces to each other, others its message to another one."""
    by_order = {len(orbits.group): orbits for orbits in message_orbits(cut("ring:4", "AAB", 2))}
    assert sorted(by_order) == [2, 4]
    assert by_order[4].part.collective == Collective("MNB", (0,), (0, 1, 2, 3), pieces=2)
    turned = message_orbits(cut("hypercube:4", "OAB", 8))[0]
    assert (len(turned.group), turned.num_keeping, turned.part.collective.pieces) == (4, 4, 2)


def test_every_message_is_of_one_orbit() -> None:
    """The images of the messages of a part are all messages, each once."""
    for problem in (cut("hypercube:4", "OAB", 8), cut("ring:6", "AAB", 3), problem_of("coated-mesh:4x4", "AAB")):
        for orbits in message_orbits(problem):
            numbers = [
                orbits._message(message, number)
                for message in range(orbits.part.num_messages)
                for number in range(len(orbits.group))
            ]
            assert sorted(numbers) == list(range(problem.num_messages))


@pytest.mark.parametrize(
    "problem",
    [
        pytest.param(cut("ring:4", "OAB", 3), id="three pieces are not halved"),
        pytest.param(problem_of("ring:5", "AAS"), id="private messages"),
        pytest.param(problem_of("line:3", "AAB", duplex="half"), id="the middle sender stays, the others move"),
        pytest.param(
            Problem(
                problem_of("ring:4", "AAB").network, Collective("AAB", (0, 1, 2, 3), (0, 1, 2, 3), sizes=((0, 2),))
            ),
            id="one sender has more to say",
        ),
    ],
)
def test_nothing_falls_into_orbits(problem: Problem) -> None:
    """Where messages do not fall into orbits as large as a group, there are none."""
    assert message_orbits(problem) == ()


def test_a_link_that_is_turned_round_has_no_room_for_both_ways() -> None:
    """Under half duplex a link and its image the other way are one link, which carries one message a step."""
    full, half = (problem_of("line:2", "AAB", duplex=duplex) for duplex in ("full", "half"))
    for problem, is_usable in ((full, True), (half, False)):
        group = tuple(Symmetry.of(problem, np.array(routers)) for routers in ([0, 1], [1, 0]))
        assert MessageOrbits(problem, tuple(one for one in group if one is not None)).is_usable == is_usable


def test_a_refutation_for_orbits_proves_nothing() -> None:
    """A schedule that no symmetry keeps is found as well."""
    for name in ("ring:4", "ring:5", "line:4", "complete:4"):
        for pieces in (1, 2):
            problem = cut(name, "OAB", pieces, ports=1)
            optimum = fewest_steps(problem)
            assert optimum is not None
            assert decided(problem, optimum).num_steps == optimum
            refuted = decided(problem, optimum - 1)
            assert refuted.num_steps is None
            assert refuted.bounds[0].steps <= optimum


def test_reductions_are_read_backwards() -> None:
    """A reduction in pieces is found as the broadcast that it is when read backwards."""
    assert decided(cut("hypercube:3", "AOR", 3), 3).num_steps == 3
