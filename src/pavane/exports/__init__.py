"""Schedules in formats of others: tables, DMA programs, simulators, GPU libraries, MPI code.

EXPORTS is the registry. An export says in words why it cannot carry a schedule, where it cannot, and nothing is lost
without being said: docs/export.md states for each format what becomes what.
"""

from __future__ import annotations

from pavane.exports.booksim import BOOKSIM
from pavane.exports.csv_table import CSV
from pavane.exports.dma import DMA
from pavane.exports.dot import DOT
from pavane.exports.export import DEFAULT_BYTES as DEFAULT_BYTES
from pavane.exports.export import Export as Export
from pavane.exports.export import NetworkExport as NetworkExport
from pavane.exports.export import Options as Options
from pavane.exports.goal import GOAL
from pavane.exports.json_lines import JSONL
from pavane.exports.mpi_c import MPI_C
from pavane.exports.mpi_python import MPI_PYTHON
from pavane.exports.msccl_xml import MSCCL_XML
from pavane.exports.mscclpp import MSCCLPP
from pavane.exports.sccl import SCCL
from pavane.exports.simgrid import SIMGRID
from pavane.exports.text import TEXT

EXPORTS: dict[str, Export] = {
    export.name: export
    for export in (
        *(CSV, JSONL, TEXT, DOT, DMA),
        *(MPI_C, MPI_PYTHON, SCCL, MSCCL_XML, MSCCLPP),
        *(GOAL, SIMGRID, BOOKSIM),
    )
}
"""The formats by name."""
