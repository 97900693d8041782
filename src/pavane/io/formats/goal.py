"""goal: a GOAL program for LogGOPSim, which sends and receives by processor, in the order of the steps.

GOAL has no network: a transfer is a send and a receive with a tag of its own. An operation `calc 0` closes each step
of a processor, and what it does next requires it. Without steps, a send requires the receives of what it passes on, and
those before it on its channels.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from pavane.io.dependences import Waits, waits_of
from pavane.io.formats.export import Export, Options, refuse_resting
from pavane.io.levels import OrderedResult
from pavane.io.programs import Act, Program, programs_of


def _render(ordered: OrderedResult, options: Options) -> str:
    problem, schedule = ordered.problem, ordered.schedule
    sent = ordered.transfer_bytes(options.size).tolist()
    waits = waits_of(problem, schedule) if ordered.has_times else []
    lines = [f"num_ranks {problem.network.num_processors}", ""]
    for processor, program in programs_of(problem, schedule).items():
        lines.append(f"rank {processor} {{")
        lines += _by_waits(program, sent, waits) if ordered.has_times else _by_steps(program, sent)
        lines += ["}", ""]
    return "\n".join(lines)


def _by_steps(program: Program, sent: list[int]) -> Iterator[str]:
    """Yield what a processor does, step by step."""
    count, barrier = 0, ""
    for acts in program.values() or [[]]:
        members = []
        for act in acts:
            count += 1
            members.append(f"l{count}")
            yield f"l{count}: {_words(act, sent[act.number])}"
            if barrier:
                yield f"l{count} requires {barrier}"
        count += 1
        barrier = f"l{count}"
        yield f"{barrier}: calc 0"
        yield from (f"{barrier} requires {member}" for member in members)


def _by_waits(program: Program, sent: list[int], waits: list[Waits]) -> Iterator[str]:
    """Yield what a processor does, each send behind what it waits for."""
    acts = [act for together in program.values() for act in together]
    # A send and a receive of one processor are different transfers.
    labels = {act.number: f"l{at}" for at, act in enumerate(acts, 1)}
    for act in acts:
        yield f"{labels[act.number]}: {_words(act, sent[act.number])}"
        before = () if act.receives else waits[act.number]
        yield from (f"{labels[act.number]} requires {labels[number]}" for numbers in before for number in numbers)


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
    has_times=True,
)
