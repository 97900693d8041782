"""Which problems in slots read the same backwards."""

from typing import Any

import pytest

from pavane.model.problem import Rules
from pavane.symmetry.time_reversal import TimeReversal
from tests.problems import problem_of


def test_every_message_has_one_of_the_way_back() -> None:
    """The way back of a way back is the message itself."""
    problem = problem_of("mesh:3x2", "AAS", Rules("tdm", ports=1))
    reversal = TimeReversal.of(problem)
    assert reversal is not None
    assert (problem.ends[reversal.messages] == problem.ends[:, ::-1]).all()


@pytest.mark.parametrize(
    ("spec", "kind", "rules"),
    [
        ("ring:4,oneway", "AAS", {}),
        ("ring:4", "OAS", {}),
        ("ring:4", "AAS", {"link_delay": 1}),
        ("ring:4", "AAS", {"packet_slots": 2}),
        ("mesh:3x3", "AAS", {"routing": "dimension-order"}),
    ],
)
def test_what_cannot_be_read_backwards(spec: str, kind: str, rules: dict[str, Any]) -> None:
    """One-way channels, one-way messages, unequal delays, long packets and restricted paths have no reversal."""
    assert TimeReversal.of(problem_of(spec, kind, Rules("tdm", ports=1, **rules))) is None
