"""mpi-c: a C function that carries out a schedule by MPI calls, driven by tables, and a `main` that checks it.

In each step a processor posts its receives and sends in the order of the schedule, which is the same at both ends, and
waits for all of them. Several messages in one transfer are packed. What arrives in a reduction is combined when the
step is over, so the operation must be commutative.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from pavane.exports.export import Export, Options
from pavane.exports.programs import Place, Program, deliveries, num_inputs, num_outputs, programs_of
from pavane.exports.reasons import carried, resting
from pavane.judge.result import Result
from pavane.words import VERSION

HEAD = """/* @TITLE@
 *
 * Written by pavane @VERSION@. The communicator must have @PROCESSORS@ processes; process p is processor p.
@BUFFERS@
 *
 * With -DPAVANE_BARRIER all processes wait for each other before every step.
 * With -DPAVANE_MAIN there is a main function that checks the data; its argument is the number of bytes in a message.
 */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSORS = @PROCESSORS@, STEPS = @STEPS@, MOST_MOVES = @MOST_MOVES@, MOST_PACKED = @MOST_PACKED@ };
enum { INPUT_BLOCKS = @INPUTS@, OUTPUT_BLOCKS = @OUTPUTS@, LARGEST_PAYLOAD = @LARGEST@ };

/* Sends or receives, by process and step; first and count say which of the places below. */
struct move {
    int step, peer, receives, first, count;
};

static const struct move moves[] = {
@MOVES@
};
static const int moves_of[] = {
@MOVES_OF@
};

/* A place is a block of a buffer: 3 * block, and 0 for the input, 1 for the output, 2 for scratch. */
static const int places[] = {
@PLACES@
};
@ONTO@
/* What a process has for itself: from place to place. */
static const int copies[][2] = {
@COPIES@
};
static const int copies_of[] = {
@COPIES_OF@
};
static const int scratch_blocks[] = {
@SCRATCH@
};

static char *block(int place, const void *send, void *recv, char *scratch, size_t bytes)
{
    char *buffer = place % 3 == 0 ? (char *)send : place % 3 == 1 ? (char *)recv : scratch;
    return buffer + (size_t)(place / 3) * bytes;
}

