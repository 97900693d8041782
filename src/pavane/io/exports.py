"""The registry of formats that schedules are written in: tables, simulators, GPU libraries, MPI code.

An export gives a reason in words if it cannot represent a schedule. docs/export.md states for each format what becomes
what.
"""

from __future__ import annotations

from pavane.io.formats.booksim import BOOKSIM
from pavane.io.formats.chakra import CHAKRA
from pavane.io.formats.csv_table import CSV
from pavane.io.formats.dot import DOT
from pavane.io.formats.export import DEFAULT_BYTES as DEFAULT_BYTES
from pavane.io.formats.export import Export as Export
from pavane.io.formats.export import Options as Options
from pavane.io.formats.goal import GOAL
from pavane.io.formats.mpi_c import MPI_C
from pavane.io.formats.mpi_python import MPI_PYTHON
from pavane.io.formats.msccl_xml import MSCCL_XML
from pavane.io.formats.mscclpp import MSCCLPP
from pavane.io.formats.own import OWN
from pavane.io.formats.simgrid import SIMGRID
from pavane.io.formats.slot_tables import SLOT_TABLES

EXPORTS: dict[str, Export] = {
    export.name: export
    for export in (
        *(CSV, DOT, SLOT_TABLES),
        *(MPI_C, MPI_PYTHON, MSCCL_XML, MSCCLPP),
        *(GOAL, CHAKRA, SIMGRID, BOOKSIM),
        OWN,
    )
}
"""The formats by name."""
