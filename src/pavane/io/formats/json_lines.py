"""jsonl: an object per transfer and line, as the schedule file has it, with its step."""

from __future__ import annotations

import json

from pavane.io.formats.export import Export, Options, problem_and_schedule
from pavane.io.objects import location_name
from pavane.judge.result import Result


def _render(result: Result, options: Options) -> str:
    problem, schedule = problem_and_schedule(result)
    labels = problem.labels.tolist()
    lines = (
        json.dumps(
            {
                "step": transfer.step + 1,
                "from": location_name(transfer.sender),
                "to": location_name(transfer.receiver),
                "route": transfer.path,
                "carries": [labels[message] for message in transfer.messages],
            }
        )
        for transfer in schedule
    )
    return "".join(f"{line}\n" for line in lines)


JSONL = Export("jsonl", "A JSON object per transfer, one to a line.", ".jsonl", _render)
