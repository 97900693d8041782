"""Repair of a table for a network that has lost channels: the table stays, and what differs from it is listed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pavane.bounds.steps import bounds_at_any_size, lower_bounds
from pavane.errors import InputError, InvalidSchedule
from pavane.jit import clock
from pavane.judge.result import Provenance, Result
from pavane.model.any_table import AnyTable
from pavane.model.faults import Fault, fault_of, faulty, lost_channels
from pavane.model.mesh_trees import MeshTrees
from pavane.model.problem import Problem
from pavane.model.repaired_table import RepairedTable, read_forwards
from pavane.model.schedule import Schedule
from pavane.model.table_schedule import TableSchedule
from pavane.parallel.budget import Budget
from pavane.search.repair.outcome import Repair
from pavane.search.size import is_table_wanted
from pavane.search.tables import solve_by_table, timed
from pavane.solvers.tables.mesh_trees import trees_of_mesh
from pavane.solvers.tables.repairs import TimeIsOver, repaired_table
from pavane.text import VERSION


def may_repair_table(problem: Problem, content: Schedule | AnyTable) -> bool:
    """Return whether a table stays one when it is repaired: where a schedule would take long to build."""
    is_repaired = isinstance(content, RepairedTable | MeshTrees)
    if isinstance(content, TableSchedule):
        # The table of a sum is not that of an allgather.
        is_repaired = problem.pattern in ("private", "broadcast") and not problem.rules.has_slots
    return is_repaired and is_table_wanted(problem)


def repaired_by_table(
    problem: Problem, whole: Problem, num_steps: int | None = None, seconds: float | None = None
) -> Result | None:
    """Return a table of a problem with faults, repaired from that of the whole problem; None where none is known.

    The result has no table, and says why, where the time is over before all that is cut has been placed.
    """
    begun = clock.now()
    if problem.rules.has_slots or problem.collective.kind not in ("AAS", "AAB", "AAR", "ALLREDUCE"):
        return None
    if problem.pattern in ("reduction", "allreduce") and (problem.network.opposite < 0).any():
        return None  # the allgather cannot be read backwards
    table = _table_to_repair(read_forwards(whole))
    if table is None:
        return None
    fault = fault_of(whole.network, lost_channels(whole.network, problem.network))
    try:
        result = _repair(whole, table, fault, Budget.of(seconds)).result
    except TimeIsOver:
        notes = (_too_long(whole, seconds),)
        about = Provenance("repair", 0, version=VERSION)
        result = Result(problem, None, bounds_at_any_size(problem), about, num_steps, notes=notes)
    is_short = num_steps is None or result.num_steps is None or result.num_steps <= num_steps
    return timed(result, begun) if is_short else None


def _table_to_repair(whole: Problem) -> TableSchedule | MeshTrees | None:
    """Return a table that can be repaired; on meshes trees along lines, where a lost channel cuts the fewest copies."""
    trees = trees_of_mesh(whole)
    if trees is not None:
        return trees
    found = solve_by_table(whole)
    return found.table if found is not None and isinstance(found.table, TableSchedule) else None


def repair_of_table(problem: Problem, table: AnyTable, fault: Fault, seconds: float | None = None) -> Repair:
    """Repair a table: the list of what differs is made from the table of the whole network, also for a second fault."""
    if isinstance(table, TableSchedule) and problem.pattern in ("reduction", "allreduce"):
        raise InputError(
            f"tables of {problem.collective.kind} with a row for each transfer are not repaired; solve the problem "
            "again, with its faults (`--fault`)"
        )
    if not isinstance(table, TableSchedule | MeshTrees | RepairedTable):
        raise InputError(
            "tables of exchanges and of paths are not repaired; expand the table, or solve the problem again"
        )
    try:
        # The trees of an allreduce are those of an allgather, with the steps of two phases.
        trees = replace(table, num_steps=table.num_phase_steps(problem)) if isinstance(table, MeshTrees) else table
        return replace(_repair(problem, trees, fault, Budget.of(seconds)), steps_before=table.num_steps)
    except TimeIsOver:
        raise InputError(_too_long(problem, seconds)) from None


def _too_long(problem: Problem, seconds: float | None) -> str:
    """Return why there is no repaired table, and what helps."""
    return (
        f"repairing the table of {problem.network.name} takes longer than the {seconds:,.0f} s that are left; "
        "give more time (--time)"
    )


def _repair(problem: Problem, table: TableSchedule | MeshTrees | RepairedTable, fault: Fault, budget: Budget) -> Repair:
    """Repair a table; for sums it is that of the allgather."""
    begun = clock.now()
    whole, lost, rows = problem.network, np.array(fault.channels, dtype=np.int32), table
    if isinstance(rows, RepairedTable):
        # Channels have the numbers of what is left of the whole network.
        left_before = np.flatnonzero(rows.is_left)
        lost = np.sort(np.concatenate([rows.lost, left_before[lost].astype(np.int32)]))
        whole, rows = rows.whole, rows.table
    left = faulty(problem, fault)
    repaired = repaired_table(left, rows, whole, lost, budget)
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
    num_phases = 2 if problem.pattern == "allreduce" else 1
    num_kept = repaired.num_transfers(left) - num_phases * hops
    return Repair(result, num_before, num_kept, table.num_steps)
