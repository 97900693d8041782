"""The solvers, by name. A solver is a callable: a problem, a number of steps, a seed and a budget in, a Result out."""

from typing import Protocol

from pavane.problem import Problem
from pavane.result import Result
from pavane.solvers.budget import Budget
from pavane.solvers.combining import Combining
from pavane.solvers.constructions import CONSTRUCTIONS
from pavane.solvers.ejection import Ejection
from pavane.solvers.evolution.ga import GA
from pavane.solvers.evolution.hgsa import HGSA
from pavane.solvers.evolution.mboa import MBOA
from pavane.solvers.evolution.umda import UMDA
from pavane.solvers.exact import Exact
from pavane.solvers.first_fit import FirstFit
from pavane.solvers.flow import Flow
from pavane.solvers.greedy import Greedy
from pavane.solvers.hypercube import ComplementPairs
from pavane.solvers.informed import Informed
from pavane.solvers.packing import Packing
from pavane.solvers.rarest import RarestFirst
from pavane.solvers.rotation import Rotation
from pavane.solvers.routed import Routed
from pavane.solvers.torus import QuarterTurns
from pavane.solvers.translation import Translation

__all__ = ["SOLVERS", "Budget", "Solver"]


class Solver(Protocol):
    """What every solver is: a configuration that can be called."""

    @property
    def name(self) -> str:
        """Return the name by which the registry knows it."""
        ...

    def supports(self, problem: Problem) -> bool:
        """Say whether it can work on the problem at all."""
        ...

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Look for a schedule of at most `num_steps` steps; None: as few as it can."""
        ...


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
    Informed(),
    Rotation(),
    RarestFirst(),
    Exact(),
    Combining(),
    *CONSTRUCTIONS,
    UMDA(),
    MBOA(),
    HGSA(),
    GA(),
)

SOLVERS: dict[str, Solver] = {solver.name: solver for solver in _ALL}
