"""mpi-python: a Python module whose function carries out a schedule by mpi4py calls on numpy arrays."""

from __future__ import annotations

import json

from pavane.exports.export import Export, Options
from pavane.exports.mpi_c import buffers_in_words, code, no_process
from pavane.exports.programs import deliveries, num_inputs, num_outputs, programs_of
from pavane.exports.reasons import carried
from pavane.judge.result import Result
from pavane.words import VERSION

HEAD = '''"""@TITLE@

Written by pavane @VERSION@. The communicator must have @PROCESSORS@ processes; process p is processor p.
@BUFFERS@
Both are numpy arrays, a row to a block. `mpiexec -n @PROCESSORS@ python FILE` checks the data.
"""

import sys

import numpy as np
from mpi4py import MPI

PROCESSORS, STEPS, INPUT_BLOCKS, OUTPUT_BLOCKS = @SIZES@

# A place is a block of a buffer: 3 * block, and 0 for the input, 1 for the output, 2 for scratch.
SCRATCH_BLOCKS = @SCRATCH@
# What a process has for itself: from place to place.
COPIES = @COPIES@
# For each process: step, peer, whether it receives, and places@PAIRS@.
MOVES = [
@MOVES@
]

'''

COPYING = '''
def @NAME@(send, recv, comm=MPI.COMM_WORLD):
    """Carry out the schedule: from the rows of `send` to the rows of `recv`."""
    me = comm.Get_rank()
    if comm.Get_size() != PROCESSORS:
        raise ValueError(f"{comm.Get_size()} processes run, and the schedule has {PROCESSORS} processors")
    if len(send) != INPUT_BLOCKS or len(recv) != OUTPUT_BLOCKS:
        raise ValueError(f"send needs {INPUT_BLOCKS} rows and recv {OUTPUT_BLOCKS}")
    buffers = (send, recv, np.empty((SCRATCH_BLOCKS[me], *recv.shape[1:]), recv.dtype))
    for source, sink in COPIES[me]:
        buffers[sink % 3][sink // 3] = buffers[source % 3][source // 3]
    moves, next_move = MOVES[me], 0
    for step in range(STEPS):
        requests, arriving = [], []
        while next_move < len(moves) and moves[next_move][0] == step:
            _, peer, receives, places = moves[next_move]
            next_move += 1
            if receives:
                packed = np.empty((len(places), *recv.shape[1:]), recv.dtype)
                arriving.append((places, packed))
                requests.append(comm.Irecv(packed, source=peer, tag=step % 32768))
            else:
                packed = np.stack([buffers[place % 3][place // 3] for place in places])
                requests.append(comm.Isend(packed, dest=peer, tag=step % 32768))
        MPI.Request.Waitall(requests)
        for places, packed in arriving:
            for place, block in zip(places, packed):
                buffers[place % 3][place // 3] = block
'''

REDUCING = '''
def @NAME@(send, recv, op=MPI.SUM, comm=MPI.COMM_WORLD):
    """Carry out the schedule: combine rows of `send` by a commutative operation into the row of `recv`."""
    me = comm.Get_rank()
    if comm.Get_size() != PROCESSORS:
        raise ValueError(f"{comm.Get_size()} processes run, and the schedule has {PROCESSORS} processors")
    if len(send) != INPUT_BLOCKS or len(recv) != OUTPUT_BLOCKS:
        raise ValueError(f"send needs {INPUT_BLOCKS} rows and recv {OUTPUT_BLOCKS}")
    buffers = (send, recv, np.empty((SCRATCH_BLOCKS[me], *recv.shape[1:]), recv.dtype))
    for source, sink in COPIES[me]:
        buffers[sink % 3][sink // 3] = buffers[source % 3][source // 3]
    moves, next_move = MOVES[me], 0
    for step in range(STEPS):
        requests, arriving = [], []
        while next_move < len(moves) and moves[next_move][0] == step:
            _, peer, receives, places, onto = moves[next_move]
            next_move += 1
            if receives:
                packed = np.empty((len(places), *recv.shape[1:]), recv.dtype)
                arriving.append((places, onto, packed))
                requests.append(comm.Irecv(packed, source=peer, tag=step % 32768))
            else:
                packed = np.stack([buffers[place % 3][place // 3] for place in places])
                requests.append(comm.Isend(packed, dest=peer, tag=step % 32768))
        MPI.Request.Waitall(requests)
        for places, onto, packed in arriving:
            for place, there, block in zip(places, onto, packed):
                if there >= 0:
                    op.Reduce_local(np.ascontiguousarray(buffers[there % 3][there // 3]), block)
                buffers[place % 3][place // 3] = block
'''

