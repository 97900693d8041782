"""The rows of a mesh, for constructions that go along rows and then along columns."""

from __future__ import annotations

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.solvers.constructions.shapes import mesh_of
from pavane.solvers.constructions.steps import is_small, runs_straight


def mesh_rows(problem: Problem) -> Longs | None:
    """Return the routers of the mesh in rows, if the rules let straight paths run both ways at once."""
    if problem.rules.switching != "wormhole" or problem.rules.duplex != "full":
        return None
    mesh = mesh_of(problem.network)
    if mesh is None or not is_small(problem, sum(mesh.shape)) or not runs_straight(problem):
        return None
    return mesh
