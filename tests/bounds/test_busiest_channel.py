"""The bound by the busiest channel: its figures and its words."""

from __future__ import annotations

from tests.bounds.told import bound_of, steps_of, words
from tests.problems import problem_of


def test_dimension_order_loads_one_channel_most() -> None:
    """On a mesh of 4 by 4 every message has one path, and a channel across the middle carries 16 of them."""
    problem = problem_of("mesh:4x4", routing="dimension-order")
    assert steps_of(problem)["busiest-channel"] == 16
    ((price, _),) = bound_of(problem, "busiest-channel").certificate["channels"]
    assert price == 1
    assert words(problem, "busiest-channel").endswith(" must carry 16 messages in all, 1 a step")


def test_where_messages_have_a_choice_it_says_nothing() -> None:
    """Under minimal routing, and on a torus of even size, messages choose; broadcasts are not counted."""
    assert "busiest-channel" not in steps_of(problem_of("mesh:4x4"))
    assert "busiest-channel" not in steps_of(problem_of("torus:4x4", routing="dimension-order"))
    assert "busiest-channel" not in steps_of(problem_of("mesh:4x4", "AAB", routing="dimension-order"))
