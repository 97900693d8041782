"""goal: a GOAL program for LogGOPSim, which sends and receives by processor, in the order of the steps.

GOAL has no network: a transfer is a send and a receive with a tag of its own. An operation `calc 0` closes each step
of a processor, and what it does next requires it. Without steps, a send requires the receives of what it passes on, and
those before it on its channels.
"""

from __future__ import annotations

from functools import partial

from pavane.io.dependences import waits_of
from pavane.io.formats.export import Export, Options, bytes_of, problem_and_schedule, refuse_resting
from pavane.io.levels import TimedLevels
from pavane.io.programs import Act, programs_of
from pavane.judge.result import Result


def _render(result: Result, options: Options) -> str:
    problem, schedule = problem_and_schedule(result)
    sent = bytes_of(result, options).tolist()
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


def _render_timed(levels: TimedLevels, options: Options) -> str:
    problem, schedule = problem_and_schedule(levels)
    sent, waits = bytes_of(levels, options).tolist(), waits_of(problem, schedule)
    lines = [f"num_ranks {problem.network.num_processors}", ""]
    for processor, program in programs_of(problem, schedule).items():
        lines.append(f"rank {processor} {{")
        acts = [act for together in program.values() for act in together]
        # A send and a receive of one processor are different transfers.
        labels = {act.number: f"l{at}" for at, act in enumerate(acts, 1)}
        for act in acts:
            lines.append(f"{labels[act.number]}: {_words(act, sent[act.number])}")
            before = () if act.receives else waits[act.number]
            lines += [f"{labels[act.number]} requires {labels[number]}" for numbers in before for number in numbers]
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
    render_timed=_render_timed,
    refuses_timed=partial(refuse_resting, who="GOAL sends and receives"),
)
