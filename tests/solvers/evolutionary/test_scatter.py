"""The scatter encoding."""

import numpy as np

from pavane.model.problem import Rules
from pavane.solvers.evolutionary import scatter
from pavane.solvers.evolutionary.encoding import Coding
from pavane.symmetry.involutions import free_involutions
from tests.problems import problem_of


def test_a_gene_per_message_or_per_orbit() -> None:
    """Without a symmetry there is a gene for every message, with one of order two half as many."""
    asked = problem_of("hypercube:3", "AAS")
    symmetry = next(free_involutions(asked))
    whole = scatter.encoded(asked, 4, Coding(), np.random.default_rng(0))
    half = scatter.encoded(asked, 4, Coding(), np.random.default_rng(0), symmetry)
    assert whole is not None
    assert half is not None
    assert (whole.num_genes, half.num_genes) == (56, 28)


def test_what_is_supported() -> None:
    """Private messages under wormhole switching, not combined."""
    assert scatter.SUPPORTS(problem_of("ring:4", "AAS"))
    assert scatter.SUPPORTS(problem_of("ring:4", "AOG", Rules(duplex="half")))
    assert not scatter.SUPPORTS(problem_of("ring:4", "AAB"))
    assert not scatter.SUPPORTS(problem_of("ring:4", "AAS", Rules(combining=True)))
    assert not scatter.SUPPORTS(problem_of("ring:4", "AAS", Rules(switching="store-and-forward")))
