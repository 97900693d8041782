"""The papers' algorithms as the papers ran them, where that is not the default of ours."""

from __future__ import annotations

from collections.abc import Sequence

from pavane.search.fewest_steps import solver_named
from pavane.search.settings import configured
from pavane.solvers import Solver

SETTINGS = {"mboa": ("population=by-trial",)}
"""gecco07 section 5: the population was set such that the optimum was reached in at least half of the runs."""


def solver_of_paper(name: str, settings: Sequence[str] = ()) -> Solver:
    """Return a solver with the settings of the papers, but for those that are given."""
    given = {setting.partition("=")[0].strip() for setting in settings}
    kept = [setting for setting in SETTINGS.get(name, ()) if setting.partition("=")[0] not in given]
    return configured(solver_named(name), [*kept, *settings])
