"""The model of MBOA."""

import numpy as np

from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.decision_trees import TreeLearner


def test_the_model_keeps_what_the_parents_share() -> None:
    """Offspring of parents of two kinds are of one kind each in items that go together, and mix the free ones."""
    rng = np.random.default_rng(0)
    parents = rng.integers(0, 4, size=(300, 8)).astype(np.int32)
    parents[:, 2:5] = parents[:, :1]
    model = TreeLearner().learned(parents, rng, Budget())
    assert model is not None
    offspring = model.sampled(200, rng)
    assert (offspring[:, 2:5] == offspring[:, :1]).all()
    assert (model.forest.fork_item >= 0).sum() >= 9
    assert len(set(map(tuple, offspring[:, 5:].tolist()))) > 50
    assert TreeLearner().learned(parents, rng, Budget(deadline=0.0)) is None
