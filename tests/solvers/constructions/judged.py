"""What the tests of the constructions share: problems, and figures of schedules that the judges accept."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.judge.rules import verify
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.parallel.budget import Budget
from pavane.solvers import Solver
from tests.checker import judge
from tests.problems import problem_of

COMBINING = Rules(ports=1, combining=True)
PLAIN = Rules(ports=1)


HIERARCHIES = [(4, 4), (3, 3), (2, 2), (2, 5), (5, 3), (6, 2), (4, 6), (2, 3, 4), (4, 2, 3), (3, 2, 2, 2)]
each_size = pytest.mark.parametrize("sizes", HIERARCHIES, ids=lambda sizes: ",".join(map(str, sizes)))
"""The sizes of hierarchical rings, from level 0 outward."""

MOST_JUDGED = 30_000
"""The second judge reads all messages for each transfer, so larger schedules are left to the first."""


def problem(made: str | Network, kind: str, rules: Rules = COMBINING, root: int | None = None) -> Problem:
    """Return a collective among all processors of a network, one-port and combining unless said otherwise."""
    return problem_of(made, kind, rules, root=root)


def rings(sizes: tuple[int, ...]) -> str:
    """Write the network of some ring sizes."""
    return f"hierarchical-rings:{','.join(map(str, sizes))}"


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


def log2(number: int) -> int:
    """Return the least n with 2**n >= number."""
    return (number - 1).bit_length()


def shuffled(made: Network, seed: int) -> Network:
    """Return the network with routers, processors and channels numbered at random."""
    rng = np.random.default_rng(seed)
    routers = rng.permutation(made.num_routers)
    channels = rng.permutation(routers[made.channels])
    return Network("shuffled", made.num_routers, channels, rng.permutation(made.num_routers))


def with_link(made: Network, a: int, b: int) -> Network:
    """Return the network, under its old name, with one link more."""
    return Network(made.name, made.num_routers, np.concatenate((made.channels, [[a, b], [b, a]])))


def renamed(made: Network, name: str) -> Network:
    """Return the network under another name."""
    return Network(name, made.num_routers, made.channels, made.router_of)
