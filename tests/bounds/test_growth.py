"""Growth: how many processors can have heard from one origin after each step."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from pavane.bounds.growth import audience, informed
from pavane.model.collectives import alltoall, broadcast, many_to_many_broadcast, pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.tiny import tiny_problems
from tests.bounds.told import steps_of, words
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("ports", "counts"),
    [(1, [1, 2, 4, 8, 16]), (2, [1, 3, 9, 16]), (3, [1, 4, 16]), (15, [1, 16])],
)
def test_growth_is_a_power_of_the_ports_plus_one(ports: int, counts: list[int]) -> None:
    """With k ports each the informed are at most (k + 1)^s after s steps (gecco07 eq. 4), and never more than exist."""
    full = network("complete:16")
    problem = Problem(full, broadcast(full), Rules(ports=ports))
    assert informed(problem, 0, 15) == counts


def test_growth_starts_with_the_ports_of_the_origin() -> None:
    """The leaf of a star informs the hub first, and the hub all others."""
    star = network("star:8")
    assert informed(Problem(star, broadcast(star, root=1)), 1, 7) == [1, 2, 8]
    assert informed(Problem(star, broadcast(star, root=0)), 0, 7) == [1, 8]


def test_growth_stops_when_enough_know() -> None:
    """A broadcast to three receivers needs no more than three informed, members or not."""
    full = network("complete:16")
    problem = Problem(full, broadcast(full, 0, [1, 2, 3]), Rules(ports=1))
    assert informed(problem, 0, audience(problem, 0)) == [1, 2, 4]


def test_a_switch_keeps_a_copy_under_store_and_forward_only() -> None:
    """Pure switches count among the informed, with all their channels, under store-and-forward; not by wormhole."""
    hub = Network("hub", 5, [(0, r) for r in range(1, 5)] + [(r, 0) for r in range(1, 5)], [1, 2, 3, 4])
    stored = Problem(hub, broadcast(hub), Rules(switching="store-and-forward", ports=1))
    assert informed(stored, 0, 3) == [1, 2, 5]
    assert informed(Problem(hub, broadcast(hub), Rules(ports=1)), 0, 3) == [1, 2, 4]


def test_backwards_the_ejection_ports_count() -> None:
    """Backwards the processors heard from grow through the ejection ports of the receiver and its relays."""
    funnel = Network("funnel", 4, [(0, 3), (1, 3), (2, 3), (3, 0), (3, 0), (3, 1), (3, 2)])
    problem = Problem(funnel, alltoall(funnel), Rules(combining=True))
    assert informed(problem, 3, 3) == [1, 4]
    assert informed(problem, 1, 3, backwards=True) == [1, 2, 4]
    assert informed(problem, 3, 3, backwards=True) == [1, 4]


def test_growth_refuses_what_cannot_be() -> None:
    """More others than there are cannot be informed."""
    pair = network("line:2")
    with pytest.raises(ValueError, match="processor 0 cannot reach 2 others"):
        informed(Problem(pair, broadcast(pair)), 0, 2)


def test_audience_counts_others() -> None:
    """The audience of a sender is the receivers but itself, and backwards the senders but itself."""
    ring = network("ring:6")
    problem = Problem(ring, many_to_many_broadcast((0, 1), (1, 2, 3)))
    assert [audience(problem, p) for p in range(4)] == [3, 2, 0, 0]
    assert [audience(problem, p, backwards=True) for p in range(4)] == [0, 1, 2, 2]
    private = Problem(ring, pairs([(0, 1), (0, 2), (3, 2)]))
    assert [audience(private, p) for p in range(4)] == [2, 0, 0, 1]
    assert [audience(private, p, backwards=True) for p in range(4)] == [0, 1, 2, 0]


@given(tiny_problems(combining=(True,)))
def test_growth_never_shrinks_and_ends_with_enough(problem: Problem) -> None:
    """The counts start with the origin alone, grow in every step, and stop as soon as enough have heard."""
    if problem.pattern == "reduction":
        return
    for origin in sorted(set(problem.labels[:, 0].tolist())):
        wanted = audience(problem, origin)
        counts = informed(problem, origin, wanted)
        assert counts[0] == 1
        assert all(a < b for a, b in pairwise(counts))
        assert counts[-1] > wanted
        assert all(count <= wanted for count in counts[:-1])


@pytest.mark.parametrize(
    ("kind", "rules", "argument", "said"),
    [
        ("OAB", Rules(ports=1), "growth", "must inform 7 others; after 1, 2, ... steps at most 1, 3, 7 can know"),
        (
            "AAB",
            Rules(ports=1, combining=True),
            "gathering",
            "must hear from 7 others; after 1, 2, ... steps it can from at most 1, 3, 7",
        ),
    ],
)
def test_words(kind: str, rules: Rules, argument: str, said: str) -> None:
    """It says how many must be informed or heard from, and how many can; without combining nothing is gathered."""
    problem = problem_of("complete:8", kind, rules)
    assert steps_of(problem)[argument] == 3
    assert words(problem, argument) == f"processor 0 {said}"
    assert ("gathering" in steps_of(problem)) == rules.combining
