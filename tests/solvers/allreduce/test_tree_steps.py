"""Steps for sums along trees: what waits for what, and what is read from broadcasts."""

import numpy as np

from pavane.model.allreduce import phases
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS
from pavane.solvers.allreduce.tree_steps import (
    TreeEdge,
    TreeUnits,
    justify_steps,
    leading,
    orders,
    schedule_of,
    trees_of,
)
from tests.checker import judge
from tests.problems import problem_of


def line(size: int) -> tuple[Problem, tuple[TreeEdge, ...]]:
    """Return one part on a line, and its only tree."""
    made = network(f"line:{size}")
    problem = Problem(made, named("reduce-broadcast", made), Rules("store-and-forward"))
    channel = {way: number for number, way in enumerate(map(tuple, made.channels.tolist()))}
    return problem, tuple(TreeEdge(a, a + 1, (channel[a, a + 1],), (channel[a + 1, a],)) for a in range(size - 1))


def test_sums_meet_in_the_middle() -> None:
    """Along a line each sending waits for those behind it, so that all is over in as many steps as there are edges."""
    problem, tree = line(4)
    ground = TreeUnits(problem)
    sent = ground.sent(tree)
    assert sent.waits.tolist() == [0, 1, 2, 2, 1, 0]
    assert sent.follow.tolist() == [2, 1, 0, 0, 1, 2]
    rows = ground.rows([sent])
    steps = ground.placed(rows, next(orders(rows, 1, np.random.default_rng(0))), 9)
    assert steps is not None
    assert steps.tolist() == [0, 1, 2, 2, 1, 0]
    assert not judge(problem, schedule_of([tree], steps))
    assert ground.placed(rows, np.argsort(steps), 2) is None


def test_steps_move_to_both_ends() -> None:
    """What was given late steps moves to early ones."""
    problem, tree = line(4)
    ground = TreeUnits(problem)
    rows = ground.rows([ground.sent(tree)])
    late = np.array([0, 4, 8, 3, 2, 1], dtype=np.int32)
    assert justify_steps(ground, rows, late, np.random.default_rng(0), 1).max() == 2


def test_trees_of_a_broadcast() -> None:
    """A broadcast has a tree for each message, which serves both ways."""
    problem = problem_of("mesh:3x3", "allreduce", Rules("store-and-forward"))
    spread = SOLVERS["greedy"](phases(problem)[1], None, 0, Budget()).schedule
    assert spread is not None
    trees = trees_of(problem, spread)
    assert [len(tree) for tree in trees] == [8] * 9
    ground = TreeUnits(problem)
    rows = ground.rows([ground.sent(tree) for tree in trees])
    for _, order in zip(range(4), orders(rows, 6, np.random.default_rng(0)), strict=False):
        steps = ground.placed(rows, order, 100)
        assert steps is not None
        assert not judge(problem, schedule_of(trees, steps))


def test_what_leads_nowhere_is_left_out() -> None:
    """Edges to those who contribute nothing stay only where they lead on to a member."""
    edges = [TreeEdge(0, ~1, (0,), (1,)), TreeEdge(~1, 2, (2,), (3,)), TreeEdge(~1, ~3, (4,), (5,))]
    assert set(leading(edges, frozenset({0, 2}))) == set(edges[:2])
