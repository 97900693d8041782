"""Methods of a study as text."""

from __future__ import annotations

import pytest

from pavane.campaign.methods import label, labels, solver_of
from pavane.errors import InputError
from pavane.solvers import SOLVERS
from pavane.solvers.ejection.ejection import Ejection


def test_methods_are_read_with_their_settings() -> None:
    """A name, and behind a colon settings; a comma inside a list does not end it."""
    assert solver_of("ejection") == Ejection()
    assert solver_of("ejection:detour=3,most_paths=4") == Ejection(detour=3, most_paths=4)
    assert label(solver_of("first-fit:sharpness=0.5,1,repacks=2")) == "first-fit:sharpness=0.5,1.0,repacks=2"
    assert solver_of("ejection:paths=mirrored") == Ejection(paths="mirrored")


def test_labels_read_back() -> None:
    """The label of a solver names the same solver, and solvers of one label are written in full."""
    for solver in (*SOLVERS.values(), Ejection(paths="mirrored", most_paths=1)):
        assert solver_of(label(solver)) == solver
    assert labels([Ejection(), Ejection(detour=1)]) == ["ejection", "ejection:detour=1"]


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("ejektion", "unknown method 'ejektion'; did you mean ejection or time-ejection?"),
        ("auto", "auto is a choice among them"),
        ("ejection:", "no settings behind the colon"),
        ("ejection:detour", "setting 'detour' has no value"),
        ("ejection:detur=1", "did you mean detour?"),
        ("ejection:detour=x", "expected a whole number"),
    ],
)
def test_methods_that_make_no_sense_are_refused(method: str, text: str) -> None:
    """With the nearest thing that would."""
    with pytest.raises(InputError) as refused:
        solver_of(method)
    assert text in str(refused.value)
