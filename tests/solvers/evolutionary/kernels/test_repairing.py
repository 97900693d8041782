"""Repair of chromosomes: acceleration of scatters, restoration of broadcast trees."""

import numpy as np
import pytest

from pavane.model.problem import Rules
from pavane.solvers.evolutionary import broadcast
from pavane.solvers.evolutionary.encoding import Coding
from pavane.solvers.evolutionary.kernels.bit_words import Key
from tests.problems import problem_of
from tests.solvers.evolutionary.cases import encoding


@pytest.mark.parametrize(("ports", "most"), [(1, 1), (2, 2), ("all", 3)])
def test_acceleration_respects_the_senders_ports(ports: int, most: int) -> None:
    """After acceleration no processor sends more messages in a step than it has ports, and paths are untouched."""
    code = encoding("petersen", "AAS", 9, Rules(ports=ports))
    rng = np.random.default_rng(1)
    population = rng.integers(0, code.cardinalities, size=(30, code.num_items)).astype(np.int32)
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
    population = code.founders(10, Key(2, 2))
    again = population.copy()
    code.repair(again, rng)
    assert (again == population).all()


@pytest.mark.parametrize(("spec", "kind", "num_steps"), [("petersen", "OAB", 4), ("ring:8", "AAB", 6)])
def test_restoration_yields_trees(spec: str, kind: str, num_steps: int) -> None:
    """Whatever the genes say, after restoration every destination hears from one that was informed before."""
    code, rng = encoding(spec, kind, num_steps), np.random.default_rng(1)
    genome = code.genome
    population = rng.integers(0, code.cardinalities, size=(30, code.num_items)).astype(np.int32)
    code.repair(population, rng)
    for row in population:
        source, _, step = row.reshape(-1, 3).T
        senders = genome.source_of[genome.first_source[:-1] + source]
        informed = {(m, int(p)): -1 for m, p in enumerate(genome.origin_of)}
        arrivals = zip(code.message_of.tolist(), genome.target_of.tolist(), step.tolist(), strict=True)
        informed |= {(message, target): when for message, target, when in arrivals}
        for message, sender, when in zip(code.message_of.tolist(), senders.tolist(), step.tolist(), strict=True):
            if when < num_steps:
                assert informed[message, sender] < when


def test_transfers_without_an_informed_source_are_postponed() -> None:
    """On a line everyone waits for the one before; who would wait beyond the last step is counted."""
    code, rng = encoding("line:6", "AAB", 3), np.random.default_rng(1)
    single = broadcast.encoded(problem_of("line:6", "OAB"), 3, Coding(radius=1), rng)
    population = single.founders(4, Key(1, 1))
    assert (population[:, 2::3] == [0, 1, 2, 3, 3]).all()
    assert single.fitness(population).tolist() == [2, 2, 2, 2]
    assert code.num_genes == 30
