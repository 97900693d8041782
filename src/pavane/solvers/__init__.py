"""The solvers, by name. A solver is a callable: a problem, a number of steps, a seed and a budget in, a Result out."""

from pavane.solvers.broadcast.informed_sets import InformedSets
from pavane.solvers.broadcast.rarest_first import RarestFirst
from pavane.solvers.combining.combining import Combining
from pavane.solvers.constructions import CONSTRUCTIONS
from pavane.solvers.constructions.complement_pairs import ComplementPairs
from pavane.solvers.constructions.quarter_turns import QuarterTurns
from pavane.solvers.constructions.rotation import Rotation
from pavane.solvers.ejection.ejection import Ejection
from pavane.solvers.ejection.routed import Routed
from pavane.solvers.ejection.translation import Translation
from pavane.solvers.evolution.ga import GA
from pavane.solvers.evolution.hgsa import HGSA
from pavane.solvers.evolution.mboa import MBOA
from pavane.solvers.evolution.umda import UMDA
from pavane.solvers.exact.cp_sat import CpSat
from pavane.solvers.flow import Flow
from pavane.solvers.greedy import Greedy
from pavane.solvers.packing.first_fit import FirstFit
from pavane.solvers.packing.packing import Packing
from pavane.solvers.solver import Solver

__all__ = ["CONSTRUCTIONS", "SOLVERS", "Solver"]


_ALL: tuple[Solver, ...] = (
    Greedy(),
    FirstFit(),
    Packing(),
    Flow(),
    ComplementPairs(),
    QuarterTurns(),
    Translation(),
    Ejection(),
    Ejection(name="quotient", symmetric=True),
    Routed(),
    InformedSets(),
    Rotation(),
    RarestFirst(),
    CpSat(),
    Combining(),
    *CONSTRUCTIONS,
    UMDA(),
    MBOA(),
    HGSA(),
    GA(),
)

SOLVERS: dict[str, Solver] = {solver.name: solver for solver in _ALL}
