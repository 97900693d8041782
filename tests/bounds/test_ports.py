"""The bounds by ports: their figures and their words."""

from __future__ import annotations

import pytest

from pavane.bounds import explain
from pavane.bounds.ports import by_own_part
from pavane.judge.certificates import proven_exactly
from pavane.model.collectives import allreduce, in_pieces, scatter
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.told import bound_of, steps_of, words
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("argument", "kind", "rules", "steps", "said"),
    [
        ("injection", "OAS", Rules(ports=1), 8, "processor 0 must send 8 messages, 1 a step"),
        ("injection", "OAS", Rules(ports=3), 3, "processor 0 must send 8 messages, 3 a step"),
        ("ejection", "AOG", Rules(ports=1), 8, "processor 0 must receive 8 messages, 1 a step"),
        ("ejection", "OAB", Rules(ports=1), 1, "processor 1 must receive 1 message, 1 a step"),
        ("ejection", "AAB", Rules(), 4, "processor 0 must receive 8 messages, 2 a step"),
    ],
)
def test_figures_and_words(argument: str, kind: str, rules: Rules, steps: int, said: str) -> None:
    """The busiest processor takes its messages over its ports, rounded up, and the words say so."""
    problem = problem_of("mesh:3x3", kind, rules)
    assert steps_of(problem)[argument] == steps
    assert words(problem, argument) == said


def test_certificates() -> None:
    """Private messages have a price on one port, broadcasts a processor; under combining there is neither."""
    sent, received = (bound_of(problem_of("mesh:3x3", kind, ports=1), name) for kind, name in PRICED)
    assert sent.certificate == {"channels": [], "injection": [[1, 0]], "ejection": []}
    assert received.certificate == {"channels": [], "injection": [], "ejection": [[1, 0]]}
    assert bound_of(problem_of("mesh:3x3", "AAB"), "ejection").certificate == {"processor": 0}
    assert "injection" not in steps_of(problem_of("ring:4", "OAB"))
    assert not {"injection", "ejection"} & steps_of(problem_of("ring:4", "OAS", combining=True)).keys()


PRICED = (("OAS", "injection"), ("AOG", "ejection"))


def test_processors_of_one_router_need_a_step_all_the_same() -> None:
    """Processors on a router without channels are bounded by their ports alone."""
    alone = Network("one router", 1, [], [0, 0, 0])
    problem = Problem(alone, scatter(alone), Rules(ports=1))
    assert steps_of(problem) == {"injection": 2, "ejection": 1}
    assert fewest_steps(problem) == 2


def test_the_member_of_an_allreduce_with_the_fewest_ports() -> None:
    """At the end of a line a member sends its contribution to every piece over one channel."""
    made = network("line:4")
    problem = Problem(made, in_pieces(allreduce(made), 3))
    (bound,) = by_own_part(problem)
    assert (bound.figure, bound.certificate) == (12, {"processor": 0})
    assert proven_exactly(problem, bound) == 12
    assert explain(problem, bound) == "processor 0 must send and receive 12 sums, 1 a step"
