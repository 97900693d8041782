"""mpi-python: a Python module whose function carries out a schedule by mpi4py calls on numpy arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pavane.io.formats.buffers import BufferProgram, code
from pavane.io.formats.export import Export, Options
from pavane.io.formats.program_buffers import ProgramBuffers, refuse_processes
from pavane.io.formats.templates import fill_template, in_docstring, variants_of
from pavane.io.levels import OrderedResult
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


def _render(ordered: OrderedResult, options: Options) -> str:
    problem, schedule = ordered.problem, ordered.schedule
    buffers, library = ProgramBuffers.of(ordered), library_call(problem)
    variants = {*variants_of(problem), *(() if library is None else ("library",))}
    layout, programs = buffers.layouts[0], buffers.programs
    sizes = (len(programs), schedule.num_steps, buffers.inputs[-1], buffers.outputs[-1])
    values = {
        "TITLE": in_docstring(f"{problem}: {counted(schedule.num_steps, 'step')}."),
        "VERSION": VERSION,
        "BUFFERS": "\n".join(buffers.words()),
        "PROCESSORS": sizes[0],
        "SIZES": ", ".join(map(str, sizes)),
        "PIECES": buffers.pieces,
        "INPUT_STARTS": "" if buffers.is_even else json.dumps(layout.inputs.starts),
        "OUTPUT_STARTS": "" if buffers.is_even else json.dumps(layout.outputs.starts),
        "SCRATCH": json.dumps([program.num_scratch for program in programs]),
        "COPIES": json.dumps([_copies(program, buffers.pieces, "plain" in variants) for program in programs]),
        "MOVES": "\n".join(_move_lines(buffers, "reducing" in variants)),
        "GROUPS": json.dumps(buffers.groups),
        "NAME": buffers.name,
        "DELIVERIES": json.dumps([list(row[:4] if "each" in variants else row) for row in buffers.deliveries()]),
        "BYTES": options.size,
        "LIBRARY": library,
    }
    return fill_template("mpi.py", values, *variants)


def _copies(program: BufferProgram, pieces: int, is_plain: bool) -> list[list[int]]:
    """Return what a process has for itself: as places, or with pieces and sizes as rows and their number."""
    if is_plain:
        return [[code(copy.source), code(copy.sink)] for copy in program.copies]
    return [[number // pieces for number in (a.number, b.number, count)] for a, b, count in program.copies]


def _move_lines(buffers: ProgramBuffers, reduces: bool) -> Iterator[str]:
    for program in buffers.programs:
        yield "    ["
        for move in program.moves:
            peer, *group = buffers.ends(move)
            row = [move.step, peer, int(move.receives), move.codes(move.blocks, buffers.pieces)]
            onto = [move.codes(move.onto, buffers.pieces), *group] if reduces else []
            yield f"        {json.dumps([*row, *onto])},"
        yield "    ],"


MPI_PYTHON = Export(
    "mpi-python",
    "A Python module that carries out the schedule by mpi4py calls on numpy arrays and checks the data when run.",
    ".py",
    _render,
    refuse_processes,
    sized=True,
    has_several=True,
)
