"""mpi-c: a C function that carries out a schedule by MPI calls, driven by tables, and a `main` that checks it.

In each step a processor posts its receives and sends in the order of the schedule, which is the same at both ends, and
waits for all of them. Several messages in one transfer are packed. What arrives in a reduction is combined when the
step is over, so the operation must be commutative.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import accumulate, groupby

from pavane.io.formats.buffer_layout import BufferLayout, buffers_in_words
from pavane.io.formats.buffers import BufferProgram, buffer_programs, code
from pavane.io.formats.export import Export, Options, problem_and_schedule, refuse_unordered
from pavane.io.formats.several_buffers import SeveralBuffers, refuse_several_buffers
from pavane.io.formats.templates import c_numbers, fill_template, in_comment, variants_of, variants_of_several
from pavane.judge.result import Result
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


def _render(result: Result, options: Options) -> str:
    problem, schedule = problem_and_schedule(result)
    variants = set(variants_of(problem))
    reduces, lists_each = "reducing" in variants, "each" in variants
    layout, programs = BufferLayout(problem), buffer_programs(problem, schedule)
    most_moves, most_packed = most_at_once(programs, reduces)
    values = {
        "TITLE": in_comment(f"{problem}: {counted(schedule.num_steps, 'step')}."),
        "VERSION": VERSION,
        "BUFFERS": "\n".join(f" * {line}" for line in buffers_in_words(layout)),
        "PROCESSORS": layout.num_processors,
        "STEPS": schedule.num_steps,
        "PIECES": layout.pieces,
        "UNIT": "message" if layout.is_even else "unit",
        "MOST_MOVES": most_moves,
        "MOST_PACKED": most_packed,
        "INPUTS": layout.inputs.num_blocks,
        "OUTPUTS": layout.outputs.num_blocks,
        "INPUT_SIZE": "INPUT_BLOCKS" if layout.is_even else "inputs",
        "OUTPUT_SIZE": "OUTPUT_BLOCKS" if layout.is_even else "outputs",
        "INPUT_STARTS": "" if layout.is_even else _braced(layout.inputs.starts, 1, 1),
        "OUTPUT_STARTS": "" if layout.is_even else _braced(layout.outputs.starts, 1, 1),
        "LARGEST": int(schedule.payloads.max()),
        "NAME": f"pavane_{problem.collective.kind.lower()}",
        "TYPE_WIDTH": "width" if layout.pieces == 1 else "type_width",
        "PACKED_CONDITION": "" if reduces else " && move->count > 1",
        "DELIVERIES": _braced([row[:4] if lists_each else row for row in layout.deliveries()], 4, 8),
        "BYTES": options.size,
        **_tables(programs, layout.pieces, problem.collective.is_plain),
    }
    return fill_template("mpi.c", values, *variants)


def _render_several(result: Result, options: Options) -> str:
    assert result.schedule is not None
    buffers = SeveralBuffers.of(result)
    most_moves, most_packed = most_at_once(buffers.programs, reduces=True)
    values = {
        "TITLE": in_comment(f"{result.problem}: {counted(result.num_steps or 0, 'step')}."),
        "VERSION": VERSION,
        "BUFFERS": "\n".join(f" * {line}" for line in buffers.words()),
        "PROCESSORS": len(buffers.programs),
        "STEPS": result.num_steps,
        "PIECES": buffers.pieces,
        "UNIT": "message",
        "MOST_MOVES": most_moves,
        "MOST_PACKED": most_packed,
        "INPUTS": buffers.inputs[-1],
        "OUTPUTS": buffers.outputs[-1],
        "INPUT_SIZE": "INPUT_BLOCKS",
        "OUTPUT_SIZE": "OUTPUT_BLOCKS",
        "LARGEST": int(result.schedule.payloads.max()),
        "NAME": "pavane_joint",
        "TYPE_WIDTH": "width" if buffers.pieces == 1 else "type_width",
        "PACKED_CONDITION": "",
        "DELIVERIES": _braced(buffers.deliveries(), 5, 8),
        "BYTES": options.size,
        "NUM_GROUPS": len(buffers.groups),
        "GROUP_MEMBERS": c_numbers(member for group in buffers.groups for member in group),
        "MEMBERS_OF": c_numbers(accumulate(map(len, buffers.groups), initial=0)),
        **_tables(buffers.programs, buffers.pieces, buffers.pieces == 1, buffers),
    }
    return fill_template("mpi.c", values, *variants_of_several(buffers.pieces))


def _tables(
    programs: Sequence[BufferProgram], pieces: int, is_plain: bool, joint: SeveralBuffers | None = None
) -> dict[str, str]:
    """Return what all processes do, as arrays of C."""
    blocks: list[int] = []
    onto: list[int] = []
    moves = []
    for program in programs:
        for move in program.moves:
            peer, group = (move.peer, ()) if joint is None else (joint.rank(move), (joint.group_of[move.transfer],))
            moves.append((move.step, peer, int(move.receives), len(blocks), len(move.blocks), *group))
            blocks += move.codes(move.blocks, pieces)
            onto += move.codes(move.onto, pieces)
    copies = [
        (code(source), code(sink), count // pieces) for program in programs for source, sink, count in program.copies
    ]
    width = 2 if is_plain else 3
    return {
        "MOVES": _braced(moves, 5 if joint is None else 6),
        "MOVES_OF": c_numbers(accumulate((len(program.moves) for program in programs), initial=0)),
        "PLACES": c_numbers(blocks),
        "ONTO": c_numbers(onto),
        "COPIES": _braced([row[:width] for row in copies], width, 12),
        "COPIES_OF": c_numbers(accumulate((len(program.copies) for program in programs), initial=0)),
        "SCRATCH": c_numbers(program.num_scratch for program in programs),
    }


MPI_C = Export(
    "mpi-c",
    "A C function that carries out the schedule by MPI calls, with a main function that checks the data.",
    ".c",
    _render,
    partial(refuse_unordered, who="MPI processes run"),
    sized=True,
    render_several=_render_several,
    refuses_several=partial(refuse_several_buffers, who="MPI processes run"),
)
