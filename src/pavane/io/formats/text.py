"""text: a schedule for people, whole: its paths, its destination table and a program per processor."""

from __future__ import annotations

from collections.abc import Iterator

from pavane.io.formats.export import Export, problem_and_schedule
from pavane.io.notation import aligned, destination_table, path_lines, program_lines
from pavane.judge.result import Result


def _lines(result: Result) -> Iterator[str]:
    problem, schedule = problem_and_schedule(result)
    yield f"{problem}: {schedule.num_steps} steps, {len(schedule)} transfers, {result.status_text}"
    yield ""
    yield "paths"
    for step, text in path_lines(problem, schedule):
        yield f"{step:>6}  {text}"
    yield ""
    yield "destinations"
    yield from aligned(destination_table(problem, schedule))
    yield ""
    yield "programs"
    for location, program in program_lines(problem, schedule):
        yield f"  {location}"
        yield from (f"    {line}" for line in program)


TEXT = Export(
    "text",
    "Words for people: paths, destination table, and a program per processor.",
    ".txt",
    lambda result, _: "".join(f"{line}\n" for line in _lines(result)),
)
