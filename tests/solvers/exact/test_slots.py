"""CP-SAT decides tables of slots: what it finds is judged, and what it refutes an exhaustive search does not find."""

import networkx as nx
import numpy as np
import pytest

from pavane.model.bound import Bound
from pavane.model.collectives import in_pieces, pairs
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Transfer
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.exact.cp_sat import CpSat, _Answer
from pavane.solvers.solver import Finding
from tests.optimum import optimum
from tests.problems import problem_of

ENOUGH = Budget(evaluations=200_000)
"""More than any test here needs; it ends what would go on for ever, the same on every machine."""

RIGID = nx.DiGraph(["ab", "cd", "ef", "bc", "de", "fc", "da"])
"""Packets from a to f and from e to b share ab, cd and ef, which they pass in opposite orders."""


def finding(problem: Problem, num_steps: int) -> Finding:
    """Return the answer for one number of slots."""
    return Finding.of(CpSat().find(problem, num_steps, np.random.default_rng(0), ENOUGH))


RULES = [
    Rules("tdm", ports=1),
    Rules("tdm", ports=1, wrap=False),
    Rules("tdm", ports=1, packet_slots=2, link_delay=1),
    Rules("tdm", ports=1, packet_slots=2, router_delay=2, wrap=False),
    Rules("tdm", ports=1, routing="any"),
]


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("ends", [((0, 1), (0, 2), (1, 2), (2, 0)), ((0, 2), (1, 3), (2, 0), (3, 1), (0, 3))])
def test_the_least_period_is_that_of_an_exhaustive_search(ends: tuple[tuple[int, int], ...], rules: Rules) -> None:
    """The answer is proven optimal, and its period is the least for which any choice of paths and starts fits."""
    problem = Problem(network("ring:4"), pairs(ends), rules)
    result = CpSat()(problem, None, 0, ENOUGH)
    assert result.status == "optimal"
    assert result.num_steps == optimum(problem)


def test_a_larger_period_may_be_impossible() -> None:
    """A table of 2 slots exists and none of 3: what asks for at most 3 gets 2, and nothing is refuted."""
    problem = Problem(network(RIGID), pairs(((0, 5), (4, 1))), Rules("tdm", ports=1))
    assert optimum(problem) == 2
    answer = finding(problem, 3)
    assert answer.schedule is not None
    assert (answer.schedule.num_steps, answer.bounds) == (2, ())


def test_refuted_periods_are_a_bound() -> None:
    """Where every period from the bound on is refuted, the bound is one slot more."""
    problem = Problem(network("ring:5"), pairs(((0, 2), (0, 4), (1, 3), (2, 4))), Rules("tdm", ports=1))
    answer = finding(problem, 2)
    assert answer == Finding(None, (Bound(3, "exhaustive", {"method": "cp-sat", "steps": 2}),), evaluations=answer[3])


@pytest.mark.parametrize(("wrap", "claimed"), [(True, ()), (False, (6,))])
def test_a_smaller_period_that_is_undecided(
    wrap: bool, claimed: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refuting 5 slots refutes fewer without wrap; with wrap it is no bound as long as 4 are undecided."""
    monkeypatch.setattr(CpSat, "_decide_steps", lambda *args: _Answer(is_refuted=args[3] == 5))
    problem = problem_of("ring:4", "AAS", switching="tdm", ports=1, wrap=wrap)
    assert tuple(bound.figure for bound in finding(problem, 5).bounds) == claimed


@pytest.mark.parametrize(
    ("name", "kind", "rules", "slots"),
    [
        # One hop: injection in slot 0, the channel in slot 1, ejection in slot 2.
        ("complete:4", "OAB", {}, 3),
        # Two ports: a neighbour and two hops to the opposite corner (slots 0 to 3), then the other neighbour (1 to 3).
        ("ring:4", "OAB", {}, 4),
        # Three hops: slots 0 to 4.
        ("ring:6", "OAB", {}, 5),
        ("ring:4", "AAB", {}, 4),
        ("ring:4", "AAR", {}, 4),
        # The third packet waits for a port until slot 2, and ends in slots 4 and 5.
        ("ring:4", "AOR", {"packet_slots": 2}, 6),
        # One port: the origin sends in slots 0, 1 and 2, and the third packet ends in slot 4.
        ("complete:4", "OAB", {"ports": 1}, 5),
    ],
)
def test_broadcasts_and_reductions(name: str, kind: str, rules: dict[str, int], slots: int) -> None:
    """Copies are sent on from the slot after their last ejection slot; read backwards they are sums."""
    result = CpSat()(problem_of(name, kind, switching="tdm", wrap=False, **rules), None, 0, ENOUGH)
    assert (result.status, result.num_steps) == ("optimal", slots)


def test_relays_send_what_they_have_received() -> None:
    """By slot 4 the origin sends 5 packets, the first relay 2 and the second one: 7 are needed, and end in slot 6."""
    result = CpSat()(problem_of("complete:8", "OAB", switching="tdm", wrap=False, ports=1), None, 0, ENOUGH)
    assert (result.status, result.num_steps) == ("optimal", 7)


def test_pieces_keep_the_first_slot() -> None:
    """Pieces in order and a fixed rotation exclude no table: 3 pieces of one pair take 3 slots."""
    net = network("ring:3")
    problem = Problem(net, in_pieces(pairs(((0, 1), (1, 2))), 3), Rules("tdm", ports=1))
    result = CpSat()(problem, 3, 0, ENOUGH)
    assert result.num_steps == 3


def test_slots_without_injections_stay() -> None:
    """A schedule of 9 slots has 9, though the last packet is injected before: no slot is closed up."""
    problem = Problem(network("ring:3"), pairs(((0, 1),)), Rules("tdm", packet_slots=3, link_delay=3, wrap=False))
    result = CpSat()(problem, None, 0, ENOUGH)
    assert result.schedule is not None
    assert (result.num_steps, list(result.schedule)) == (8, [Transfer(0, 0, 1, (0,), (0,))])


@pytest.mark.parametrize(("name", "is_small"), [("ring:6", True), ("mesh:3x3", True), ("mesh:6x6", False)])
def test_all_simple_paths_are_listed_where_few(name: str, is_small: bool) -> None:
    """Under any routing a network with too many simple paths is refused."""
    assert CpSat().supports(problem_of(name, "scatter", Rules("tdm", routing="any"))) == is_small
