"""mpi-python: a Python module whose function carries out a schedule by mpi4py calls on numpy arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

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
from pavane.exports.templates import filled, in_docstring
from pavane.judge.result import Result
from pavane.words import VERSION


def _write(result: Result, options: Options) -> dict[str, bytes]:
    problem, schedule = carried(result)
    reduces = problem.pattern == "reduction"
    programs = buffer_programs(problem, schedule)
    copies = [[[code(source), code(sink)] for source, sink in program.copies] for program in programs]
    sizes = (problem.network.num_processors, schedule.num_steps, num_inputs(problem), num_outputs(problem))
    values = {
        "TITLE": in_docstring(f"{problem}: {schedule.num_steps} steps."),
        "VERSION": VERSION,
        "BUFFERS": "\n".join(buffers_in_words(problem)),
        "PROCESSORS": sizes[0],
        "SIZES": ", ".join(map(str, sizes)),
        "SCRATCH": json.dumps([program.num_scratch for program in programs]),
        "COPIES": json.dumps(copies),
        "MOVES": "\n".join(_move_lines(programs, reduces)),
        "NAME": f"pavane_{problem.collective.kind.lower()}",
        "DELIVERIES": json.dumps([list(row) for row in deliveries(problem)]),
        "BYTES": options.size,
    }
    return {f"{options.stem}.py": filled("mpi.py", values, "reducing" if reduces else "copying").encode()}


def _move_lines(programs: Sequence[BufferProgram], reduces: bool) -> Iterator[str]:
    for program in programs:
        yield "    ["
        for move in program.moves:
            row = [move.step, move.peer, int(move.receives), [code(block) for block in move.blocks]]
            yield f"        {json.dumps([*row, [code(block) for block in move.onto]] if reduces else row)},"
        yield "    ],"


MPI_PYTHON = Export(
    "mpi-python",
    "A Python module that carries out the schedule by mpi4py calls on numpy arrays, and checks the data when run.",
    ".py",
    no_process,
    _write,
    sized=True,
)
