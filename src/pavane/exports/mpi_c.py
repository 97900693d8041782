"""mpi-c: a C function that carries out a schedule by MPI calls, driven by tables, and a `main` that checks it.

In each step a processor posts its receives and sends in the order of the schedule, which is the same at both ends, and
waits for all of them. Several messages in one transfer are packed. What arrives in a reduction is combined when the
step is over, so the operation must be commutative.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from pavane.exports.buffers import (
    BufferProgram,
    buffer_programs,
    buffers_in_words,
    code,
    deliveries,
    num_inputs,
    num_outputs,
)
from pavane.exports.export import Export, Options
from pavane.exports.reasons import carried, no_process
from pavane.exports.templates import filled, in_comment
from pavane.judge.result import Result
from pavane.words import VERSION


def most_at_once(programs: Sequence[BufferProgram], reduces: bool) -> tuple[int, int]:
    """Return the most moves of a processor in a step, and the most messages that are packed or wait to be combined."""
    moves, packed = 1, 0
    for program in programs:
        for _, members in groupby(program.moves, key=lambda move: move.step):
            now = list(members)
            moves = max(moves, len(now))
            packed = max(packed, sum(len(m.blocks) for m in now if reduces or len(m.blocks) > 1))
    return moves, packed


def _numbers(values: Iterable[object]) -> str:
    words = [str(value) for value in values]
    return "\n".join("    " + ", ".join(words[i : i + 16]) + "," for i in range(0, len(words), 16)) or "    0,"


def _braced(rows: Iterable[Sequence[int]], width: int, together: int = 6) -> str:
    words = ["{" + ", ".join(map(str, row)) + "}" for row in rows] or ["{" + ", ".join(["0"] * width) + "}"]
    return "\n".join("    " + ", ".join(words[i : i + together]) + "," for i in range(0, len(words), together))


def _sums(lengths: Iterable[int]) -> list[int]:
    sums = [0]
    for length in lengths:
        sums.append(sums[-1] + length)
    return sums


def _write(result: Result, options: Options) -> dict[str, bytes]:
    problem, schedule = carried(result)
    reduces = problem.pattern == "reduction"
    programs = buffer_programs(problem, schedule)
    most_moves, most_packed = most_at_once(programs, reduces)
    values = {
        "TITLE": in_comment(f"{problem}: {schedule.num_steps} steps."),
        "VERSION": VERSION,
        "BUFFERS": "\n".join(f" * {line}" for line in buffers_in_words(problem)),
        "PROCESSORS": problem.network.num_processors,
        "STEPS": schedule.num_steps,
        "MOST_MOVES": most_moves,
        "MOST_PACKED": most_packed,
        "INPUTS": num_inputs(problem),
        "OUTPUTS": num_outputs(problem),
        "LARGEST": int(schedule.payloads.max()),
        "NAME": f"pavane_{problem.collective.kind.lower()}",
        "DELIVERIES": _braced(list(deliveries(problem)), 4, 8),
        "BYTES": options.size,
        **_tables(programs),
    }
    return {f"{options.stem}.c": filled("mpi.c", values, "reducing" if reduces else "copying").encode()}


def _tables(programs: Sequence[BufferProgram]) -> dict[str, str]:
    """Return what all processes do, as arrays of C."""
    blocks: list[int] = []
    onto: list[int] = []
    moves = []
    for program in programs:
        for move in program.moves:
            moves.append((move.step, move.peer, int(move.receives), len(blocks), len(move.blocks)))
            blocks += [code(block) for block in move.blocks]
            onto += [code(block) for block in move.onto]
    copies = [(code(source), code(sink)) for program in programs for source, sink in program.copies]
    return {
        "MOVES": _braced(moves, 5),
        "MOVES_OF": _numbers(_sums(len(program.moves) for program in programs)),
        "PLACES": _numbers(blocks),
        "ONTO": _numbers(onto),
        "COPIES": _braced(copies, 2, 12),
        "COPIES_OF": _numbers(_sums(len(program.copies) for program in programs)),
        "SCRATCH": _numbers(program.num_scratch for program in programs),
    }


MPI_C = Export(
    "mpi-c",
    "A C function that carries out the schedule by MPI calls, with a main function that checks the data.",
    ".c",
    no_process,
    _write,
    sized=True,
)
