"""The tests' own optimum: two searches agree, and both find what is clear by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings

from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.tiny import tiny_problems
from tests.optimum import optimum
from tests.problems import problem_of


@settings(max_examples=60)
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


def test_a_restricted_broadcast() -> None:
    """Four routers less a link, half duplex, one port: two steps are enough where the last turn is to the north."""
    broken = network("torus:2x2").without(links=[(1, 3)])
    problem = problem_of(broken, "OAB", root=1, ports=1, duplex="half", routing="north-last")
    assert optimum(problem) == 2


def test_too_much_is_said() -> None:
    """A search that would take too long gives none instead of a number."""
    assert optimum(problem_of("mesh:3x3", "AAS"), most_tried=100) is None


def test_many_loads_of_combined_transfers_count_as_tries() -> None:
    """Two to the power of thirty loads of one transfer end the search at once, and fill no memory."""
    whole = in_pieces(named("allreduce", network("line:3")), 30)
    assert optimum(Problem(network("line:3"), whole, Rules(combining=True)), 1_000) is None