"""

COPYING = """int @NAME@(const void *send, void *recv, size_t bytes, MPI_Comm comm)
{
    int size, me, error;
    if ((error = MPI_Comm_size(comm, &size)) != MPI_SUCCESS || (error = MPI_Comm_rank(comm, &me)) != MPI_SUCCESS)
        return error;
    if (size != PROCESSORS)
        return MPI_ERR_COMM;
    if (bytes > (size_t)(INT_MAX / LARGEST_PAYLOAD))
        return MPI_ERR_COUNT;
    char *scratch = malloc(((size_t)scratch_blocks[me] + MOST_PACKED) * bytes + 1);
    MPI_Request *requests = malloc(MOST_MOVES * sizeof *requests);
    if (scratch == NULL || requests == NULL) {
        free(scratch);
        free(requests);
        return MPI_ERR_NO_MEM;
    }
    char *packed = scratch + (size_t)scratch_blocks[me] * bytes;
    for (int i = copies_of[me]; i < copies_of[me + 1]; i++)
        memcpy(block(copies[i][1], send, recv, scratch, bytes), block(copies[i][0], send, recv, scratch, bytes), bytes);
    int next = moves_of[me];
    for (int step = 0; step < STEPS; step++) {
        int first = next, pending = 0;
        char *free_space = packed;
#ifdef PAVANE_BARRIER
        if ((error = MPI_Barrier(comm)) != MPI_SUCCESS)
            return error; /* what is under way may still use the buffers, so they stay */
#endif
        for (; next < moves_of[me + 1] && moves[next].step == step; next++) {
            const struct move *move = &moves[next];
            char *data = block(places[move->first], send, recv, scratch, bytes);
            if (move->count > 1) {
                data = free_space;
                free_space += (size_t)move->count * bytes;
                for (int i = 0; i < move->count && !move->receives; i++)
                    memcpy(data + (size_t)i * bytes, block(places[move->first + i], send, recv, scratch, bytes), bytes);
            }
            int count = move->count * (int)bytes, tag = step % 32768;
            error = move->receives ? MPI_Irecv(data, count, MPI_BYTE, move->peer, tag, comm, &requests[pending++])
                                   : MPI_Isend(data, count, MPI_BYTE, move->peer, tag, comm, &requests[pending++]);
            if (error != MPI_SUCCESS)
                return error;
        }
        if ((error = MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE)) != MPI_SUCCESS)
            return error;
        free_space = packed;
        for (int i = first; i < next; i++) {
            const struct move *move = &moves[i];
            if (move->count < 2)
                continue;
            for (int k = 0; k < move->count && move->receives; k++)
                memcpy(block(places[move->first + k], send, recv, scratch, bytes), free_space + (size_t)k * bytes,
                       bytes);
            free_space += (size_t)move->count * bytes;
        }
    }
    free(scratch);
    free(requests);
    return MPI_SUCCESS;
}
"""

REDUCING = """int @NAME@(const void *send, void *recv, size_t bytes, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int size, me, width, error;
    if ((error = MPI_Comm_size(comm, &size)) != MPI_SUCCESS || (error = MPI_Comm_rank(comm, &me)) != MPI_SUCCESS ||
        (error = MPI_Type_size(type, &width)) != MPI_SUCCESS)
        return error;
    if (size != PROCESSORS)
        return MPI_ERR_COMM;
    if (width < 1 || bytes % (size_t)width != 0)
        return MPI_ERR_TYPE;
    if (bytes > (size_t)(INT_MAX / LARGEST_PAYLOAD))
        return MPI_ERR_COUNT;
    char *scratch = malloc(((size_t)scratch_blocks[me] + MOST_PACKED) * bytes + 1);
    MPI_Request *requests = malloc(MOST_MOVES * sizeof *requests);
    if (scratch == NULL || requests == NULL) {
        free(scratch);
        free(requests);
        return MPI_ERR_NO_MEM;
    }
    char *packed = scratch + (size_t)scratch_blocks[me] * bytes;
    for (int i = copies_of[me]; i < copies_of[me + 1]; i++)
        memcpy(block(copies[i][1], send, recv, scratch, bytes), block(copies[i][0], send, recv, scratch, bytes), bytes);
    int next = moves_of[me];
    for (int step = 0; step < STEPS; step++) {
        int first = next, pending = 0;
        char *free_space = packed;
#ifdef PAVANE_BARRIER
        if ((error = MPI_Barrier(comm)) != MPI_SUCCESS)
            return error; /* what is under way may still use the buffers, so they stay */
#endif
        for (; next < moves_of[me + 1] && moves[next].step == step; next++) {
            const struct move *move = &moves[next];
            char *data = free_space;
            free_space += (size_t)move->count * bytes;
            for (int i = 0; i < move->count && !move->receives; i++)
                memcpy(data + (size_t)i * bytes, block(places[move->first + i], send, recv, scratch, bytes), bytes);
            int count = move->count * (int)bytes, tag = step % 32768;
            error = move->receives ? MPI_Irecv(data, count, MPI_BYTE, move->peer, tag, comm, &requests[pending++])
                                   : MPI_Isend(data, count, MPI_BYTE, move->peer, tag, comm, &requests[pending++]);
            if (error != MPI_SUCCESS)
                return error;
        }
        if ((error = MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE)) != MPI_SUCCESS)
            return error;
        free_space = packed;
        for (int i = first; i < next; i++) {
            const struct move *move = &moves[i];
            for (int k = 0; k < move->count && move->receives; k++) {
                char *arrived = free_space + (size_t)k * bytes;
                char *place = block(places[move->first + k], send, recv, scratch, bytes);
                int there = onto[move->first + k];
                if (there < 0) {
                    memcpy(place, arrived, bytes);
                    continue;
                }
                if (there != places[move->first + k])
                    memcpy(place, block(there, send, recv, scratch, bytes), bytes);
                error = MPI_Reduce_local(arrived, place, (int)(bytes / (size_t)width), type, op);
                if (error != MPI_SUCCESS)
                    return error;
            }
            free_space += (size_t)move->count * bytes;
        }
    }
    free(scratch);
    free(requests);
    return MPI_SUCCESS;
}
"""

MAIN = """
#ifdef PAVANE_MAIN
#include <stdint.h>
#include <stdio.h>

/* All that must arrive, or contribute: origin, target, input block, output block. */
static const int deliveries[][4] = {
@DELIVERIES@
};
enum { DELIVERIES = sizeof deliveries / sizeof deliveries[0] };

static uint64_t word(int origin, int place, size_t i)
{
    return ((uint64_t)origin * 1000003u + (uint64_t)place * 7919u + i + 1u) * 2654435761u;
}

