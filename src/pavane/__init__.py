"""Synthesizes conflict-free schedules of collective communications for any interconnection network.

import pavane

network = pavane.network("kautz:3,2")
problem = pavane.Problem(network, pavane.alltoall(network))
result = pavane.synthesize(problem)
print(result.num_steps, result.status)
pavane.write_schedule("schedule.json", result)
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pavane.version import VERSION

if TYPE_CHECKING:
    from pavane.bisection import bisection as bisection
    from pavane.bounds import (
        Bound as Bound,
    )
    from pavane.bounds import (
        explain as explain,
    )
    from pavane.bounds import (
        lower_bounds as lower_bounds,
    )
    from pavane.collectives import (
        allgather as allgather,
    )
    from pavane.collectives import (
        alltoall as alltoall,
    )
    from pavane.collectives import (
        broadcast as broadcast,
    )
    from pavane.collectives import (
        dual as dual,
    )
    from pavane.collectives import (
        gather as gather,
    )
    from pavane.collectives import (
        many_to_many_broadcast as many_to_many_broadcast,
    )
    from pavane.collectives import (
        many_to_many_scatter as many_to_many_scatter,
    )
    from pavane.collectives import (
        named as named,
    )
    from pavane.collectives import (
        pairs as pairs,
    )
    from pavane.collectives import (
        permutation as permutation,
    )
    from pavane.collectives import (
        reduce as reduce,
    )
    from pavane.collectives import (
        reduce_scatter as reduce_scatter,
    )
    from pavane.collectives import (
        scatter as scatter,
    )
    from pavane.errors import (
        InputError as InputError,
    )
    from pavane.errors import (
        InvalidSchedule as InvalidSchedule,
    )
    from pavane.errors import (
        PavaneError as PavaneError,
    )
    from pavane.faults import faults as faults
    from pavane.formats import (
        read_network as read_network,
    )
    from pavane.formats import (
        read_problem as read_problem,
    )
    from pavane.formats import (
        read_schedule as read_schedule,
    )
    from pavane.formats import (
        write_network as write_network,
    )
    from pavane.formats import (
        write_problem as write_problem,
    )
    from pavane.formats import (
        write_schedule as write_schedule,
    )
    from pavane.front import (
        Front as Front,
    )
    from pavane.front import (
        front as front,
    )
    from pavane.network import Network as Network
    from pavane.networks import network as network
    from pavane.player import player_page as player_page
    from pavane.problem import (
        Collective as Collective,
    )
    from pavane.problem import (
        Problem as Problem,
    )
    from pavane.problem import (
        Rules as Rules,
    )
    from pavane.repair import repair as repair
    from pavane.result import Result as Result
    from pavane.schedule import (
        Schedule as Schedule,
    )
    from pavane.schedule import (
        Transfer as Transfer,
    )
    from pavane.solvers import Budget as Budget
    from pavane.solvers.evolution.ga import GA as GA
    from pavane.solvers.evolution.hgsa import HGSA as HGSA
    from pavane.solvers.evolution.mboa import MBOA as MBOA
    from pavane.solvers.evolution.umda import UMDA as UMDA
    from pavane.study import (
        Study as Study,
    )
    from pavane.study import (
        study as study,
    )
    from pavane.synthesize import synthesize as synthesize
    from pavane.timing import (
        Costs as Costs,
    )
    from pavane.timing import (
        predicted as predicted,
    )
    from pavane.timing import (
        profile as profile,
    )
    from pavane.verify import verify as verify

__version__ = VERSION

_PARTS = {
    "pavane.bisection": ("bisection",),
    "pavane.bounds": (
        "Bound",
        "explain",
        "lower_bounds",
    ),
    "pavane.collectives": (
        "allgather",
        "alltoall",
        "broadcast",
        "dual",
        "gather",
        "many_to_many_broadcast",
        "many_to_many_scatter",
        "named",
        "pairs",
        "permutation",
        "reduce",
        "reduce_scatter",
        "scatter",
    ),
    "pavane.errors": (
        "InputError",
        "InvalidSchedule",
        "PavaneError",
    ),
    "pavane.faults": ("faults",),
    "pavane.formats": (
        "read_network",
        "read_problem",
        "read_schedule",
        "write_network",
        "write_problem",
        "write_schedule",
    ),
    "pavane.front": (
        "Front",
        "front",
    ),
    "pavane.network": ("Network",),
    "pavane.networks": ("network",),
    "pavane.player": ("player_page",),
    "pavane.problem": (
        "Collective",
        "Problem",
        "Rules",
    ),
    "pavane.repair": ("repair",),
    "pavane.result": ("Result",),
    "pavane.schedule": (
        "Schedule",
        "Transfer",
    ),
    "pavane.solvers": ("Budget",),
    "pavane.solvers.evolution.ga": ("GA",),
    "pavane.solvers.evolution.hgsa": ("HGSA",),
    "pavane.solvers.evolution.mboa": ("MBOA",),
    "pavane.solvers.evolution.umda": ("UMDA",),
    "pavane.study": (
        "Study",
        "study",
    ),
    "pavane.synthesize": ("synthesize",),
    "pavane.timing": (
        "Costs",
        "predicted",
        "profile",
    ),
    "pavane.verify": ("verify",),
}
"""Where each name lives; its module is imported when the name is first used, so that small commands answer at once."""

_HOME_OF = {name: module for module, names in _PARTS.items() for name in names}

__all__ = [
    "GA",
    "HGSA",
    "MBOA",
    "UMDA",
    "Bound",
    "Budget",
    "Collective",
    "Costs",
    "Front",
    "InputError",
    "InvalidSchedule",
    "Network",
    "PavaneError",
    "Problem",
    "Result",
    "Rules",
    "Schedule",
    "Study",
    "Transfer",
    "__version__",
    "allgather",
    "alltoall",
    "bisection",
    "broadcast",
    "dual",
    "explain",
    "faults",
    "front",
    "gather",
    "lower_bounds",
    "many_to_many_broadcast",
    "many_to_many_scatter",
    "named",
    "network",
    "pairs",
    "permutation",
    "player_page",
    "predicted",
    "profile",
    "read_network",
    "read_problem",
    "read_schedule",
    "reduce",
    "reduce_scatter",
    "repair",
    "scatter",
    "study",
    "synthesize",
    "verify",
    "write_network",
    "write_problem",
    "write_schedule",
]


class _Package(ModuleType):
    """A package whose names are found on demand, and stay what they are when a module of the same name is imported."""

    def __getattr__(self, name: str) -> Any:
        if name not in _HOME_OF:
            raise AttributeError(f"module 'pavane' has no attribute {name!r}")
        found = getattr(import_module(_HOME_OF[name]), name)
        super().__setattr__(name, found)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        # The import system sets pavane.network to the module of that name; here it is the function.
        if not (name in _HOME_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


sys.modules[__name__].__class__ = _Package
