"""The one check of tables: the judge of tables and, written out, the judge of schedules accept a table."""

from pavane.bounds.translated import table_bounds
from pavane.judge.rules import verify
from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.solvers.tables.registry import TABLE_MAKERS
from pavane.symmetry.cayley import cayley_of


def table_of(name: str, problem: Problem) -> SymmetricSchedule | None:
    """Return what a maker makes of a problem."""
    cayley = cayley_of(problem.network)
    assert cayley is not None
    return TABLE_MAKERS[name](problem, cayley)


def judged_table(name: str, problem: Problem) -> SymmetricSchedule:
    """Return the table of a maker, once both judges have accepted it."""
    cayley, table = cayley_of(problem.network), table_of(name, problem)
    assert cayley is not None
    assert table is not None, problem
    assert verify(problem, table) == []
    schedule = table.expand(problem)
    assert verify(problem, schedule) == []
    assert schedule.num_steps == table.num_steps
    assert all(bound.figure <= table.num_steps for bound in table_bounds(problem, cayley))
    return table
