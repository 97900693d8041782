"""The registry of formats that schedules are written in: tables, DMA programs, simulators, GPU libraries, MPI code.

An export gives a reason in words if it cannot represent a schedule. docs/export.md states for each format what becomes
what.
"""

from __future__ import annotations

from pavane.io.formats.booksim import BOOKSIM
from pavane.io.formats.chakra import CHAKRA
from pavane.io.formats.csv_table import CSV
from pavane.io.formats.dma import DMA
from pavane.io.formats.dot import DOT_EXPORT
from pavane.io.formats.export import DEFAULT_BYTES as DEFAULT_BYTES
from pavane.io.formats.export import Export as Export
from pavane.io.formats.export import Options as Options
from pavane.io.formats.goal import GOAL
from pavane.io.formats.json_lines import JSONL
from pavane.io.formats.mpi_c import MPI_C
from pavane.io.formats.mpi_python import MPI_PYTHON
from pavane.io.formats.msccl_xml import MSCCL_XML_EXPORT
from pavane.io.formats.mscclpp import MSCCLPP
from pavane.io.formats.poseidon import POSEIDON_EXPORT
from pavane.io.formats.s4noc import S4NOC_EXPORT
from pavane.io.formats.sccl import SCCL_EXPORT
from pavane.io.formats.simgrid import SIMGRID_EXPORT
from pavane.io.formats.slot_tables import SLOT_TABLES
from pavane.io.formats.text import TEXT
from pavane.io.formats.tsn import TSN

EXPORTS: dict[str, Export] = {
    export.name: export
    for export in (
        *(CSV, JSONL, TEXT, DOT_EXPORT, DMA, SLOT_TABLES, S4NOC_EXPORT, POSEIDON_EXPORT, TSN),
        *(MPI_C, MPI_PYTHON, SCCL_EXPORT, MSCCL_XML_EXPORT, MSCCLPP),
        *(GOAL, CHAKRA, SIMGRID_EXPORT, BOOKSIM),
    )
}
"""The formats by name."""
