"""Schedules in formats of others: tables, DMA programs, simulators, GPU libraries, MPI code.

EXPORTS is the registry. An export says in words why it cannot carry a schedule, where it cannot, and nothing is lost
without being said: docs/export.md states for each format what becomes what.
"""

from __future__ import annotations

from pavane.io.exports.booksim import BOOKSIM
from pavane.io.exports.csv_table import CSV
from pavane.io.exports.dma import DMA
from pavane.io.exports.dot import DOT
from pavane.io.exports.export import DEFAULT_BYTES as DEFAULT_BYTES
from pavane.io.exports.export import Export as Export
from pavane.io.exports.export import NetworkExport as NetworkExport
from pavane.io.exports.export import Options as Options
from pavane.io.exports.goal import GOAL
from pavane.io.exports.json_lines import JSONL
from pavane.io.exports.mpi_c import MPI_C
from pavane.io.exports.mpi_python import MPI_PYTHON
from pavane.io.exports.msccl_xml import MSCCL_XML
from pavane.io.exports.mscclpp import MSCCLPP
from pavane.io.exports.sccl import SCCL
from pavane.io.exports.simgrid import SIMGRID
from pavane.io.exports.text import TEXT

EXPORTS: dict[str, Export] = {
    export.name: export
    for export in (
        *(CSV, JSONL, TEXT, DOT, DMA),
        *(MPI_C, MPI_PYTHON, SCCL, MSCCL_XML, MSCCLPP),
        *(GOAL, SIMGRID, BOOKSIM),
    )
}
"""The formats by name."""
