"""All makers of tables, by name; each returns a table where it knows one for the problem, and None elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from pavane.model.mesh_table import AnyTable
from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.solvers.tables.antipodal import antipodal_trails
from pavane.solvers.tables.complements import complement_pairs
from pavane.solvers.tables.grown_trees import tree_table
from pavane.solvers.tables.meshes import cycle_trees, line_exchanges
from pavane.solvers.tables.staggered import staggered_shop
from pavane.solvers.tables.switched import switched_paths
from pavane.solvers.tables.turned import turned_orbits
from pavane.symmetry.cayley import CayleyNetwork

TableMaker = Callable[[Problem, CayleyNetwork], SymmetricSchedule | None]

CompositionMaker = Callable[[Problem], AnyTable | None]

COMPOSITION_MAKERS: dict[str, CompositionMaker] = {
    "line-exchanges": line_exchanges,
    "switched-paths": switched_paths,
    "cycle-trees": cycle_trees,
}
"""For networks that do not look the same from every router, and consist of parts that look alike."""

TABLE_MAKERS: dict[str, TableMaker] = {
    "complement-pairs": complement_pairs,
    "antipodal-trails": antipodal_trails,
    "staggered-shop": staggered_shop,
    "turned-orbits": turned_orbits,
    "grown-trees": tree_table,
}
"""In the order in which they are tried, until one meets the bound."""
