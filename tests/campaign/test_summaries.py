"""The figures of a method: success rate, medians, expected running time."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from pavane.campaign.summaries import Summary, summary, wilson
from tests.campaign.fakes import ended


@pytest.mark.parametrize(
    ("successes", "runs", "lower", "upper"),
    [
        (0, 10, 0.0, 0.27753279),
        (10, 10, 0.72246721, 1.0),
        (18, 20, 0.69896635, 0.97213352),
        (1, 1, 0.20654931, 1.0),
    ],
)
def test_the_interval_is_wilsons(successes: int, runs: int, lower: float, upper: float) -> None:
    """The ends are where the rate seen is 1.96 standard deviations off; at 0 and 1 they are exact."""
    found = wilson(successes, runs)
    assert found == pytest.approx((lower, upper), abs=1e-8)
    for end in found:
        if 0 < end < 1:
            assert abs(successes / runs - end) == pytest.approx(1.959964 * math.sqrt(end * (1 - end) / runs), rel=1e-6)


def test_the_summary_of_a_method() -> None:
    """ERT is all evaluations over the successes; times are of successes, conflicts of failures."""
    trials = [
        ended(0, 100, success=True, conflicts=0),
        ended(1, 300, success=True, conflicts=0),
        ended(2, 1000, success=False, conflicts=4),
        ended(3, 1000, success=False, conflicts=2),
        ended(4, 1000, success=False, conflicts=9),
        replace(ended(5, None, success=False), error="broken"),
    ]
    found = summary("m", trials)
    assert (found.runs, found.successes, found.errors, found.rate) == (5, 2, 1, 0.4)
    assert found.expected_evaluations == 3400 / 2
    assert found.evaluations == 200
    assert found.seconds == pytest.approx(0.2)
    assert found.conflicts == 4.0
    assert found.interval == wilson(2, 5)


def test_without_success_the_expected_time_is_infinite() -> None:
    """And there is no time to success."""
    found = summary("m", [ended(0, 100, success=False), ended(1, 100, success=False)])
    assert (found.expected_evaluations, found.evaluations, found.seconds) == (math.inf, None, None)
    assert found.conflicts is None


def test_uncounted_evaluations_leave_the_seconds() -> None:
    """A solver that does not count evaluations has no ERT, but a rate and seconds."""
    found = summary("m", [ended(0, None, success=True), ended(1, 700, success=True)])
    assert (found.expected_evaluations, found.evaluations, found.spent) == (None, None, None)
    assert (found.rate, found.seconds is not None) == (1.0, True)


def test_nothing_but_errors() -> None:
    """No rate, no interval, no crash."""
    found = summary("m", [replace(ended(0, None, success=False), error="broken")])
    assert found == Summary("m", 0, 0, None, None, None, None, None, 1)
    assert (found.rate, found.expected_evaluations) == (None, None)
