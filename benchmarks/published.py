"""What others have published about collectives on machines of GPUs, with where it stands.

These figures are theirs. `benchmarks.clusters` sets its own beside them, in message times, so that machines of any
speed compare: the time of one message on the slowest link.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

MSCCL_TOOLS = "msccl-tools, SYNTHESIS.md"
TE_CCL = "TE-CCL, teccl/examples/experiments/output_provided"
TACCL = "TE-CCL, teccl/examples/experiments_output/tables"
FORESTCOLL = "ForestColl, README.md and topologies.py"

SOURCES = {
    MSCCL_TOOLS: "https://github.com/microsoft/msccl-tools/blob/030a750/SYNTHESIS.md",
    TE_CCL: "https://github.com/microsoft/TE-CCL/tree/c128bf2/teccl/examples/experiments/output_provided",
    TACCL: "https://github.com/microsoft/TE-CCL/tree/c128bf2/teccl/examples/experiments_output/tables",
    FORESTCOLL: "https://github.com/liangyuRain/ForestColl/tree/3c13aee",
}


class Synthesis(NamedTuple):
    """An algorithm that SCCL has found, or refuted: what it calls chunks, steps and rounds, and its seconds."""

    pieces: int
    start_ups: int
    tco: int
    exists: bool
    seconds: float


DGX_1_ALLGATHER = (
    Synthesis(1, 2, 2, True, 0.5),
    Synthesis(2, 2, 3, True, 0.9),
    Synthesis(3, 2, 4, False, 1.1),
    Synthesis(3, 3, 4, True, 2.9),
    Synthesis(4, 3, 5, True, 6.5),
    Synthesis(5, 3, 6, True, 44.0),
    Synthesis(6, 3, 7, True, 56.1),
)
"""What `msccl solve pareto-optimal DGX1 Allgather` printed, by msccl-tools."""


class Finish(NamedTuple):
    """How long a collective of 1 GB takes by a schedule, without or nearly without latencies."""

    who: str
    source: str
    network: str
    kind: str
    milliseconds: float
    seconds: float
    """Of its solver."""
    note: str = ""


FINISHES = (
    Finish("TE-CCL, fast epochs", TE_CCL, "ndv2:2", "AAB", 43.75, 43.4, "leaves out a GPU: 210 of 240 deliveries"),
    Finish("TE-CCL, slow epochs", TE_CCL, "ndv2:2", "AAB", 50.0, 4.6, "leaves out a GPU"),
    Finish("TACCL", TACCL, "ndv2:2", "AAB", 53.7667, 7.0),
    Finish("TE-CCL, fast epochs", TE_CCL, "ndv2:2", "AAS", 283.75, 1481.8, "leaves out a GPU: 210 of 240 messages"),
    Finish("TE-CCL, slow epochs", TE_CCL, "ndv2:2", "AAS", 295.0, 471.0, "leaves out a GPU"),
    Finish("TACCL", TACCL, "ndv2:2", "AAS", 320.0494, 1214.7),
    Finish("TE-CCL, fast epochs", TE_CCL, "ndv2:4", "AAB", 66.25, 30855.0),
    Finish("TE-CCL, slow epochs", TE_CCL, "ndv2:4", "AAB", 65.0, 221.5),
    Finish("TE-CCL, fast epochs", TE_CCL, "dgx-2:2", "AAB", 7.75, 2699.9, "its switches copy"),
    Finish("TE-CCL, slow epochs", TE_CCL, "dgx-2:2", "AAB", 10.0, 11.8, "its switches copy"),
    Finish("TE-CCL, fast epochs", TE_CCL, "dgx-2:2", "AAS", 80.5, 1590.3),
    Finish("TE-CCL, slow epochs", TE_CCL, "dgx-2:2", "AAS", 85.0, 600.5),
)

SLOWEST = {
    "ndv2:2": 12.5,
    "ndv2:4": 12.5,
    "dgx-2:2": 12.5,
    "dgx-a100:2": 25,
    "dgx-a100:4": 25,
    "mi250": 50,
    "mi250:2": 2,
}
"""What capacity 1 stands for, in GB/s, as in docs/networks.md."""


class Throughput(NamedTuple):
    """The best algorithmic bandwidth of an allgather, in GB/s, that a program of others says there can be."""

    network: str
    bandwidth: Fraction


THROUGHPUTS = (
    Throughput("dgx-a100:2", Fraction(1040, 3)),
    Throughput("dgx-a100:4", Fraction(800, 3)),
    Throughput("mi250", Fraction(2400, 7)),
    Throughput("mi250:2", Fraction(5312, 15)),
)
"""What the program of ForestColl's README prints (`OptimalBranchingsAlgo`) for its own topologies."""
