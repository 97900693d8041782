"""Duals by time reversal."""

from __future__ import annotations

import pytest
from hypothesis import given

from pavane.model.duals import DUAL_KINDS, dual
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from tests.checker import parcels
from tests.strategies import problems

LINE = Network("line", 4, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)])


@pytest.mark.parametrize(
    ("kind", "other"),
    [("OAS", "AOG"), ("OAB", "AOR"), ("AAB", "AAR"), ("AAS", "AAS"), ("MNS", "MNS"), ("PAIRS", "PAIRS")],
)
def test_scatter_and_gather_broadcast_and_reduction_are_dual(kind: str, other: str) -> None:
    """AOG, AOR and AAR are the time-reversals of OAS, OAB and AAB; AAS, MNS and PAIRS of themselves."""
    assert (DUAL_KINDS[kind], DUAL_KINDS[other]) == (other, kind)


def test_the_dual_turns_channels_and_members_round() -> None:
    """The dual lives on the reversed network, keeps the rules, and exchanges senders with receivers."""
    one_way = Network("one way", 3, [(0, 1), (1, 2)])
    rules = Rules(switching="store-and-forward", ports=1)
    turned = dual(Problem(one_way, Collective("OAB", (0,), (1, 2)), rules))
    assert turned.network.channels.tolist() == [[1, 0], [2, 1]]
    assert turned.collective == Collective("AOR", (1, 2), (0,))
    assert turned.rules == rules
    listed = dual(Problem(one_way, Collective("PAIRS", pairs=((0, 2), (1, 2))), rules))
    assert listed.collective.pairs == ((2, 0), (2, 1))
    many = dual(Problem(LINE, Collective("MNB", (0, 1), (2, 3))))
    assert many.collective == Collective("AAR", (2, 3), (0, 1))


@given(problems())
def test_the_dual_of_the_dual_is_the_problem(problem: Problem) -> None:
    """Reversed twice, a problem is itself; MNB over one set is AAB over that set, which has the same messages."""
    again = dual(dual(problem))
    collective = problem.collective
    assert again.network == problem.network
    assert again.rules == problem.rules
    assert parcels(again.collective) == parcels(collective)
    renamed = {"MNB": collective.senders == collective.receivers, "AAB": collective.senders != collective.receivers}
    if not renamed.get(collective.kind, False):
        assert again == problem
