"""Limits of searches in the words of Python and of the command line."""

from __future__ import annotations

from typing import Any

import pytest

import pavane
from pavane.errors import InputError
from pavane.search.limits import one_of

PROBLEM = pavane.Problem(pavane.network("octagon"), "alltoall")


def test_both_words_mean_the_same() -> None:
    """`steps` is `num_steps`, and `time` is `seconds`."""
    assert pavane.synthesize(PROBLEM, steps=3).asked == 3
    timed = pavane.synthesize(PROBLEM, time=60.0), pavane.synthesize(PROBLEM, seconds=60.0)
    assert timed[0].schedule == timed[1].schedule
    assert one_of(None, 3, ("num_steps", "steps")) == one_of(3, None, ("num_steps", "steps")) == 3
    assert one_of(3, 3, ("num_steps", "steps")) == 3


def test_two_words_for_two_values_are_refused() -> None:
    """Who gives both must mean one."""
    with pytest.raises(InputError, match="`num_steps` is 4 and `steps` is 3, which are two words for one; give one"):
        pavane.synthesize(PROBLEM, num_steps=4, steps=3)


def test_a_limit_of_no_time_is_refused_under_either_word() -> None:
    """The text is that of the search."""
    with pytest.raises(InputError, match="a search needs some; give more than 0 seconds"):
        pavane.synthesize(PROBLEM, time=0)


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ({"seed": -1}, r"^`seed` is -1; give 0 or more$"),
        ({"evaluations": 0}, r"^evaluations 0: a search needs at least one; give 1 or more$"),
        ({"num_steps": 0}, r"^steps 0: a schedule has at least one step; give 1 or more$"),
    ],
)
def test_limits_that_make_no_sense_are_refused(limits: dict[str, Any], text: str) -> None:
    """Before any search, in one line."""
    with pytest.raises(InputError, match=text):
        pavane.synthesize(PROBLEM, **limits)
