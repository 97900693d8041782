"""The solvers, by name. A solver is a callable: a problem, a number of steps, a seed and a budget in, a Result out.

To register one, add a line `"my-name": "family.my_name.MyName"` to `_HOMES`: its name, and where its class stands in
this package. The class is imported when the solver is first used, so that a small problem loads no other.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from pavane.judge.result import Run
from pavane.solvers.solver import Finding, Solver
from pavane.solvers.supports import Supports

if TYPE_CHECKING:
    from pavane.solvers.solving import solve_by_steps as solve_by_steps
    from pavane.solvers.solving import solve_once as solve_once

__all__ = ["SOLVERS", "Finding", "Run", "Solver", "Supports", "solve_by_steps", "solve_once"]


def __getattr__(name: str) -> Any:
    # The two calls of user-defined solvers; they are loaded when one is defined.
    if name in ("solve_by_steps", "solve_once"):
        return getattr(import_module(f"{__name__}.solving"), name)
    # The classes of solvers, as in `pavane.solvers.UMDA(polish=4)`.
    for home in _HOMES.values():
        module, _, kind = home.rpartition(".")
        if kind == name:
            return getattr(import_module(f"{__name__}.{module}"), kind)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_HOMES = {
    "greedy": "greedy.Greedy",
    "first-fit": "large_scatter.first_fit.FirstFit",
    "packing": "large_scatter.packing.Packing",
    "flow": "flow.flow.Flow",
    "translation": "ejection.translation.Translation",
    "ejection": "ejection.ejection.Ejection",
    "time-ejection": "ejection.time_ejection.TimeEjection",
    "planned": "ejection.planned.Planned",
    "informed-sets": "broadcast.informed_sets.InformedSets",
    "rarest-first": "broadcast.rarest_first.RarestFirst",
    "tree-packing": "broadcast.tree_packing.TreePacking",
    "cp-sat": "exact.cp_sat.CpSat",
    "combining": "combining.combining.Combining",
    "trees": "allreduce.trees.Trees",
    "in-network-sums": "allreduce.in_network_sums.InNetworkSums",
    "exchange": "allreduce.exchange.Exchange",
    "table": "tables.from_table.FromTable",
    "translated": "constructions.open_shop.translated.Translated",
    "translated-trees": "tables.grown_trees.TranslatedTrees",
    "rotation": "constructions.ring.rotation.Rotation",
    "umda": "evolutionary.umda.UMDA",
    "mboa": "evolutionary.mboa.MBOA",
    "hgsa": "evolutionary.hgsa.HGSA",
    "ga": "evolutionary.ga.GA",
}


class _Registry(UserDict[str, Any]):
    """Solvers by name, each made when it is first used."""

    def __getitem__(self, name: str) -> Solver:
        found = self.data[name]
        if isinstance(found, str):
            module, _, kind = found.rpartition(".")
            found = self.data[name] = getattr(import_module(f"{__name__}.{module}"), kind)(name=name)
        return cast(Solver, found)


SOLVERS: MutableMapping[str, Solver] = _Registry(_HOMES)
