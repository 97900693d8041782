"""The scatter encoding."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.model.problem import Rules
from pavane.model.symmetry import free_involutions
from pavane.solvers.evolution import scatter
from tests.solvers.evolution.cases import encoding, problem


@pytest.mark.parametrize(("ports", "most"), [(1, 1), (2, 2), ("all", 3)])
def test_acceleration_respects_the_senders_ports(ports: int, most: int) -> None:
    """After acceleration no processor sends more messages in a step than it has ports, and paths are untouched."""
    code = encoding("petersen", "AAS", 9, Rules(ports=ports))
    rng = np.random.default_rng(1)
    population = code.random(30, rng)
    paths = population[:, ::2].copy()
    code.repair(population, rng)
    assert (population[:, ::2] == paths).all()
    for row in population:
        sent = np.zeros((10, 9), dtype=np.int64)
        np.add.at(sent, (code.problem.labels[:, 0], row[1::2]), 1)
        assert sent.max() <= most


def test_acceleration_leaves_what_fits() -> None:
    """A chromosome that respects the ports already comes through unchanged."""
    code, rng = encoding("kautz:3,2", "AAS", 7), np.random.default_rng(2)
    population = code.random(10, rng)
    code.repair(population, rng)
    again = population.copy()
    code.repair(again, rng)
    assert (again == population).all()


def test_a_gene_per_message_or_per_orbit() -> None:
    """Without a symmetry there is a gene for every message, with one of order two half as many."""
    asked = problem("hypercube:3", "AAS")
    symmetry = next(free_involutions(asked))
    whole = scatter.encoded(asked, 4, np.random.default_rng(0))
    half = scatter.encoded(asked, 4, np.random.default_rng(0), symmetry=symmetry)
    assert whole is not None
    assert half is not None
    assert (whole.num_genes, half.num_genes) == (56, 28)


def test_what_is_supported() -> None:
    """Private messages under wormhole switching, not combined."""
    assert scatter.supports(problem("ring:4", "AAS"))
    assert scatter.supports(problem("ring:4", "AOG", Rules(duplex="half")))
    assert not scatter.supports(problem("ring:4", "AAB"))
    assert not scatter.supports(problem("ring:4", "AAS", Rules(combining=True)))
    assert not scatter.supports(problem("ring:4", "AAS", Rules(switching="store-and-forward")))
