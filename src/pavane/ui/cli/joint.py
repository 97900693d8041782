"""Several collectives at once on the command line: options, the search, reports, and files of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InvalidSchedule
from pavane.io.joint_request import is_joint_request, joint_problem
from pavane.io.request import Request
from pavane.judge.refusal import order_of_causes
from pavane.judge.verdict import NOT_REPEATED
from pavane.text import counted
from pavane.text.table import Table
from pavane.timing import Costs, short_time_text
from pavane.ui.cli.inputs import chosen_steps
from pavane.ui.cli.notes import note_end
from pavane.ui.cli.options import option
from pavane.ui.cli.outputs import write_result
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import (
    answer,
    most_of_a_rule,
    network_line,
    print_json,
    print_report,
    print_rest,
    table_lines,
    violation_lines,
)

if TYPE_CHECKING:
    from pavane.io.joint_file import JointClaim
    from pavane.judge.joint_result import JointResult
    from pavane.model.bound import Bound
    from pavane.model.joint import JointProblem
    from pavane.model.schedule import Schedule
    from pavane.ui.cli.pool_options import PoolOptions
    from pavane.ui.cli.solve_run import MethodOptions, PrintOptions

MOST_STEPS_SHOWN = 40
"""Steps of a schedule that `show` prints unless --step names one."""


@dataclass(frozen=True)
class JointRequest(Request):
    """Problem: the texts that describe one, of one collective or of several at once."""

    collectives: Annotated[
        list[str] | None,
        option(
            "--collective KIND:MEMBERS",
            "One of several collectives at once, as allgather:0-7 or broadcast:0-7:root=3:pieces=2, or one in each "
            "group, as allgather:rows, allreduce:blocks:8 or reduce-scatter:every:8. May be repeated.",
        ),
    ] = None
    groups: Annotated[
        str | None,
        option(
            "--groups GROUPS",
            "COLLECTIVE in each of several groups at once: rows, columns, blocks:8, every:8 or lists, as 0-7,8-15.",
        ),
    ] = None

    @property
    def is_joint(self) -> bool:
        """Whether several collectives are requested, by options or by a file."""
        return is_joint_request(self, self.collectives or (), self.groups)

    def joint_problem(self) -> JointProblem:
        """Return the problem of several collectives."""
        with waited_for(f"reading {self.network}"):
            return joint_problem(self, self.collectives or (), self.groups)


@dataclass(frozen=True)
class GoalRequest(JointRequest):
    """Problem: the texts that describe one, and what to make small of several collectives."""

    goal: Annotated[
        str | None,
        option(
            "--goal makespan|sum",
            "As few steps of all as possible, or as small a sum of the steps of each. [default: makespan]",
        ),
    ] = None


def solve_several(
    request: GoalRequest,
    search: MethodOptions,
    pool: PoolOptions,
    output: Path | None,
    printing: PrintOptions,
) -> int:
    """Search for a schedule of several collectives, write and print it; return the exit code."""
    from pavane.search.joint import solve_joint
    from pavane.search.options import SearchOptions

    problem, goal = request.joint_problem(), request.goal or "makespan"
    with (
        pool.open(problem.parts[0]) as workers,
        waited_for("searching for a schedule of all collectives"),
    ):
        options = SearchOptions(search.seed, search.seconds, search.evaluations, workers)
        result = solve_joint(problem, options, goal=goal, num_steps=search.steps)  # type: ignore[arg-type]
    if result.schedule is not None and output is not None:
        write_result(output, result)
    note_end(result.notes, result.interrupted)
    answer(printing.as_json, lambda: joint_figures(result), lambda: joint_lines(result), output)
    if printing.is_printed and result.schedule is not None:
        print_report(joint_step_lines(result.problem, result.schedule, range(result.schedule.num_steps)))
    return 0 if result.schedule is not None else 1


# -- reports


def joint_headline(problem: JointProblem) -> list[str]:
    """Return the lines that describe a problem."""
    return [
        network_line(problem.network),
        f"collectives {problem.kinds_text}: {counted(problem.num_messages, 'message')}",
        f"rules       {problem.rules}",
    ]


def joint_lines(result: JointResult) -> Iterator[str]:
    """Yield the report of a result: bound and steps of the whole, then a line for collectives that are alike."""
    from pavane.bounds.joint import explain_joint

    yield from joint_headline(result.problem)
    bound = result.bound
    if bound is not None:
        why = explain_joint(result.problem, bound)
        yield f"bound       {counted(bound.figure, 'step')} ({bound.argument}): {why}"
    if result.num_steps is None:
        steps = result.requested_steps
        yield "schedule    none" if steps is None else f"schedule    none in {counted(steps, 'step')}"
        yield f"status      {result.status_text}"
        return
    about = result.provenance
    yield f"schedule    {counted(result.num_steps, 'step')} by {about.solver} (seed {about.seed})"
    if result.steps_alone:
        yield f"in turn     {counted(sum(result.steps_alone), 'step')}, one collective after the other"
    yield f"status      {result.status_text}"
    yield from table_lines(_table_of_each(result), indent=2)


def _table_of_each(result: JointResult) -> Table:
    """Return a table with a row for collectives that are alike, one after the other."""
    size = len(result.problem.collectives)
    alone: Sequence[int | None] = result.steps_alone or [None] * size
    rows = [
        (str(collective), steps, own, bound)
        for collective, steps, own, bound in zip(
            result.problem.collectives, result.steps, alone, result.bounds_alone, strict=True
        )
    ]
    listed, at = [], 0
    for row, same in groupby(rows):
        count = len(list(same))
        listed.append([str(at) if count == 1 else f"{at}-{at + count - 1}", *row])
        at += count
    return Table.of(["number", "collective", "steps", "alone", "bound alone"], listed)


def joint_figures(result: JointResult) -> dict[str, Any]:
    """Return a result for JSON."""
    problem, bound = result.problem, result.bound
    return {
        "network": problem.network.name,
        "status": result.status,
        "status_text": result.status_text,
        "steps": result.num_steps,
        "sum": sum(result.steps) if result.steps else None,
        "bound": None if bound is None else bound.figure,
        "argument": None if bound is None else bound.argument,
        "transfers": None if result.schedule is None else len(result.schedule),
        "collectives": [
            {"kind": collective.kind, "steps": steps, "bound": least}
            for collective, steps, least in zip(
                problem.collectives, result.steps or (None,) * len(problem.parts), result.bounds_alone, strict=True
            )
        ],
        "steps_alone": list(result.steps_alone),
        "seconds": result.provenance.seconds,
    }


def joint_step_lines(problem: JointProblem, schedule: Schedule, steps: range) -> Iterator[str]:
    """Yield the transfers of each step, collective by collective, in path notation."""
    from pavane.io.notation import path_lines

    parts = list(zip(problem.parts, problem.split(schedule), strict=True))
    for step in steps:
        yield f"step {step + 1}"
        for number, (part, own) in enumerate(parts):
            for _, line in path_lines(part, own, range(step, step + 1)):
                if line:
                    yield f"  {number} {part.collective.title}: {line}"


# -- files


def verify_joint_file(file: Path, lists_all: bool, as_json: bool) -> int:
    """Judge a schedule of several collectives and its bounds, print what is wrong, and return the exit code."""
    from pavane.io.joint_file import read_joint
    from pavane.judge.joint_rules import verify_joint

    with waited_for(f"reading and judging {file}"):
        claim = read_joint(file)
        violations = sorted(verify_joint(claim.problem, claim.schedule, most_of_a_rule(lists_all)), key=order_of_causes)
        result = None if violations else claim.result()
        objections = {number: claim.objection(bound) for number, bound in enumerate(claim.bounds)}
    is_valid = result is not None and not any(
        text and not _is_on_trust(claim.bounds[number]) for number, text in objections.items()
    )
    status = text = "invalid"
    if result is not None and is_valid:
        status, text = result.status, result.status_text
        claimed = [bound.figure for bound in claim.bounds if _is_on_trust(bound)]
        if not result.is_optimal and max(claimed, default=0) >= claim.schedule.num_steps:
            text = f"optimal ({NOT_REPEATED})"
    network = claim.problem.network
    answer(
        as_json,
        lambda: {
            "valid": is_valid,
            "status": status,
            "status_text": text,
            "steps": claim.schedule.num_steps,
            "transfers": len(claim.schedule),
            "violations": [{"rule": v.rule, "step": v.step, "text": v.text} for v in violations],
            "bounds": [
                {"steps": bound.figure, "argument": bound.argument, "proven": not objections[number]}
                for number, bound in enumerate(claim.bounds)
            ],
        },
        lambda: _verdict_lines(claim, violation_lines(violations, network, lists_all=lists_all), objections, text),
    )
    return 0 if is_valid else 1


def _is_on_trust(bound: Bound) -> bool:
    """Return whether a bound rests on an exhaustive search, which leaves nothing to check."""
    return bound.certificate.get("argument") == "exhaustive"


def _verdict_lines(
    claim: JointClaim, violations: Iterable[str], objections: dict[int, str], status: str
) -> Iterator[str]:
    yield from joint_headline(claim.problem)
    steps, transfers = counted(claim.schedule.num_steps, "step"), counted(len(claim.schedule), "transfer")
    yield f"schedule    {steps}, {transfers}"
    texts = [
        f"bound       {counted(bound.figure, 'step')} ({bound.argument}): "
        + (f"claimed, not proven: {objections[number]}" if objections[number] else "proven")
        for number, bound in enumerate(claim.bounds)
    ]
    yield from dict.fromkeys(texts)
    yield from violations
    yield f"verdict     {'invalid' if status == 'invalid' else f'valid, {status}'}"


def read_joint_result(file: str | Path) -> JointResult:
    """Read and judge a schedule of several collectives."""
    from pavane.io.joint_file import read_joint

    try:
        return read_joint(file).result()
    except InvalidSchedule as error:
        raise InvalidSchedule(f"{file}: {error}") from None


def show_joint(result: JointResult, step: int | None, as_json: bool) -> None:
    """Print a schedule of several collectives: its report, and its steps in path notation."""
    chosen = chosen_steps(step, result.num_steps or 0)
    if as_json:
        print_json(joint_figures(result))
        return
    print_report(joint_lines(result))
    assert result.schedule is not None
    print_report(joint_step_lines(result.problem, result.schedule, chosen[:MOST_STEPS_SHOWN]))
    print_rest(len(chosen) - MOST_STEPS_SHOWN, "step", "--step N prints one")


def print_joint_bounds(problem: JointProblem, as_json: bool) -> None:
    """Print the bounds on several collectives, each with its argument."""
    from pavane.bounds.joint import explain_joint, joint_bounds

    rows = [
        {"steps": b.figure, "argument": b.argument, "text": explain_joint(problem, b), "certificate": b.certificate}
        for b in joint_bounds(problem)
    ]
    if as_json:
        kinds = [collective.kind for collective in problem.collectives]
        print_json({"network": problem.network.name, "collectives": kinds, "bounds": rows}, indent=None)
        return
    print_report(joint_headline(problem))
    print_report(f"{counted(int(str(row['steps'])), 'step'):>11}  {row['argument']:<17} {row['text']}" for row in rows)


def print_joint_times(files: Sequence[Path], costs: Costs, size: int, as_json: bool) -> None:
    """Print how long schedules of several collectives take, with messages of `size` bytes in all of them.

    A step takes a start-up, its largest transfer, and its longest path.
    """
    rows = []
    for file in files:
        result = read_joint_result(file)
        problem, schedule = result.problem, result.schedule
        assert schedule is not None
        seconds = 0.0
        pieces = [collective.pieces for collective in problem.collectives]
        members, lengths, payloads = problem.members(schedule), schedule.path_lengths, schedule.payloads
        for step in range(schedule.num_steps):
            some = list(schedule.of_step(step))
            largest = max(int(payloads[i]) * size / pieces[members[i]] for i in some)
            seconds += costs.startup + largest * costs.per_byte + int(lengths[some].max()) * costs.per_hop
        rows.append({"file": str(file), "steps": schedule.num_steps, "seconds": seconds})
    if as_json:
        print_json(rows)
        return
    lines = [[row["file"], row["steps"], short_time_text(float(str(row["seconds"])))] for row in rows]
    print_report(table_lines(Table.of(["file", "steps", "time"], lines)))
