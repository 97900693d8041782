"""Methods of a study as text."""

from __future__ import annotations

import pytest

from pavane.campaign.benchmark import chosen_solvers, label
from pavane.errors import InputError
from pavane.solvers import SOLVERS
from pavane.solvers.ejection.ejection import Ejection


def test_methods_are_read_with_their_settings() -> None:
    """A name, and behind a colon settings; a comma inside a list does not end it."""
    assert chosen_solvers(["ejection", "ejection:detour=3,most_paths=4"]) == [
        Ejection(),
        Ejection(detour=3, most_paths=4),
    ]
    (packing,) = chosen_solvers(["first-fit:sharpness=0.5,1,repacks=2"])
    assert label(packing) == "first-fit:sharpness=0.5,1.0,repacks=2"
    assert chosen_solvers(["ejection:paths=mirrored"]) == [Ejection(paths="mirrored")]


def test_settings_go_to_the_methods_that_have_them() -> None:
    """To all that have them, to the named one, and what stands in the method goes first."""
    methods = ["ejection", "time-ejection", "ejection:detour=9", "greedy"]
    made = chosen_solvers(methods, ["detour=5", "ejection.most_paths=3", "most_cells=7"])
    assert [label(solver) for solver in made] == [
        "ejection:most_paths=3,detour=5",
        "time-ejection:detour=5,most_cells=7",
        "ejection:most_paths=3,detour=9",
        "greedy",
    ]
    assert [label(s) for s in chosen_solvers(["ejection"], ["ejection.detour=4", "detour=5"])] == ["ejection:detour=4"]


def test_labels_read_back() -> None:
    """The label of a solver names the same solver."""
    for solver in (*SOLVERS.values(), Ejection(paths="mirrored", most_paths=1)):
        assert chosen_solvers([label(solver)]) == [solver]


@pytest.mark.parametrize(
    ("methods", "settings", "said"),
    [
        (["ejektion"], [], "unknown method 'ejektion'; did you mean ejection or time-ejection?"),
        (["auto"], [], "auto is a choice among them"),
        (["ejection:"], [], "no settings behind the colon"),
        (["ejection:detour"], [], "setting 'detour' has no value"),
        (["ejection:detur=1"], [], "did you mean detour?"),
        (["ejection"], ["detour"], "`settings` 'detour' has no value"),
        (["ejection"], ["flow.detour=1"], "flow is not among the methods; add `method=flow`"),
        (["ejection"], ["ejection.detur=1"], "unknown setting 'detur' of ejection; did you mean detour?"),
        (["ejection", "time-ejection"], ["polish=1"], "no method has a setting 'polish'; they have detour, most_"),
        (["ejection"], ["detour=x"], "expected a whole number"),
    ],
)
def test_methods_that_make_no_sense_are_refused(methods: list[str], settings: list[str], said: str) -> None:
    """With the nearest thing that would."""
    with pytest.raises(InputError) as refused:
        chosen_solvers(methods, settings)
    assert said in str(refused.value)
