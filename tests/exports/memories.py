"""The memory of GPUs with symbolic data, for interpreters of the formats of GPU libraries."""

from __future__ import annotations

from collections import Counter

from pavane.judge.result import Result
from tests.exports.pieced import pieced
from tests.exports.schedules import around_a_switch, exchange, solved

Data = Counter[tuple[int, int]]
"""Contributions by the processor and the block of its input that they come from."""
Memory = dict[tuple[int, str, int], Data]
RUN = [
    solved("ring:4", "aab"),
    solved("ring:4", "aar"),
    solved("ring:4", "aas", "store-and-forward"),
    solved("ring:5", "aar", "store-and-forward"),
    solved("ring:4", "aas", "store-and-forward", ports=1),
    exchange(),
    around_a_switch("wormhole"),
]
IN_PIECES = [
    result
    for name, result in pieced().items()
    if name[:3] in ("aab", "aas", "aar") and "size" not in name and "one transfer" not in name
]
"""Schedules in pieces, on wide channels and with payloads of several."""


def inputs(result: Result) -> Memory:
    """Fill the input of every processor: each block holds itself."""
    count = result.problem.network.num_processors
    blocks = (1 if result.problem.collective.kind in ("AAB", "OAB") else count) * result.problem.collective.pieces
    return {(p, "i", block): Counter({(p, block): 1}) for p in range(count) for block in range(blocks)}


def outputs(result: Result) -> Memory:
    """Say what MPI's collectives leave in the outputs."""
    everyone = range(result.problem.network.num_processors)
    kind, k = result.problem.collective.kind, result.problem.collective.pieces
    if kind == "AAB":
        return {(p, "o", o * k + j): Counter({(o, j): 1}) for p in everyone for o in everyone for j in range(k)}
    if kind == "AAS":
        return {(p, "o", o * k + j): Counter({(o, p * k + j): 1}) for p in everyone for o in everyone for j in range(k)}
    if kind == "OAB":
        return {(p, "o", j): Counter({(0, j): 1}) for p in everyone for j in range(k)}
    return {(p, "o", j): Counter({(o, p * k + j): 1 for o in everyone}) for p in everyone for j in range(k)}


def only_outputs(memory: Memory) -> Memory:
    """Return what stands in outputs."""
    return {place: data for place, data in memory.items() if place[1] == "o"}
