"""A plain genetic algorithm over the papers' encodings, as the baseline that gecco07 section 3 speaks of.

A generation: tournaments select two parents for every child. The child is the first parent with the genes between two
points from the second. It is mutated, accelerated or restored, and evaluated like UMDA's. The best chromosomes survive
unchanged, the children replace all others. The loop is in kernels/generations.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from pavane.errors import InputError
from pavane.solvers.evolutionary.encoding import MOST_PATHS, Coding, Counting
from pavane.solvers.evolutionary.kernels.generations import Variation
from pavane.solvers.evolutionary.population_solver import PopulationSolver
from pavane.solvers.solving import solve_by_steps


@dataclass(frozen=True)
class GA(PopulationSolver):
    """A genetic algorithm with tournaments, two-point crossover, mutation and an elite.

    Example:
        >>> problem = pavane.Problem(pavane.network("ring:4"), "alltoall")
        >>> options = pavane.SearchOptions(evaluations=10_000)
        >>> pavane.solve(problem, options, solver=pavane.solvers.GA(), num_steps=3).num_steps
        3
    """

    name: str = "ga"
    population: int = 60
    """As many as UMDA has, for a fair comparison."""
    tournament: int = 2
    crossover: float = 0.8
    """The probability that a child has two parents."""
    mutation: float = 0.9
    """The probability that a child is mutated; as high as UMDA's, for the same reason."""
    path_share: float = 0.3
    """The share of a scatter's mutations that change a path and not steps; see UMDA's."""
    swap_within: bool = False
    """Whether the messages of a scatter that swap steps have the same sender; see UMDA's."""
    swap_idle: bool = False
    """Whether a message may also swap with an idle time; see UMDA's."""
    changes: int = 1
    """How many changes a mutation consists of; see UMDA's."""
    elite: int = 2
    """How many of the best survive unchanged."""
    radius: int | None = None
    """How far a transfer of a broadcast may go; None: chosen by the network and the collective."""
    conflicts: Counting = "pairs"
    """What the fitness counts: pairs of transfers in conflict, or transfers too many; see UMDA's."""
    most_paths: int = MOST_PATHS
    """All shortest paths, up to so many between two processors; of more, a sample."""
    detour: int = 2
    """Under any routing: how many channels more than the shortest a path may have."""
    most_evaluations: int = 1_000_000
    """Evaluations for one number of steps."""
    patience: int = 0
    """How many evaluations may bring nothing before a new population is drawn; 0: any."""
    polish: int = 0
    """How often after a mutation a transfer in conflict moves to its best path and step; not in the papers."""

    def __post_init__(self) -> None:
        self.check_limits()
        if self.population < 1 or self.tournament < 1:
            raise InputError(
                f"population {self.population}, tournament {self.tournament}: both need at least 1 chromosome"
            )

    @property
    def coding(self) -> Coding:
        """How schedules are encoded."""
        return Coding(self.most_paths, self.detour, self.radius, conflicts=self.conflicts)

    @property
    def variation(self) -> Variation:
        """How new chromosomes are made."""
        return Variation(self.mutations, self.polish, False, False, self.tournament, self.crossover, self.elite)

    __call__ = solve_by_steps
