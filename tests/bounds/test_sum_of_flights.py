"""The bound by the sum of flights."""

from __future__ import annotations

import pytest

from pavane.bounds import lower_bounds
from pavane.judge.certificates import proven
from pavane.model.problem import Rules
from tests.bounds.told import bound_of, steps_of, words
from tests.optimum import optimum
from tests.problems import problem_of

LINEAR = Rules("tdm", ports=1, wrap=False)


@pytest.mark.parametrize(("size", "slots"), [(2, 6), (3, 11), (4, 19), (5, 28), (6, 40), (7, 53)])
def test_tori_take_an_average_flight_more_than_their_ports(size: int, slots: int) -> None:
    """One port sends and receives N - 1 packets everywhere, so the average flight comes on top."""
    problem = problem_of(f"torus:{size}x{size}", "AAS", LINEAR)
    best = lower_bounds(problem)[0]
    assert (best.argument, best.figure) == ("sum-of-flights", slots)
    assert proven(problem, best) == slots


def test_packets_and_ports_take_turns() -> None:
    """With c ports c packets of f slots start together, and each turn waits for the one before."""
    rules = Rules("tdm", ports=2, packet_slots=2, wrap=False)
    problem = problem_of("complete:4", "AAS", rules)
    # Flights of 2; a sender's three packets start in slots 0, 0 and 2, and end 2, 2 and 4 slots before the end.
    assert steps_of(problem)["sum-of-flights"] == -(-(3 * 2 + 2 + 8) // 3) == 6
    assert (optimum(problem) or 99) >= 6


def test_words_have_the_sums() -> None:
    """The explanation says what flights add up to, and what ports leave for them."""
    assert words(problem_of("torus:2x2", "AAS", LINEAR), "sum-of-flights") == (
        "the flights of 12 messages add up to 28 slots, and as ports take turns they start after 12 slots and end 24 "
        "before the last, at the least"
    )


def test_it_is_about_private_messages_that_do_not_wrap() -> None:
    """Broadcasts and periods have no such sum."""
    assert "sum-of-flights" not in steps_of(problem_of("ring:4", "AAS", Rules("tdm", ports=1)))
    assert "sum-of-flights" not in steps_of(problem_of("ring:4", "AAB", LINEAR))
    assert bound_of(problem_of("ring:4", "AOG", LINEAR), "sum-of-flights").figure >= 3
