"""Flows of the exact program."""

from pavane.bounds import counted_bounds
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.parallel.budget import Budget
from pavane.solvers.exact.flows import Flows
from pavane.solvers.exact.program import ScheduleProgram


def test_rings_in_a_flow_are_left_out() -> None:
    """A flow that runs round a ring on its way is read as the simple path without it."""
    made = Network("lasso", 4, [(0, 1), (1, 2), (2, 1), (1, 3)])
    problem = Problem(made, Collective("PAIRS", pairs=((0, 3),)), Rules(routing="any"))
    flows = Flows(ScheduleProgram(problem, 1, counted_bounds(problem), Budget()))
    for channels in ([0, 1, 2, 3], [0, 3, 2, 1]):
        assert list(flows._paths([[0], [], [], []], [[], [], [], [3]], channels)) == [(0, 3, (0, 3))]
