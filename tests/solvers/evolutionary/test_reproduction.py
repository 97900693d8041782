"""Reproduction: the operators of MBOA do what gecco07 sections 3.2 and 5 say."""

import numpy as np
import pytest

from pavane.solvers.evolutionary.mboa import MBOA
from pavane.solvers.evolutionary.reproduction import Members, bounds_of_items, redraw, winners
from tests.solvers.evolutionary.cases import encoding


@pytest.mark.parametrize("kind", ["OAS", "OAB"])
def test_one_gene_of_every_chromosome_is_mutated(kind: str) -> None:
    """Mutation draws one gene of each chromosome anew within its bounds, every gene of some, and touches no other."""
    made = encoding("hypercube:3", kind, 3)
    width, bounds = made.genome.num_items, bounds_of_items(made)
    # A value that no bound admits shows which items were drawn.
    population = np.full((200, made.num_items), -1, dtype=np.int32)
    redraw(made, population, "gene", np.random.default_rng(1))
    drawn = (population >= 0).reshape(200, -1, width)
    assert (drawn.all(axis=2) == drawn.any(axis=2)).all()
    assert (drawn.any(axis=2).sum(axis=1) == 1).all()
    assert drawn.any(axis=(0, 2)).all()
    assert (population < bounds).all()
    population[:] = -1
    redraw(made, population, "item", np.random.default_rng(1))
    assert ((population >= 0).sum(axis=1) == 1).all()
    population[:] = -1
    redraw(made, population, "path", np.random.default_rng(1))
    assert ((population >= 0).sum(axis=1) == 1).all()
    assert (population.reshape(200, -1, width)[:, :, width - 2].max(axis=1) >= 0).all()
    assert (population < bounds).all()


def test_bounds_leave_out_late_steps() -> None:
    """The step of a gene is drawn from the steps there are, and a path from the most a source has."""
    bounds = bounds_of_items(encoding("hypercube:3", "OAB", 3))
    assert (bounds[2::3] == 3).all()
    assert (bounds_of_items(encoding("hypercube:3", "OAS", 3))[1::2] == 3).all()


@pytest.mark.parametrize("replacement", ["tournament", "restricted"])
def test_replacement_never_loses_the_best(replacement: str) -> None:
    """Only members that are no better than the offspring make place for it, so the best stays."""
    solver = MBOA(replacement="restricted" if replacement == "restricted" else "tournament", window=4, tournament=4)
    rng = np.random.default_rng(2)
    members = Members(
        rng.integers(0, 3, size=(30, 6)).astype(np.int32), rng.integers(1, 9, size=30), rng.permutation(30)
    )
    before, least = members.fitness.copy(), members.fitness.min()
    offspring = rng.integers(0, 3, size=(15, 6)).astype(np.int32)
    scores = rng.integers(1, 9, size=15)
    solver.reproduction(encoding("hypercube:3", "OAS", 3), 30).replace(members, offspring, scores, rng)
    assert (members.fitness <= before).all()
    assert members.fitness.min() == min(least, scores.min())
    assert (members.fitness < before).any()
    assert len(np.unique(members.births)) == 30


def test_of_equals_the_newer_wins_and_the_older_goes() -> None:
    """Among members with as many conflicts a tournament is won by the newest, and an offspring replaces the oldest."""
    rng = np.random.default_rng(3)
    births = np.array([4, 1, 6, 2, 5])
    members = Members(np.zeros((5, 2), dtype=np.int32), np.array([3, 3, 3, 3, 9]), births.copy())
    # So many meet that everybody is there.
    assert set(winners(members, 20, 200, rng).tolist()) == {2}
    members.fitness[4] = 3
    reproduction = MBOA(tournament=200).reproduction(encoding("hypercube:3", "OAS", 3), 5)
    reproduction.replace(members, np.ones((2, 2), dtype=np.int32), np.array([3, 3]), rng)
    assert members.births.tolist() == [4, 7, 6, 8, 5]
    assert members.chromosomes[:, 0].tolist() == [0, 1, 0, 1, 0]
