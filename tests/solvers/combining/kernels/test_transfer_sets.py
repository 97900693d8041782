"""Sets of transfers: their books agree with a recount. Those of paths and trees are moved by machine code, too."""

import numpy as np

from pavane.model.problem import Rules
from pavane.solvers.combining.kernels import transfer_sets as plain
from tests.jit.pushed_sets import CASES, check_books, each_case, filled


@each_case
def test_sets_keep_their_books(spec: str, rules: Rules) -> None:
    """After many moves units and ports are held by the transfers that use them, and by one each."""
    layout, sets = filled(spec, "AAS", rules, 3)
    assert (sets.sender >= 0).any()
    check_books(layout, sets)


def test_images_come_and_go_together() -> None:
    """With symmetries a step is its own image."""
    layout, sets = filled("mesh:4x4", "AAS", CASES[1][1], 4, symmetric=True)
    check_books(layout, sets)
    fabric = layout.fabric
    for number in range(len(fabric.image_inlet)):
        for step, inlet in np.argwhere(sets.sender >= 0).tolist():
            image = fabric.image_inlet[number, inlet]
            assert sets.sender[step, image] == fabric.image_location[number, sets.sender[step, inlet]]


@each_case
def test_what_is_missing_is_what_nobody_told(spec: str, rules: Rules) -> None:
    """The reach of the sets is that of sets of origins, handed on step by step."""
    layout, sets = filled(spec, "AAS", rules, 2)
    reach = layout.reach(2)
    plain.propagate(layout.fabric, sets, reach.reached, 0)
    told = [
        {location} if location < layout.problem.network.num_processors else set()
        for location in range(len(reach.wanted))
    ]
    for step in range(2):
        before = [set(origins) for origins in told]
        for inlet in np.flatnonzero(sets.sender[step] >= 0).tolist():
            told[layout.fabric.location_of[inlet]] |= before[sets.sender[step, inlet]]
    missing = sum(origin not in told[target] for origin, target in layout.problem.labels.tolist())
    assert plain.num_missing(reach) == missing


@each_case
def test_annealing_makes_sets_reach_more(spec: str, rules: Rules) -> None:
    """Cold, it never comes to miss more; it ends with the books right, and says what is missing, or that nothing is."""
    layout, sets = filled(spec, "AAS", rules, 6)
    reach, rng = layout.reach(6), np.random.default_rng(2)
    plain.propagate(layout.fabric, sets, reach.reached, 0)
    before = plain.num_missing(reach)
    missing, made = plain.anneal_reach(layout.work(sets), reach, (1e-6, 1e-9), 60, rng)
    assert made <= 60
    assert (missing == 0) or (made == 60)
    assert missing <= before
    check_books(layout, sets)
    again = layout.reach(6)
    plain.propagate(layout.fabric, sets, again.reached, 0)
    assert plain.num_missing(again) == missing
