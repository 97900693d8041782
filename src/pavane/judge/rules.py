"""The judge: which rules of the problem does a schedule break?

It reads a schedule as columns and shares no code with the solvers: it measures distances, follows the messages and
counts the loads itself. An empty answer means that the schedule is valid. All rules are in `rule_table`, each with its
function in the file of what it looks at: paths, lengths, turns, loads, payloads, copies of messages, contributions to
reductions, sums of an allreduce.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice

from pavane.errors import InputError, expect
from pavane.judge.case import Verification
from pavane.judge.mesh_rules import verify_mesh_table
from pavane.judge.rule_table import RULE_TABLE, Part, judged
from pavane.judge.several_rules import verify_several
from pavane.judge.symmetric_rules import verify_symmetric
from pavane.judge.timed_case import TimedCase
from pavane.judge.violation import RULES, Rule, Violation
from pavane.model.mesh_table import AnyTable, MeshTable
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.symmetric_schedule import SymmetricSchedule

__all__ = ["RULES", "RULE_TABLE", "Rule", "Violation", "verify", "verify_step"]


def verify(problem: Problem, schedule: Schedule | AnyTable, most: int = 100) -> list[Violation]:
    """Return the violations of a schedule; none means that it is valid.

    Args:
        problem: The problem.
        schedule: The schedule, or the table that gives it; of any origin.
        most: The most violations of each rule that are listed.

    Returns:
        The violations, each with its rule and a text that says where.

    Example:
        >>> octagon = pavane.network("octagon")
        >>> call = pavane.Problem(octagon, pavane.pairs([(0, 1)]))
        >>> wrong = pavane.Schedule.from_transfers([pavane.Transfer(0, 0, 1, (), (0,))])
        >>> [violation.rule for violation in pavane.verify(call, wrong)]
        ['wrong-ends']
    """
    expect(problem, Problem, "problem", "make one, like `pavane.Problem('octagon', 'alltoall')`")
    if isinstance(schedule, SymmetricSchedule):
        return verify_symmetric(problem, schedule, most)
    if isinstance(schedule, MeshTable):
        return verify_mesh_table(problem, schedule, most)
    expect(schedule, Schedule, "schedule", "make a `pavane.Schedule`")
    if len(schedule) and schedule.has_times != problem.has_times:
        lacks, other = ("schedule", "problem") if problem.has_times else ("problem", "schedule")
        raise InputError(
            f"the {other} has start times, and the {lacks} is in {problem.rules.step_word}s; give both alike"
        )
    if problem.has_times:
        return _of_times(TimedCase(problem, schedule, most))
    if problem.has_several:
        return verify_several(problem, schedule, most, _of_one)
    case = Verification(problem, schedule, most)
    in_steps = _by_blocks(case) if case.has_slots else [*_of_parts(case, "paths", "loads", "transfers")]
    return [*judged(case, "steps"), *in_steps, *judged(case, "messages")]


def _of_times(case: TimedCase) -> list[Violation]:
    """Judge start times: loads and messages follow paths and add to starts, and messages follow what waits for what."""
    alone = [*judged(case, "steps", "paths", "transfers")]
    if alone:
        return alone
    waiting = [*judged(case, "order")]
    return [*waiting, *judged(case, "loads"), *(() if waiting else judged(case, "messages"))]


def _of_one(case: Verification) -> list[Violation]:
    """Judge one of several collectives in steps of the whole."""
    return [*_of_parts(case, "paths", "transfers"), *judged(case, "messages")]


def verify_step(problem: Problem, table: AnyTable, step: int, most: int = 100) -> tuple[int, list[Violation]]:
    """Write one step of a table out for all routers; return its transfers, in number, and what is wrong with them.

    The rules are those of schedules: paths are followed, and channels and ports counted one by one, so that nothing
    rests on the symmetry of the network. In slots (tdm) all packets count that are under way.

    Args:
        problem: The problem.
        table: The table.
        step: The step, or slot, from 0.
        most: The most violations of each rule that are listed.

    Returns:
        The number of transfers of the step, and the violations.

    Example:
        >>> result = pavane.solve(pavane.Problem(pavane.network("torus:4x4"), "alltoall"), form="table")
        >>> pavane.verify_step(result.problem, result.table, 0)
        (32, [])
    """
    # Whether a path is a shortest one depends on the row alone; to measure it for every sender would take long.
    freely = replace(problem.rules, routing="any")
    schedule = table.expand_step(problem, step)
    if problem.rules.has_slots and isinstance(table, SymmetricSchedule):
        span = problem.rules.flight(int(table.row_lengths.max(initial=0))) + problem.rules.packet_slots
        slots = range(step - span + 1, step + 1)
        steps = {slot % table.num_steps if problem.rules.wrap else max(slot, 0) for slot in slots}
        schedule = Schedule.join([table.expand_step(problem, each) for each in sorted(steps)], table.num_steps)
    case = Verification(Problem(problem.network, problem.collective, freely), schedule, most)
    return len(schedule), [*judged(case, "paths", "loads", "transfers")]


def _of_parts(case: Verification, *parts: Part) -> list[Violation]:
    """Judge some of the steps of a schedule after others."""
    return _joined([[*judged(some, *parts)] for some in case.parts()], case.most)


def _by_blocks(case: Verification) -> list[Violation]:
    """Judge slots: paths block by block, and loads as a whole, because packets run on."""
    paths = _joined([[*judged(block, "paths")] for block in case.blocks()], case.most)
    return [*paths, *judged(case, "loads", "transfers")]


def _joined(parts: list[list[Violation]], most: int) -> list[Violation]:
    """Return what was found in the parts of a schedule; of several parts rule by rule, at most so many of each."""
    if len(parts) == 1:
        return parts[0]
    found = list(chain(*parts))
    return [one for rule in RULES for one in islice((one for one in found if one.rule == rule), most)]
