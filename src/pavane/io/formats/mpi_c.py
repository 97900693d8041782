"""mpi-c: a C function that carries out a schedule by MPI calls, driven by tables, and a `main` that checks it.

In each step a processor posts its receives and sends in the order of the schedule, which is the same at both ends, and
waits for all of them. Several messages in one transfer are packed. What arrives in a reduction is combined when the
step is over, so the operation must be commutative.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby

from pavane.io.formats.buffers import BufferProgram, code
from pavane.io.formats.export import Export, Options
from pavane.io.formats.program_buffers import ProgramBuffers, refuse_processes
from pavane.io.formats.templates import c_numbers, fill_template, in_comment, variants_of
from pavane.io.levels import OrderedResult
from pavane.text import VERSION, counted


def most_at_once(programs: Sequence[BufferProgram], reduces: bool) -> tuple[int, int]:
    """Return the most moves of a processor in a step, and the most messages that are packed or wait to be combined."""
    moves, packed = 1, 0
    for program in programs:
        for _, members in groupby(program.moves, key=lambda move: move.step):
            now = list(members)
            moves = max(moves, len(now))
            packed = max(packed, sum(len(m.blocks) for m in now if reduces or len(m.blocks) > 1))
    return moves, packed


def _braced(rows: Iterable[Sequence[int]], width: int, together: int = 6) -> str:
    words = ["{" + ", ".join(map(str, row)) + "}" for row in rows] or ["{" + ", ".join(["0"] * width) + "}"]
    return "\n".join("    " + ", ".join(words[i : i + together]) + "," for i in range(0, len(words), together))


def _render(ordered: OrderedResult, options: Options) -> str:
    problem, schedule = ordered.problem, ordered.schedule
    variants, buffers = set(variants_of(problem)), ProgramBuffers.of(ordered)
    reduces, layout, programs = "reducing" in variants, buffers.layouts[0], buffers.programs
    most_moves, most_packed = most_at_once(programs, reduces)
    deliveries = [row[:4] if "each" in variants else row for row in buffers.deliveries()]
    moves = []
    blocks: list[int] = []
    onto: list[int] = []
    for program in programs:
        for move in program.moves:
            peer, *group = buffers.ends(move)
            moves.append((move.step, peer, int(move.receives), len(blocks), len(move.blocks), *group))
            blocks += move.codes(move.blocks, buffers.pieces)
            onto += move.codes(move.onto, buffers.pieces)
    width = 2 if "plain" in variants else 3
    copies = [
        (code(source), code(sink), count // buffers.pieces)[:width]
        for program in programs
        for source, sink, count in program.copies
    ]
    values = {
        "TITLE": in_comment(f"{problem}: {counted(schedule.num_steps, 'step')}."),
        "VERSION": VERSION,
        "BUFFERS": "\n".join(f" * {line}" for line in buffers.words()),
        "PROCESSORS": len(programs),
        "STEPS": schedule.num_steps,
        "PIECES": buffers.pieces,
        "UNIT": "message" if buffers.is_even else "unit",
        "MOST_MOVES": most_moves,
        "MOST_PACKED": most_packed,
        "INPUTS": buffers.inputs[-1],
        "OUTPUTS": buffers.outputs[-1],
        "INPUT_SIZE": "INPUT_BLOCKS" if buffers.is_even else "inputs",
        "OUTPUT_SIZE": "OUTPUT_BLOCKS" if buffers.is_even else "outputs",
        "INPUT_STARTS": "" if buffers.is_even else _braced(layout.inputs.starts, 1, 1),
        "OUTPUT_STARTS": "" if buffers.is_even else _braced(layout.outputs.starts, 1, 1),
        "LARGEST": int(schedule.payloads.max()),
        "NAME": buffers.name,
        "TYPE_WIDTH": "width" if buffers.pieces == 1 else "type_width",
        "PACKED_CONDITION": "" if reduces else " && move->count > 1",
        "DELIVERIES": _braced(deliveries, 4, 8),
        "BYTES": options.size,
        "NUM_GROUPS": len(buffers.groups),
        "GROUP_MEMBERS": c_numbers(member for group in buffers.groups for member in group),
        "MEMBERS_OF": c_numbers(accumulate(map(len, buffers.groups), initial=0)),
        "MOVES": _braced(moves, 6 if buffers.groups else 5),
        "MOVES_OF": c_numbers(accumulate((len(program.moves) for program in programs), initial=0)),
        "PLACES": c_numbers(blocks),
        "ONTO": c_numbers(onto),
        "COPIES": _braced(copies, width, 12),
        "COPIES_OF": c_numbers(accumulate((len(program.copies) for program in programs), initial=0)),
        "SCRATCH": c_numbers(program.num_scratch for program in programs),
    }
    return fill_template("mpi.c", values, *variants)


MPI_C = Export(
    "mpi-c",
    "A C function that carries out the schedule by MPI calls, with a main function that checks the data.",
    ".c",
    _render,
    refuse_processes,
    sized=True,
    has_several=True,
)
