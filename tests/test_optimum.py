"""The tests' own optimum: two searches agree, and both find what is clear by hand."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from tests.bounds.exhaustive import admissible_paths, fewest_steps
from tests.bounds.tiny import PRIVATE, tiny_problems
from tests.checker import judge
from tests.optimum import optimum
from tests.problems import problem_of


@given(tiny_problems())
def test_both_searches_agree(problem: Problem) -> None:
    """The search through full steps finds what the search through all steps finds, reductions read forwards too."""
    every = fewest_steps(problem, most_tried=10_000)
    assume(every is not None)
    assert optimum(problem, most_tried=200_000) == every


@pytest.mark.parametrize(
    ("text", "kind", "rules", "steps"),
    [
        ("hypercube:3", "OAB", {}, 2),
        ("mesh:2x3", "AAB", {"ports": 1}, 5),
        ("ring:5", "AAS", {}, 3),
        # The hub's one port must send three messages three times each.
        ("star:4", "AAB", {"switching": "store-and-forward", "ports": 1}, 9),
        # Rows go first, so both messages into the far corner's column turn at the same router.
        ("mesh:2x2", "AAS", {"routing": "dimension-order"}, 2),
    ],
)
def test_known_optima(text: str, kind: str, rules: dict[str, Any], steps: int) -> None:
    """Optima that are clear by hand are found."""
    assert optimum(problem_of(text, kind, **rules)) == steps


@pytest.mark.parametrize(
    ("text", "kind", "rules", "steps"),
    [
        ("line:3", "OAB", {"multicast": True, "ports": 1}, 1),
        ("line:3", "AOR", {"multicast": True, "ports": 1}, 1),
        ("ring:3", "AAB", {"multicast": True, "ports": 1}, 2),
        # Two sums through one switch over links of one.
        ("rails:2,1", "ALLREDUCE", {"switching": "store-and-forward", "switches": "copy", "ports": 1}, 2),
        ("line:2", "ALLREDUCE", {"multicast": True, "duplex": "half"}, 4),
    ],
)
def test_known_optima_of_trees(text: str, kind: str, rules: dict[str, Any], steps: int) -> None:
    """Optima where routers copy and add are found, too."""
    assert optimum(problem_of(text, kind, **rules)) == steps


def test_a_restricted_broadcast() -> None:
    """Four routers less a link, half duplex, one port: two steps are enough where the last turn is to the north."""
    broken = network("torus:2x2").without(links=[(1, 3)])
    problem = problem_of(broken, "OAB", root=1, ports=1, duplex="half", routing="north-last")
    assert optimum(problem) == 2


@pytest.mark.parametrize(
    ("text", "kind", "rules", "slots"),
    [
        ("line:2", "AAS", {}, 1),
        # The channel into the far router carries two packets.
        ("line:3", "AAS", {}, 2),
        ("line:3", "AAS", {"packet_slots": 3}, 6),
        # Each link carries four packets, two in each direction, one in a slot.
        ("line:3", "AAS", {"ports": 1, "duplex": "half"}, 4),
        # The farther packet is injected first, and both arrive in the fourth slot.
        ("line:3", "OAB", {"wrap": False}, 4),
        ("line:3", "AOR", {"wrap": False}, 4),
        # One channel: injection, channel after r + l, ejection after r, and two slots for the packet.
        ("line:2", "OAS", {"wrap": False, "router_delay": 3, "link_delay": 2, "packet_slots": 2}, 10),
        ("torus:3x3", "OAS", {"ports": 1, "packet_slots": 3}, 24),
    ],
)
def test_known_periods(text: str, kind: str, rules: dict[str, Any], slots: int) -> None:
    """Shortest periods that are clear by hand are found."""
    assert optimum(problem_of(text, kind, switching="tdm", **rules)) == slots


@given(tiny_problems(kinds=PRIVATE, combining=(False,)), st.integers(0, 2), st.integers(1, 2), st.booleans())
def test_no_table_of_a_shorter_period_is_valid(whole: Problem, link_delay: int, packet_slots: int, wrap: bool) -> None:
    """Of all choices of slots and paths, some is valid with the shortest period, and none with one slot less."""
    given_rules = whole.rules
    rules = Rules(
        "tdm",
        given_rules.ports,
        given_rules.duplex,
        given_rules.routing,
        link_delay=link_delay,
        packet_slots=packet_slots,
        wrap=wrap,
    )
    assume(whole.num_messages <= 3)
    problem = Problem(whole.network, whole.collective, rules)
    period = optimum(problem)
    assert period is not None
    assert has_table(problem, period)
    assert period == 1 or not has_table(problem, period - 1)


def has_table(problem: Problem, period: int) -> bool:
    """Return whether some choice of a slot and a path for every packet is valid, by trying all of them."""
    homes = problem.network.router_of.tolist()
    choices = [
        [
            Transfer(slot, sender, receiver, path, (message,))
            for slot in range(period)
            for path in admissible_paths(problem, homes[sender], homes[receiver])
        ]
        for message, (sender, receiver) in enumerate(problem.ends.tolist())
    ]
    assume(prod(len(some) for some in choices) <= 3_000)
    tables = (Schedule.from_transfers(table, period) for table in product(*choices))
    return any(not judge(problem, table) for table in tables)


def test_too_much_is_said() -> None:
    """A search that would take too long gives none instead of a number."""
    assert optimum(problem_of("mesh:3x3", "AAS"), most_tried=100) is None


def test_many_loads_of_combined_transfers_count_as_tries() -> None:
    """Two to the power of thirty loads of one transfer end the search at once, and fill no memory."""
    whole = in_pieces(named("allreduce", network("line:3")), 30)
    assert optimum(Problem(network("line:3"), whole, Rules(combining=True)), 1_000) is None
