"""What the tests of the constructions share: problems, and figures of schedules that the judges accept."""

from __future__ import annotations

import numpy as np

from pavane.judge.rules import verify
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers import Solver
from tests.checker import judge

MOST_JUDGED = 30_000
"""The second judge reads all messages for each transfer, so larger schedules are left to the first."""


def figures(solver: Solver, asked: Problem) -> tuple[int, int]:
    """Return start-ups and TCO of a schedule that the judges accept and that fits if just so much is asked."""
    assert solver.supports(asked)
    result = solver(asked, None, 3, Budget())
    schedule = result.schedule
    assert schedule is not None
    assert not verify(asked, schedule)
    if len(schedule) * asked.num_messages <= MOST_JUDGED:
        assert not judge(asked, schedule)
    assert (result.provenance.solver, result.provenance.seed) == (solver.name, 3)
    assert solver(asked, schedule.num_steps, 0, Budget()).schedule == schedule
    if schedule.num_steps > 1:
        short = solver(asked, schedule.num_steps - 1, 0, Budget())
        assert (short.schedule, short.requested_steps) == (None, schedule.num_steps - 1)
    assert solver(asked, None, 0, Budget(deadline=0.0)).schedule is None
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
