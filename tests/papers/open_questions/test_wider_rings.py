"""Hierarchical rings with wider upper rings."""

import numpy as np
import pytest
from papers.open_questions.question import Row
from papers.open_questions.wider_rings import QUESTION, RingCase, with_wide_upper_rings

from pavane.networks import hierarchical_rings
from pavane.search.options import SearchOptions


@pytest.mark.parametrize("sizes", [(4, 4), (4, 4, 4), (3, 5), (4, 3, 2)])
def test_upper_rings_are_wider_and_no_others(sizes: tuple[int, ...]) -> None:
    """A channel joins two first routers of level-0 rings if and only if it is of an upper ring; these are wide."""
    made = with_wide_upper_rings(sizes, 8)
    assert np.array_equal(made.channels, hierarchical_rings(*sizes).channels)
    is_inside = made.tails // sizes[0] == made.heads // sizes[0]
    assert set(made.capacity[is_inside].tolist()) == {1}
    assert set(made.capacity[~is_inside].tolist()) == {8}
    assert int(is_inside.sum()) == 2 * made.num_routers


def test_more_capacity_never_needs_more_steps() -> None:
    """What narrow rings can do wide ones can."""
    steps = [QUESTION.row(RingCase((4, 4), capacity, 1, "AAS"), SearchOptions())["steps"] for capacity in (1, 2, 4, 8)]
    assert steps == [32, 20, 20, 20]


def test_the_mesh_stands_beside_the_rings() -> None:
    """Its cost is the number of its channels."""
    row = QUESTION.row(RingCase((4, 4), 0, 1, "AAB"), SearchOptions())
    assert (row["network"], row["capacity"], row["cost"], row["bound"], row["steps"]) == ("mesh:4x4", None, 48, 15, 15)


def _row(capacity: int | None, cost: int, bound: int, steps: int) -> Row:
    about = {"network": "rings" if capacity else "mesh:8x8", "processors": 64, "capacity": capacity, "cost": cost}
    return {**about, "ports": 1, "collective": "AAS", "bound": bound, "steps": steps, "why": ""}


def test_the_sentence_follows_the_rows() -> None:
    """From a capacity on, with none, or open."""
    mesh = _row(None, 224, 128, 128)
    rings = [_row(1, 168, 512, 512), _row(4, 288, 128, 128)]
    said = QUESTION.answer([mesh, *rings])
    assert (
        "AAS of 64 processors: 1-port from capacity 4 on (128 and 128 steps, sum of capacities 288 against 224)."
        in said
    )
    assert "least on the mesh in 1 of 1 problem: AAS of 64 (1-port)." in said
    assert "no capacity that was tried (capacity 1 still needs 512 steps against 128)" in QUESTION.answer(
        [mesh, rings[0]]
    )
    assert "1-port at the latest from capacity 4 on" in QUESTION.answer([mesh, _row(2, 208, 120, 130), rings[1]])
    assert "open (100/140 steps at capacity 8" in QUESTION.answer([mesh, _row(8, 448, 100, 140)])
    assert "least on the mesh in 0 of 1 problem." in QUESTION.answer([mesh, _row(8, 200, 90, 90)])
    assert QUESTION.table([mesh, *rings])[2]["AAS"] == "128"
