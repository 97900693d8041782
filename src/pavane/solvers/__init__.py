"""The solvers, by name. A solver is a callable: a problem, a number of steps, a seed and a budget in, a Result out."""

from pavane.solvers.allreduce.exchange import Exchange
from pavane.solvers.allreduce.trees import Trees
from pavane.solvers.broadcast.informed_sets import InformedSets
from pavane.solvers.broadcast.rarest_first import RarestFirst
from pavane.solvers.combining.combining import Combining
from pavane.solvers.constructions.binary_jumping import BinaryJumping
from pavane.solvers.constructions.complement_pairs import ComplementPairs
from pavane.solvers.constructions.hierarchical import Hierarchical
from pavane.solvers.constructions.hierarchical_exchange import HierarchicalExchange
from pavane.solvers.constructions.hierarchical_levels import HierarchicalLevels
from pavane.solvers.constructions.mesh_phases import MeshPhases
from pavane.solvers.constructions.nested_codes import NestedCodes
from pavane.solvers.constructions.odd_even_exchange import OddEvenExchange
from pavane.solvers.constructions.quarter_turns import QuarterTurns
from pavane.solvers.constructions.ring_rotation import RingRotation
from pavane.solvers.constructions.rotation import Rotation
from pavane.solvers.ejection.ejection import Ejection
from pavane.solvers.ejection.quotient import Quotient
from pavane.solvers.ejection.routed import Routed
from pavane.solvers.ejection.translation import Translation
from pavane.solvers.ejection.unrolled import Unrolled
from pavane.solvers.evolution.ga import GA
from pavane.solvers.evolution.hgsa import HGSA
from pavane.solvers.evolution.mboa import MBOA
from pavane.solvers.evolution.umda import UMDA
from pavane.solvers.exact.cp_sat import CpSat
from pavane.solvers.flow.flow import Flow
from pavane.solvers.greedy import Greedy
from pavane.solvers.packing.first_fit import FirstFit
from pavane.solvers.packing.packing import Packing
from pavane.solvers.solver import Solver
from pavane.solvers.widths import Widths

__all__ = ["CONSTRUCTIONS", "SOLVERS", "UNCOUNTED", "Solver"]

CONSTRUCTIONS: tuple[Solver, ...] = (
    ComplementPairs(),
    NestedCodes(),
    QuarterTurns(),
    Rotation(),
    RingRotation(),
    MeshPhases(),
    OddEvenExchange(),
    BinaryJumping(),
    Hierarchical(),
    HierarchicalExchange(),
    HierarchicalLevels(),
)
"""Those that write down what is known of a family of networks; the others search."""

_ALL: tuple[Solver, ...] = (
    Greedy(),
    FirstFit(),
    Packing(),
    Flow(),
    Translation(),
    Ejection(),
    Quotient(),
    Routed(),
    Unrolled(),
    InformedSets(),
    RarestFirst(),
    CpSat(),
    Combining(),
    Widths(),
    Trees(),
    Exchange(),
    *CONSTRUCTIONS,
    UMDA(),
    MBOA(),
    HGSA(),
    GA(),
)

SOLVERS: dict[str, Solver] = {solver.name: solver for solver in _ALL}

UNCOUNTED = frozenset({"greedy", "flow", *(solver.name for solver in CONSTRUCTIONS)})
"""Those that go through a problem once: they count nothing, so a number of evaluations does not limit them."""