int main(int argc, char **argv)
{
    int me, size, wrong = 0, all = 0;
    const uint64_t untouched = 0xA5A5A5A5A5A5A5A5u;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != PROCESSORS) {
        if (me == 0)
            fprintf(stderr, "%d processes run, and the schedule has %d processors\\n", size, PROCESSORS);
        MPI_Finalize();
        return 2;
    }
    size_t words = ((argc > 1 ? strtoul(argv[1], NULL, 10) : @BYTES@) + 7) / 8;
    uint64_t *send = malloc(INPUT_BLOCKS * words * 8 + 8), *recv = malloc(OUTPUT_BLOCKS * words * 8 + 8);
    uint64_t *wanted = malloc(OUTPUT_BLOCKS * words * 8 + 8);
    if (send == NULL || recv == NULL || wanted == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (size_t i = 0; i < INPUT_BLOCKS * words; i++)
        send[i] = word(me, (int)(i / words), i % words);
    for (size_t i = 0; i < OUTPUT_BLOCKS * words; i++)
        recv[i] = wanted[i] = untouched;
    for (int d = 0; d < DELIVERIES; d++)
        for (size_t i = 0; i < words && deliveries[d][1] == me; i++) {
            uint64_t *there = &wanted[(size_t)deliveries[d][3] * words + i];
            uint64_t came = word(deliveries[d][0], deliveries[d][2], i);
            *there = @WANTED@;
        }
    int error = @NAME@(send, recv, words * 8, @ARGUMENTS@MPI_COMM_WORLD);
    wrong = error != MPI_SUCCESS || memcmp(recv, wanted, OUTPUT_BLOCKS * words * 8) != 0;
    for (size_t i = 0; i < INPUT_BLOCKS * words; i++)
        wrong |= send[i] != word(me, (int)(i / words), i % words);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me == 0)
        printf("%d of %d processes have wrong data%s\\n", all, PROCESSORS, all ? "" : ": all is right");
    MPI_Bcast(&all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(send);
    free(recv);
    free(wanted);
    MPI_Finalize();
    return all != 0;
}
#endif
"""


def no_process(result: Result) -> str | None:
    """Refuse messages at pure switches: no MPI process runs there."""
    return resting(result, "MPI processes run")


def buffers_in_words(result: Result) -> list[str]:
    """Say what stands in the buffers, for the head of a generated file."""
    problem, _ = carried(result)
    many_in, many_out = num_inputs(problem) > 1, num_outputs(problem) > 1
    if problem.pattern == "reduction":
        sent = "block t is the contribution to processor t" if many_in else "the contribution to the root"
        got = "the combined contributions of all senders"
    elif problem.pattern == "broadcast":
        sent = "the message to all receivers"
        got = "block s is the message of processor s" if many_out else "the message of the root"
    else:
        sent = "block t is the message to processor t" if many_in else "the message to the root"
        got = "block s is the message of processor s" if many_out else "the message of the root"
    return [f"send: {sent}.", f"recv: {got}."]


def code(place: Place | None) -> int:
    """Return a place as one number, and -1 for none."""
    return -1 if place is None else 3 * place.block + "ios".index(place.buffer)


def most_at_once(programs: Sequence[Program], reduces: bool) -> tuple[int, int]:
    """Return the most moves of a processor in a step, and the most messages that are packed or wait to be combined."""
    moves, packed = 1, 0
    for program in programs:
        for _, members in groupby(program.moves, key=lambda move: move.step):
            now = list(members)
            moves = max(moves, len(now))
            packed = max(packed, sum(len(m.places) for m in now if reduces or len(m.places) > 1))
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
    programs = programs_of(problem, schedule)
    places: list[int] = []
    onto: list[int] = []
    moves = []
    for program in programs:
        for move in program.moves:
            moves.append((move.step, move.peer, int(move.receives), len(places), len(move.places)))
            places += [code(place) for place in move.places]
            onto += [code(place) for place in move.onto]
    most_moves, most_packed = most_at_once(programs, reduces)
    title = f"{problem}: {schedule.num_steps} steps."
    added = "/* The place of what an arriving message is combined with, or -1. */\nstatic const int onto[] = {\n"
    marks = {
        "@TITLE@": title.replace("*/", "* /"),
        "@VERSION@": VERSION,
        "@BUFFERS@": "\n".join(f" * {line}" for line in buffers_in_words(result)),
        "@PROCESSORS@": problem.network.num_processors,
        "@STEPS@": schedule.num_steps,
        "@MOST_MOVES@": most_moves,
        "@MOST_PACKED@": most_packed,
        "@INPUTS@": num_inputs(problem),
        "@OUTPUTS@": num_outputs(problem),
        "@LARGEST@": int(schedule.payloads.max()),
        "@MOVES@": _braced(moves, 5),
        "@MOVES_OF@": _numbers(_sums(len(program.moves) for program in programs)),
        "@PLACES@": _numbers(places),
        "@ONTO@": f"\n{added}{_numbers(onto)}\n}};\n" if reduces else "",
        "@COPIES@": _braced(
            [(code(source), code(sink)) for program in programs for source, sink in program.copies], 2, 12
        ),
        "@COPIES_OF@": _numbers(_sums(len(program.copies) for program in programs)),
        "@SCRATCH@": _numbers(program.num_scratch for program in programs),
        "@NAME@": f"pavane_{problem.collective.kind.lower()}",
        "@DELIVERIES@": _braced(list(deliveries(problem)), 4, 8),
        "@BYTES@": options.size,
        "@WANTED@": "*there == untouched ? came : *there + came" if reduces else "came",
        "@ARGUMENTS@": "MPI_UINT64_T, MPI_SUM, " if reduces else "",
    }
    text = HEAD + (REDUCING if reduces else COPYING) + MAIN
    for mark, value in marks.items():
        text = text.replace(mark, str(value))
    return {f"{options.stem}.c": text.encode()}


MPI_C = Export(
    "mpi-c",
    "A C function that carries out the schedule by MPI calls, with a main function that checks the data.",
    ".c",
    no_process,
    _write,
    sized=True,
)
