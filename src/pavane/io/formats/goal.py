"""goal: a GOAL program for LogGOPSim, which sends and receives by processor, in the order of the steps.

GOAL has no network: a transfer is a send and a receive with a tag of its own. An operation `calc 0` closes each step
of a processor, and what it does next requires it.
"""

from __future__ import annotations

from functools import partial

from pavane.io.formats.export import Export, Options, problem_and_schedule, refuse_resting
from pavane.io.programs import Act, programs_of, transfer_bytes
from pavane.judge.result import Result


def _render(result: Result, options: Options) -> str:
    problem, schedule = problem_and_schedule(result)
    sent = transfer_bytes(problem, schedule, options.size).tolist()
    lines = [f"num_ranks {problem.network.num_processors}", ""]
    for processor, program in programs_of(problem, schedule).items():
        lines.append(f"rank {processor} {{")
        count, barrier = 0, ""
        for acts in program.values() or [[]]:
            members = []
            for act in acts:
                count += 1
                members.append(f"l{count}")
                lines.append(f"l{count}: {_words(act, sent[act.number])}")
                if barrier:
                    lines.append(f"l{count} requires {barrier}")
            count += 1
            barrier = f"l{count}"
            lines.append(f"{barrier}: calc 0")
            lines += [f"{barrier} requires {member}" for member in members]
        lines += ["}", ""]
    return "\n".join(lines)


def _words(act: Act, num_bytes: int) -> str:
    verb, way = ("recv", "from") if act.receives else ("send", "to")
    return f"{verb} {num_bytes}b {way} {act.peer} tag {act.number}"


GOAL = Export(
    "goal",
    "A GOAL program for the simulator LogGOPSim: sends and receives by processor, in the order of the steps.",
    ".goal",
    _render,
    partial(refuse_resting, who="GOAL sends and receives"),
    sized=True,
)
