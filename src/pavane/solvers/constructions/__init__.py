"""Schedules made by hand for rings, meshes and hierarchical rings, as in noc sections 2 to 4.

Each is a solver with a name of its own; it writes down what the paper describes and searches for nothing. They are
made for one port and are valid with more.
"""

from pavane.solvers.constructions.binary_jumping import BinaryJumping
from pavane.solvers.constructions.hierarchical import Hierarchical
from pavane.solvers.constructions.hierarchical_exchange import HierarchicalExchange
from pavane.solvers.constructions.mesh_phases import MeshPhases, OddEvenExchange
from pavane.solvers.constructions.ring_rotation import RingRotation

__all__ = [
    "CONSTRUCTIONS",
    "BinaryJumping",
    "Hierarchical",
    "HierarchicalExchange",
    "MeshPhases",
    "OddEvenExchange",
    "RingRotation",
]

CONSTRUCTIONS = (
    RingRotation(),
    MeshPhases(),
    OddEvenExchange(),
    BinaryJumping(),
    Hierarchical(),
    HierarchicalExchange(),
    HierarchicalExchange(name="hierarchical-levels", level_by_level=True),
)
