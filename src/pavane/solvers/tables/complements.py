"""Tables for all-to-all scatter by wormhole on hypercubes: a set of dimensions and its complement share a step.

All routers send in the same step, and each kind of channel carries one message then. With all ports, or two at least,
N / 2 steps carry everything, which is the bound; with one port every displacement has a step of its own.
"""

from __future__ import annotations

import numpy as np

from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.solvers.supports import EXCHANGE
from pavane.solvers.tables.rows import RowColumns, table_of
from pavane.symmetry.cayley import CayleyNetwork


def complement_pairs(problem: Problem, cayley: CayleyNetwork) -> SymmetricSchedule | None:
    """Return the table for all-to-all scatter by wormhole on a hypercube, with any number of ports."""
    axes, rules = cayley.axis_kinds(), problem.rules
    if axes is None or cayley.sizes is None or set(cayley.sizes) != {2}:
        return None
    if rules.switching != "wormhole" or not EXCHANGE(problem):
        return None
    last, dimension = problem.network.num_routers - 1, len(cayley.sizes)
    targets = np.arange(1, last + 1)
    steps = targets - 1 if rules.ports == 1 else np.minimum(targets, last - targets)
    kinds = np.broadcast_to(np.array(axes[0]), (last, dimension))
    lengths = np.stack(np.unravel_index(targets, cayley.sizes), axis=1)
    rows = RowColumns(steps, targets, kinds, lengths)
    return table_of([rows], int(steps.max()) + 1, cayley.translations, pieces=problem.collective.pieces)
