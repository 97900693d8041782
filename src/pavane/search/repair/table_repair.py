"""Repair of a table for a network that has lost channels: the table stays, and what differs from it is listed."""

from __future__ import annotations

import numpy as np

from pavane.bounds import lower_bounds
from pavane.errors import InputError, InvalidSchedule
from pavane.jit import clock
from pavane.judge.result import Provenance, Result
from pavane.model.any_table import AnyTable
from pavane.model.faults import Fault, fault_of, faulty, lost_channels
from pavane.model.mesh_trees import MeshTrees
from pavane.model.problem import Problem
from pavane.model.repaired_table import RepairedTable
from pavane.model.schedule import Schedule
from pavane.model.table_schedule import TableSchedule
from pavane.search.repair.outcome import Repair
from pavane.search.tables import bounds_at_any_size, is_table_wanted, solve_by_table, timed
from pavane.solvers.tables.repairs import repaired_table
from pavane.text import VERSION


def may_repair_table(problem: Problem, content: Schedule | AnyTable) -> bool:
    """Return whether a table stays one when it is repaired: where a schedule would take long to build.

    Trees along lines are not repaired, and a large one is refused rather than written out.
    """
    may = problem.pattern in ("private", "broadcast") and not problem.rules.has_slots
    return may and isinstance(content, TableSchedule | RepairedTable | MeshTrees) and is_table_wanted(problem)


def repaired_by_table(problem: Problem, whole: Problem, num_steps: int | None = None) -> Result | None:
    """Return a table of a problem with faults, repaired from that of the whole problem; None where none is known."""
    begun = clock.now()
    found = solve_by_table(whole)
    if found is None or found.table is None or not isinstance(found.table, TableSchedule):
        return None
    if problem.pattern not in ("private", "broadcast") or problem.rules.has_slots:
        return None
    fault = fault_of(whole.network, lost_channels(whole.network, problem.network))
    result = repair_of_table(whole, found.table, fault).result
    return timed(result, begun) if num_steps is None or (result.num_steps or 0) <= num_steps else None


def repair_of_table(problem: Problem, table: AnyTable, fault: Fault) -> Repair:
    """Repair a table: the list of what differs is made from the table of the whole network, also for a second fault."""
    begun = clock.now()
    whole, lost, rows = problem.network, np.array(fault.channels, dtype=np.int32), table
    if isinstance(table, RepairedTable):
        # Channels have the numbers of what is left of the whole network.
        left_before = np.flatnonzero(table.is_left)
        whole, rows = table.whole, table.table
        lost = np.sort(np.concatenate([table.lost, left_before[lost].astype(np.int32)]))
    if not isinstance(rows, TableSchedule):
        raise InputError(
            "tables of exchanges, trees along lines and paths are not repaired; expand the table, or solve the problem "
            "again"
        )
    left = faulty(problem, fault)
    repaired = repaired_table(left, rows, whole, lost)
    bounds = lower_bounds(left) if not is_table_wanted(left) else bounds_at_any_size(left)
    try:
        result = timed(Result(left, None, bounds, Provenance("repair", 0, version=VERSION), table=repaired), begun)
    except InvalidSchedule as error:
        if "nothing is left in step" not in str(error):
            raise
        raise InputError(
            "the lost channels take away all that some step of the table does; expand the table and repair the schedule"
        ) from None
    num_before = table.num_transfers(problem)
    hops = int(repaired.row_lengths.sum()) if problem.rules.switching == "store-and-forward" else repaired.num_listed
    num_kept = repaired.num_transfers(left) - hops
    return Repair(result, num_before, num_kept, table.num_steps)
