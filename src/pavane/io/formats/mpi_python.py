"""mpi-python: a Python module whose function carries out a schedule by mpi4py calls on numpy arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial

from pavane.io.formats.buffer_layout import BufferLayout, buffers_in_words
from pavane.io.formats.buffers import BufferProgram, buffer_programs, code
from pavane.io.formats.export import Export, Options, problem_and_schedule, refuse_unordered
from pavane.io.formats.mpi_tables import of_table, render_python
from pavane.io.formats.templates import fill_template, in_docstring, variants_of
from pavane.judge.result import Result
from pavane.text import VERSION, counted


def _render(result: Result, options: Options) -> str:
    problem, schedule = problem_and_schedule(result)
    layout, programs = BufferLayout(problem), buffer_programs(problem, schedule)
    variants = set(variants_of(problem))
    sizes = (layout.num_processors, schedule.num_steps, layout.inputs.num_blocks, layout.outputs.num_blocks)
    values = {
        "TITLE": in_docstring(f"{problem}: {counted(schedule.num_steps, 'step')}."),
        "VERSION": VERSION,
        "BUFFERS": "\n".join(buffers_in_words(layout)),
        "PROCESSORS": sizes[0],
        "SIZES": ", ".join(map(str, sizes)),
        "PIECES": layout.pieces,
        "INPUT_STARTS": "" if layout.is_even else json.dumps(layout.inputs.starts),
        "OUTPUT_STARTS": "" if layout.is_even else json.dumps(layout.outputs.starts),
        "SCRATCH": json.dumps([program.num_scratch for program in programs]),
        "COPIES": json.dumps([_copies(program, layout) for program in programs]),
        "MOVES": "\n".join(_move_lines(programs, layout, "reducing" in variants)),
        "NAME": f"pavane_{problem.collective.kind.lower()}",
        "DELIVERIES": json.dumps([list(row[:4] if "each" in variants else row) for row in layout.deliveries()]),
        "BYTES": options.size,
    }
    return fill_template("mpi.py", values, *variants)


def _copies(program: BufferProgram, layout: BufferLayout) -> list[list[int]]:
    """Return what a process has for itself: as places, or with pieces and sizes as rows and their number."""
    if layout.problem.collective.is_plain:
        return [[code(copy.source), code(copy.sink)] for copy in program.copies]
    return [[number // layout.pieces for number in (a.number, b.number, count)] for a, b, count in program.copies]


def _move_lines(programs: Sequence[BufferProgram], layout: BufferLayout, reduces: bool) -> Iterator[str]:
    for program in programs:
        yield "    ["
        for move in program.moves:
            row = [move.step, move.peer, int(move.receives), move.codes(move.blocks, layout.pieces)]
            yield f"        {json.dumps([*row, move.codes(move.onto, layout.pieces)] if reduces else row)},"
        yield "    ],"


MPI_PYTHON = of_table(
    Export(
        "mpi-python",
        "A Python module that carries out the schedule by mpi4py calls on numpy arrays and checks the data when run.",
        ".py",
        _render,
        partial(refuse_unordered, who="MPI processes run"),
        sized=True,
    ),
    render_python,
)
