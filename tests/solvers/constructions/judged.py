"""What the tests of the constructions share: problems, and figures of schedules that the judges accept."""

import numpy as np

from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers import Solver
from tests.checker import judge

MOST_JUDGED = 30_000
"""The second judge reads all messages for each transfer, so larger schedules are left to the first."""


def figures(solver: Solver, asked: Problem) -> tuple[int, int]:
    """Return start-ups and TCO of a schedule that the judges accept."""
    assert solver.supports(asked)
    result = solver(asked, None, 3, Budget())
    schedule = result.schedule
    assert schedule is not None
    if len(schedule) * asked.num_messages <= MOST_JUDGED:
        assert not judge(asked, schedule)
    return schedule.num_steps, schedule.tco


def declines(solver: Solver, asked: Problem) -> bool:
    """Say whether a solver does not support a problem and, called all the same, gives no schedule."""
    return not solver.supports(asked) and solver(asked, None, 0, Budget()).schedule is None


def shuffled(made: Network, seed: int) -> Network:
    """Return the network with routers, processors and channels numbered at random."""
    rng = np.random.default_rng(seed)
    routers = rng.permutation(made.num_routers)
    channels = rng.permutation(routers[made.channels])
    return Network("shuffled", made.num_routers, channels, rng.permutation(made.num_routers))
