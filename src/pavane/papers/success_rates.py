"""The success rates of gecco07 Table 2 that can be redone in minutes, with the algorithm that the table names."""

from __future__ import annotations

from collections.abc import Iterator

from pavane.papers.gecco07 import hypercube_figure
from pavane.papers.paper_solvers import solver_of_paper
from pavane.papers.paper_table import PaperLine, RedoOptions
from pavane.papers.problems import problem
from pavane.papers.steps_lines import steps_line
from pavane.parallel.pools import Workers

EVALUATIONS = {
    (3, "OAB"): 400_000,
    (3, "OAS"): 400_000,
    (3, "AAB"): 2_500_000,
    (3, "AAS"): 400_000,
    (4, "OAB"): 400_000,
    (4, "OAS"): 400_000,
    (4, "AAB"): 2_500_000,
    (5, "OAS"): 400_000,
    (6, "OAS"): 400_000,
}
"""The most evaluations of a run, by dimension and collective; the paper does not say its own."""


def success_lines(runs: int = 10, workers: int | Workers = 1) -> Iterator[PaperLine]:
    """Yield lines of Table 2 with the success rates of `runs` runs each."""
    for (dimension, kind), most in EVALUATIONS.items():
        figure = hypercube_figure(dimension, kind)
        ours = RedoOptions(solver_of_paper(figure.algorithm.lower()), runs, most, workers=workers)
        where = f"hypercube {2**dimension}, {kind}"
        yield steps_line(where, problem(f"hypercube:{dimension}", kind), ours, figure, facts={"most evaluations": most})