MAIN = '''

def _word(origin, place, length):
    return (origin * 1000003 + place * 7919 + np.arange(1, length + 1, dtype=np.uint64)) * np.uint64(2654435761)


def main():
    """Check the data: origin, target, input block and output block of all that must arrive, or contribute."""
    deliveries = @DELIVERIES@
    me, length = MPI.COMM_WORLD.Get_rank(), ((int(sys.argv[1]) if sys.argv[1:] else @BYTES@) + 7) // 8
    send = np.stack([_word(me, place, length) for place in range(INPUT_BLOCKS)])
    recv, wanted = np.full((2, OUTPUT_BLOCKS, length), 0xA5A5A5A5A5A5A5A5, dtype=np.uint64)
    seen = set()
    for origin, target, place, there in deliveries:
        if target == me:
            came = _word(origin, place, length)
            wanted[there] = wanted[there] + came if there in seen else came
            seen.add(there)
    kept = send.copy()
    @NAME@(send, recv)
    wrong = MPI.COMM_WORLD.allreduce(int(not (np.array_equal(recv, wanted) and np.array_equal(send, kept))))
    if me == 0:
        print(f"{wrong} of {PROCESSORS} processes have wrong data" + ("" if wrong else ": all is right"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
'''


def _write(result: Result, options: Options) -> dict[str, bytes]:
    problem, schedule = carried(result)
    reduces = problem.pattern == "reduction"
    programs = programs_of(problem, schedule)
    lines = []
    for program in programs:
        lines.append("    [")
        for move in program.moves:
            row = [move.step, move.peer, int(move.receives), [code(place) for place in move.places]]
            lines.append(f"        {json.dumps([*row, [code(place) for place in move.onto]] if reduces else row)},")
        lines.append("    ],")
    copies = [[[code(source), code(sink)] for source, sink in program.copies] for program in programs]
    sizes = (problem.network.num_processors, schedule.num_steps, num_inputs(problem), num_outputs(problem))
    title = f"{problem}: {schedule.num_steps} steps.".replace("\\", "/").replace('"', "'")
    marks = {
        "@TITLE@": title,
        "@VERSION@": VERSION,
        "@BUFFERS@": "\n".join(buffers_in_words(result)),
        "@PROCESSORS@": sizes[0],
        "@SIZES@": ", ".join(map(str, sizes)),
        "@SCRATCH@": json.dumps([program.num_scratch for program in programs]),
        "@COPIES@": json.dumps(copies),
        "@PAIRS@": ", and the place of what each message is combined with, or -1" if reduces else "",
        "@MOVES@": "\n".join(lines),
        "@NAME@": f"pavane_{problem.collective.kind.lower()}",
        "@DELIVERIES@": json.dumps([list(row) for row in deliveries(problem)]),
        "@BYTES@": options.size,
    }
    text = HEAD + (REDUCING if reduces else COPYING) + MAIN
    for mark, value in marks.items():
        text = text.replace(mark, str(value))
    return {f"{options.stem}.py": text.encode()}


MPI_PYTHON = Export(
    "mpi-python",
    "A Python module that carries out the schedule by mpi4py calls on numpy arrays, and checks the data when run.",
    ".py",
    no_process,
    _write,
    sized=True,
)
