"""goal: a GOAL program for LogGOPSim, which sends and receives by processor, in the order of the steps.

GOAL has no network: a transfer is a send and a receive with a tag of its own. An operation `calc 0` closes each step
of a processor, and what it does next requires it.
"""

from __future__ import annotations

from pavane.exports.export import Export, Options
from pavane.exports.reasons import carried, resting
from pavane.judge.result import Result


def _refusal(result: Result) -> str | None:
    return resting(result, "GOAL sends and receives")


def _write(result: Result, options: Options) -> dict[str, bytes]:
    problem, schedule = carried(result)
    num_processors = problem.network.num_processors
    acts: list[dict[int, list[str]]] = [{} for _ in range(num_processors)]
    for tag, transfer in enumerate(schedule):
        size = len(transfer.messages) * options.size
        acts[transfer.sender].setdefault(transfer.step, []).append(f"send {size}b to {transfer.receiver} tag {tag}")
        acts[transfer.receiver].setdefault(transfer.step, []).append(f"recv {size}b from {transfer.sender} tag {tag}")
    lines = [f"num_ranks {num_processors}", ""]
    for processor, steps in enumerate(acts):
        lines.append(f"rank {processor} {{")
        count, barrier = 0, ""
        for step in sorted(steps) or [-1]:
            members = []
            for act in steps.get(step, []):
                count += 1
                members.append(f"l{count}")
                lines.append(f"l{count}: {act}")
                if barrier:
                    lines.append(f"l{count} requires {barrier}")
            count += 1
            barrier = f"l{count}"
            lines.append(f"{barrier}: calc 0")
            lines += [f"{barrier} requires {member}" for member in members]
        lines += ["}", ""]
    return {f"{options.stem}.goal": "\n".join(lines).encode()}


GOAL = Export(
    "goal",
    "A GOAL program for the simulator LogGOPSim: sends and receives by processor, in the order of the steps.",
    ".goal",
    _refusal,
    _write,
    sized=True,
)
