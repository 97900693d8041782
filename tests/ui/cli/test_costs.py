"""What schedules without bounds of their own cost, in one line."""

from __future__ import annotations

from pathlib import Path

from pavane.io.format import Claim
from pavane.judge.result import Provenance
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import ring
from pavane.ui.cli.costs import best_bounds, cost_figures, cost_line, with_bounds
from tests.ui.cli.calls import Call

AROUND = [
    *(
        Transfer(0, p, (p + way) % 4, (2 * p if way == 1 else 2 * ((p - 1) % 4) + 1,), (p,))
        for p in range(4)
        for way in (1, -1)
    ),
    *(Transfer(1, (p + 1) % 4, (p + 2) % 4, (2 * ((p + 1) % 4),), (p,)) for p in range(4)),
]
"""An allgather on a ring of four: one hop either way, then on."""


def rated(transfers: list[Transfer], num_steps: int, combining: bool = False) -> Claim:
    """Return a schedule of an allgather on a ring of four with the best bounds."""
    problem = Problem(ring(4), "allgather", Rules("store-and-forward", combining=combining))
    schedule = Schedule.from_transfers(transfers, num_steps)
    return with_bounds(Claim(problem, schedule, (), Provenance("by hand")))


def test_the_cost_is_held_against_the_bound() -> None:
    """The best bound, and how far the steps are from it."""
    claim = rated(AROUND, 2)
    assert [bound.argument for bound in best_bounds(claim)] == ["ejection"]
    assert cost_line(claim) == "cost        2 steps, which is the bound"
    slow = [each._replace(start=each.start and 1 + at) for at, each in enumerate(AROUND[8:])]
    assert cost_line(rated([*AROUND[:8], *slow], 5)) == "cost        5 steps, 2.50 times the bound of 2 steps"


def test_start_ups_and_tco_are_told_apart() -> None:
    """Under combining there are two bounds."""
    claim = rated(AROUND, 2, combining=True)
    assert cost_line(claim) == "cost        2 start-ups, which is the bound; TCO 2, which is the bound"
    assert cost_figures(claim)["cost"] == {"start_ups": {"reached": 2, "bound": 2}, "tco": {"reached": 2, "bound": 2}}


def test_a_schedule_with_a_network_takes_no_other(call: Call, solved: Path) -> None:
    """A file of our own says all that there is to say, and has no cost line: its bounds are in it."""
    assert call("verify", solved, "--on", "ring:4").is_refusal(
        "says itself which network it is for, so it does not go with --on ring:4"
    )
    assert "cost" not in call.good("verify", solved)
