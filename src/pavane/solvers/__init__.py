"""The solvers, by name. A solver is a callable: a problem, a number of steps, a seed and a budget in, a Result out.

To register one, add a line `"my-name": "family.my_name.MyName"` to `_HOMES`: its name, and where its class stands in
this package. The class is imported when the solver is first used, so that a small problem loads no other.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from pavane.judge.result import Run
from pavane.solvers.solver import Finding, Solver

if TYPE_CHECKING:
    from pavane.solvers.solving import solve_by_steps as solve_by_steps
    from pavane.solvers.solving import solve_once as solve_once

__all__ = ["CONSTRUCTIONS", "SOLVERS", "UNCOUNTED", "Finding", "Run", "Solver", "solve_by_steps", "solve_once"]


def __getattr__(name: str) -> Any:
    # The two calls of user-defined solvers; they are loaded when one is defined.
    if name in ("solve_by_steps", "solve_once"):
        return getattr(import_module(f"{__name__}.solving"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_HOMES_OF_CONSTRUCTIONS = {
    "table": "tables.from_table.FromTable",
    "translated": "constructions.open_shop.translated.Translated",
    "translated-trees": "constructions.open_shop.translated_trees.TranslatedTrees",
    "rotation": "constructions.ring.rotation.Rotation",
}

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
    "widths": "widths.Widths",
    "trees": "allreduce.trees.Trees",
    "in-network-sums": "allreduce.in_network_sums.InNetworkSums",
    "exchange": "allreduce.exchange.Exchange",
    **_HOMES_OF_CONSTRUCTIONS,
    "umda": "evolutionary.umda.UMDA",
    "mboa": "evolutionary.mboa.MBOA",
    "hgsa": "evolutionary.hgsa.HGSA",
    "ga": "evolutionary.ga.GA",
}


class _Registry(MutableMapping[str, Solver]):
    """Solvers by name, each made when it is first used."""

    def __init__(self, homes: dict[str, str]) -> None:
        self._solvers: dict[str, Solver | str] = dict(homes)

    def __getitem__(self, name: str) -> Solver:
        found = self._solvers[name]
        if isinstance(found, str):
            module, _, kind = found.rpartition(".")
            found = cast(Solver, getattr(import_module(f"{__name__}.{module}"), kind)(name=name))
            self._solvers[name] = found
        return found

    def __setitem__(self, name: str, solver: Solver) -> None:
        self._solvers[name] = solver

    def __delitem__(self, name: str) -> None:
        del self._solvers[name]

    def __contains__(self, name: object) -> bool:
        return name in self._solvers

    def __iter__(self) -> Iterator[str]:
        return iter(self._solvers)

    def __len__(self) -> int:
        return len(self._solvers)


SOLVERS: MutableMapping[str, Solver] = _Registry(_HOMES)

CONSTRUCTIONS = tuple(_HOMES_OF_CONSTRUCTIONS)
"""Solvers that write down a known schedule of a family of networks; the others search."""

UNCOUNTED = frozenset({"greedy", "flow", *CONSTRUCTIONS})
"""Solvers that go through a problem once: they count no evaluations, so a number of evaluations does not limit them."""
