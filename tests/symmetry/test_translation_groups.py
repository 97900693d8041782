"""Groups of translations of networks that look the same from every router."""

import numpy as np
import pytest

from pavane.networks import network
from pavane.symmetry.translation_groups import TranslationGroup, channel_kinds, groups_of, likely_shapes
from tests.problems import problem_of


@pytest.mark.parametrize("spec", ["ring:6", "torus:3x4", "hypercube:4", "spidergon:8", "complete:5", "ring:5,oneway"])
def test_a_group_takes_every_router_to_every_other(spec: str) -> None:
    """Sums are a commutative table with each router once a row, opposites undo, and channels go where kinds say."""
    group = TranslationGroup.of(problem_of(spec))
    assert group is not None
    routers = np.arange(group.network.num_routers)
    assert (np.sort(group.sums, axis=1) == routers).all()
    assert (group.sums == group.sums.T).all()
    assert (group.sums[routers, group.opposites] == 0).all()
    for kind, hop in enumerate(group.hops):
        channels = group.channels[:, kind]
        assert (group.network.tails[channels] == routers).all()
        assert (group.network.heads[channels] == group.sums[hop]).all()
        assert (group.kinds[channels] == kind).all()


def test_groups_are_recognized_by_what_they_do() -> None:
    """A shape counts only if every translation maps channels to channels."""
    assert (4, 4) in [group.sizes for group in groups_of(problem_of("torus:4x4"))]
    assert [group.sizes for group in groups_of(problem_of("ring:6"))] == [(6,)]
    for spec in ("mesh:4x4", "petersen", "star:4"):
        assert TranslationGroup.of(problem_of(spec)) is None


def test_a_shape_without_translations_has_no_kinds() -> None:
    """Routers that differ in their displacements are told at once."""
    kinds = channel_kinds(network("ring:6"), (6,))
    assert kinds is not None
    assert np.bincount(kinds).tolist() == [6, 6]
    assert channel_kinds(network("ring:6"), (2, 3)) is None


def test_the_own_grid_is_the_first_shape() -> None:
    """A torus has the sizes of its own grid first, and other shapes only if both corners look alike in them."""
    shapes = list(likely_shapes(network("torus:3x4x2")))
    assert shapes[0] == (3, 4, 2)
    assert (24,) not in shapes
    assert list(likely_shapes(network("mesh:3x3"))) == []


def test_few_of_very_many_shapes_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of products is limited, because some numbers of routers have very many."""
    monkeypatch.setattr("pavane.symmetry.translation_groups.MOST_SHAPES", 1)
    assert list(likely_shapes(network("circulant:12,1,5"))) == [(12,)]
    assert len(list(likely_shapes(network("hyperx:2x2x2")))) <= 1
