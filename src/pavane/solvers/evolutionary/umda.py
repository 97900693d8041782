"""UMDA, the univariate marginal distribution algorithm, as in gecco08 sections 4.4 and 4.5.

A generation: binary tournaments select as many parents as half the population holds. The frequencies of each item's
values among the parents are the probabilistic model, and new chromosomes are drawn from it. Each is mutated with a
probability of 90 %, accelerated or restored, and evaluated; the new ones replace the worse half of the population. The
run ends when a chromosome has no conflict. The loop is in kernels/generations.py. A search that has not
succeeded in reasonable time, which here is a number of evaluations, goes on to one step more (gecco08 section 4.3).

The defaults are the paper's; what is ours is off. Where the paper leaves a choice open, the setting says what speaks
for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pavane.errors import InputError
from pavane.solvers.evolutionary.encoding import MOST_PATHS, Coding, Counting
from pavane.solvers.evolutionary.kernels.generations import Variation
from pavane.solvers.evolutionary.population_solver import PopulationSolver
from pavane.solvers.solving import solve_by_steps


@dataclass(frozen=True)
class UMDA(PopulationSolver):
    """UMDA over the papers' encodings.

    Example:
        >>> problem = pavane.Problem(pavane.network("ring:4"), "alltoall")
        >>> options = pavane.SearchOptions(evaluations=10_000)
        >>> pavane.solve(problem, options, solver=pavane.solvers.UMDA(), num_steps=3).num_steps
        3
    """

    name: str = "umda"
    population: int = 60
    """As in gecco08 section 4.5, where larger ones did not pay."""
    mutation: float = 0.9
    """The probability that a new chromosome is mutated (gecco08 section 4.5)."""
    path_share: float = 0.3
    """The share of a scatter's mutations that change a path; the others swap the steps of two messages.

    Section 4.4 says that the swap replaces the mutation, section 4.5 that the mutation changes paths, and the paper
    speaks of one simple operator: so a mutation does the one or the other.
    """
    swap_within: bool = False
    """Whether the two messages that swap steps have the same sender; that keeps what the acceleration has achieved.

    The paper does not say.
    """
    swap_idle: bool = False
    """Ours: a message may also swap with a time in which its sender could send and does not."""
    changes: int = 1
    """How many changes a mutation consists of: swaps and paths of a scatter; source, path and step of a broadcast.

    One in the whole chromosome, of AAS and AAB as well; the paper says that a chromosome is mutated, not each row.
    """
    selection: Literal["tournament", "truncation"] = "tournament"
    """How parents are selected: by as many binary tournaments as there are parents, or as the better half itself.

    Section 4.5 says that the binary tournament selects the better half.
    """
    replacement: Literal["always", "better"] = "always"
    """Whether new chromosomes always replace the worse half, or each only one that has at least as many conflicts.

    Section 4.5 says that they replace it.
    """
    conflicts: Counting = "pairs"
    """What the fitness counts: pairs of transfers in conflict (gecco08 section 4.3), or transfers too many, ours."""
    patience: int = 0
    """Ours: how many evaluations may bring nothing before a new population is drawn; 0: any, a run has one population.

    The paper averages over successful runs (section 5, Table 7) and so repeats what does not succeed in reasonable
    time; this does so within one run.
    """
    radius: int | None = None
    """How far a transfer of a broadcast may go (section 4.4); None: chosen by the network and the collective."""
    most_paths: int = MOST_PATHS
    """All shortest paths (gecco08 section 4.1), up to so many between two processors; of more, a sample."""
    detour: int = 2
    """Under any routing: how many channels more than the shortest a path may have."""
    most_evaluations: int = 1_000_000
    """Evaluations for one number of steps: the paper's reasonable time."""
    polish: int = 0
    """Ours: how often after a mutation a transfer in conflict moves to its best path and step."""
    units: bool = False
    """Ours: genes are drawn whole, so that a path keeps its step."""
    symmetric: bool = False
    """Ours: schedule one message per orbit of a free symmetry of order two, and lift the schedule; scatters only."""

    def __post_init__(self) -> None:
        self.check_limits()
        if self.population < 2:
            raise InputError(f"population {self.population}: a better and a worse half need at least 2 chromosomes")

    @property
    def coding(self) -> Coding:
        """How schedules are encoded."""
        return Coding(self.most_paths, self.detour, self.radius, self.symmetric, self.conflicts)

    @property
    def variation(self) -> Variation:
        """How new chromosomes are made."""
        return Variation(
            self.mutations,
            self.polish,
            is_sampled=True,
            whole_genes=self.units,
            truncates=self.selection == "truncation",
            keeps_better=self.replacement == "better",
        )

    __call__ = solve_by_steps
