"""mpi-python: a Python module whose function carries out a schedule by mpi4py calls on numpy arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial

from pavane.io.formats.buffer_layout import BufferLayout, buffers_in_words
from pavane.io.formats.buffers import BufferProgram, buffer_programs, code
from pavane.io.formats.export import Export, Options, problem_and_schedule, refuse_unordered
from pavane.io.formats.several_buffers import SeveralBuffers, refuse_several_buffers
from pavane.io.formats.templates import fill_template, in_docstring, variants_of, variants_of_several
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.text import VERSION, counted

LIBRARY = {"AAS": "Alltoall", "AAB": "Allgather", "AAR": "Reduce_scatter_block", "ALLREDUCE": "Allreduce"}
"""The collectives of MPI that take the same buffers, where all processors take part."""


def library_call(problem: Problem) -> str | None:
    """Return the collective of MPI that does the same with the same buffers; None where there is none."""
    if problem.has_several or problem.collective.sizes:
        return None
    everyone = tuple(range(problem.network.num_processors))
    of_all = problem.collective.senders == problem.collective.receivers == everyone
    return LIBRARY.get(problem.collective.kind) if of_all else None


def _render(result: Result, options: Options) -> str:
    problem, schedule = problem_and_schedule(result)
    layout, programs = BufferLayout(problem), buffer_programs(problem, schedule)
    library = library_call(problem)
    variants = {*variants_of(problem), *(() if library is None else ("library",))}
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
        "COPIES": json.dumps([_copies(program, layout.pieces, problem.collective.is_plain) for program in programs]),
        "MOVES": "\n".join(_move_lines(programs, layout.pieces, "reducing" in variants)),
        "NAME": f"pavane_{problem.collective.kind.lower()}",
        "DELIVERIES": json.dumps([list(row[:4] if "each" in variants else row) for row in layout.deliveries()]),
        "BYTES": options.size,
        "LIBRARY": library,
    }
    return fill_template("mpi.py", values, *variants)


def _render_several(result: Result, options: Options) -> str:
    buffers = SeveralBuffers.of(result)
    pieces, programs = buffers.pieces, buffers.programs
    values = {
        "TITLE": in_docstring(f"{result.problem}: {counted(result.num_steps or 0, 'step')}."),
        "VERSION": VERSION,
        "BUFFERS": "\n".join(buffers.words()),
        "PROCESSORS": len(programs),
        "SIZES": f"{len(programs)}, {result.num_steps}, {buffers.inputs[-1]}, {buffers.outputs[-1]}",
        "PIECES": pieces,
        "SCRATCH": json.dumps([program.num_scratch for program in programs]),
        "COPIES": json.dumps([_copies(program, pieces, pieces == 1) for program in programs]),
        "MOVES": "\n".join(_move_lines(programs, pieces, True, buffers)),
        "GROUPS": json.dumps(buffers.groups),
        "NAME": "pavane_joint",
        "DELIVERIES": json.dumps([list(row) for row in buffers.deliveries()]),
        "BYTES": options.size,
    }
    return fill_template("mpi.py", values, *variants_of_several(pieces))


def _copies(program: BufferProgram, pieces: int, is_plain: bool) -> list[list[int]]:
    """Return what a process has for itself: as places, or with pieces and sizes as rows and their number."""
    if is_plain:
        return [[code(copy.source), code(copy.sink)] for copy in program.copies]
    return [[number // pieces for number in (a.number, b.number, count)] for a, b, count in program.copies]


def _move_lines(
    programs: Sequence[BufferProgram], pieces: int, reduces: bool, joint: SeveralBuffers | None = None
) -> Iterator[str]:
    for program in programs:
        yield "    ["
        for move in program.moves:
            peer, group = (move.peer, []) if joint is None else (joint.rank(move), [joint.group_of[move.transfer]])
            row = [move.step, peer, int(move.receives), move.codes(move.blocks, pieces)]
            yield f"        {json.dumps([*row, move.codes(move.onto, pieces), *group] if reduces else row)},"
        yield "    ],"


MPI_PYTHON = Export(
    "mpi-python",
    "A Python module that carries out the schedule by mpi4py calls on numpy arrays and checks the data when run.",
    ".py",
    _render,
    partial(refuse_unordered, who="MPI processes run"),
    sized=True,
    render_several=_render_several,
    refuses_several=partial(refuse_several_buffers, who="MPI processes run"),
)
