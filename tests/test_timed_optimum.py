"""The exhaustive search for the earliest end, against ends that are counted by hand."""

from __future__ import annotations

import pytest

from pavane.model.problem import Rules
from tests.judge.test_timed_certificates import timed_on
from tests.timed_optimum import earliest_end

STORED = Rules(switching="store-and-forward")
NARROW = Rules(switching="store-and-forward", ports=1)


@pytest.mark.parametrize(
    ("spec", "kind", "rules", "end"),
    [
        ("line:3", "oab", STORED, 26),
        ("line:3", "aab", STORED, 26),
        ("line:3", "aor", STORED, 26),
        ("line:2", "allreduce", STORED, 23),
        ("complete:4", "oab", NARROW, 26),
        ("complete:3", "aas", NARROW, 23),
        ("line:3", "oas", Rules(), 23),
        ("line:2", "aas", Rules(switching="store-and-forward", duplex="half"), 23),
    ],
)
def test_the_earliest_end_is_found(spec: str, kind: str, rules: Rules, end: int) -> None:
    """A piece holds a channel for 10, and is there 3 later."""
    assert earliest_end(timed_on(spec, kind, rules), 10_000) == end


def test_a_search_that_takes_too_long_is_given_up() -> None:
    """No end is known then."""
    assert earliest_end(timed_on("complete:4", "aab"), 10_000, most_tried=50) is None
