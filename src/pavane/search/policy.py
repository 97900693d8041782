"""What is looked for where nobody says more: the fewest steps, or under combining a front.

Under combining there is no one best schedule: which is the fastest depends on the size of messages (noc section 3).
So a front of start-ups and TCO is searched for, unless a method or a number of steps is named. Who wants one schedule
gets the point that is the fastest where a message takes as long as a start-up. The command line, the page and Python
follow the same policy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pavane.bounds import lower_bounds
from pavane.errors import InputError
from pavane.judge.result import Provenance, Result
from pavane.model.problem import Problem
from pavane.search.attempts import Progress
from pavane.search.fronts import FrontProgress, front
from pavane.words import VERSION


def is_front_wanted(problem: Problem, method: str, num_steps: int | None) -> bool:
    """Whether a front is to be searched for, and not the fewest steps."""
    return problem.rules.combining and method == "auto" and num_steps is None


def chosen_of_front(
    problem: Problem,
    *,
    seed: int = 0,
    seconds: float | None = None,
    evaluations: int | None = None,
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Result:
    """Search for the front, and return its point that is the fastest where a message takes as long as a start-up."""
    if evaluations is not None:
        raise InputError("`evaluations` are of one solver, and a front takes several; name a `method`")
    bounds = lower_bounds(problem)
    bound = bounds[0].steps

    def tell(now: FrontProgress) -> None:
        fewest = min((start_ups for start_ups, _ in now.points), default=None)
        progress(Progress(now.solver, now.tried, fewest, bound, now.seconds, now.seconds_left))

    found = front(problem, seed=seed, seconds=seconds, workers=workers, progress=tell)
    if not found.points:
        return Result(problem, None, bounds, Provenance("auto", seed, found.seconds, VERSION))
    result = found.best(1.0, 1.0).result
    return result.amended(provenance=replace(result.provenance, seconds=found.seconds))
