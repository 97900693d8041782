"""gecco08 Table 5: the 12-router Kautz network with one faulty channel, re-planned and proven."""

from __future__ import annotations

import pytest

from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.synthesis import synthesize

KAUTZ = network("kautz:3,2")

TABLE = {
    # The first three cut an out-channel of router 01, the root of OAB and OAS.
    **{f"01>{head}": (3, 6, 6) for head in ("10", "12", "13")},
    **{f"02>{head}": (2, 6, 4) for head in ("20", "21", "23")},
    **{f"03>{head}": (2, 6, 4) for head in ("30", "31", "32")},
    "10>01": (2, 6, 4),
    "10>02": (2, 6, 5),
    "10>03": (2, 6, 5),
    "12>20": (2, 6, 4),
}
"""Steps of OAB, AAB and OAS with each faulty channel, as the paper prints them."""


def planned(fault: str, kind: str, rules: Rules | None = None) -> Result:
    """Re-plan a collective without one channel."""
    tail, head = (KAUTZ.router(name) for name in fault.split(">"))
    (channel,) = [c for c in KAUTZ.out_channels[tail] if KAUTZ.heads[c] == head]
    broken = KAUTZ.without(channels=[channel])
    return synthesize(Problem(broken, named(kind, broken), rules or Rules()))


@pytest.mark.parametrize("fault", TABLE)
def test_the_table_is_optimal(fault: str) -> None:
    """The paper's figures are reached, and bounds prove that they cannot be beaten with shortest paths."""
    results = [planned(fault, kind) for kind in ("OAB", "AAB", "OAS")]
    assert tuple(result.num_steps for result in results) == TABLE[fault]
    assert {result.status for result in results} == {"optimal"}


@pytest.mark.parametrize("fault", ["10>02", "10>03"])
def test_detours_win_a_step_back(fault: str) -> None:
    """With any routing one-to-all scatter takes 4 steps where shortest paths need 5."""
    assert planned(fault, "OAS", Rules(routing="any")).num_steps == 4


@pytest.mark.parametrize("fault", ["01>10", "12>20", "32>21"])
def test_all_to_all_scatter(fault: str) -> None:
    """All-to-all scatter takes 9 steps with shortest paths, as in the paper, and 8 with any."""
    minimal, free = planned(fault, "AAS"), planned(fault, "AAS", Rules(routing="any"))
    assert (minimal.num_steps, minimal.status) == (9, "optimal")
    assert (free.num_steps, free.status) == (8, "optimal")
