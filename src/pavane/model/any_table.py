"""Tables of every kind: schedules that are given by less than their transfers.

All have `num_steps` and `num_routers`, and the methods `expand`, `expand_step` and `transfers_of`.
"""

from __future__ import annotations

from pavane.model.mesh_table import MeshTable
from pavane.model.path_table import PathTable
from pavane.model.table_schedule import TableSchedule

AnyTable = TableSchedule | MeshTable | PathTable
