"""jsonl: an object per transfer and line, as the schedule file has it, with its step."""

from __future__ import annotations

import json

import msgspec

from pavane.io.formats.export import Export, Options, problem_and_schedule
from pavane.io.schedule_file import transfer_rows
from pavane.judge.result import Result


def _render(result: Result, options: Options) -> str:
    problem, schedule = problem_and_schedule(result)
    return "".join(
        json.dumps({"step": step + 1, **msgspec.to_builtins(row)}) + "\n"
        for step in range(schedule.num_steps)
        for row in transfer_rows(problem, schedule, step)
    )


JSONL = Export("jsonl", "A JSON object per transfer, one to a line.", ".jsonl", _render)
