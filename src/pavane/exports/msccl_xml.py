"""msccl-xml: a program for MSCCL, NCCL's interpreter of collectives, in XML.

Each pair of processors that talk has a thread block at either end, and a block runs its steps in order. What was
received is sent on when it is there: MSCCL knows dependencies between thread blocks of one GPU, no common steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

import numpy as np

from pavane.exports.buffers import Block, BufferProgram, buffer_programs, num_inputs, num_outputs
from pavane.exports.export import Export, Options
from pavane.exports.reasons import carried, resting, routed_by_processors
from pavane.exports.templates import one_line
from pavane.judge.result import Result

NAMES = {"AAB": "allgather", "AAS": "alltoall", "AAR": "reduce_scatter", "OAB": "broadcast"}
MOST_STEPS = 256
MOST_BLOCKS = 32


@dataclass(eq=False)
class _Op:
    """A step of a thread block, in MSCCL's words."""

    kind: str
    source: Block
    sink: Block
    after: list[_Op] = field(default_factory=list)
    block: int = -1
    number: int = -1
    awaited: bool = False


_NOWHERE = Block("i", -1)


ThreadBlock = tuple[int, int, list[_Op]]
"""Send peer, receive peer (or -1), and steps."""


def _thread_blocks(program: BufferProgram, landings: dict[int, tuple[Block, ...]]) -> list[ThreadBlock]:
    """Return the thread blocks of a GPU; `landings` says where each message of a transfer lands."""
    made: dict[tuple[int, int], list[_Op]] = {}
    writer: dict[Block, _Op] = {}
    for move in program.moves:
        ops = made.setdefault((-1, move.peer) if move.receives else (move.peer, -1), [])
        for block, onto, sink in zip(move.blocks, move.onto, landings[move.transfer], strict=True):
            before = writer.get(block)
            after = [] if before is None else [before]
            if not move.receives:
                ops.append(_Op("s", block, sink, after))
                continue
            # recvReduceCopy adds what arrives to the source and puts it at the sink.
            op = _Op("r", _NOWHERE, block) if onto is None else _Op("rrc", onto, block, after)
            ops.append(op)
            writer[block] = op
    if program.copies:
        made[-1, -1] = [_Op("cpy", source, sink) for source, sink in program.copies]
    in_order = [(send, receive, ops) for (send, receive), ops in sorted(made.items())]
    for number, (_, _, ops) in enumerate(in_order):
        for index, op in enumerate(ops):
            op.block, op.number = number, index
    for _, _, ops in in_order:
        for op in ops:
            op.after = [before for before in op.after if before.block != op.block]
            for before in op.after:
                before.awaited = True
    return in_order


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
    name = one_line(f"{problem.network.name} {NAMES[kind]} in {schedule.num_steps} steps")
    lines = [
        f'<algo name={quoteattr(name)} proto="Simple" nchannels="1" nchunksperloop="{max(inputs, outputs)}" '
        f'ngpus="{count}" coll="{NAMES[kind]}" inplace="0">'
    ]
    programs = buffer_programs(problem, schedule)
    landings = {move.transfer: move.blocks for program in programs for move in program.moves if move.receives}
    for gpu, program in enumerate(programs):
        # Nobody but the root of a broadcast has an input; the root's output is its own copy.
        own = inputs if kind != "OAB" or gpu == root else 0
        lines.append(f'  <gpu id="{gpu}" i_chunks="{own}" o_chunks="{outputs}" s_chunks="{program.num_scratch}">')
        blocks = _thread_blocks(program, landings)
        if kind == "OAB" and gpu == root and root not in problem.collective.receivers:
            blocks.append((-1, -1, [_Op("cpy", Block("i", 0), Block("o", 0))]))
        for number, block in enumerate(blocks):
            lines += _block_lines(number, block)
        lines.append("  </gpu>")
    return {f"{options.stem}.xml": ("\n".join(lines) + "\n</algo>\n").encode()}


def _block_lines(number: int, block: ThreadBlock) -> Iterator[str]:
    send, receive, ops = block
    yield f'    <tb id="{number}" send="{send}" recv="{receive}" chan="0">'
    for index, op in enumerate(ops):
        before = (op.after[0].block, op.after[0].number) if op.after else (-1, -1)
        yield (
            f'      <step s="{index}" type="{op.kind}" srcbuf="{op.source.buffer}" srcoff="{op.source.number}" '
            f'dstbuf="{op.sink.buffer}" dstoff="{op.sink.number}" cnt="1" depid="{before[0]}" '
            f'deps="{before[1]}" hasdep="{int(op.awaited)}"/>'
        )
    yield "    </tb>"


MSCCL_XML = Export(
    "msccl-xml",
    "A program for MSCCL in XML, for GPUs joined by links and switches: thread blocks that send, receive and add.",
    ".xml",
    _refusal,
    _write,
)
