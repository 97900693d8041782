"""How to search, as one value: it refuses what makes no sense when it is made."""

from __future__ import annotations

from typing import Any

import pytest

import pavane
from pavane.errors import InputError
from pavane.search.options import SearchOptions

PROBLEM = pavane.Problem(pavane.network("octagon"), "alltoall")


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ({"seed": -1}, r"^`seed` is -1; give 0 or more$"),
        ({"seconds": 0}, r"^time 0: expected more than 0 seconds$"),
        ({"seconds": -1.5}, r"^time -1\.5: expected more than 0 seconds$"),
        ({"seconds": float("nan")}, r"^time nan: expected more than 0 seconds$"),
        ({"evaluations": 0}, r"^evaluations 0: a search needs at least one; give 1 or more$"),
        ({"workers": 0}, r"^workers 0: a search needs at least one; give 1 or more$"),
    ],
)
def test_limits_that_make_no_sense_are_refused(limits: dict[str, Any], text: str) -> None:
    """Before any search, in one line."""
    with pytest.raises(InputError, match=text):
        SearchOptions(**limits)


def test_a_number_of_steps_that_makes_no_sense_is_refused() -> None:
    """Before any search, in one line."""
    with pytest.raises(InputError, match=r"^steps 0: a schedule has at least one step; give 1 or more$"):
        pavane.solve(PROBLEM, num_steps=0)


def test_options_are_values() -> None:
    """Equal limits are equal options, whatever the callbacks."""
    assert SearchOptions(3, 1.5) == SearchOptions(seed=3, seconds=1.5, on_progress=print)
    assert repr(SearchOptions(3)) == "SearchOptions(seed=3, seconds=None, evaluations=None, workers=1, goal='makespan')"


def test_a_solver_that_lacks_a_part_is_refused_by_its_name() -> None:
    """`name`, `supports` and a call make a solver; the refusal names what is missing."""

    class Half:
        name = "half"

        supports = pavane.solvers.Supports()

        def find(self, *_: object) -> None:
            return None

    with pytest.raises(InputError, match=r"has no `__call__`, like `__call__ = pavane\.solvers\.solve_once`"):
        pavane.solve(PROBLEM, solver=Half())  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"has no `name` and no `supports = pavane.solvers.Supports\(\)`; add it"):
        pavane.solve(PROBLEM, solver=lambda *_: None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"`solver` is 3; give a solver, like"):
        pavane.solve(PROBLEM, solver=3)  # type: ignore[arg-type]
