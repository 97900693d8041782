"""msccl-xml: a program for MSCCL, NCCL's interpreter of collectives, in XML.

Each pair of processors that talk has a thread block at either end, and a block runs its steps in order. What was
received is sent on when it is there: MSCCL knows dependencies between thread blocks of one GPU, no common steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

import numpy as np

from pavane.exports.export import Export, Options
from pavane.exports.programs import Place, Program, num_inputs, num_outputs, programs_of
from pavane.exports.reasons import carried, resting, routed_by_processors
from pavane.judge.result import Result

NAMES = {"AAB": "allgather", "AAS": "alltoall", "AAR": "reduce_scatter", "OAB": "broadcast"}
MOST_STEPS = 256
MOST_BLOCKS = 32


@dataclass(eq=False)
class _Op:
    """A step of a thread block, in MSCCL's words."""

    kind: str
    source: Place
    sink: Place
    after: list[_Op] = field(default_factory=list)
    block: int = -1
    number: int = -1
    awaited: bool = False


_NOWHERE = (Place("i", -1), Place("o", -1))


def _blocks(program: Program, sinks: list[Place]) -> list[tuple[int, int, list[_Op]]]:
    """Return the thread blocks of a GPU as send peer, receive peer (or -1) and steps.

    `sinks` says where each message that is sent lands, in the order of the moves.
    """
    blocks: dict[tuple[int, int], list[_Op]] = {}
    writer: dict[Place, _Op] = {}
    landing = iter(sinks)
    for move in program.moves:
        key = (-1, move.peer) if move.receives else (move.peer, -1)
        ops = blocks.setdefault(key, [])
        for place, onto in zip(move.places, move.onto, strict=True):
            before = writer.get(place)
            after = [] if before is None else [before]
            if not move.receives:
                ops.append(_Op("s", place, next(landing), after))
                continue
            # recvReduceCopy adds what arrives to the source and puts it at the sink.
            op = _Op("r", _NOWHERE[0], place) if onto is None else _Op("rrc", onto, place, after)
            ops.append(op)
            writer[place] = op
    if program.copies:
        blocks[-1, -1] = [_Op("cpy", source, sink) for source, sink in program.copies]
    made = []
    for number, ((send, receive), ops) in enumerate(sorted(blocks.items())):
        for place_in_block, op in enumerate(ops):
            op.block, op.number = number, place_in_block
        made.append((send, receive, ops))
    for _, _, ops in made:
        for op in ops:
            op.after = [before for before in op.after if before.block != op.block]
            for before in op.after:
                before.awaited = True
    return made


def _programs(result: Result) -> list[list[tuple[int, int, list[_Op]]]]:
    problem, schedule = carried(result)
    programs = programs_of(problem, schedule)
    landing = {move.transfer: move.places for program in programs for move in program.moves if move.receives}
    return [
        _blocks(program, [sink for move in program.moves if not move.receives for sink in landing[move.transfer]])
        for program in programs
    ]


def _refusal(result: Result) -> str | None:
    refused = resting(result, "GPUs hold data")
    if refused is not None:
        return refused
    problem, schedule = carried(result)
    kind, everyone = problem.collective.kind, problem.network.num_processors
    if kind not in NAMES:
        return f"MSCCL has allgather, alltoall, reduce_scatter and broadcast (AAB, AAS, AAR, OAB), and {kind} is none"
    if kind == "OAB" and len({*problem.collective.senders, *problem.collective.receivers}) < everyone:
        return "MSCCL's broadcast goes to all, and this OAB to some"
    refused = routed_by_processors(result, "GPUs do not route for others")
    if refused is not None:
        return refused
    # A pair of processors has a thread block at either end, with a step for each message.
    pairs, which = np.unique(np.stack((schedule.senders, schedule.receivers)), axis=1, return_inverse=True)
    lengths = np.bincount(which.ravel(), schedule.payloads)
    if lengths.max() > MOST_STEPS:
        gpu = int(pairs[0, lengths.argmax()])
        return f"processor {gpu} needs {lengths.max():.0f} steps in a thread block, and MSCCL has room for {MOST_STEPS}"
    for side in pairs:
        peers = np.bincount(side)
        if peers.max() > MOST_BLOCKS:
            return (
                f"processor {peers.argmax()} has {peers.max()} peers, and a channel of MSCCL has room for {MOST_BLOCKS}"
            )
    return None


def _write(result: Result, options: Options) -> dict[str, bytes]:
    problem, schedule = carried(result)
    kind, count = problem.collective.kind, problem.network.num_processors
    inputs, outputs = num_inputs(problem), num_outputs(problem)
    root = problem.collective.senders[0]
    name = f"{problem.network.name} {NAMES[kind]} in {schedule.num_steps} steps"
    lines = [
        f'<algo name={quoteattr(name)} proto="Simple" nchannels="1" nchunksperloop="{max(inputs, outputs)}" '
        f'ngpus="{count}" coll="{NAMES[kind]}" inplace="0">'
    ]
    scratch = [program.num_scratch for program in programs_of(problem, schedule)]
    for gpu, blocks in enumerate(_programs(result)):
        # Nobody but the root of a broadcast has an input; the root's output is its own copy.
        own = inputs if kind != "OAB" or gpu == root else 0
        lines.append(f'  <gpu id="{gpu}" i_chunks="{own}" o_chunks="{outputs}" s_chunks="{scratch[gpu]}">')
        if kind == "OAB" and gpu == root and root not in problem.collective.receivers:
            blocks = [*blocks, (-1, -1, [_Op("cpy", Place("i", 0), Place("o", 0))])]
        for number, (send, receive, ops) in enumerate(blocks):
            lines.append(f'    <tb id="{number}" send="{send}" recv="{receive}" chan="0">')
            for place, op in enumerate(ops):
                before = (op.after[0].block, op.after[0].number) if op.after else (-1, -1)
                lines.append(
                    f'      <step s="{place}" type="{op.kind}" srcbuf="{op.source.buffer}" srcoff="{op.source.block}" '
                    f'dstbuf="{op.sink.buffer}" dstoff="{op.sink.block}" cnt="1" depid="{before[0]}" '
                    f'deps="{before[1]}" hasdep="{int(op.awaited)}"/>'
                )
            lines.append("    </tb>")
        lines.append("  </gpu>")
    return {f"{options.stem}.xml": ("\n".join(lines) + "\n</algo>\n").encode()}


MSCCL_XML = Export(
    "msccl-xml",
    "A program for MSCCL in XML, for GPUs joined by links and switches: thread blocks that send, receive and add.",
    ".xml",
    _refusal,
    _write,
)
