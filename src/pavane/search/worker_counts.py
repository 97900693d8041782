"""The default number of processes of a search: one for small problems, else one for each core."""

from __future__ import annotations

from pavane.model.problem import Problem
from pavane.parallel.cores import usable_cores
from pavane.search.size import memory_of_machine, num_hops

MOST_SMALL_DELIVERIES = 1_000
"""Up to this many arrivals, of all searches together, starting processes takes as long as they save."""

LEAST_DELIVERIES_MEASURED = 100_000
"""With fewer arrivals every process has the memory it needs."""

BYTES_PER_HOP_SEARCHED = 200
"""What a process that searches takes for each channel of each path: more than building and judging a schedule."""


def suited_workers(problem: Problem, searches: int = 1) -> int:
    """Return how many processes suit one search for a problem, or several for problems of its size."""
    if searches * problem.num_deliveries <= MOST_SMALL_DELIVERIES:
        return 1
    cores, memory = usable_cores(), memory_of_machine()
    if memory is None or problem.rules.combining or problem.num_deliveries < LEAST_DELIVERIES_MEASURED:
        return cores
    return max(1, min(cores, int(memory / (BYTES_PER_HOP_SEARCHED * num_hops(problem)))))
